"""Tests the actor for Ray Data, and files through a pipeline: in this process, and on a cluster whose workers are killed."""

import contextlib
import doctest
import errno
import fcntl
import importlib.util
import json
import os
import pathlib
import random
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import tracemalloc

import numpy
import pytest

import warpwise
import warpwise.ray
from warpwise.ray import PipelineActor, _cluster, _files, _process, _work, process

Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
needs_ray = pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed")
nightly = pytest.mark.skipif("WARPWISE_NIGHTLY" not in os.environ, reason="takes half a minute: run with WARPWISE_NIGHTLY=1")
NOT_UTF_8 = os.fsdecode(b"11-\xff.png")
CHAIN = "ycbcr32 | sobel | threshold window=7 offset=3"


def noise(height, width, channels=3, seed=1):
    shape = (height, width, channels) if channels > 1 else (height, width)
    return numpy.random.default_rng(seed).integers(0, 256, shape, numpy.uint8)


def chain(rgb):
    """Computes CHAIN by calls of the primitives."""
    matrix = "bt709" if rgb.shape[0] > 576 or rgb.shape[1] > 1024 else "bt601"
    luma = numpy.ascontiguousarray(warpwise.convert(rgb, "rgb24", "ycbcr32", matrix=matrix, to_range="full")[:, :, 0])
    return warpwise.threshold(warpwise.sobel(luma), window=7, offset=3)


def save(path, pixels):
    Image.fromarray(pixels).save(path)
    return path


def png(path):
    return numpy.asarray(Image.open(path))


@pytest.fixture
def files(tmp_path):
    """Makes good pictures of many sizes, and bad files among them."""
    folder = tmp_path / "in"
    folder.mkdir()
    good = [save(folder / f"{i:02}.png", noise(1 + i * 7 % 40, 1 + i * 13 % 70, seed=i)) for i in range(24)]
    good[11].rename(folder / NOT_UTF_8)
    (folder / "03-text.png").write_text("no picture")
    (folder / "05-cut.png").write_bytes(good[5].read_bytes()[:-30])
    (folder / "07-empty.jpg").write_bytes(b"")
    save(folder / "09-deep.png", numpy.zeros((4, 4), numpy.uint16))
    (folder / "notes.txt").write_text("not looked at")
    return folder


def manifest(out):
    return [json.loads(line) for line in (out / "manifest.jsonl").read_text().splitlines()]


def results(out):
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*.png")}


def check(folder, out, counts):
    """Checks that every good input has one right result, every bad one a reason, and that there is nothing else."""
    rows = manifest(out)
    assert len(rows) == len({row["input"] for row in rows}) == 28 == sum(counts)
    failed = {pathlib.Path(row["input"]).name: row["reason"] for row in rows if row["status"] == "failed"}
    assert sorted(failed) == ["03-text.png", "05-cut.png", "07-empty.jpg", "09-deep.png"] and counts.failed == 4
    assert failed["03-text.png"] == "is no picture that Pillow knows" and "I;16" in failed["09-deep.png"]
    for row in rows:
        if row["status"] != "failed":
            assert (png(out / row["output"]) == chain(png(row["input"]))).all()
    assert sorted(results(out)) == sorted(row["output"] for row in rows if "output" in row)
    assert [path.name for path in (out / ".partial").iterdir()] == ["lock"]


# The actor.

def test_actor_takes_arrays_of_one_size_without_copying():
    batch = {"image": noise(2 * 9, 31).reshape(2, 9, 31, 3), "id": numpy.arange(2)}
    batch["image"].flags.writeable = False
    assert numpy.shares_memory(PipelineActor("")._source(batch["image"][0]).pixels, batch["image"])
    (result,) = PipelineActor(CHAIN)(batch)
    assert result["image"].shape == (2, 9, 31) and result["id"].tolist() == [0, 1]
    for i in range(2):
        assert (result["image"][i] == chain(batch["image"][i])).all()


def test_actor_takes_ragged_pictures_and_files():
    pictures = numpy.empty(3, object)
    pictures[0], pictures[1], pictures[2] = noise(5, 7), noise(1, 1), noise(8, 3)
    (result,) = PipelineActor(CHAIN, result="edges")({"image": pictures})
    assert [(a == chain(b)).all() for a, b in zip(result["edges"], pictures)] == [True] * 3
    (encoded,) = PipelineActor(CHAIN, encoded=True)({"image": pictures})
    (decoded,) = PipelineActor("")({"image": encoded["image"]})
    assert all((a == b).all() for a, b in zip(decoded["image"], result["edges"]))
    with pytest.raises(warpwise.InvalidArgument, match="float64"):
        list(PipelineActor(CHAIN)({"image": numpy.zeros((1, 2, 2))}))
    for shape in ((2, 3, 1), (2, 3, 2), (6,), (2, 3, 4, 1)):
        with pytest.raises(warpwise.InvalidArgument, match="it must be uint8 of"):
            list(PipelineActor("", encoded=True)({"image": numpy.zeros((1, *shape), numpy.uint8)}))


HALVED = """
import resource, sys, numpy, warpwise, warpwise.ray
actor = warpwise.ray.PipelineActor("rgba32 | sobel")
batch = {"image": numpy.zeros((32, 1000, 1000, 3), numpy.uint8)}
list(actor({"image": batch["image"][:1]}))  # starts the actor's threads
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + int(sys.argv[1]) * 1000000,) * 2)
sizes = []
try:
    for part in actor(batch):
        sizes.append(len(part["image"]))
        del part
finally:
    print(sizes)
"""


def test_actor_halves_a_batch_that_memory_does_not_suffice_for():
    def run(megabytes):
        return subprocess.run([sys.executable, "-c", HALVED, str(megabytes)], capture_output=True, text=True, check=False)
    plenty, scarce, none = run(400), run(50), run(2)
    assert plenty.stdout == "[32]\n", plenty.stderr
    sizes = json.loads(scarce.stdout)
    assert scarce.returncode == 0 and sum(sizes) == 32 and max(sizes) < 32, scarce.stderr
    assert none.returncode == 1 and none.stdout == "[]\n" and "MemoryError" in none.stderr


@pytest.mark.parametrize("pipeline", ["", CHAIN, "rgba32 | i444 | sobel", "gray8 | rgb24 | bgra32"])
def test_actor_states_its_peak(pipeline):
    actor = PipelineActor(pipeline)
    batch = {"image": noise(4 * 300, 400).reshape(4, 300, 400, 3)}
    list(actor({"image": batch["image"][:, :2, :2]}))
    tracemalloc.start()
    parts = list(actor(batch))
    peak = tracemalloc.get_traced_memory()[1] + batch["image"].nbytes
    tracemalloc.stop()
    stated = actor.peak_bytes([(300, 400, 3)] * 4)
    assert len(parts) == 1 and stated / 2 < peak <= stated + 50_000


def test_example_of_the_docstring():
    text = PipelineActor.__doc__
    assert doctest.DocTestRunner().run(doctest.DocTestParser().get_doctest(text, {}, "PipelineActor", None, 0)).failed == 0


# The results equal those of the command.

@pytest.mark.skipif(shutil.which("warpwise") is None, reason="the command is not on PATH")
@pytest.mark.parametrize("pipeline", [
    "sobel", CHAIN, "threshold window=15 method=gaussian invert max=200", "ycbcr32 matrix=bt709 to-range=limited | rgb24", "",
    "ycbcr32 convention=opencv | sobel norm=l2 kernel=scharr border=constant", "bgr24 | sobel", "i444 | sobel", "rgba32 | gray8"])
@pytest.mark.parametrize("size", [(41, 1030), (30, 45)])
def test_results_are_those_of_the_command(tmp_path, pipeline, size):
    save(tmp_path / "colours.png", noise(*size))
    save(tmp_path / "grey.png", noise(*size, channels=1))
    command = ["warpwise", "stream"]
    sources = ["colours.png", "grey.png"]
    if importlib.util.find_spec("av") is not None:
        subprocess.run([*command, "test:bars", "frames.y4m", "--size", "46x30", "--format", "i420", "--frames", "3"],
                       cwd=tmp_path, check=True, capture_output=True)
        sources.append("frames.y4m")
    for source in sources:
        theirs, ours = tmp_path / "theirs", tmp_path / "ours"
        said = subprocess.run([*command, source, "theirs/", "--pipeline", pipeline, "--backend", "cpu"], cwd=tmp_path,
                              capture_output=True, text=True)
        counts = process([str(tmp_path / source)], str(ours), pipeline)
        if said.returncode != 0:
            assert (counts.made, counts.failed) == (0, 1), said.stderr
            continue
        assert counts.failed == 0, manifest(ours)
        for i, row in enumerate(manifest(ours)):
            assert (png(ours / row["output"]) == png(theirs / f"{i + 1:06}.png")).all(), (source, i)
        shutil.rmtree(theirs)


# Files.

def test_here(files, tmp_path):
    out = tmp_path / "out"
    check(files, out, process([str(files)], str(out), CHAIN))
    before = results(out)
    again = process([str(files)], str(out), CHAIN)
    assert again == (0, 24, 4) and results(out) == before
    save(files / "00.png", noise(3, 3, seed=99))  # a file with other bytes is another input
    assert process([str(files)], str(out), CHAIN) == (1, 23, 4)
    assert process([str(files)], str(out), "sobel") == (24, 0, 4)  # other options give other results


def test_results_in_an_input_folder_are_no_inputs(tmp_path):
    folder, out, link = tmp_path / "in", tmp_path / "in" / "sub" / "out", tmp_path / "link"
    (folder / "sub").mkdir(parents=True)
    link.symlink_to(out)
    for path in (folder / "a.png", folder / "sub" / "b.png"):
        save(path, noise(4, 5))
    assert process([str(folder)], str(out), "sobel") == (2, 0, 0)
    assert process([str(folder)], str(out), "sobel") == process([str(folder)], str(link), "sobel") == (0, 2, 0)
    assert process([str(out)], str(folder), "sobel") == (2, 0, 0)  # an input folder in OUT
    assert process([str(folder / "a.png"), str(link)], str(out), "sobel") == (0, 1, 0)
    with pytest.raises(warpwise.InvalidArgument, match="is the only input"):
        process([str(link)], str(out), "sobel")


def test_one_path_is_no_list_of_paths(tmp_path):
    path = save(tmp_path / "a.png", noise(4, 5))
    for inputs in (path, str(path), os.fsencode(path)):
        with pytest.raises(TypeError, match="inputs is one path, but must be a list of paths"):
            process(inputs, str(tmp_path / "out"), "sobel")
    assert not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be_read_fails(tmp_path, monkeypatch):
    locked = tmp_path / "in" / "locked"
    locked.mkdir(parents=True)
    save(tmp_path / "in" / "a.png", noise(4, 5))
    scandir = os.scandir

    def refusing(path):
        if path == str(locked):  # as for a user who is not root
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return scandir(path)
    monkeypatch.setattr(os, "scandir", refusing)
    assert process([str(tmp_path / "in"), str(locked)], str(tmp_path / "out"), "sobel") == (1, 0, 1)
    assert manifest(tmp_path / "out")[0] == {"input": str(locked), "status": "failed", "reason": "Permission denied"}


def test_a_pipe_in_a_folder_fails(tmp_path):
    (tmp_path / "in").mkdir()
    save(tmp_path / "in" / "a.png", noise(4, 5))
    for name in ("b.png", "c.mp4"):
        os.mkfifo(tmp_path / "in" / name)
    run = command(tmp_path / "in", tmp_path / "out")
    assert run.communicate(timeout=60)[0].startswith("1 made, 0 there, 2 failed; ")
    assert [row.get("reason") for row in manifest(tmp_path / "out")] == [None, "is no file", "is no file"]


def test_names_of_files_are_bytes_for_workers(files, tmp_path):
    (tmp_path / "out" / ".partial").mkdir(parents=True)
    actor = _work.FileActor(_work.Work(CHAIN, str(tmp_path / "out"), "cpu", _files.version(), 0))
    (batch,) = actor({"input": numpy.array([os.fsencode(files / NOT_UTF_8)], object)})
    row = _work.Row(*json.loads(batch["row"][0]))
    assert row.status == "made" and row.input == str(files / NOT_UTF_8)


def test_frames_of_a_video_that_is_cut(tmp_path):
    av = pytest.importorskip("av", reason="PyAV is not installed")
    path = tmp_path / "film.mkv"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("ffv1", rate=25)
        stream.width, stream.height, stream.pix_fmt = 46, 30, "yuv420p"
        for i in range(6):
            frame = av.VideoFrame.from_ndarray(noise(45, 46, 1, seed=i), format="yuv420p")
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    out = tmp_path / "out"
    assert process([str(path)], str(out), "sobel") == (6, 0, 0)
    for i, row in enumerate(manifest(out)):
        assert row["frame"] == i and (png(out / row["output"]) == warpwise.sobel(noise(45, 46, 1, seed=i)[:30])).all()
    os.remove(out / manifest(out)[2]["output"])
    assert process([str(path)], str(out), "sobel") == (1, 5, 0)
    text = tmp_path / "text.mp4"
    text.write_text("no video")
    assert process([str(text)], str(out), "sobel") == (0, 0, 1)
    assert "nvalid data" in manifest(out)[0]["reason"]


def below(pid):
    """Returns the direct and indirect child processes of a process, with their command lines."""
    processes = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
            processes[int(folder.name)] = (parent, (folder / "cmdline").read_text(errors="replace"))

    def is_below(child):
        return child in processes and (processes[child][0] == pid or is_below(processes[child][0]))
    return {child: text for child, (_, text) in processes.items() if is_below(child)}


@pytest.fixture(scope="module")
def cluster():
    """Starts a cluster on this machine. Gives its address, and the address for clients outside it."""
    ports = []
    for _ in range(2):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            ports.append(free.getsockname()[1])
    folder = tempfile.mkdtemp(prefix="ray", dir="/tmp")  # short, because sockets' names are; outside the folder in which Ray looks for other clusters
    os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32))
    head = subprocess.Popen(
        [pathlib.Path(sys.executable).with_name("ray"), "start", "--head", "--block", "--num-cpus=3", f"--port={ports[0]}",
         f"--ray-client-server-port={ports[1]}", f"--object-store-memory={1 << 28}", "--include-dashboard=false",
         "--disable-usage-stats", f"--temp-dir={folder}"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said = []
    while "started." not in (line := head.stdout.readline()):
        said.append(line)
        assert line, said
    threading.Thread(target=head.stdout.read, daemon=True).start()
    yield f"127.0.0.1:{ports[0]}", f"ray://127.0.0.1:{ports[1]}"
    for pid in (*below(head.pid), head.pid):  # after a milder signal a node waits half a minute for others to take its work
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    head.wait()
    shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def small_disk(path, bytes_of_it):
    path.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={bytes_of_it}", "tmpfs", path], capture_output=True).returncode:
        pytest.skip("a small file system cannot be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", path], check=True)


@pytest.mark.parametrize("on_cluster", [False, pytest.param(True, marks=[needs_ray, nightly])])
def test_a_full_disk_ends_the_run_and_the_next_one_goes_on(tmp_path, on_cluster, request):
    address = request.getfixturevalue("cluster")[1] if on_cluster else None
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    for i in range(12):
        save(folder / f"{i}.png", noise(200, 300, seed=i))
    with small_disk(out, 300_000):
        counts = process([str(folder)], str(out), "rgb24", cluster=address, workers=2)
        rows = manifest(out)
        assert counts.failed > 0 and len({row["input"] for row in rows}) == len(rows) == 12
        reasons = {row.get("reason") for row in rows} - {None}
        assert reasons == {"No space left on device", "not processed: the disk of OUT is full"}
        for row in rows:  # existing results are complete
            assert row["status"] == "failed" or (png(out / row["output"]) == png(row["input"])).all()
        subprocess.run(["mount", "-o", "remount,size=50m", out], check=True)
        counts = process([str(folder)], str(out), "rgb24", cluster=address, workers=2)
        assert counts.failed == 0 and counts.made + counts.there == 12 and counts.there > 0
        assert all((png(out / row["output"]) == png(row["input"])).all() for row in manifest(out))


def test_one_run_at_a_time(tmp_path, files):
    (tmp_path / "out" / ".partial").mkdir(parents=True)
    with open(tmp_path / "out" / ".partial" / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        said = command(files, tmp_path / "out")
        assert said.wait() == 1 and "another run writes into" in said.stderr.read()


def command(folder, out, *options, pipeline=CHAIN):
    return subprocess.Popen([sys.executable, "-m", "warpwise.ray", folder, out, "--pipeline", pipeline, *options],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_command(tmp_path, files):
    run = command(files, tmp_path / "out")
    out, said = run.communicate()
    assert run.returncode == 1 and out.startswith("24 made, 0 there, 4 failed; ") and said.count("warpwise: ") == 4
    run = command(files / "00.png", tmp_path / "out", pipeline="sobbel")
    assert "'sobbel' is no stage" in run.communicate()[1] and run.returncode == 2
    run = command(files / "00.png", tmp_path / "out", pipeline=b"sobel norm=\xff threshold")
    assert run.communicate()[1].count("\n") == 1 and run.returncode == 2
    for options in (["--workers", "-1"], ["--workers", "0", "--cluster", "local"]):
        run = command(files / "00.png", tmp_path / "none", *options)
        assert run.communicate()[1] == f"warpwise: workers is {options[1]}, but must be 1 or more\n" and run.returncode == 2
    run = subprocess.run([sys.executable, "-m", "warpwise.ray", files / "00.png", tmp_path / "none", "--pipeline", "sobel", "--device",
                          "cuda"], capture_output=True, text=True, check=False, env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})
    assert run.stderr.startswith("warpwise: ") and run.stderr.count("\n") == 1 and run.returncode == 1


def test_a_run_replaces_the_manifest_and_leaves_the_results(tmp_path):
    out = tmp_path / "out"
    for i in range(2):
        process([str(save(tmp_path / f"{i}.png", noise(4, 5, seed=i)))], str(out), "sobel")
    assert [pathlib.Path(row["input"]).name for row in manifest(out)] == ["1.png"] and len(results(out)) == 2


# Clusters.

def workers():
    """Returns the processes of Ray's actors that work for this test."""
    return [pid for pid, text in below(os.getpid()).items() if "MapWorker" in text]


@contextlib.contextmanager
def killing(choose, seconds):
    """Kills the workers that `choose` names every `seconds`, until the context ends."""
    stop, killed = threading.Event(), []

    def kill():
        while not stop.wait(seconds):
            for pid in choose():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                    killed.append(pid)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield killed
    finally:
        stop.set()
        thread.join()


@needs_ray
def test_a_cluster_whose_workers_are_killed_at_random(files, tmp_path):
    alone = tmp_path / "alone"
    process([str(files)], str(alone), CHAIN)
    seed = time.time_ns()
    print("seed", seed)
    chance = random.Random(seed)
    out = tmp_path / "out"

    chosen = []

    def one():
        there = workers()
        if there and len(chosen) < 5 and (not chosen or chance.random() < 0.1):  # six kills of one file's workers would end all attempts at it
            chosen.append(chance.choice(there))
            return chosen[-1:]
        return []

    with killing(one, 0.1) as killed:
        counts = process([str(files)], str(out), CHAIN, cluster="local", workers=3, progress=lambda row: time.sleep(0.1))
    check(files, out, counts)
    assert results(out) == results(alone)
    assert killed


def opened_by(path):
    """Returns the processes that have a file open."""
    found = []
    for link in pathlib.Path("/proc").glob("[0-9]*/fd/*"):
        with contextlib.suppress(OSError):
            if os.readlink(link) == str(path):
                found.append(int(link.parts[2]))
    return [pid for pid in found if pid != os.getpid()]


def test_a_file_whose_worker_always_dies_says_how_often(tmp_path, monkeypatch):
    tried = []

    @contextlib.contextmanager
    def cluster_that_loses_all(*_):
        def no_rows(paths, inputs_of_task):
            tried.extend([(paths, inputs_of_task)] * _cluster.ATTEMPTS)
            return iter(())
        yield no_rows
    monkeypatch.setattr(_process, "on_cluster", cluster_that_loses_all)
    path = str(save(tmp_path / "a.png", noise(4, 5)))
    assert process([path], str(tmp_path / "out"), "sobel", cluster="local") == (0, 0, 1)
    assert len(tried) == 6 and manifest(tmp_path / "out")[0]["reason"] == "its worker died, 6 times"


@needs_ray
def test_workers_share_the_gpus():
    from warpwise.ray._cluster import share_of_gpu
    assert [share_of_gpu(workers, 2) for workers in (1, 2, 3, 16, 64)] == [1, 1, 0.5, 0.125, 0.0312]
    for workers in range(1, 300):
        for gpus in (1, 2, 3, 8):
            ten_thousandths = round(10000 * share_of_gpu(workers, gpus))
            assert 10000 // ten_thousandths * gpus >= workers


@needs_ray
def test_workers_that_ask_ray_for_a_share_of_a_gpu(files, tmp_path):
    """A GPU that is declared to Ray and never used: this tests --device cuda as far as this machine allows."""
    import ray
    from warpwise.ray._cluster import Run
    from warpwise.ray._files import version
    from warpwise.ray._work import Work
    (tmp_path / "out" / ".partial").mkdir(parents=True)
    ray.init("local", num_cpus=2, num_gpus=1, object_store_memory=1 << 28, include_dashboard=False, log_to_driver=False,
             logging_level="error")
    try:
        run = Run(Work(CHAIN, str(tmp_path / "out"), "cpu", version(), 1), 2, {"num_cpus": 1.0, "num_gpus": 0.5})
        run.begin([str(path) for path in sorted(files.glob("*.png"))], 16)
        rows = []
        while some := run.next_rows():
            rows += some
    finally:
        ray.shutdown()
    assert sum(row.status == "made" for row in rows) == 24 == len(results(tmp_path / "out")) and len(rows) == 27


@nightly
def test_a_file_that_kills_every_worker_takes_no_other_along(files, tmp_path, cluster):
    killer = files / "killer.png"
    killer.write_bytes(b"")
    os.truncate(killer, 1 << 29)  # so long that each worker is found while it reads the file
    out = tmp_path / "out"
    with killing(lambda: opened_by(killer), 0.02) as killed:
        process([str(files)], str(out), CHAIN, cluster=cluster[0], workers=2)
    rows = {pathlib.Path(row["input"]).name: row for row in manifest(out)}
    assert rows.pop("killer.png")["reason"] == "its worker died, 6 times" and len(killed) >= 6
    assert sum(row["status"] == "made" for row in rows.values()) == 24 == len(results(out)) and len(rows) == 28


@needs_ray
def test_a_run_whose_driver_is_killed_goes_on(files, tmp_path, cluster):
    out = tmp_path / "out"
    run = command(files, out, "--cluster", cluster[0], "--workers", "2")
    while not list(out.rglob("*.png")):
        time.sleep(0.02)
        assert run.poll() is None or list(out.rglob("*.png"))
    os.kill(run.pid, signal.SIGKILL)
    run.communicate()
    first = results(out)
    counts = process([str(files)], str(out), CHAIN)
    check(files, out, counts)
    assert counts.there >= len(first) > 0 and all(results(out)[name] == data for name, data in first.items())
