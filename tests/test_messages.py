"""What students read: a golden text and HTML file for every finding, in `tests/messages`.

`pytest tests/test_messages.py --refresh-messages` writes them anew; read what has changed.
"""

import re
from pathlib import Path

import pytest

from graders import _newton_words, _piecewise_words, _returns_words, _softmax_words, checks
from graders import observe as seeing
from graders.observe import Call, Observable, Observation, Problem, Undefined
from graders.report import CheckFailed, finding_text, text, to_html
from tests import bank

MESSAGES = Path(__file__).parent / "messages"

TOLD = {
    *_returns_words.TELL, *_newton_words.TELL, *_softmax_words.TELL, *_piecewise_words.TELL,
    *(f"piecewise/cost-{entry}" for entry in ("scalar", "batched-index", "unbatched-index")),
    *(f"{exercise}/raises" for exercise in ("returns", "newton", "softmax", "piecewise")),
    "piecewise/cost-primitive", "quiz/wrong", "quiz/form", "quiz/unanswered",
}  # fmt: skip


class Ends(Observable):
    """A function each call of which comes to the same end."""

    def __init__(self, status, problem=None):
        self.status, self.problem = status, problem

    def __call__(self):
        raise AssertionError("it is only observed")

    def observe_calls(self, calls):
        return tuple(Observation(self.status, problem=self.problem) for _ in calls)


def _general():
    """What any exercise may tell, here about exercise 1."""
    refused = Problem("Refused", (), "it calls back into Python through pure_callback")
    answers = {
        "timed-out": Ends(seeing.TIMED_OUT),
        "crashed": Ends(seeing.CRASHED),
        "out-of-memory": Ends(seeing.OUT_OF_MEMORY),
        "refused": Ends(seeing.REFUSED, refused),
        "not-a-function": 3,
        "cell-raises": Undefined(
            "discounted_returns", seeing.RAISED,
            Problem("NameError", (), "name 'jpn' is not defined"),
        ),
    }  # fmt: skip
    for code, answer in answers.items():
        yield (
            f"any/{code}",
            checks.examine(
                "returns", "discounted_returns", "values", answer, [Call(())], lambda *_: ()
            ),
        )


@pytest.fixture(scope="module")
def examples():
    """For each code the first result of the first wrong answer that shows it."""
    found = dict(_general())
    for answer in bank.answers("*", "wrong"):
        code = answer.expect[0]
        if code not in found:
            results = [r for mark in bank.marks_of(answer).values() for r in mark.results]
            found[code] = next(r for r in results if any(f.code == code for f in r.findings))
    return found


@pytest.fixture(scope="module")
def findings():
    """Every finding that a wrong answer of the bank is told, and whether its input is hidden."""
    return [
        (answer, finding, number > 0)
        for answer in bank.answers("*", "wrong")
        for mark in bank.marks_of(answer).values()
        for number, result in enumerate(mark.results)
        for finding in result.findings
    ]


def test_each_message_is_what_its_file_says(examples, request):
    assert examples.keys() >= TOLD
    wanted = {}
    for code, result in examples.items():
        wanted[MESSAGES / f"{code}.txt"] = text(result) + "\n"
        wanted[MESSAGES / f"{code}.html"] = to_html(result) + "\n"
    if request.config.getoption("--refresh-messages"):
        for path in MESSAGES.glob("*/*"):
            path.unlink()
        for path, content in wanted.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
    assert set(MESSAGES.glob("*/*")) == wanted.keys()
    for path, content in wanted.items():
        assert path.read_text(encoding="utf-8") == content, path.name


def test_each_message_says_what_came_and_ends_in_a_next_step(findings, examples):
    told = [finding for _, finding, _ in findings]
    told += [finding for result in examples.values() for finding in result.findings]
    for finding in told:
        *_, last = finding_text(finding).split("\n  Try next: ")
        assert " ".join(last.split()) == finding.next_step.strip(), finding.code
        assert finding.next_step.endswith((".", "]", "}", '"', ")")), finding.code
        assert finding.code == "quiz/unanswered" or finding.why, finding.code


def test_no_sentence_is_said_twice(findings):
    for answer, finding, _ in findings:
        body = f"{finding.headline}. {finding.why} {finding.next_step}"
        sentences = [s.strip(" .").casefold() for s in re.split(r"(?<=[.:;])\s", body)]
        assert len(set(sentences)) == len(sentences), (answer.name, finding.code)


MACHINERY = re.compile(
    r"Observation|Undefined|Remembered|Problem\(|graders\.|Traceback|CheckFailed|RemoteFunction"
    r"|/\w+/\w+\.py|0x[0-9a-f]{6}|<tests|tests\.",
)


def test_no_message_shows_the_machinery(findings, examples):
    for answer, finding, _ in findings:
        assert not MACHINERY.search(finding_text(finding)), (answer.name, finding)
    for result in examples.values():
        assert not MACHINERY.search(text(result) + to_html(result))


def test_no_value_takes_more_than_two_lines(findings):
    for answer, finding, _ in findings:
        raises = re.match(r"\w*(Error|Exception|Warning)\b", finding.came)
        for body in (finding.came, finding.expected):
            assert raises or len(body) <= 2 * 65, (answer.name, body)


def test_no_message_shows_the_data_of_a_hidden_input(findings):
    hidden = [finding.given for _, finding, is_hidden in findings if is_hidden]
    assert len(hidden) > 100
    for given in hidden:
        # The examples that everybody sees are of whole numbers and logarithms.
        assert not re.search(r"\[[^\]]*\d\.\d+[^\]]*,", given), given
        assert len(given) <= 160


def test_in_a_notebook_the_exception_is_one_line(examples):
    for result in examples.values():
        if not result.passed:
            [line] = CheckFailed(result)._render_traceback_()
            assert line.startswith(f"CheckFailed: {result.subject}, {result.title}: ")
            assert len(line) <= 160
