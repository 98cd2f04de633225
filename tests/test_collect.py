from __future__ import annotations

import csv
import io
import json
import shutil
import tarfile
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from graders.collecting import archives, names
from graders.collecting.names import Roster, origin
from graders.grading.answers import fill, read
from graders.grading.cli import main
from graders.grading.course import Course
from graders.grading.intake import released
from tests.made_class import ROOT

ASSIGNMENT = "control-flow"
RETURNS = "1-discounted-returns"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with one exercise and an empty gradebook, which takes a while to make."""
    root = tmp_path_factory.mktemp("course")
    (root / "source" / ASSIGNMENT).mkdir(parents=True)
    shutil.copy(ROOT / "source" / ASSIGNMENT / f"{RETURNS}.ipynb", root / "source" / ASSIGNMENT)
    shutil.copy(ROOT / "nbgrader_config.py", root)
    with Course(root).gradebook():
        pass
    return root


@pytest.fixture
def course(template: Path, tmp_path: Path) -> Course:
    return Course(shutil.copytree(template, tmp_path / "course"))


@pytest.fixture(scope="module")
def notebooks() -> dict[str, bytes]:
    """`blank` as handed out, `one` and `two` with different answers."""
    source = Course(ROOT).sources(ASSIGNMENT)[RETURNS]
    blank = released(source)
    answers = ROOT / "tests" / "answers" / "returns" / "right"
    return {
        "blank": json.dumps(blank).encode(),
        "one": json.dumps(fill(blank, read(answers / "textbook.py").cells)).encode(),
        "two": json.dumps(fill(blank, read(answers / "by_index.py").cells)).encode(),
    }


def packed(
    files: Mapping[str, bytes],
    times: Mapping[str, tuple[int, int, int, int, int, int]] | None = None,
) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            info = zipfile.ZipInfo(name, (times or {}).get(name, (2026, 3, 1, 12, 0, 0)))
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
    return buffer.getvalue()


def collect(course: Course, download: bytes, *options: str) -> tuple[int, list[dict[str, str]]]:
    """Runs the command; returns its status and the receipts."""
    path = course.root / "download.zip"
    path.write_bytes(download)
    before = len(all_receipts(course))
    status = main(
        ["collect", ASSIGNMENT, "--from", str(path), "--course", str(course.root), *options]
    )
    return status, all_receipts(course)[before:]


def all_receipts(course: Course) -> list[dict[str, str]]:
    path = course.root / "ledger" / f"{ASSIGNMENT}.receipts.csv"
    if not path.exists():
        return []
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def submitted(course: Course, student: str, name: str = f"{RETURNS}.ipynb") -> Path:
    return course.folder("submitted", student, ASSIGNMENT) / name


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("doejane_1234_5678_a.ipynb", ("doejane", "1234", "a.ipynb", "canvas", False, 5678)),
        ("jo_LATE_1234_5678_a_b.ipynb", ("jo", "1234", "a_b.ipynb", "canvas", True, 5678)),
        ("o_neill_9_10_x.zip/a.ipynb", ("o_neill", "9", "x.zip/a.ipynb", "canvas", False, 10)),
        ("LATE_anon_AbC12_78_a.ipynb", ("anon", "AbC12", "a.ipynb", "canvas", True, 78)),
        ("Jo D_12_assignsubmission_file/a.ipynb", ("Jo D", "12", "a.ipynb", "moodle", False, 0)),
        ("Jo Doe_12_assignsubmission_file_/d/a.ipynb",
         ("Jo Doe", "12", "d/a.ipynb", "moodle", False, 0)),
        ("Zoë Ł_12_assignsubmission_file_a.ipynb", ("Zoë Ł", "12", "a.ipynb", "moodle", False, 0)),
        ("all/Jo Doe_12_assignsubmission_file/a.ipynb",
         ("Jo Doe", "12", "a.ipynb", "moodle", False, 0)),
        ("doejane_LATE_12_text.html", ("doejane", "12", "text.html", "canvas", True, 0)),
        ("anon_AbC12_link.html", ("anon", "AbC12", "link.html", "canvas", False, 0)),
        ("doejane_12_notes.html", None),
        ("ada/a.ipynb", ("ada", "", "a.ipynb", "folder", False, 0)),
        ("a.ipynb", None),
    ],
)  # fmt: skip
def test_names_tell_whose_a_file_is(path: str, expected: tuple[object, ...] | None) -> None:
    assert origin(path) == (expected and names.Origin(*expected))  # type: ignore[arg-type]


class Known:
    def __init__(self, id: str, first: str = "", last: str = "", lms: str = "") -> None:
        self.id, self.first_name, self.last_name, self.lms_user_id = id, first, last, lms


@pytest.mark.parametrize(
    ("path", "student"),
    [
        ("x_77_1_a.ipynb", "ada"),  # by Canvas' number
        ("lovelaceada_5_1_a.ipynb", "ada"),  # by last and first name
        ("Ada Lovelace_5_assignsubmission_file/a.ipynb", "ada"),
        ("Ada Lovelace_77_assignsubmission_file/a.ipynb", "ada"),
        ("John Smith_77_assignsubmission_file/a.ipynb", "john-smith-77"),  # two of that name
        ("smithjohn_78_1_a.ipynb", "smithjohn-78"),
        ("smithjohn_88_1_a.ipynb", "j2"),
    ],
)
def test_the_gradebook_says_who_that_is(path: str, student: str) -> None:
    roster = Roster(
        [
            Known("ada", "Ada", "Lovelace", "77"),
            Known("j1", "John", "Smith"),
            Known("j2", "John", "Smith", "88"),
        ]
    )
    whose = origin(path)
    assert whose is not None
    assert roster.find(whose) == student


def test_a_canvas_download(course: Course, notebooks: dict[str, bytes]) -> None:
    with course.gradebook() as gradebook:
        gradebook.add_student("ada", lms_user_id="12")
    status, receipts = collect(
        course,
        packed(
            {
                f"lovelaceada_12_501_{RETURNS}.ipynb": notebooks["one"],
                f"hopper_LATE_13_502_{RETURNS}-2.ipynb": notebooks["two"],
                "hopper_LATE_13_503_data.csv": b"1,2",
                f"turing_14_504_{RETURNS} (1).ipynb": notebooks["blank"],
            }
        ),
    )
    assert status == 0
    assert submitted(course, "ada").read_bytes() == notebooks["one"]
    assert submitted(course, "hopper-13").read_bytes() == notebooks["two"]
    assert submitted(course, "hopper-13", "data.csv").read_bytes() == b"1,2"
    assert submitted(course, "turing-14").read_bytes() == notebooks["blank"]
    by_student = {(r["student"], r["name"]): r for r in receipts}
    ada = by_student["ada", f"{RETURNS}.ipynb"]
    assert (ada["status"], ada["late"], ada["answered"], ada["of"]) == ("taken", "", "1", "1")
    assert len(ada["sha256"]) == 64 and ada["time"].startswith("2026-03-01")
    assert by_student["hopper-13", f"{RETURNS}.ipynb"]["late"] == "late"
    assert by_student["turing-14", f"{RETURNS}.ipynb"]["answered"] == "0"
    with course.gradebook() as gradebook:
        assert gradebook.find_student("hopper-13").lms_user_id == "13"


def test_a_moodle_download(course: Course, notebooks: dict[str, bytes]) -> None:
    status, _ = collect(
        course,
        packed(
            {
                f"Zoë Łukasz_21_assignsubmission_file/{RETURNS}.ipynb": notebooks["one"],
                f"李 明_22_assignsubmission_file_/{RETURNS}.ipynb": notebooks["two"],
                f"Old Style_23_assignsubmission_file_{RETURNS}.ipynb": notebooks["one"],
            }
        ),
    )
    assert status == 0
    for student in ("zoë-łukasz-21", "李-明-22", "old-style-23"):
        assert submitted(course, student).is_file()
    with course.gradebook() as gradebook:
        zoe = gradebook.find_student("zoë-łukasz-21")
        assert (zoe.first_name, zoe.last_name) == ("Zoë", "Łukasz")


def test_the_last_attempt_counts(course: Course, notebooks: dict[str, bytes]) -> None:
    _, receipts = collect(
        course,
        packed(
            {
                f"a_1_30_{RETURNS}-1.ipynb": notebooks["two"],
                f"a_1_9_{RETURNS}.ipynb": notebooks["one"],
            }
        ),
    )
    assert submitted(course, "a-1").read_bytes() == notebooks["two"]
    assert [r["status"] for r in receipts] == ["taken", "an earlier attempt"]


def test_the_same_again_does_not_count_as_later(
    course: Course, notebooks: dict[str, bytes]
) -> None:
    """Only saved anew, which changes the file and none of its cells."""
    again = json.dumps(json.loads(notebooks["two"]), indent=1).encode()
    files = {
        f"a_1_1_{RETURNS}.ipynb": notebooks["one"],
        f"a_1_2_{RETURNS}-1.ipynb": notebooks["two"],
        f"a_1_3_{RETURNS}-2.ipynb": again,
    }
    days = {name: (2026, 3, day, 12, 0, 0) for day, name in enumerate(files, 1)}
    collect(course, packed(files, days), "--times")
    stamp = submitted(course, "a-1", "timestamp.txt").read_text()
    assert stamp.startswith("2026-03-02")
    # A later download with the same answer leaves everything as it is.
    days = dict.fromkeys(files, (2026, 4, 1, 12, 0, 0))
    _, receipts = collect(course, packed(files, days), "--times")
    assert receipts[2]["status"] == "as it was"
    assert submitted(course, "a-1", "timestamp.txt").read_text() == stamp
    # Another answer does count.
    files[f"a_1_4_{RETURNS}-3.ipynb"] = notebooks["one"]
    days[f"a_1_4_{RETURNS}-3.ipynb"] = (2026, 5, 1, 12, 0, 0)
    collect(course, packed(files, days), "--times")
    assert submitted(course, "a-1", "timestamp.txt").read_text().startswith("2026-05-01")


def test_times_are_not_believed_unless_asked(course: Course, notebooks: dict[str, bytes]) -> None:
    collect(course, packed({f"a_1_1_{RETURNS}.ipynb": notebooks["one"]}))
    assert not submitted(course, "a-1", "timestamp.txt").exists()


def test_nested_archives(course: Course, notebooks: dict[str, bytes]) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        info = tarfile.TarInfo(f"work/{RETURNS}.ipynb")
        info.size = len(notebooks["two"])
        archive.addfile(info, io.BytesIO(notebooks["two"]))
    status, _ = collect(
        course,
        packed(
            {
                "a_1_1_work.zip": packed(
                    {f"x/{RETURNS}.ipynb": notebooks["one"], "__MACOSX/x": b"", ".DS_Store": b""}
                ),
                "b_2_2_work.tar.gz": buffer.getvalue(),
                "c_3_3_work.zip": packed(
                    {"in.zip": packed({f"{RETURNS}.ipynb": notebooks["two"]})}
                ),
            }
        ),
    )
    assert status == 0
    assert submitted(course, "a-1").read_bytes() == notebooks["one"]
    assert submitted(course, "b-2").read_bytes() == notebooks["two"]
    assert submitted(course, "c-3").read_bytes() == notebooks["two"]


def test_a_time_inside_an_archive_is_not_that_of_handing_in(
    course: Course, notebooks: dict[str, bytes]
) -> None:
    """A student could write any time in there, and be early."""
    name = f"{RETURNS}.ipynb"
    inner = packed({name: notebooks["one"]}, {name: (2020, 1, 1, 0, 0, 0)})
    deeper = packed({"in.zip": inner}, {"in.zip": (2021, 1, 1, 0, 0, 0)})
    _, receipts = collect(course, packed({"a_1_1_w.zip": inner, "b_2_2_w.zip": deeper}), "--times")
    assert [receipt["time"][:10] for receipt in receipts] == ["2026-03-01"] * 2
    for student in ("a-1", "b-2"):
        assert submitted(course, student, "timestamp.txt").read_text().startswith("2026-03-01")


def test_receipts_of_earlier_downloads_stay(course: Course, notebooks: dict[str, bytes]) -> None:
    collect(course, packed({f"a_1_1_{RETURNS}.ipynb": notebooks["one"], "=1+1.txt": b""}))
    collect(course, packed({f"a_1_2_{RETURNS}.ipynb": notebooks["two"]}))
    receipts = all_receipts(course)
    assert [(r["file"], r["status"]) for r in receipts] == [
        (f"a_1_1_{RETURNS}.ipynb", "taken"),
        ("'=1+1.txt", "its name does not say whose it is"),
        (f"a_1_2_{RETURNS}.ipynb", "taken"),
    ]
    assert all(r["download"] == "download.zip" and r["collected"] for r in receipts)


def test_who_is_new_is_said(
    course: Course, notebooks: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    """A student whom the gradebook knows under another id would be there twice."""
    download = packed({f"doejane_1_1_{RETURNS}.ipynb": notebooks["one"]})
    collect(course, download)
    assert "New in the gradebook: doejane-1." in capsys.readouterr().out
    collect(course, download)
    assert "New in the gradebook" not in capsys.readouterr().out


def link(name: str, target: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        info = zipfile.ZipInfo(name)
        info.external_attr = 0o120777 << 16
        archive.writestr(info, target)
    return buffer.getvalue()


def linked_tar(*kinds: bytes) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for number, kind in enumerate(kinds):
            info = tarfile.TarInfo(f"x{number}.ipynb")
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
    return buffer.getvalue()


def nested(depth: int) -> bytes:
    data = packed({"x.ipynb": b"{}"})
    for _ in range(depth):
        data = packed({"x.zip": data})
    return data


@pytest.mark.parametrize(
    ("upload", "name", "reasons"),
    [
        (packed({"../../../evil.ipynb": b"{}"}), "w.zip", ["leads out"]),
        (packed({"/tmp/evil.ipynb": b"{}"}), "w.zip", ["leads out"]),
        (packed({"..\\..\\evil.ipynb": b"{}"}), "w.zip", ["leads out"]),
        (link("x.ipynb", "/etc/passwd"), "w.zip", ["a link"]),
        (linked_tar(tarfile.SYMTYPE, tarfile.LNKTYPE), "w.tar", ["a link", "a link"]),
        (linked_tar(tarfile.FIFOTYPE), "w.tar", ["no file"]),
        (b"PK\x03\x04 cut short", "w.zip", ["cannot be read"]),
        (packed({"x.ipynb": b"{}"})[:-30], "w.zip", ["cannot be read"]),
        (b"not gzip", "w.tgz", ["cannot be read"]),
        (nested(4), "w.zip", ["deep in each other"]),
        (b"2020-01-01 00:00:00 UTC", "timestamp.txt", ["this name"]),
    ],
)
def test_what_is_dangerous_or_broken_is_refused(
    course: Course,
    notebooks: dict[str, bytes],
    upload: bytes,
    name: str,
    reasons: list[str],
) -> None:
    """And costs nobody else anything."""
    before = set(course.root.parent.rglob("*evil*"))
    status, receipts = collect(
        course,
        packed({f"bad_1_1_{name}": upload, f"good_2_2_{RETURNS}.ipynb": notebooks["one"]}),
    )
    assert status == 1
    refused = [r["status"] for r in receipts if r["status"] != "taken"]
    assert len(refused) == len(reasons)
    assert all(reason in told for reason, told in zip(reasons, refused, strict=True))
    assert submitted(course, "good-2").read_bytes() == notebooks["one"]
    assert not course.folder("submitted", "bad-1", ASSIGNMENT).exists()
    assert set(course.root.parent.rglob("*evil*")) == before


@pytest.mark.parametrize("kind", ["w.zip", "w.tar.gz"])
def test_a_bomb_is_refused(
    course: Course, notebooks: dict[str, bytes], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "MAX_SIZE", 1_000_000)
    monkeypatch.setattr(archives, "MAX_UNPACKED", 2_000_000)
    zeros = bytes(900_000)
    if kind.endswith("zip"):
        upload = packed({f"{n}.ipynb": zeros for n in range(9)})
    else:
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
            for number in range(9):
                info = tarfile.TarInfo(f"{number}.ipynb")
                info.size = len(zeros)
                archive.addfile(info, io.BytesIO(zeros))
        upload = buffer.getvalue()
    status, receipts = collect(
        course,
        packed({f"bad_1_1_{kind}": upload, f"good_2_2_{RETURNS}.ipynb": notebooks["one"]}),
    )
    assert status == 1
    assert any("unpacks to more than" in r["status"] for r in receipts)
    assert sum(r["status"] == "taken" for r in receipts if r["student"] == "bad-1") <= 2
    assert submitted(course, "good-2").is_file()


def test_more_files_than_a_submission_has_are_refused(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "MAX_FILES", 3)
    _, receipts = collect(
        course, packed({"a_1_1_w.zip": packed({f"{n}.txt": b"" for n in range(9)})})
    )
    # The archive is a file as well.
    assert [r["file"] for r in receipts] == [f"a_1_1_w.zip/{n}.txt" for n in range(3)]
    assert [r["status"] for r in receipts][:2] == ["taken", "taken"]
    assert "more than 3 files" in receipts[2]["status"]


def test_a_folder_and_its_links(
    course: Course, notebooks: dict[str, bytes], tmp_path: Path
) -> None:
    download = tmp_path / "download"
    (download / "ada").mkdir(parents=True)
    (download / "ada" / f"{RETURNS}.ipynb").write_bytes(notebooks["one"])
    (download / "ada" / "secret.ipynb").symlink_to("/etc/passwd")
    (download / "eve").symlink_to(course.root)
    status = main(["collect", ASSIGNMENT, "--from", str(download), "--course", str(course.root)])
    assert status == 1
    assert submitted(course, "ada").read_bytes() == notebooks["one"]
    assert not submitted(course, "ada", "secret.ipynb").exists()
    assert not course.folder("submitted", "eve", ASSIGNMENT).exists()


def test_what_was_there_stays(course: Course, notebooks: dict[str, bytes]) -> None:
    """A second download with one notebook does not lose the others, nor follow a link."""
    folder = course.folder("submitted", "a-1", ASSIGNMENT)
    folder.mkdir(parents=True)
    (folder / "5-quiz.ipynb").write_text("{}")
    outside = course.root / "outside"
    outside.mkdir()
    (folder / "data").symlink_to(outside)
    collect(
        course,
        packed(
            {f"a_1_1_{RETURNS}.ipynb": notebooks["one"], "a_1_2_w.zip": packed({"data/x": b"1"})}
        ),
    )
    assert (folder / "5-quiz.ipynb").read_text() == "{}"
    assert (folder / "data" / "x").read_bytes() == b"1"
    assert list(outside.iterdir()) == []


def test_a_submission_that_cannot_be_written_costs_nobody_else(
    course: Course, notebooks: dict[str, bytes]
) -> None:
    status, receipts = collect(
        course,
        packed(
            {
                "a_1_1_x": b"1",
                "a_1_2_w.zip": packed({"x/y": b"2"}),
                f"b_2_3_{RETURNS}.ipynb": notebooks["one"],
            }
        ),
    )
    assert status == 1
    assert {r["student"] for r in receipts if r["status"].startswith("it cannot be")} == {"a-1"}
    assert submitted(course, "b-2").is_file()


@pytest.mark.parametrize("source", ["nothing-here", "text.txt"])
def test_what_is_no_download(
    course: Course, source: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (course.root / "text.txt").write_text("x")
    arguments = ["--from", str(course.root / source), "--course", str(course.root)]
    assert main(["collect", ASSIGNMENT, *arguments]) == 2
    assert "neither a folder nor a zip file" in capsys.readouterr().err


def test_files_of_a_folder_come_in_order(tmp_path: Path) -> None:
    for name in ("b/2", "a/1", "b/1"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    found: Iterable[archives.File] = archives.files(tmp_path)
    assert [file.path for file in found] == ["a/1", "b/1", "b/2"]
