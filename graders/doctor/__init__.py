"""Looking at a machine and a course before it matters: `graders doctor`.

From the ground up:

* `checkup` – what a check comes to, and running checks so that none stops the others;
* `software`, `closure` and `jupyter` – Python, packages, JAX, JupyterLab's extensions, kernels;
* `course` and `exchange` – the configuration, the database, nbgrader's exchange;
* `probes`, `trial` and `confinement` – attacks by a real confined kernel on what is around it;
* `commands` – the command. `python -m graders.doctor` also works where `graders` does not start.
"""
