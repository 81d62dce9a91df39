"""Runs the fuzz targets of build/fuzz, and keeps the records of their runs. scripts/fuzz.sh describes the arguments."""
import concurrent.futures
import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import time

from recording import REPOSITORY, first_line, wait_for, write

BUILD = REPOSITORY / "build/fuzz"
RUN = BUILD / "record.json"
RECORD = REPOSITORY / "results/fuzz/parsers.json"
KEPT = REPOSITORY / "tests/fuzz/corpus.tar.xz"
OPTIONS = ["-max_len=1024", "-timeout=10"]


def unpack():
    """Adds the inputs of earlier runs to the corpora."""
    with tarfile.open(KEPT) as archive:
        for entry in archive:
            path = BUILD / "corpus" / entry.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(archive.extractfile(entry).read())


def pack(targets):
    """Packs the corpora of some targets for later runs. The order is fixed, and times and owners are left out."""
    unfinished = KEPT.with_suffix(".part")
    with tarfile.open(unfinished, "w:xz", format=tarfile.USTAR_FORMAT) as archive:
        for path in sorted(each for target in targets for each in (BUILD / "corpus" / target).iterdir()):
            entry = tarfile.TarInfo(str(path.relative_to(BUILD / "corpus")))
            entry.size = path.stat().st_size
            with path.open("rb") as file:
                archive.addfile(entry, file)
    unfinished.rename(KEPT)


def inputs(folder):
    return sum(each.is_file() for each in folder.rglob("*"))


def call(target, options, folders, log):
    """Runs a target's program to its end; returns its exit status and its seconds of CPU."""
    process = subprocess.Popen([BUILD / f"bin/{target}_fuzz", *OPTIONS, *options, *folders], stdout=log, stderr=log)
    cpu = wait_for(process)
    return process.returncode, cpu


def minimise(target, corpus, log):
    """Reduces a target's corpus to inputs each of which reaches code that no other one reaches."""
    kept = corpus.with_name(f"{target}.kept")
    shutil.rmtree(kept, ignore_errors=True)
    kept.mkdir()
    if call(target, ["-merge=1"], [kept, corpus], log)[0] == 0:
        shutil.rmtree(corpus)
        kept.rename(corpus)
    else:
        shutil.rmtree(kept)


def fuzz(target, runs, limit, seed):
    """Runs a target; returns its figures. limit: seconds of CPU, or 0 for one pass of `runs` inputs."""
    corpus, path = BUILD / "corpus" / target, BUILD / f"{target}.log"
    before, start, cpu, status = inputs(corpus), time.monotonic(), 0, 0
    with path.open("wb") as log:
        # libFuzzer limits wall-clock time, so several passes may be needed to use the CPU time.
        while status == 0 and (cpu == 0 or cpu < limit):
            options = [f"-seed={seed + round(cpu)}", f"-artifact_prefix={BUILD}/findings/{target}-",
                       f"-max_total_time={max(1, round(limit - cpu))}" if limit else f"-runs={runs}"]
            status, used = call(target, options, [corpus], log)
            cpu += used
        if limit and status == 0:
            minimise(target, corpus, log)
    text = path.read_text(encoding="utf-8", errors="replace")
    made = sum(map(int, re.findall(r"^Done (\d+) runs", text, re.MULTILINE)))
    figures = {"runs": made, "cpu_seconds": round(cpu), "corpus_before": before, "corpus_after": inputs(corpus),
               "findings": int(status != 0)}
    print(f"{target}: {made} runs in {cpu:.0f} s of CPU, {figures['corpus_after']} inputs in the corpus, {figures['findings']} findings", flush=True)
    if status != 0:
        print("\n".join(text.splitlines()[-40:]), f"fuzz.sh: {target} failed; its input is in build/fuzz/findings, the log is {path}",
              sep="\n", file=sys.stderr)
    return figures, time.monotonic() - start


def report(results):
    """Writes the results of all targets as a report in ctest's format."""
    cases = ""
    for target, (figures, seconds) in results.items():
        failed = figures["findings"] != 0
        inside = f'<failure message="its input is in build/fuzz/findings, the log is build/fuzz/{target}.log"/>' if failed else ""
        cases += f'<testcase name="{target}" time="{seconds:.0f}" status="{"fail" if failed else "run"}">{inside}</testcase>'
    (BUILD / "reports").mkdir(exist_ok=True)
    (BUILD / "reports/ctest.xml").write_text(f"<testsuite>{cases}</testsuite>\n")


def add(record, run):
    """Adds a run to the record: to each target a session, and its figures to the target's sums."""
    head = {name: run[name] for name in ["date", "commit", "compiler", "seed"]}
    for name, figures in run["targets"].items():
        target = record["targets"].setdefault(name, {"runs": 0, "cpu_seconds": 0, "findings": 0, "sessions": []})
        for kind in ["runs", "cpu_seconds", "findings"]:
            target[kind] += figures[kind]
        target["sessions"].append({**head, **figures})
    record["targets"] = dict(sorted(record["targets"].items()))
    record["date"] = run["date"]


def main(arguments):
    if arguments == ["--record"]:
        if not RUN.exists():
            sys.exit("fuzz.sh: there is no run that is not recorded yet")
        record = json.loads(RECORD.read_text(encoding="utf-8"))
        add(record, json.loads(RUN.read_text(encoding="utf-8")))
        pack(record["targets"])
        write(RECORD, record, 4)
        RUN.unlink()  # so that no run is added twice
        return 0
    runs, limit, seed = 10_000_000, 0, 1
    targets = sorted(each.name.removesuffix("_fuzz") for each in (BUILD / "bin").glob("*_fuzz"))
    if arguments[:1] == ["--seconds"]:
        limit, seed, targets = int(arguments[1]), int(time.time()), arguments[2:] or targets
    else:
        targets = [each for each in targets if each != "kernel"]  # it is built only for --seconds
        runs, seed = (*map(int, arguments), *[runs, seed][len(arguments):])
    unpack()
    shutil.rmtree(BUILD / "findings", ignore_errors=True)
    (BUILD / "findings").mkdir()
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        results = dict(zip(targets, pool.map(lambda target: fuzz(target, runs, limit, seed), targets)))
    report(results)
    write(RUN, {"date": datetime.datetime.now(datetime.timezone.utc).strftime("%F"),
                "commit": first_line("git", "describe", "--always", "--dirty", "--abbrev=12"),
                "compiler": first_line("clang++", "--version"), "seed": seed,
                "targets": {name: figures for name, (figures, _) in results.items()}})
    return int(any(figures["findings"] for figures, _ in results.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
