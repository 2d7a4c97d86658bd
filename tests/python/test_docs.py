# tests/python/test_docs.py: every Python block of README and docs/python.md runs, in order, in one empty folder for each document
import os
import re
from pathlib import Path

import pytest

import mottle

SOURCE = Path(os.environ["MOTTLE_SOURCE_DIR"])


def blocks(document):
    text = (SOURCE / document).read_text(encoding="utf-8")
    return [(text[:match.start()].count("\n") + 2, match.group(1)) for match in re.finditer(r"^```python\n(.*?)^```", text, re.M | re.S)]


@pytest.mark.parametrize("document, least", [("docs/python.md", 12), ("README.md", 1)])
def test_examples_run(document, least, tmp_path, monkeypatch):
    pytest.importorskip("scipy")
    pytest.importorskip("xarray")
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    names = {}
    found = blocks(document)
    assert len(found) >= least
    for line, code in found:
        padded = "\n" * (line - 1) + code  # errors name the line of the document
        exec(compile(padded, document, "exec"), names)  # noqa: S102: our own documents


def test_the_table_of_errors_is_complete():
    text = (SOURCE / "docs/python.md").read_text(encoding="utf-8")
    for name in mottle.__all__:
        thing = getattr(mottle, name)
        if isinstance(thing, type) and issubclass(thing, mottle.Error) and thing is not mottle.Error:
            assert re.search(rf"^\| `{name}` \| `{[base for base in thing.__bases__ if base is not mottle.Error][0].__name__}` \|", text, re.M), name


def test_what_is_offered_is_documented():
    for name in mottle.__all__:
        thing = getattr(mottle, name)
        assert thing.__doc__, name
        if isinstance(thing, type):
            for member, value in vars(thing).items():
                if not member.startswith("_") and callable(value):
                    assert value.__doc__ or thing.__name__ in ("Parameter", "Field"), f"{name}.{member}"
