#!/usr/bin/env python3
"""Times how long a new user waits, and records it as FOLDER/build.json. Runs scripts/demo.sh of a fresh clone, packages included,
in a Debian 12 that has only git and bash: once without a CUDA toolkit, and once in a second one with it.

  scripts/record-build.py FOLDER SYSTEM [--toolkit /usr/local/cuda] [--wheel FILE] [--before "COMMIT OPTION..."]

FOLDER is a folder of results/. SYSTEM is a folder that does not exist yet, or one with a system that `debootstrap
--variant=minbase --include=git,ca-certificates bookworm SYSTEM` has made; it is kept. The demos run in two copies of
SYSTEM, which are removed. FILE is a wheel of the same commit that scripts/package.sh has made. --before also builds an
earlier COMMIT for a comparison, with the toolkit and any CMake options that follow the commit ("1d77bb3d
-DNAME=VALUE"). Needs root, debootstrap, a network, 6 GB,
and a machine that does nothing else for a quarter of an hour. Changes nothing outside of SYSTEM and FOLDER.
"""
import argparse
import contextlib
import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

from ninja_log import logged, seconds
from recording import REPOSITORY, clean_commit, machine_of, wait_for, write

METHOD = ("each demo once, in a Debian system of its own without the packages, sources and toolkit on this machine's disk, no "
          "compiler cache; wall: from start to exit; cpu: user and system seconds of the process and all that it started; a build: "
          "both as scripts/build.sh says them, configuration included; objects: wall seconds of each compilation, as many at a time as Ninja runs")
ENVIRONMENT = ["/usr/bin/env", "-i", "HOME=/root", "TERM=dumb", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]
BUILT = re.compile(r"^Built (\w+ of )?build/release in (\d+) s, (\d+) s of CPU", re.M)


def make_debian(root):
    if not (root / "etc/debian_version").exists():
        subprocess.run(["debootstrap", "--variant=minbase", "--include=git,ca-certificates", "bookworm", root,
                        "http://deb.debian.org/debian"], check=True, stdout=subprocess.DEVNULL)
    if (root / "usr/bin/g++").exists():
        sys.exit(f"record-build.py: {root} has the packages already; the first picture waits for them")


class System(contextlib.ExitStack):
    """A copy of a Debian system. Removed at exit."""

    def __init__(self, debian, name):
        super().__init__()
        self.root = debian.with_name(f"{debian.name}-{name}")
        subprocess.run(["cp", "--archive", "--reflink=auto", debian, self.root], check=True)
        self.callback(self.remove)
        shutil.copy("/etc/resolv.conf", self.root / "etc/resolv.conf")
        self.mount("-t", "proc", "proc", at=self.root / "proc")
        self.mount("--bind", "/dev", at=self.root / "dev")

    def mount(self, *how, at):
        at.mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", *how, at], check=True)
        self.callback(subprocess.run, ["umount", "--lazy", at])

    def remove(self):
        if f" {self.root}/" in pathlib.Path("/proc/mounts").read_text(encoding="utf-8"):
            sys.exit(f"record-build.py: {self.root} still has mounts of this machine's folders; it is not removed")
        subprocess.run(["rm", "-rf", self.root], check=True)

    def clone(self, commit="HEAD"):
        there = self.root / "root" / commit
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", REPOSITORY, there], check=True)
        subprocess.run(["git", "-C", there, "checkout", "--quiet", commit], check=True)
        return there

    def run(self, clone, command):
        """Runs a command in a clone as its user types it; returns what it printed, and its wall and processor seconds."""
        arguments = ["chroot", self.root, *ENVIRONMENT, "bash", "-c", f"cd ~/{clone.name} && {command}"]
        start = time.monotonic()
        process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        said = []
        for line in process.stdout:
            said.append(line)
            print(f"{time.monotonic() - start:6.1f} s  {line}", end="", flush=True)
        cpu = wait_for(process)
        wall = time.monotonic() - start
        if process.returncode != 0:
            sys.exit(f"record-build.py: exit code {process.returncode}: {command}")
        return "".join(said), {"wall_s": round(wall, 1), "cpu_s": round(cpu, 1)}


def built(said):
    """Returns the wall and CPU seconds of all builds that an output of scripts/demo.sh names, added up."""
    found = [(int(wall), int(cpu)) for _, wall, cpu in BUILT.findall(said)]
    return {"wall_s": sum(wall for wall, _ in found), "cpu_s": sum(cpu for _, cpu in found)}


def demo(system, clone, cuda):
    start = time.time()
    said, times = system.run(clone, "scripts/demo.sh")
    first = (clone / "demo-output/first-edges.png").stat().st_mtime - start
    return {"cuda": cuda, "first_picture_s": round(first, 1), **times, "build": built(said)}


def objects(clone):
    """Returns the seconds of each compilation, the longest first."""
    taken = seconds(logged(clone / "build/release"))
    kept = {name: round(each, 1) for name, each in taken.items() if name.endswith((".o", ".gch"))}
    return dict(sorted(kept.items(), key=lambda item: -item[1]))


def sizes(system, clone, wheel):
    system.run(clone, "cmake --install build/release --prefix /root/installed >/dev/null")
    installed = system.root / "root/installed"
    found = {"library": (clone / "build/release/lib/libwarpwise.so").stat().st_size,
             "installation": sum(path.stat().st_size for path in installed.rglob("*")
                                 if path.is_file() and not path.is_symlink())}
    return {**found, "wheel": wheel.stat().st_size} if wheel else found


def build_before(system, commit, *options):
    clone = system.clone(commit)
    system.run(clone, "scripts/packages.sh")
    _, times = system.run(clone, " ".join(["scripts/build.sh release -DWARPWISE_TESTS=OFF", *options]))
    return {"commit": commit, **times}


def recorded(debian, commit, chosen):
    machine = machine_of(datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"), commit, METHOD)
    record = {"machine": machine, "demos": []}
    for cuda in (False, True) if chosen.toolkit.exists() else (False,):
        with System(debian, "with-cuda" if cuda else "without-cuda") as system:
            if cuda:
                system.mount("--bind", chosen.toolkit.resolve(), at=system.root / "usr/local/cuda")
            clone = system.clone()
            record["demos"].append(demo(system, clone, cuda))
            machine["compiler"] = system.run(clone, "c++ --version")[0].splitlines()[0]
            if cuda:
                machine["toolkit"] = re.search(r"V([\d.]+)", system.run(clone, "/usr/local/cuda/bin/nvcc --version")[0])[1]
            record |= {"sizes": sizes(system, clone, chosen.wheel), "objects": objects(clone)}
            if cuda and chosen.before:
                record["before"] = {**build_before(system, *chosen.before.split()), "then": {"commit": commit, **record["demos"][1]["build"]}}
    return record


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("system", type=pathlib.Path)
    arguments.add_argument("--toolkit", default="/usr/local/cuda", type=pathlib.Path)
    arguments.add_argument("--wheel", type=pathlib.Path)
    arguments.add_argument("--before", metavar="COMMIT OPTION...")
    chosen = arguments.parse_args()
    commit = clean_commit("record-build.py")
    if os.getloadavg()[0] > 1:
        sys.exit("record-build.py: this machine does something else at present, which would be timed as well")
    debian = chosen.system.resolve()
    make_debian(debian)
    path = chosen.folder / "build.json"
    record = recorded(debian, commit, chosen)
    if "before" not in record and path.exists():  # keeps an earlier comparison, which names its own commits
        record |= {key: value for key, value in json.loads(path.read_text(encoding="utf-8")).items() if key == "before"}
    write(path, record)


if __name__ == "__main__":
    main()
