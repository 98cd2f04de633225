"""The course's nbgrader configuration.

`graders` and `nbgrader` both read it, and so does the formgrader in JupyterLab, so that
its Autograde button and the command give the same marks.
"""

from graders.grading.config import configure

c = get_config()  # noqa: F821

c.CourseDirectory.course_id = "jax-control-flow"

configure(c)

# What grading may cost. A call is one call of a student's function, compilation included.
c.JudgeAnswers.call_timeout = 10.0  # seconds
c.JudgeAnswers.notebook_timeout = 120.0  # seconds
c.JudgeAnswers.memory_limit = 2048  # MiB

# "auto" confines student code as far as the machine allows; "required" refuses to grade
# without; "off" runs it as any program of yours.
c.JudgeAnswers.confine = "auto"

# True leaves the source of hidden tests in the feedback that students get.
c.RedactHiddenTests.reveal = False
