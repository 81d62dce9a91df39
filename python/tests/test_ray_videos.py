"""Tests how warpwise.ray takes the frames of videos, from PyAV and from the command."""

import functools
import os
import shutil

import numpy
import pytest
from test_ray import CHAIN, noise, results

from warpwise.ray import _files, _streams, _work
from warpwise.ray._pipeline import Pipeline


@pytest.fixture
def film(tmp_path):
    """Makes a video of H.264, whose frames differ."""
    av = pytest.importorskip("av", reason="PyAV is not installed")
    path = tmp_path / "film.mkv"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=25)
        stream.width, stream.height, stream.pix_fmt = 46, 30, "yuv420p"
        for i in range(6):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(noise(45, 46, 1, seed=i), format="yuv420p")))
        container.mux(stream.encode())
    return path


def results_of_stream(path, pipeline):
    """Returns the results that the command streams, computed on the CPU, and True if no results are missing."""
    results, place = [], ("--backend", "cpu")
    stream = _streams.streamed(str(path), Pipeline(pipeline), place)
    while True:
        try:
            results.append(next(stream))
        except StopIteration as end:
            return results, end.value


@pytest.mark.skipif(shutil.which("warpwise") is None, reason="the command is not on PATH")
@pytest.mark.parametrize("pipeline", ["sobel", CHAIN, "", "gray8", "ycbcr32 to-range=full", "rgb24 | sobel norm=l2", "rgba32"])
def test_results_that_the_command_streams(film, pipeline):
    expected = [_streams.shown(Pipeline(pipeline)(frame)) for frame in _files.frames(str(film))]
    results, are_all = results_of_stream(film, pipeline)
    assert are_all and len(results) == len(expected) == 6
    for result, wanted in zip(results, expected):
        assert result.format == wanted.format and numpy.array_equal(result.pixels, wanted.pixels)


@pytest.mark.skipif(shutil.which("warpwise") is None, reason="the command is not on PATH")
def test_the_first_track_is_streamed(tmp_path):
    """Without a number the command takes the track that is marked as the default."""
    av = pytest.importorskip("av", reason="PyAV is not installed")
    path = tmp_path / "two.mkv"
    with av.open(str(path), "w") as container:
        tracks = [container.add_stream("libx264", rate=25) for _ in range(2)]
        for i, track in enumerate(tracks):
            track.width, track.height, track.pix_fmt = 46 * (i + 1), 30 * (i + 1), "yuv420p"
        tracks[1].disposition = av.stream.Disposition.default
        for i in range(6):
            for track in tracks:
                pixels = noise(track.height * 3 // 2, track.width, 1, seed=i)
                container.mux(track.encode(av.VideoFrame.from_ndarray(pixels, format="yuv420p")))
        for track in tracks:
            container.mux(track.encode())
    results, are_all = results_of_stream(path, "sobel")
    expected = [_streams.shown(Pipeline("sobel")(frame)) for frame in _files.frames(str(path))]
    assert are_all and len(results) == len(expected) == 6
    for result, wanted in zip(results, expected):
        assert numpy.array_equal(result.pixels, wanted.pixels)


def test_a_command_that_does_not_start(film, monkeypatch, tmp_path):
    monkeypatch.setenv("WARPWISE", str(tmp_path / "missing"))
    assert results_of_stream(film, "sobel") == ([], False)


@pytest.mark.skipif(shutil.which("warpwise") is None, reason="the command is not on PATH")
def test_a_video_on_a_gpu_has_the_files_of_the_cpu(film, tmp_path, monkeypatch):
    monkeypatch.setattr(_work, "streamed", functools.partial(_streams.streamed, place=("--backend", "cpu")))
    cut = tmp_path / "cut.mkv"
    cut.write_bytes(film.read_bytes()[:-700])
    other = tmp_path / "other.mkv"
    other.write_bytes(b"no video")
    for path in [film, cut, other]:
        rows = {}
        for name in ["cpu", "cuda"]:
            out = tmp_path / name
            os.makedirs(out / _files.PARTIAL, exist_ok=True)
            actor = _work.FileActor(_work.Work(CHAIN, str(out), "cpu", _files.version(), 0))
            actor.device.name = name
            rows[name] = list(actor.rows(str(path)))
            for row in rows[name]:
                assert not row.output or os.path.getsize(out / row.output)
        assert rows["cpu"] == rows["cuda"]
    assert results(tmp_path / "cpu") == results(tmp_path / "cuda")
