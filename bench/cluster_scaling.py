#!/usr/bin/env python3
"""Measures how warpwise.ray scales on one machine's cores and GPUs.

    python bench/cluster_scaling.py PICTURE FOLDER [SECONDS]          without Ray: processes run the workers' code
    python bench/cluster_scaling.py PICTURE FOLDER SECONDS CLUSTER    with Ray; CLUSTER: local, or auto for a running cluster

Copies PICTURE many times into FOLDER, which is best in memory (/dev/shm).

Without Ray, 1, 2, 4, … processes work on the copies, each for SECONDS (default: 3); then processes use one GPU and two
GPUs, one or eight for each GPU. Prints the pictures a second of all processes together, the milliseconds that one
process needs for a picture, the share of that time in which its CPU computed, and the milliseconds of each part of the
work.

With Ray, 1, 4, 16, … workers run on CPUs, and 8 and 16 on GPUs. Each run has pictures for about SECONDS, is timed from
its first results on, and prints no parts.
"""
import multiprocessing
import os
import shutil
import sys
import time

PIPELINE = "ycbcr32 | sobel | threshold window=31"
PARTS = ("read+hash", "decode", "to GPU", "stages", "from GPU", "encode", "write", "fsync")
MOST, EACH = 32, 150  # the most processes; the most pictures a second that one process is expected to make


def make(picture, folder, count):
    with open(picture, "rb") as file:
        data = file.read()
    os.makedirs(folder)
    for i in range(count):
        with open(f"{folder}/{i:06}.jpg", "wb") as file:
            # Bytes behind the picture's end make the files differ, although their pixels are equal.
            file.write(data + i.to_bytes(8, "big"))


class Parts:
    """Sums up the seconds that each part of a worker's code takes."""

    def __init__(self):
        self.seconds = dict.fromkeys(PARTS, 0.0)

    def timed(self, part, function):
        def call(*arguments):
            begin = time.perf_counter()
            result = function(*arguments)
            self.seconds[part] += time.perf_counter() - begin
            return result
        return call


def timed_actor(device, threads, out):
    import warpwise.ray._work as work
    from warpwise.ray._files import version

    parts = Parts()
    os.fsync = parts.timed("fsync", os.fsync)
    work.decode, work.encode = parts.timed("decode", work.decode), parts.timed("encode", work.encode)
    work.write_once = parts.timed("write", work.write_once)
    actor = work.FileActor(work.Work(PIPELINE, out, device, version(), threads))
    actor.pipeline = Timed(parts.timed("stages", actor.pipeline), actor.pipeline.text)
    if device == "cuda":
        actor.device.put, actor.device.get = parts.timed("to GPU", actor.device.put), parts.timed("from GPU", actor.device.get)
    return actor, parts


class Timed:
    def __init__(self, call, text):
        self.call, self.text = call, text

    def __call__(self, source):
        return self.call(source)


def worker(index, device, gpus, threads, seconds, inputs, out, barrier, results):
    if device == "cuda":
        os.environ["CUDA_VISIBLE_DEVICES"] = str(index % gpus)
    actor, parts = timed_actor(device, threads, out)
    mine = [f"{inputs}/{name}" for name in sorted(os.listdir(inputs))[index::MOST]]
    made(actor, mine.pop())  # the first picture, whose time is not counted
    parts.seconds.update(dict.fromkeys(PARTS, 0.0))
    barrier.wait()
    begin, computed, count = time.perf_counter(), time.process_time(), 0
    while mine and time.perf_counter() - begin < seconds:
        made(actor, mine.pop())
        count += 1
    results.put((count, time.perf_counter() - begin, time.process_time() - computed, parts.seconds))


def made(actor, path):
    row, = actor.rows(path)
    assert row.status == "made", row


def measure(workers, device, gpus, threads, seconds, inputs, out):
    context = multiprocessing.get_context("spawn")
    barrier, results = context.Barrier(workers), context.Queue()
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out + "/.partial")
    processes = [context.Process(target=worker, args=(i, device, gpus, threads, seconds, inputs, out, barrier, results))
                 for i in range(workers)]
    for process in processes:
        process.start()
    each = [results.get(timeout=60 + seconds) for _ in processes]
    for process in processes:
        process.join()
    pictures, taken = sum(one[0] for one in each), sum(one[1] for one in each)
    spent = {part: 1000 * sum(one[3][part] for one in each) / pictures for part in PARTS}
    spent["write"] -= spent["fsync"]  # the time of write includes fsync
    spent["encode"] -= spent["from GPU"]
    whole = 1000 * taken / pictures
    spent["read+hash"] = whole - sum(spent.values())  # the time that no other part has taken
    print(f"{device:5} {gpus:4} {workers:8} {threads or 'all':>8} {sum(one[0] / one[1] for one in each):10.1f} {whole:8.2f} "
          f"{100 * sum(one[2] for one in each) / taken:6.0f}%  " + " ".join(f"{spent[part]:9.2f}" for part in PARTS), flush=True)


def measure_on(cluster, workers, device, seconds, inputs, out):
    """Measures a run on Ray, from its first result to its last."""
    from warpwise.ray import process

    shutil.rmtree(out, ignore_errors=True)
    paths = [f"{inputs}/{name}" for name in sorted(os.listdir(inputs))[:int(40 * workers * seconds)]]
    begin, times = time.perf_counter(), []
    counts = process(paths, out, PIPELINE, cluster=cluster, device=device, workers=workers,
                     progress=lambda row: times.append(time.perf_counter()))
    assert counts == (len(paths), 0, 0), counts
    # Rows of one task arrive together, so the rows of the first task are not counted.
    first = sum(at < times[0] + 0.05 for at in times)
    rate = (len(times) - first) / (times[-1] - times[0])
    print(f"{device:5} {workers:8} {len(paths):9} {rate:11.1f} {1000 * workers / rate:8.2f} {times[0] - begin:12.1f}", flush=True)


def scale_on(cluster, cores, seconds, inputs, out):
    import warpwise

    print("what   workers  pictures  a second  ms each  first after s", flush=True)
    counts = [2 ** i for i in range(0, MOST.bit_length(), 2) if 2 ** i <= min(cores, MOST)]
    for workers in sorted({*counts, min(cores, MOST)}):
        measure_on(cluster, workers, "cpu", seconds, inputs, out)
    for workers in [8, 16] if warpwise.device_count() else []:
        measure_on(cluster, workers, "cuda", seconds, inputs, out)


def main():
    import warpwise

    picture, folder = sys.argv[1:3]
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 3.0
    inputs, out = folder + "/in", folder + "/out"
    cores, gpus = len(os.sched_getaffinity(0)), min(warpwise.device_count(), 2)
    make(picture, inputs, int(MOST * EACH * seconds))
    print(f"{cores} cores, {gpus} GPUs; JPEG files of {os.path.getsize(picture)} bytes; {PIPELINE}; {seconds} s each; files in {folder}")
    if len(sys.argv) > 4:
        scale_on(sys.argv[4], cores, seconds, inputs, out)
        shutil.rmtree(folder)
        return
    print("what  GPUs  workers  threads   pictures  ms each   CPU  " + " ".join(f"{part:>9}" for part in PARTS), flush=True)
    counts = [2 ** i for i in range(MOST.bit_length()) if 2 ** i <= min(cores, MOST)]
    for workers in counts:
        measure(workers, "cpu", 0, 1, seconds, inputs, out)
    measure(min(16, counts[-1]), "cpu", 0, 0, seconds, inputs, out)
    for used in range(1, gpus + 1):
        for workers in (used, 8 * used):
            if workers <= cores:
                measure(workers, "cuda", used, 1, seconds, inputs, out)
    shutil.rmtree(out)
    shutil.rmtree(inputs)


if __name__ == "__main__":
    main()
