"""What can be wrong with the file: rows 1 to 9."""

import codecs
import json
import os

from tests.situations.cases import case
from tests.situations.toy import ANSWERS, DOUBLE, POINTS, SHIFT

ALL = tuple(POINTS)


# --- 1: pasted twice ----------------------------------------------------------------------


@case(1, told=["cell double was there 2 times"])
def answer_pasted_twice(s):
    s.insert("double", s.copy_of("double"), by=1)


@case(1, told=["cell double was there 4 times"])
def three_versions_the_last_is_right(s):
    s.insert("double", s.copy_of("double", "def double(x):\n    return x"))
    s.insert("double", s.copy_of("double", "def double(x):\n    return x + 2"))
    s.nb["cells"].append(s.copy_of("double", ANSWERS["double"]))
    s.remove("double")
    s.insert("double", s.copy_of("double", "def double(x):\n    return -x"))


@case(1, told=["cell q1 was there 2 times"])
def untouched_copy_below_the_answer(s):
    s.insert("q1", s.copy_of("q1", s.stubs["q1"]), by=1)


@case(1)
def test_cell_pasted_twice_and_all_ids_alike(s):
    s.insert("double-plain", s.copy_of("double-plain"))
    for cell in s.nb["cells"]:
        cell["id"] = "same"


@case(1, lost=DOUBLE, told=["cell double was there 2 times"])
def pasted_twice_and_wrong(s):
    s["double"] = "def double(x):\n    return x"
    s.insert("double", s.copy_of("double"), by=1)


@case(1)
def everything_pasted_twice(s):
    s.nb["cells"] += json.loads(json.dumps(s.nb["cells"]))


# --- 2: cells deleted ---------------------------------------------------------------------


@case(2, told=["test cell double-plain was missing; put back"])
def test_deleted(s):
    s.remove("double-plain")


@case(2)
def all_tests_deleted(s):
    s.remove(*POINTS)


@case(2)
def setup_deleted(s):
    s.remove("setup")


@case(2, lost=DOUBLE, status="not-attempted", told=["answer cell double was missing"])
def answer_deleted(s):
    s.remove("double")


@case(2)
def answer_in_a_cell_of_their_own(s):
    s.remove("shift")
    s.insert("shift-plain", ANSWERS["shift"])


@case(2)
def both_answers_in_one_cell(s):
    s.remove("shift")
    s["double"] = ANSWERS["double"] + "\n\n" + ANSWERS["shift"]


@case(2)
def import_added_to_a_locked_cell(s):
    s["setup"] = s.cell("setup")["source"] + "\nimport operator"
    s["double"] = "def double(x):\n    return operator.mul(2, x)"


@case(2)
def tests_moved_to_the_top(s):
    cells = [s.cell(name) for name in POINTS]
    s.remove(*POINTS)
    s.nb["cells"][:0] = cells


# --- 3: metadata gone ---------------------------------------------------------------------


@case(3, told=["matched by their content"])
def all_metadata_gone(s):
    s.strip()


@case(3)
def metadata_gone_and_answers_in_one_cell(s):
    s.remove("shift", "q1")
    s["double"] = "\n".join(ANSWERS.values())
    s.strip()


@case(3)
def metadata_of_one_answer_gone(s):
    s.cell("shift")["metadata"] = {}


@case(3)
def metadata_gone_of_everything_but_the_answers(s):
    for name in ("setup", *POINTS):
        s.cell(name)["metadata"] = {"colab": {"base_uri": "x"}, "id": "f00"}


@case(3, lost=ALL, status="unreadable", told=["unrecognised notebook"])
def another_notebook(s):
    s.nb["cells"] = [{"cell_type": "code", "metadata": {}, "source": "x = 1", "outputs": [],
                      "execution_count": None}]  # fmt: skip


@case(3, lost=ALL, status="unreadable", told=["unrecognised notebook"])
def no_cells(s):
    s.nb["cells"] = []


@case(3)
def metadata_of_odd_forms(s):
    s.cell("setup")["metadata"]["nbgrader"] = ["setup"]
    s.cell("double-plain")["metadata"]["nbgrader"]["grade_id"] = 7
    s.nb["metadata"] = {"graders": {"rows": [], "unreadable": "hello"}, "kernelspec": 3}


# --- 4: types changed ---------------------------------------------------------------------


@case(4, told=["had been turned into a markdown cell; restored"])
def test_turned_into_markdown(s):
    s.cell("double-plain").update(cell_type="markdown", attachments={"a.png": {}})


@case(4)
def answer_turned_into_raw(s):
    s.cell("double")["cell_type"] = "raw"


@case(4)
def answer_turned_into_markdown(s):
    s.cell("q1")["cell_type"] = "markdown"


@case(4)
def types_unknown_or_missing(s):
    s.cell("double")["cell_type"] = "heading"
    del s.cell("shift")["cell_type"]


# --- 5: tests changed ---------------------------------------------------------------------


@case(5, lost=DOUBLE, hostile=True, told=["double-plain was not as in the teacher's notebook"])
def test_replaced_and_points_raised(s):
    s["double"] = "def double(x):\n    return 'mine'"
    s["double-plain"] = "pass"
    s.cell("double-plain")["metadata"]["nbgrader"].update(points=200, locked=False, checksum="0")


@case(5, lost=DOUBLE, hostile=True)
def test_turned_into_an_answer(s):
    s["double"] = "def double(x):\n    return 'mine'"
    for name in DOUBLE:
        s[name] = "pass"
        s.cell(name)["metadata"]["nbgrader"].update(solution=True, points=float("nan"))


@case(5, lost=SHIFT, hostile=True)
def tests_renamed(s):
    s["shift"] = "shift = None"
    for name in SHIFT:
        s[name] = "2.0"
        s.cell(name)["metadata"]["nbgrader"]["grade_id"] = f"{name}-mine"


@case(5, lost=("q1-answer",), hostile=True)
def answers_named_as_tests(s):
    s["q1"] = 'q1 = "a"'
    s.cell("q1")["metadata"]["nbgrader"].update(grade_id="q1-answer", grade=True)
    s.cell("q1-answer")["metadata"]["nbgrader"].update(grade_id="q1", grade=False)


# --- 6: file renamed ----------------------------------------------------------------------


@case(6, told=["the file was named toy (1).ipynb"])
def renamed_by_a_browser(s):
    s.filename = "toy (1).ipynb"


@case(6, told=["the file was named Copy of toy_final-v2.ipynb"])
def renamed_by_hand(s):
    s.filename = "Copy of toy_final-v2.ipynb"


@case(6, told=["the file was named homework.ipynb"])
def named_otherwise(s):
    s.filename = "homework.ipynb"
    s.strip()


@case(6, told=["the file was named toy.ipynb.txt"])
def saved_as_text(s):
    s.filename = "toy.ipynb.txt"


@case(6, told=["the file was named TOY.IPYNB"])
def in_capitals(s):
    s.filename = "TOY.IPYNB"


@case(6, told=["the file was named week 1/toy.ipynb"])
def in_a_folder_of_its_own(s):
    s.filename = "week 1/toy.ipynb"


@case(6, lost=ALL, status="missing", told=["several files could be it: toy (1).ipynb, toy (2).ip"])
def two_candidates(s):
    for number in (1, 2):
        s["q1"] = f'q1 = "b"  # {number}'
        s.filename = f"toy ({number}).ipynb"
        s.write()


@case(6)
def two_copies(s):
    s.filename = "toy-Copy1.ipynb"
    s.write()
    s.filename = "toy (1).ipynb"


@case(6, told=["not looked at, though named alike: toy (1).ipynb"])
def another_beside_it(s):
    (s.folder / "toy (1).ipynb").write_text("{}")


# --- 7: unreadable ------------------------------------------------------------------------


@case(7, lost=ALL, status="unreadable", told=["toy.ipynb is empty"])
def zero_bytes(s):
    s.content = ""


@case(7, lost=ALL, status="unreadable", told=["toy.ipynb is empty"])
def nothing_but_spaces(s):
    s.content = " \n\t\n"


@case(7, lost=ALL, status="unreadable", told=["line 4", "not complete JSON"])
def cut_short(s):
    s.content = "\n".join(s.text(indent=1).splitlines()[:4])


@case(7, lost=ALL, status="unreadable", told=["line 3", "merge-conflict"])
def merge_conflict(s):
    lines = s.text(indent=1).splitlines()
    s.content = "\n".join([*lines[:2], "<<<<<<< HEAD", *lines[2:4], "=======", *lines[2:]])


@case(7, lost=ALL, status="unreadable", told=["not a notebook"])
def json_of_another_kind(s):
    s.content = "[1, 2, 3]"


@case(7, lost=ALL, status="unreadable", told=["nested too deeply"])
def nested_too_deeply(s):
    s.content = "[" * 200_000


@case(7, lost=ALL, status="unreadable", told=["not complete JSON"])
def a_number_too_long(s):
    s.content = '{"cells": [], "nbformat": ' + "9" * 5000 + "}"


@case(7, lost=ALL, status="unreadable", told=["not complete JSON"])
def a_picture(s):
    s.content = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9


@case(7, lost=ALL, status="unreadable", told=["is not a file"])
def a_folder_named_like_it(s):
    (s.folder / s.filename).mkdir(parents=True)
    s.filename = None


@case(7, lost=ALL, status="unreadable", told=["is not a file"])
def a_pipe_named_like_it(s):
    os.mkfifo(s.folder / s.filename)
    s.filename = None


@case(7, lost=ALL, status="unreadable", told=["is a link"], hostile=True)
def a_link_to_somebody_elses(s):
    (s.folder / s.filename).symlink_to("../../honest-1/toy/toy.ipynb")
    s.filename = None


@case(7, lost=ALL, status="unreadable", told=["is a link"])
def a_link_to_nowhere(s):
    (s.folder / s.filename).symlink_to("gone.ipynb")
    s.filename = None


@case(7, lost=ALL, status="unreadable", told=["more than the 50 MB"])
def far_too_large(s):
    with (s.folder / s.filename).open("wb") as file:
        file.truncate(3_000_000_000)
    s.filename = None


@case(7, lost=ALL, status="unreadable", told=["more than the 2000 that are read"])
def far_too_many_cells(s):
    own = {"cell_type": "code", "metadata": {}, "source": "1", "outputs": [],
           "execution_count": None}  # fmt: skip
    s.nb["cells"] += [own] * 100_000


@case(7, lost=ALL, status="unreadable", told=["not a notebook that can be read"])
def cells_that_are_none(s):
    s.nb["cells"] = 5


# --- 8: odd and readable ------------------------------------------------------------------


@case(8)
def byte_order_mark(s):
    s.content = codecs.BOM_UTF8 + s.text().encode()


@case(8)
def utf_16(s):
    s.content = s.text().encode("utf-16")


@case(8)
def utf_16_without_a_mark(s):
    s.content = s.text().encode("utf-16-le")


@case(8)
def windows_encoding(s):
    s["double"] = "# öfter\n" + ANSWERS["double"]
    s.content = s.text(ensure_ascii=False).encode("cp1252")


@case(8)
def half_a_surrogate_pair_and_a_nul(s):
    s["double"] = ANSWERS["double"] + "\n# \ud800"
    s.insert("shift", "label = '\udfff'\nprint(label)")
    s.insert("shift", "# \x00 \u2028 <<<<<<< ")


@case(8)
def nbformat_3(s):
    cells = [{**cell, "input": cell["source"], "language": "python"} for cell in s.nb["cells"]]
    s.nb = {"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": cells}]}


@case(8)
def nbformat_5_and_unknown_keys(s):
    s.nb.update(nbformat=5, nbformat_minor=99, novel={"x": 1})
    for cell in s.nb["cells"]:
        cell["novel"] = [1]


@case(8)
def nbformat_as_text_or_missing(s):
    s.nb.update(nbformat="4")
    del s.nb["nbformat_minor"]


@case(8)
def kernel_of_another_language(s):
    s.nb["metadata"] = {"kernelspec": {"name": "ir", "display_name": "R", "language": "R"},
                        "language_info": {"name": "R"}}  # fmt: skip


@case(8)
def sources_as_lists_and_not_text(s):
    s["double"] = ["def double(x):\n", "    return 2 * x", None, 3]
    s.insert("double", {"cell_type": "code", "source": None, "outputs": None})
    s.insert("double", {"cell_type": "code", "source": {"a": 1}, "metadata": [1]})
    s.insert("double", {"cell_type": "code"})
    s.nb["cells"] += [None, "text", 4, []]


@case(8)
def huge_outputs(s):
    output = {"output_type": "stream", "name": "stdout", "text": "x" * 5_000_000}
    s.cell("double")["outputs"] = [output, {"output_type": "nonsense"}, 3]


@case(8)
def thousands_of_empty_cells(s):
    s.nb["cells"] += [{"cell_type": "code", "metadata": {}, "source": "", "outputs": []}] * 50_000


@case(8)
def attachments_and_tags(s):
    for cell in s.nb["cells"]:
        cell["attachments"] = {"a.png": {"image/png": "AAAA"}}
        cell["metadata"]["tags"] = ["raises-exception", "skip-execution"]


@case(8)
def files_beside_it(s):
    s["double"] = "two = float(open('data/two.txt').read())\ndef double(x):\n    return two * x"
    (s.folder / "data").mkdir()
    (s.folder / "data" / "two.txt").write_text("2")


@case(8, hostile=True, told=["kept: []"])
def links_beside_it(s):
    (s.folder / "book.db").symlink_to("../../../gradebook.db")
    (s.folder / "all").symlink_to("../..")
    (s.folder / "gone").symlink_to("nowhere")
    os.mkfifo(s.folder / "pipe")
    s.insert("double", "import os\nprint('kept:', sorted(os.listdir('.')))")


# --- 9: missing ---------------------------------------------------------------------------


@case(9, lost=ALL, status="missing", told=["toy.ipynb was not handed in"])
def missing(s):
    s.filename = None
    (s.folder / "essay.txt").write_text("See e-mail.")


@case(9, lost=ALL, status="missing")
def empty_folder(s):
    s.filename = None


@case(9, lost=ALL, status="not-attempted")
def untouched(s):
    for name, stub in s.stubs.items():
        s[name] = stub
