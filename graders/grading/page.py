"""The exporter of feedback: nbgrader's page with what people with disabilities need."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

from nbconvert.exporters import HTMLExporter
from traitlets.config import Config


class FeedbackExporter(HTMLExporter):
    """Writes nbgrader's feedback page through this package's template, which extends it.

    The command and the formgrader's button each configure a template, and this one goes before.
    """

    def __init__(self, *, config: Config, **options: Any) -> None:
        own, stock = deepcopy(config), config.HTMLExporter
        here = str(Path(__file__).parent / "templates")
        own.FeedbackExporter.template_name = "graders-feedback"
        own.FeedbackExporter.extra_template_basedirs = [here, *stock.extra_template_basedirs]
        # Where Jinja finds `feedback/index.html.j2`, which this one extends.
        own.FeedbackExporter.extra_template_paths = [
            *stock.extra_template_paths, *stock.extra_template_basedirs,
        ]  # fmt: skip
        super().__init__(config=own, **options)
