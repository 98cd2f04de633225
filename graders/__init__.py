"""Checks for the exercises of the control-flow chapter, and the tools that grade them.

Students use one module per exercise: `graders.returns`, `graders.newton`,
`graders.softmax`, `graders.piecewise` and `graders.quiz`. Instructors use the
`graders` command, which lives in `graders.grading`.
"""

__version__ = "0.1.0"
