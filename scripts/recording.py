"""Functions for the scripts that record measurements: the commit, the machine, and the writing of a record."""
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import time

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent


def first_line(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True,
                          cwd=REPOSITORY).stdout.splitlines()[0]


def cpu_name():
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.processor()


def clean_commit(script):
    """Returns the measured commit; ends the script if the tree has changes that are not committed."""
    commit = first_line("git", "describe", "--always", "--dirty", "--abbrev=12")
    if commit.endswith("-dirty"):
        sys.exit(f"{script}: the tree has changes that are not committed; a figure belongs to a commit")
    return commit


def kinds_in(text):
    """Returns the kinds of faults that `warpwise run` has reported."""
    return sorted(set(re.findall(r"^warpwise: (\w+) (?:in kernel|in the program)", text, re.MULTILINE)))


def wait_for(process):
    """Waits for a process, sets its exit code, and returns its seconds of CPU, user and system."""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime


def process_times(command, standard_input=os.devnull):
    """Runs a command to its end; returns its wall and processor seconds. Ends the script if it fails."""
    start = time.monotonic()
    with open(standard_input, "rb") as given:
        process = subprocess.Popen(command, stdin=given, stdout=subprocess.DEVNULL)
    cpu = wait_for(process)
    wall = time.monotonic() - start
    if process.returncode != 0:
        sys.exit(f"exit code {process.returncode}: {' '.join(map(str, command[:3]))} ...")
    return {"wall": wall, "cpu": cpu}


def machine_of(date, commit, method):
    cores = os.cpu_count()
    return {"date": date, "num_cpus": cores, "commit": commit, "cpu": f"{cpu_name()}, {cores} cores",
            "compiler": first_line("c++", "--version"), "method": method}


def text_of(value, levels, depth=0):
    """Returns a value as JSON, with a line for each item of the outer `levels` levels; deeper items share a line."""
    if levels == 0 or not isinstance(value, (dict, list)) or not value:
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        items = [f"{json.dumps(str(key), ensure_ascii=False)}: {text_of(each, levels - 1, depth + 1)}" for key, each in value.items()]
    else:
        items = [text_of(each, levels - 1, depth + 1) for each in value]
    begin, end = "{}" if isinstance(value, dict) else "[]"
    line = "\n" + " " * depth
    return f"{begin}{line} " + f",{line} ".join(items) + line + end


def write(path, recorded, levels=-1):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text_of(recorded, levels) + "\n", encoding="utf-8")
