"""Tests warpwise.lab: the command's output about ladders and studies, as plain objects."""

import os
import shutil

import pytest

import warpwise
from warpwise import _command, lab

needs_command = pytest.mark.skipif(shutil.which(os.environ.get("WARPWISE", "warpwise")) is None,
                                   reason="the command warpwise is not installed here")

OWN = """{"study": "own", "about": "A study of its own.", "size": [64, 1], "emulator_size": [64, 1], "verify": [[64, 1]],
 "problem": {
  "arguments": [{"input": "from", "type": "u32", "elements": "width"}, {"output": "to", "type": "u32", "elements": "width"}],
  "reference": {"file": "own.cu", "kernel": "plain", "grid": ["width / 32"]}},
 "defaults": {"file": "own.cu", "blocks": [[32]], "grid": ["width / 32"]},
 "kernels": [{"name": "right", "idea": "a thread for each element", "kernel": "plain"},
  {"name": "wrong", "idea": "one more", "kernel": "wrong"}]}
"""
CODE = """extern "C" __global__ void plain(const unsigned* from, unsigned* to) {
  to[blockIdx.x * 32 + threadIdx.x] = from[blockIdx.x * 32 + threadIdx.x];
}
extern "C" __global__ void wrong(const unsigned* from, unsigned* to) {
  to[blockIdx.x * 32 + threadIdx.x] = from[blockIdx.x * 32 + threadIdx.x] + 1;
}
"""


def compiled(call, *names, **options):
    try:
        return call(*names, **options)
    except warpwise.Error as error:
        if "compiler" in str(error):
            pytest.skip(str(error))
        raise


@needs_command
def test_list():
    listed = lab.list("gemv", "banks")
    (ladder,), (study,) = listed["ladders"], listed["studies"]
    assert ladder["ladder"] == "gemv" and study["study"] == "banks"
    assert {"thread_per_row", "shipped"} <= {rung["name"] for rung in ladder["rungs"]}
    assert len(lab.list()["ladders"]) >= 6


@needs_command
def test_occupancy():
    rows = lab.occupancy(block_threads=[64, 128], registers=32, cc=["7.5", "9.0"])
    assert [(row["compute_capability"], row["threads"]) for row in rows] == [("7.5", 64), ("7.5", 128), ("9.0", 64), ("9.0", 128)]
    assert all(0 < row["occupancy"] <= 1 for row in rows)


@needs_command
def test_run():
    run, = compiled(lab.run, "gemv/thread_per_row", "gemv/conflict_free", on="emulator", size=(96, 64), cc=["2.0", "9.0"])
    assert run["ladder"] == "gemv"
    first, second = run["results"]
    assert first["size"] == [96, 64] and [counts["compute_capability"] for counts in first["counts"]] == ["2.0", "9.0"]
    assert first["counts"][1]["transactions_per_request"] > second["counts"][1]["transactions_per_request"]
    runs = compiled(lab.run, "gemv/thread_per_row", "copy/scalar", on="emulator", size=(64, 64))
    assert [each["ladder"] for each in runs] == ["gemv", "copy"]


@needs_command
def test_predict():
    run, = compiled(lab.predict, "gemv/thread_per_row", profile="h200", size=(512, 512))
    row, = run["results"]
    assert run["device"] == "h200" and row["least_us"] <= row["time_us"] <= row["most_us"]


@needs_command
def test_a_wrong_kernel_says_so(tmp_path):
    (tmp_path / "study.json").write_text(OWN)
    (tmp_path / "own.cu").write_text(CODE)
    run, = compiled(lab.run, study_dir=tmp_path, on="emulator")
    right, wrong = run["results"]
    assert "wrong" not in right and wrong["wrong"] and "counts" in right


@needs_command
def test_what_the_command_refuses():
    for call, says in ((lambda: lab.run("nonsense"), "nonsense"), (lambda: lab.list(nonsense=1), "nonsense"),
                       (lambda: lab.predict("gemv", profile="nonsense"), "nonsense"), (lambda: lab.occupancy(), "--block-threads")):
        with pytest.raises(warpwise.Error, match=says):
            call()


def test_words():
    assert _command.option("--size", (640, 480), "", "x") == ["--size", "640x480"]
    assert _command.option("--counters", True, "", ",") == ["--counters"] and _command.option("--csv", False, "", ",") == []


def test_a_command_that_prints_bytes_that_are_no_text(tmp_path, monkeypatch):
    command = tmp_path / "warpwise"
    command.write_text("#!/bin/sh\nprintf '\\303\\244 \\377' >&2\n")
    command.chmod(0o755)
    monkeypatch.setenv("WARPWISE", str(command))
    with pytest.raises(warpwise.Error, match=r"^ä \\xff$"):
        lab.list()


def test_without_a_command(monkeypatch):
    monkeypatch.delenv("WARPWISE", raising=False)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(warpwise.Error, match="lab runs the command warpwise, which is not on the PATH"):
        lab.list()
