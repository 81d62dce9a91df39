#!/usr/bin/env python3
"""Runs Warpwise for hours and records its memory, open handles and threads: results/soak.json, drawn as soak.svg.

  scripts/soak.py MINUTES [--build build/release] [--python PYTHON]
  scripts/soak.py MINUTES --only run    runs one of the processes alone, and replaces its part of the record
  scripts/soak.py MINUTES --gpu --out FILE --commit HASH [--build FOLDER]
                                        the stream alone, on a GPU, and with the GPU's memory; for a bundle of
                                        scripts/gpu-bundle.sh, which has no repository
  scripts/soak.py --plot                draws results/soak.json again

Three processes run at once until the minutes are over: `warpwise stream` with three stages at full speed on the CPU; a
CUDA program under `warpwise run` (soak/rounds.cu); and Python with warpwise.ray.process and the emulator
(soak/rounds.py). The last two repeat the same round, and must reach ROUNDS rounds. The first tenth of the samples is
left out, because a process then starts, and the emulator fills its memory of the last 65,536 freed allocations. Then
  - memory must not grow: the straight line of least squares through the samples must rise less than growth_limit() in all;
  - the fewest handles, and the fewest threads, of the last tenth must not be more than those of the second.
The status is 1 if a process breaks one of these rules. Needs nvcc and gnuplot.
"""
import argparse
import datetime
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from recording import REPOSITORY, clean_commit, machine_of, write

RECORD = REPOSITORY / "results/soak.json"
SOURCES = REPOSITORY / "scripts/soak"
STREAM = ["test:zone", "null", "--size", "640x360", "--backend", "cpu", "--json", "--pipeline",
          "ycbcr32 | sobel | threshold window=31 offset=7"]
SAMPLES = 600
ROUNDS = 10000
KINDS = ["resident_kib", "handles", "threads"]


def growth_limit(memory_kib):
    """Returns the KiB that memory may rise: 2 MiB, or 2 % of it if that is more."""
    return max(2048, 0.02 * sum(memory_kib) / len(memory_kib))


def gpu_memory():
    """Returns the MiB of the first GPU's memory that are in use."""
    command = ["nvidia-smi", "--id=0", "--query-gpu=memory.used", "--format=csv,noheader,nounits"]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def sample(process, kinds):
    """Returns the resident KiB, handles and threads of a process, and the GPU's memory if asked for; None if it has ended."""
    folder = pathlib.Path(f"/proc/{process}")
    try:
        fields = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())
        of_process = [int(fields["VmRSS"].split()[0]), len(os.listdir(folder / "fd")), int(fields["Threads"])]
    except (OSError, KeyError):
        return None
    return [*of_process, gpu_memory()] if "gpu_mib" in kinds else of_process


def program_of(process):
    """Returns the process that `warpwise run` has started, or None."""
    try:
        children = pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return None
    return int(children[0]) if children else None


def start(build, python, seconds, work, gpu, only):
    """Starts the three processes, only one of them, or only the stream on a GPU, and returns them by name."""
    warpwise = build / "bin/warpwise"
    if gpu:
        return running({"stream": [warpwise, "stream", *["cuda" if word == "cpu" else word for word in STREAM]]}, work)
    subprocess.run(["nvcc", "-arch=compute_75", "-cudart", "shared", "-o", work / "rounds", SOURCES / "rounds.cu"], check=True)
    commands = {
        "stream": [warpwise, "stream", *STREAM],
        "run": [warpwise, "run", "--quiet", work / "rounds", seconds],
        "process": [python, SOURCES / "rounds.py", seconds, REPOSITORY / "samples/sudoku.png", work / "out"]}
    return running({name: command for name, command in commands.items() if only in (None, name)}, work)


def running(commands, work):
    return {name: subprocess.Popen(list(map(str, command)), stdout=open(work / name, "wb"), stderr=open(work / f"{name}.errors", "wb"),
                                   env={**os.environ, "TMPDIR": str(work)})
            for name, command in commands.items()}


def watch(processes, seconds, kinds):
    """Samples the processes until the time is over; returns their samples by name, with the second of each."""
    begun = time.monotonic()
    samples = {name: {"seconds": [], **{kind: [] for kind in kinds}} for name in processes}
    while (passed := time.monotonic() - begun) < seconds:
        for name, process in processes.items():
            found = sample(program_of(process.pid) if name == "run" else process.pid, kinds) if process.poll() is None else None
            for kind, value in zip(["seconds", *kinds], [round(passed, 1), *found] if found else []):
                samples[name][kind].append(value)
        time.sleep(max(0, seconds / SAMPLES - (time.monotonic() - begun - passed)))
    return samples


def finish(processes, work):
    """Ends the stream and waits for the others; returns what each has done."""
    if "stream" in processes:
        processes["stream"].send_signal(signal.SIGTERM)
    done = {}
    for name, process in processes.items():
        status = process.wait()
        if status not in (0, -signal.SIGTERM if name == "stream" else 0):
            sys.exit(f"soak.py: {name} ended with {status}; the samples are in {work}: {(work / f'{name}.errors').read_text()[-2000:]}")
        said = (work / name).read_text()
        done[name] = {"frames": json.loads(said)["written"]} if name == "stream" else {"rounds": int(said.split()[-1])}
    return done


def slope(xs, ys):
    """Returns the slope of the straight line of least squares."""
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys)) / sum((a - x) ** 2 for a in xs)


def judged(samples):
    """Returns the figures of one process, and its faults in words."""
    kinds = [kind for kind in samples if kind != "seconds"]
    # Leaves out the last sample, because a process that ends by itself may be ending then.
    times, *series = [samples[kind][:-1] for kind in ["seconds", *kinds]]
    tenth = len(times) // 10
    if tenth == 0:
        return {}, ["too few samples"]
    memory = series[0][tenth:]
    rise = slope(times[tenth:], memory) * (times[-1] - times[tenth])
    figures = {"minutes": round(times[-1] / 60, 1), "rise_kib": round(rise), "allowed_kib": round(growth_limit(memory)),
               "most_kib": max(memory)}
    wrong = [f"memory rose by {rise:.0f} KiB"] if rise >= growth_limit(memory) else []
    for kind, values in zip(kinds[1:], series[1:]):
        before, after = min(values[tenth:2 * tenth]), min(values[-tenth:])
        figures[kind] = [before, after]
        wrong += [f"{kind} rose from {before} to {after}"] if after > before else []
    return figures, wrong


def plot(record):
    """Draws memory, handles and threads of the three processes over time."""
    names = list(record["processes"])
    data = ""
    for name in names:
        samples = record["processes"][name]["samples"]
        rows = zip(*(samples[kind] for kind in ["seconds", *KINDS]))
        data += f"${name} << EOD\n" + "".join(f"{s / 60} {m / 1024} {h} {t}\n" for s, m, h, t in rows) + "EOD\n"
    colours = ["#0072b2", "#d55e00", "#009e73"]
    script = data + (
        "set terminal svg size 720,720 font 'sans-serif,12' background 'white'\nset output 'soak.svg'\nset multiplot layout 3,1\n"
        "set key outside right\nset yrange [0:*]\nset grid ytics\n")
    for column, label in enumerate(["memory, MiB", "open handles", "threads"], start=2):
        script += f"set ylabel '{label}'\n" + ("set xlabel 'minutes'\n" if column == 4 else "")
        script += "plot " + ", ".join(f"${name} using 1:{column} with lines lw 1.5 lc rgb '{colour}' title '{name}'"
                                      for name, colour in zip(names, colours)) + "\n"
    subprocess.run(["gnuplot"], input=script, text=True, check=True, cwd=RECORD.parent)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("minutes", type=float, nargs="?")
    parser.add_argument("--build", type=pathlib.Path, default=REPOSITORY / "build/release")
    parser.add_argument("--python", default=sys.executable, help="a Python with warpwise")
    parser.add_argument("--only", choices=["stream", "run", "process"])
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--out", type=pathlib.Path, default=RECORD)
    parser.add_argument("--commit")
    parser.add_argument("--plot", action="store_true")
    chosen = parser.parse_args()
    if chosen.plot:
        plot(json.loads(RECORD.read_text(encoding="utf-8")))
        return 0
    if chosen.minutes is None:
        parser.error("MINUTES is needed")
    date = datetime.datetime.now(datetime.timezone.utc).strftime("%F")
    commit = chosen.commit or clean_commit("soak.py")
    kinds = [*KINDS, "gpu_mib"] if chosen.gpu else KINDS
    seconds = 60 * chosen.minutes
    method = f"a sample every {seconds / SAMPLES:.1f} s; " + ("alone" if chosen.gpu else "all at once; other work ran beside them")
    record = {"machine": machine_of(date, commit, method), "processes": {}}
    if chosen.only:
        record = json.loads(chosen.out.read_text(encoding="utf-8"))
    if chosen.gpu:
        record["machine"]["gpu"] = subprocess.run(["nvidia-smi", "--id=0", "--query-gpu=name,driver_version", "--format=csv,noheader"],
                                                  check=True, capture_output=True, text=True).stdout.strip()
    work = pathlib.Path(tempfile.mkdtemp())
    processes = start(chosen.build.resolve(), chosen.python, int(seconds), work, chosen.gpu, chosen.only)
    try:
        samples = watch(processes, seconds, kinds)
        (work / "samples.json").write_text(json.dumps(samples))  # kept if a process has failed
        done = finish(processes, work)
    finally:
        for process in processes.values():
            process.kill()
    faults = []
    for name in processes:
        figures, wrong = judged(samples[name])
        wrong += ["too few rounds"] if done[name].get("rounds", ROUNDS) < ROUNDS else []
        faults += [f"{name}: {each}" for each in wrong]
        alone = {"alone": f"{commit}, {date}"} if chosen.only else {}
        record["processes"][name] = {**alone, **done[name], **figures, "faults": wrong, "samples": samples[name]}
        print(name, done[name], figures)
    write(chosen.out, record, 4)
    shutil.rmtree(work)
    if chosen.out == RECORD:
        plot(record)
    for fault in faults:
        print(f"soak.py: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
