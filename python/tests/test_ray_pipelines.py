"""Tests which pipelines warpwise.ray refuses when they are made."""

import pytest

import warpwise
from warpwise.ray import PipelineActor, process


@pytest.mark.parametrize("text, reason", [
    ("sobbel", "'sobbel' is no stage"), ("match", "needs more than one picture"), ("threshold", "needs window=N"),
    ("sobel | ", "'' is no stage"), ("sobel window=3", "'window' is no option; its options: output"),
    ("threshold window=x", "'x' is no number"), ("threshold window=4", "window"), ("sobel norm=l3", "l3"),
    ("threshold window=3 invert=1", "takes no value"), ("threshold window", "needs a value"), ("sobel norm=l1 norm=l2", "twice"),
    ("threshold window=3 max=-1", "max must be from 0 to 4294967295"), ("threshold window=3 max=5000000000", "max must be"),
    ("threshold window=99999999999999999999", "window must be from 1 to 9223372036854775807"),
    ("sobel kernel=\udcff", "no value of kernel"), ("sobel output=dx", "only the magnitude"),
    ("ycbcr32 matrix=bt709 | ycbcr32 matrix=bt601", "put the stage rgb24 before it")])
def test_wrong_pipelines(text, reason):
    with pytest.raises(warpwise.InvalidArgument, match=reason.replace("|", r"\|")):
        PipelineActor(text)


@pytest.mark.parametrize("text", ["i444", "rgb24 | ycrcb24"])
def test_pipelines_whose_results_are_no_png_files(text, tmp_path):
    assert PipelineActor(text).pipeline.text == text
    with pytest.raises(warpwise.InvalidArgument, match="is no source of convert"):
        PipelineActor(text, encoded=True)
    with pytest.raises(warpwise.InvalidArgument, match="is no source of convert"):
        process([str(tmp_path)], str(tmp_path / "out"), text)
