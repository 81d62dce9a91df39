#!/usr/bin/env python3
"""Runs a small program for each feature of Python's packages for GPUs on the emulated GPU: results/emulator/python-stacks.json.

    scripts/record-python-stacks.py [STACK...] [--work FOLDER] [--recorded] [--check] [--command build/release/bin/warpwise]

scripts/python_stacks/*_stack.py are the programs, one for each stack. STACK and PACKAGES in it name the stack and what pip installs, into an
environment of its own in FOLDER. Each function is a feature. Its docstring names it and says what becomes of it: one of
python_stack_tables.VERDICTS, then a reason or a hint if there is one. A fault on purpose is in the line that ends with "here: FUNCTION".
If a feature does not run, "says: TEXT" follows: a part of its standard error, by which the reason is recognised.

--recorded installs the versions of the record, and not the registry's newest. --check writes nothing. Status 1: what
became of a feature differs from its docstring. Status 77: no package could be installed. A record is of one machine and
commit, so it needs all stacks: STACK is for --check, and nothing is written if a package could not be installed.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from python_stack_tables import FOUND, NAMED, NOT_FOUND, NOT_RUN, RECORD, RUNS, stacks
from recording import REPOSITORY, clean_commit, machine_of, write

SECONDS = 300  # for a feature; its compilers may be slow on a busy machine


def name_of(package):
    return re.match(r"[\w.-]+", package)[0]


def installed(stack, folder, versions):
    """Makes an environment with the stack's packages. Returns its Python, and the packages' versions; None if pip fails."""
    python = folder / "bin/python"
    extras = {package: re.match(r"[\w.-]+(?:\[[^\]]*\])?", package)[0] for package in stack.packages}
    words = [f"{extras[each]}=={versions[name_of(each)]}" if name_of(each) in versions else each for each in stack.packages]
    for command in [[sys.executable, "-m", "venv", folder], [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *words]]:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(f"{stack.name}: skipped, {' '.join(words)} could not be installed: {(done.stderr.strip().splitlines() or ['?'])[-1]}", flush=True)
            return None
    code = f"import importlib.metadata as m, json; print(json.dumps({{n: m.version(n) for n in {list(map(name_of, stack.packages))}}}))"
    return python, json.loads(subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout)


def verdict_of(done, feature):
    """Returns what became of a feature, and the line of its output that says so."""
    faults = re.findall(r"^warpwise: (\w+ in (?:kernel|the program)\b.*)$", done.stderr, re.MULTILINE)
    if feature.line and any(f"{feature.file.name}:{feature.line}" in re.sub(r"; (?:allocation|launched) .*", "", each) for each in faults):
        return NAMED, ""
    is_refused = re.search(r"^warpwise: .*\bnot run$", done.stderr, re.MULTILINE)
    if faults and not is_refused:
        return FOUND, faults[0]
    if done.returncode == 0 and not is_refused:
        return (RUNS if feature.verdict in (RUNS, NOT_RUN) else NOT_FOUND), ""
    said = [each for each in map(str.strip, done.stderr.splitlines()) if each]
    told = [each for each in said if feature.says and feature.says in each] or [each for each in said if not each.startswith("warpwise:")]
    return NOT_RUN, (told or ["it says nothing"])[-1]


def is_as_told(feature, found):
    return found["verdict"] == feature.verdict and feature.says in found["says"]


def outcome(feature, python, command):
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "CUPY_CACHE_DIR": f"{folder}/cupy", "TRITON_CACHE_DIR": f"{folder}/triton"}
        try:
            done = subprocess.run([command, "run", "--check", "all", python, feature.file, feature.function], cwd=folder, env=environment,
                                  capture_output=True, text=True, check=False, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return {"verdict": NOT_RUN, "says": f"no end within {SECONDS} s"}, ""
        verdict, says = verdict_of(done, feature)
        return {"verdict": verdict, "says": says.replace(folder, "").replace(str(REPOSITORY), "")[:300]}, done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stacks", nargs="*", metavar="STACK")
    parser.add_argument("--work", type=pathlib.Path, help="keeps the environments; a temporary folder by default")
    parser.add_argument("--recorded", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--command", default=str(REPOSITORY / "build/release/bin/warpwise"))
    arguments = parser.parse_args()
    if arguments.stacks and not arguments.check:
        parser.error("STACK is for --check: a record needs all stacks")
    commit = "" if arguments.check else clean_commit("record-python-stacks.py")
    kept = json.loads(RECORD.read_text(encoding="utf-8"))["stacks"] if RECORD.exists() else {}
    temporary = tempfile.TemporaryDirectory()
    work = arguments.work or pathlib.Path(temporary.name)
    others, ran = [], {}
    for stack in stacks():
        if arguments.stacks and stack.name not in arguments.stacks:
            continue
        made = installed(stack, work.absolute() / stack.file.stem, kept.get(stack.name, {}).get("versions", {}) if arguments.recorded else {})
        if made is None:
            continue
        python, versions = made
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            outcomes = list(pool.map(lambda feature: outcome(feature, python, arguments.command), stack.features))
        for feature, (found, said) in zip(stack.features, outcomes):
            print(f"{stack.name}, {feature.function}: {found['verdict']} {found['says']}", flush=True)
            if not is_as_told(feature, found):
                others.append(f"{stack.name}, {feature.function}: {found['verdict']} {found['says']}, and its docstring says {feature.verdict} "
                              f"{feature.says}\n{said[-3000:]}")
        ran[stack.name] = {"versions": versions, "features": {feature.function: found for feature, (found, _) in zip(stack.features, outcomes)}}
    print("\n".join(others), file=sys.stderr)
    if not ran:
        sys.exit(77)
    missing = [stack.name for stack in stacks() if stack.name not in ran]
    if missing and not arguments.check:
        sys.exit(f"record-python-stacks.py: nothing is written, since these did not run: {', '.join(missing)}")
    if not arguments.check:
        write(RECORD, {"machine": machine_of(time.strftime("%Y-%m-%d"), commit, "warpwise run --check all"), "stacks": ran})
    sys.exit(1 if others else 0)


if __name__ == "__main__":
    main()
