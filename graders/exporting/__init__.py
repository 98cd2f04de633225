"""Marks where they have to go: plugins for `nbgrader export`, and late work.

`nbgrader export --exporter=graders.exporting.CanvasExport --assignment=['control-flow']`, and
likewise `MoodleExport` and `FullExport`.

From the ground up: `sheets` – CSV that opens anywhere; `late` – penalties, recomputed from the
final marks; `marks` – what is exported for each student; `plugins` – the three shapes.
"""

from graders.exporting.late import LatePenalty
from graders.exporting.plugins import CanvasExport, FullExport, MoodleExport

__all__ = ["CanvasExport", "FullExport", "LatePenalty", "MoodleExport"]
