"""The instructor's side: releasing, grading, feedback and the `graders` command.

From the ground up:

* `outputs`, `connection` – what cells show; one running kernel;
* `kernel` – a student's kernel: running cells, asking for observations, starting afresh;
* `proxies` – what a student's names look like on the trusted side;
* `trusted` – runs the instructor's locked cells against those proxies;
* `judge` – grades one notebook: the student's cells there, the locked cells here;
* `stubs`, `reading` – what students got; what they handed in, read tolerantly;
* `intake` – finds a submission's notebooks and repairs them against the source;
* `marks` – nbgrader's own preprocessors for the gradebook, with fewer look-ups;
* `preprocessors` – all of that as nbgrader preprocessors, for `nbgrader_config.py`;
* `course` – a course folder with its configuration; releasing;
* `digests`, `rows`, `ledger` – what is graded already; the rows of the class; their file;
* `cache` – what JAX compiled before, for kernels to read;
* `batch` – many submissions at once, with one `writer`;
* `cli` – the command.
"""

from graders.grading._imports import import_jsonschema

import_jsonschema()
