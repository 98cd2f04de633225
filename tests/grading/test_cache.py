"""The compilation cache: which one grading gets."""

import pytest

from graders.grading import cache, digests
from tests.grading.test_course import rewrite


@pytest.fixture
def folder(course, monkeypatch):
    """Where the cache of the course lies, were it filled."""
    monkeypatch.setattr(cache, "_fill", lambda course, sources, folder: True)

    def lies():
        settings = cache.with_cache(course, "toy", course.settings())
        found = settings.environment["JAX_COMPILATION_CACHE_DIR"]
        assert found in map(str, settings.readonly)
        return found

    return lies


def test_the_same_grader_and_source_have_one_cache(folder):
    assert folder() == folder()


def test_a_changed_grader_has_another_cache(folder, monkeypatch):
    before = folder()
    monkeypatch.setattr(digests, "of_code", lambda: "another")
    assert folder() != before


def test_a_changed_source_has_another_cache(course, folder):
    before = folder()
    rewrite(course, "1e6", "1e5")
    assert folder() != before


def test_without_a_cache_grading_goes_on(course, monkeypatch):
    monkeypatch.setattr(cache, "_fill", lambda course, sources, folder: False)
    assert cache.with_cache(course, "toy", course.settings()) == course.settings()
