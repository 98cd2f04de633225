"""What importing the instructor's side costs, and that nothing is lost by what it leaves out."""

import json
import subprocess
import sys

PROGRAM = """
import json, sys
import graders.grading.cli
before = "rfc3987_syntax" in sys.modules
from jsonschema import FormatChecker
conforms = [FormatChecker(["iri"]).conforms(text, "iri") for text in ("http://a.b/ü", "no address")]
import rfc3987_syntax
print(json.dumps([before, conforms, hasattr(rfc3987_syntax, "parse")]))
"""


def test_the_grammar_of_addresses_is_built_when_it_is_needed():
    done = subprocess.run([sys.executable, "-c", PROGRAM], check=True, capture_output=True)
    assert json.loads(done.stdout) == [False, [True, False], True]
