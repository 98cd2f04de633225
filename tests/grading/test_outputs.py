"""What may stay of a cell's outputs."""

import json

import nbformat
from nbformat.v4 import new_code_cell, new_notebook

from graders.grading.outputs import MAX_OUTPUT, Outputs, clean


def collected(*messages):
    outputs = Outputs()
    for kind, content in messages:
        outputs.take(kind, content)
    notebook = new_notebook(cells=[new_code_cell("", outputs=outputs.outputs)])
    nbformat.validate(notebook)
    return outputs.outputs


def test_streams_are_joined():
    out = [{"name": "stdout", "text": "a"}, {"name": "stdout", "text": "b"}]
    [output] = collected(*(("stream", content) for content in out))
    assert output == {"output_type": "stream", "name": "stdout", "text": "ab"}


def test_html_and_scripts_go_and_text_stays():
    data = {"text/plain": "t", "text/html": "<script>", "application/javascript": "x",
            "image/svg+xml": "<svg onload='x'>"}  # fmt: skip
    [output] = collected(("execute_result", {"data": data}))
    assert output["data"] == {"text/plain": "t"}
    assert collected(("display_data", {"data": {"text/html": "<b>"}})) == []


def test_pictures_stay_if_they_are_some():
    [output] = collected(("display_data", {"data": {"image/png": "iVBORw0KGgo=\n"}}))
    assert output["data"] == {"image/png": "iVBORw0KGgo=\n"}
    assert collected(("display_data", {"data": {"image/png": '"><script>'}})) == []
    assert collected(("display_data", {"data": {"image/png": "A" * 3_000_000}})) == []
    assert collected(("display_data", {"data": {"image/png": ["A"]}})) == []


def test_the_whole_is_bounded():
    outputs = collected(*[("stream", {"name": "stdout", "text": "x" * 999})] * 1000)
    assert len(json.dumps(outputs)) < 1.1 * MAX_OUTPUT
    assert "left out by the grader" in outputs[-1]["text"]
    outputs = collected(*[("error", {"traceback": ["y" * 10**6] * 9, "evalue": "z" * 10**6})] * 9)
    assert len(json.dumps(outputs)) < 4 * MAX_OUTPUT


def test_messages_of_any_form():
    odd = [{}, {"text": 5, "name": []}, {"data": 5}, {"data": {"text/plain": None}},
           {"traceback": {}, "ename": 1}]  # fmt: skip
    kinds = ("stream", "display_data", "execute_result", "error", "status", "nonsense")
    collected(*((kind, content) for kind in kinds for content in odd))


def test_clean():
    dirty = {"a\ud800": ["\udfff", 1, None, {"b": "ü王"}]}
    assert clean(dirty) == {"a?": ["?", 1, None, {"b": "ü王"}]}
    json.dumps(clean(dirty), ensure_ascii=False).encode()
