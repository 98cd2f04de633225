"""Kernels for grading: forked from a warm parent, confined, and gone without a trace afterwards.

What other code uses is in `graders.kernels.manager`: `kernel_manager`, `exit_reason`,
`Limits`, and in `graders.kernels.confine`: `available`, `describe`. This module imports nothing,
because a kernel's keeper loads the package and ought to stay small.

From the ground up:

* `system` – the calls into Linux that Python does not offer, each with its reason;
* `limits` – how much memory, time, processes and files a kernel may use;
* `cage` and `confine` – what a kernel may see and reach, and what of that the machine offers;
* `application` – the IPython kernel itself, without what grading has no use for;
* `family` and `keeper` – the small process beside each kernel that watches it and all it starts;
* `preloads` – what the warm parent and the server of workers import beforehand;
* `zygote` – the warm parent that keepers are forked from;
* `bubble` – bubblewrap, for kernels that start in a fresh process;
* `launcher` – starts the warm parent, asks it for kernels, falls back to a cold start;
* `runtime` and `reason` – a kernel's private folder, and how it ended;
* `provisioner` – all of it as a `KernelProvisioner`, so that jupyter_client needs no change;
* `manager` – the front door.
"""
