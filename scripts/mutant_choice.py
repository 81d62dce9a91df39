"""Chooses the mutants of scripts/mutants.py: the same seed and the same tree give the same ones."""
import json
import math
import os
import pathlib
import random
import re
import shlex
import subprocess
import tempfile

import mutant_places

# For each area the number of its mutants, and the pattern of its files.
AREAS = {
    "kernels": (8, r"warpwise/primitives/(copy|disparity|gemv|match|sobel)/\w+\.cuh"),
    "primitives": (12, r"warpwise/primitives/.+\.[ch]pp"),
    "emulator": (14, r"warpwise/emulator/(?!runtime/).+\.[ch]pp"),
    "rules": (6, r"warpwise/rules/.+\.[ch]pp"),
    "runtime": (8, r"warpwise/emulator/runtime/.+\.[ch]pp"),
    "io": (6, r"warpwise/io/.+\.[ch]pp"),
    "cli": (6, r"warpwise/cli/.+\.[ch]pp"),
}
# Files without mutants: tests and their tools, ladders, and code that only changes speed (kernel launches and the
# division of CPU work).
NO_AREA = re.compile(r"_test\.|/test_|_bench\.|testing|/ladder/|ladder\.|/fake_|explain_case|without_cuda"
                     r"|launch\.[ch]pp|cpu_plan|progress")


def sources(tree):
    """Reads the C++ and CUDA files that git knows."""
    listed = subprocess.run(["git", "ls-files", "*.cpp", "*.hpp", "*.cu", "*.cuh"], cwd=tree, capture_output=True,
                            text=True, check=True).stdout.split()
    return {name: (tree / name).read_text(encoding="utf-8") for name in sorted(listed)}


def included(texts):
    """Lists the files that each file includes."""
    return {name: re.findall(r'^#include "(warpwise/[^"]+)"', text, re.M) for name, text in texts.items()}


def reached(roots, includes):
    """Lists the files that some files include, through others as well."""
    found, todo = set(), list(roots)
    while todo:
        new = [name for name in includes.get(todo.pop(), []) if name not in found]
        found.update(new)
        todo += new
    return found


class Compiler:
    """Compiles mutated forms of a file with the commands of a configured build, and tells whether that succeeds."""

    def __init__(self, tree, build, includes):
        self.tree, self.build = tree, build
        entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
        self.commands = {os.path.relpath(entry["file"], tree): entry["command"] for entry in reversed(entries)}
        self.below = {name: reached([name], includes) for name in self.commands}

    def source_of(self, file):
        """Finds the source with which to compile a file: itself, or one that includes it; None if there is none."""
        if file in self.commands:
            return file
        users = [name for name, below in self.below.items() if file in below]
        folder = os.path.dirname(file)
        return min(users, key=lambda name: (os.path.dirname(name) != folder, len(self.below[name]), name), default=None)

    def accepts(self, file, text):
        """Compiles a file with the given text, without output, and tells whether that succeeds."""
        source = self.source_of(file)
        if source is None:
            return False
        with tempfile.TemporaryDirectory() as name:
            overlay = pathlib.Path(name)
            (overlay / file).parent.mkdir(parents=True)
            (overlay / file).write_text(text, encoding="utf-8")
            (overlay / mutant_places.HEADER).write_text(mutant_places.HEADER_TEXT, encoding="utf-8")
            words = [word for word in shlex.split(self.commands[source]) if word not in ("-Werror", "all-warnings")]
            words.insert(1, f"-I{overlay}")
            if source == file:
                words = [word.replace(str(self.tree / file), str(overlay / file)) for word in words]
            if not source.endswith(".cu"):
                words[words.index("-c")] = "-fsyntax-only"
                return subprocess.run([*words, "-w"], cwd=self.build, capture_output=True, check=False).returncode == 0
            # nvcc has no -fsyntax-only. Only its steps for the host's side are run: the preprocessor and cudafe++.
            steps = subprocess.run([*words, "--dryrun"], cwd=self.build, capture_output=True, text=True, check=True,
                                   env={**os.environ, "TMPDIR": name}).stderr
            steps = [f'PATH="$PATH:{os.path.dirname(words[0])}"',
                     *re.findall(r"^#\$ (gcc .* -E -x c\+\+ -D__CUDACC__.*|cudafe\+\+ .*)$", steps, re.M)]
            return len(steps) == 3 and subprocess.run("\n".join(["set -e", *steps]), shell=True, cwd=name, check=False,
                                                      capture_output=True).returncode == 0


def choose(texts, seed, accepts):
    """Chooses mutants by the seed; accepts(file, text) tells whether the mutated text of a file compiles."""
    includes = included(texts)
    # Headers that nvcc or other programs compile too cannot have mutants that are switched at run time.
    shared = reached([name for name, text in texts.items()
                      if name.endswith((".cu", ".cuh")) or name.startswith("examples/") or "WARPWISE_EXPORT" in text and
                      name.endswith(".hpp")], includes)
    chosen = []
    for area, (count, pattern) in AREAS.items():
        files = [name for name in texts if re.fullmatch(pattern, name) and not NO_AREA.search(name) and
                 (area == "kernels" or not name.endswith(".hpp") or
                  name not in shared and "WARPWISE_EXPORT" not in texts[name])]
        of_kind = {kind: [] for kind in mutant_places.KINDS}
        for name in files:
            for place in mutant_places.places(texts[name], area == "kernels"):
                of_kind[place["kind"]].append({"file": name, "area": area, **place})
        draw = random.Random(f"{seed} {area}")
        for candidates in of_kind.values():
            draw.shuffle(candidates)
        most = max(2, math.ceil(2 * count / max(1, len(files))))
        first = len(chosen)
        while len(chosen) < first + count and any(of_kind.values()):
            candidates = of_kind[mutant_places.KINDS[len(chosen) % len(of_kind)]] or max(of_kind.values(), key=len)
            candidate = {"number": len(chosen) + 1, **candidates.pop()}
            others = [each for each in chosen if each["file"] == candidate["file"]]
            if len(others) >= most or any(candidate["first_line"] <= each["last_line"] and
                                          each["first_line"] <= candidate["last_line"] for each in others):
                continue
            text = texts[candidate["file"]]
            if accepts(candidate["file"], mutant_places.planted(text, candidate) if area == "kernels"
                       else mutant_places.switched(text, [candidate])):
                chosen.append(candidate)
    return [{key: value for key, value in each.items() if key not in ("first_line", "last_line")} for each in chosen]
