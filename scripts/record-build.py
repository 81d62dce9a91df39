#!/usr/bin/env python3
"""Times what a new user waits for, and records it as FOLDER/build.json: in a Debian 12 that has git and bash and nothing else,
scripts/packages.sh in its two parts, then scripts/demo.sh of a fresh clone without a CUDA toolkit, then that of another one with it.

  scripts/record-build.py FOLDER SYSTEM [--toolkit /usr/local/cuda] [--wheel FILE]

FOLDER is one of results/. SYSTEM is a folder that is not there yet, or a system there that `debootstrap --variant=minbase
--include=git,ca-certificates bookworm SYSTEM` has made; it is kept. FILE is a wheel of the same commit that scripts/package.sh
has made. Needs root, debootstrap, a network, 4 GB, and a machine that does nothing else for half an hour. Changes nothing
outside of SYSTEM and FOLDER.
"""
import argparse
import contextlib
import datetime
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

from ninja_log import logged, seconds
from recording import REPOSITORY, clean_commit, machine_of, write

METHOD = ("each script once, in a Debian system without its packages, sources and toolkit on this machine's disk, no compiler "
          "cache; wall: from start to exit; cpu: user and system seconds of the process and all that it started; of a build both as "
          "scripts/build.sh says them, configuration included; objects: wall seconds of each compilation, as many at a time as Ninja runs")
ENVIRONMENT = ["/usr/bin/env", "-i", "HOME=/root", "TERM=dumb", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]
BUILT = re.compile(r"^Built (\w+ of )?build/release in (\d+) s, (\d+) s of CPU", re.M)


class System:
    """A Debian system in a folder."""

    def __init__(self, root):
        self.root = root
        self.mounts = contextlib.ExitStack()
        if not (root / "etc/debian_version").exists():
            subprocess.run(["debootstrap", "--variant=minbase", "--include=git,ca-certificates", "bookworm", root,
                            "http://deb.debian.org/debian"], check=True, stdout=subprocess.DEVNULL)
        shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")

    def mount(self, *how, at):
        at.mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", *how, at], check=True)
        self.mounts.callback(subprocess.run, ["umount", "--lazy", at])

    def clone(self, name):
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", REPOSITORY, self.root / "root" / name], check=True)
        return self.root / "root" / name

    def run(self, clone, command):
        """Runs a command in a clone as its user types it; returns what it printed, and its wall and processor seconds."""
        arguments = ["chroot", self.root, *ENVIRONMENT, "bash", "-c", f"cd ~/{clone.name} && {command}"]
        start = time.monotonic()
        process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        said = []
        for line in process.stdout:
            said.append(line)
            print(f"{time.monotonic() - start:6.1f} s  {line}", end="", flush=True)
        _, status, used = os.wait4(process.pid, 0)
        wall = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"record-build.py: exit code {process.returncode}: {command}")
        return "".join(said), {"wall_s": round(wall, 1), "cpu_s": round(used.ru_utime + used.ru_stime, 1)}


def demo(system, clone, cuda):
    start = time.time()
    said, times = system.run(clone, "scripts/demo.sh")
    first = (clone / "demo-output/first-edges.png").stat().st_mtime - start
    built = [(int(wall), int(cpu)) for _, wall, cpu in BUILT.findall(said)]
    return {"cuda": cuda, "first_picture_s": round(first, 1), **times,
            "build": {"wall_s": sum(wall for wall, _ in built), "cpu_s": sum(cpu for _, cpu in built)}}


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


def recorded(system, commit, chosen):
    system.mount("-t", "proc", "proc", at=system.root / "proc")
    system.mount("--bind", "/dev", at=system.root / "dev")
    without = system.clone("without-cuda")
    packages = {}
    for part, option in [("first", " --first"), ("others", "")]:
        said, packages[part] = system.run(without, "scripts/packages.sh" + option)
        if "Installing:" not in said:
            sys.exit(f"record-build.py: {system.root} has the packages already; the first picture waits for them")
    demos = [demo(system, without, False)]
    clone = without
    machine = machine_of(datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"), commit, METHOD)
    machine["compiler"] = system.run(without, "c++ --version")[0].splitlines()[0]
    if chosen.toolkit.exists():
        system.mount("--bind", chosen.toolkit.resolve(), at=system.root / "usr/local/cuda")
        clone = system.clone("with-cuda")
        demos.append(demo(system, clone, True))
        machine["toolkit"] = re.search(r"V([\d.]+)", system.run(clone, "/usr/local/cuda/bin/nvcc --version")[0])[1]
    return {"machine": machine, "packages": packages, "demos": demos, "sizes": sizes(system, clone, chosen.wheel),
            "objects": objects(clone)}


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("system", type=pathlib.Path)
    arguments.add_argument("--toolkit", default="/usr/local/cuda", type=pathlib.Path)
    arguments.add_argument("--wheel", type=pathlib.Path)
    chosen = arguments.parse_args()
    commit = clean_commit("record-build.py")
    if os.getloadavg()[0] > 1:
        sys.exit("record-build.py: this machine does something else at present, which would be timed as well")
    system = System(chosen.system.resolve())
    with system.mounts:
        record = recorded(system, commit, chosen)
    write(chosen.folder / "build.json", record)


if __name__ == "__main__":
    main()
