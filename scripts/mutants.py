#!/usr/bin/env python3
"""Plants mutants in a copy of the tree, and records which sets of tests find them.

    scripts/mutants.py list [OPTIONS]        prints the mutants
    scripts/mutants.py run [OPTIONS]         tests them, writes results/mutants.json and prints its table
    scripts/mutants.py report [--out FILE]   prints the table of a record

    --seed N             chooses other mutants (default 1)
    --commit COMMIT      the commit whose tree is copied (default HEAD); a record is continued only at its own commit
    --folder FOLDER      holds the copy of the tree, and its builds (default build/mutants)
    --out FILE           the record (default results/mutants.json)
    --builds NAME,...    builds whose tests run: release, asan (default release)
    --left-out REGEX     tests that never run
    --limit-minutes M    starts no mutant after M minutes; the next run continues there

A mutant is one changed operator, bound, branch or constant in a function of the areas below. Those in C++ are all
compiled into one build, and the environment variable WARPWISE_MUTANT switches one of them on. Those in kernels
are planted and built one at a time. The tests must pass without a mutant first; that run notes which tests reach which
mutant. Then each mutant meets the tests of CI's set that reach it, the nearest to its file first, until one fails. If
none fails, it meets the tests that only the nightly run has. A mutant in a kernel meets all tests. A test that runs far
longer with a mutant counts as failed, as "timeout". A test counts as failed if it fails twice.

Two fields of a survivor are written by hand in the record: "equivalent": "why", if it computes the same as the tree, and
"test_added": "which", if a test was written for it.

Ends with status 1 if mutants are left to test, or if CI's set kills less than 95 % of those that all tests kill.
"""
import argparse
import datetime
import functools
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree

import mutant_choice
import mutant_places
import recording

# The ctest options of each set of tests; the second set runs if the first set found nothing.
SETS = {"ci": ["-LE", "nightly"], "whole": ["-C", "nightly", "-L", "nightly"]}
# The CMake options of each build; the first build is used for every mutant.
BUILDS = {"release": ["--preset", "release", "-DWARPWISE_TESTS=ON", "-DCMAKE_COMPILE_WARNING_AS_ERROR=OFF"],
          "asan": ["--preset", "asan", "-DWARPWISE_TESTS=ON"]}
ONLY_IN_RELEASE = ["kernels", "runtime"]
# Patterns of files, and of the tests that are nearest to them. The first pattern that matches a file counts.
NEAREST = [
    (r"warpwise/primitives/shared/", r"^(batch|convert|gemv|match|find|disparity)_(test|on_emulator)"),
    (r"warpwise/primitives/(\w+)/.+cuh", r"^\1_on_emulator"),
    (r"warpwise/primitives/(\w+)/", r"^\1_(test|launch_test|peer_test|on_emulator)|^property_test"),
    (r"warpwise/emulator/runtime/", r"^(runtime|driver|arrays|dynamic|graphs|limits|linked)_on_emulator"),
    (r"warpwise/emulator/", r"^(emulator|ptx|tensor|texture|golden)_test"),
    (r"warpwise/rules/", r"^(rules|cuda_occupancy)_test"),
    (r"warpwise/io/", r"^(io|image_files|image_module)_test"),
    (r"warpwise/cli/", r"^command"),
]
LEAST_SHARE = 0.95  # CI's set must kill this share of the mutants that all tests kill


class Copy:
    """Keeps a copy of a commit's tree in a folder, builds it, and runs its tests."""

    def __init__(self, folder, commit, builds, left_out, seed):
        self.folder, self.tree = folder, folder / "tree"
        self.builds, self.left_out = builds, left_out
        self.commit = recording.first_line("git", "rev-parse", commit)
        self.seed, self.chosen = seed, f"{self.commit[:12]}-{seed}"
        self.reached = folder / f"reached-{self.chosen}"  # a file for each mutant names the tests that reach it
        if not self.tree.exists():
            subprocess.run(["git", "clone", "--quiet", recording.REPOSITORY, self.tree], check=True)
        self.git("fetch", "--quiet", "origin", self.commit)
        if self.git("rev-parse", "HEAD").strip() != self.commit:
            self.git("checkout", "--quiet", "--force", self.commit)

    def git(self, *words):
        return subprocess.run(["git", *words], cwd=self.tree, capture_output=True, text=True, check=True).stdout

    def configure(self, build, folder, *options):
        subprocess.run(["cmake", *BUILDS[build], *options, "-S", self.tree, "-B", folder], check=True, cwd=self.tree,
                       stdout=subprocess.DEVNULL)

    def make(self, build):
        """Builds, and tells whether that succeeds; the compilers' output goes to a file."""
        with open(self.folder / f"{build}.log", "w", encoding="utf-8") as log:
            # CPATH lets every target find the mutants' header in the tree's folder.
            return subprocess.run(["cmake", "--build", self.folder / build], check=False, stdout=log,
                                  stderr=subprocess.STDOUT, env={**os.environ, "CPATH": str(self.tree)}).returncode == 0

    def mutants(self):
        """Chooses the mutants of the seed, once for each commit."""
        file = self.folder / f"chosen-{self.chosen}.json"
        if not file.exists():
            self.git("checkout", "--quiet", "--force", self.commit)
            # Configures a build without unity objects, whose compile commands name each source.
            commands = self.folder / "commands"
            self.configure("release", commands, "-DWARPWISE_UNITY_BUILD=OFF")
            texts = mutant_choice.sources(self.tree)
            compiler = mutant_choice.Compiler(self.tree, commands, mutant_choice.included(texts))
            recording.write(file, mutant_choice.choose(texts, self.seed, compiler.accepts))
        return json.loads(file.read_text(encoding="utf-8"))

    def write(self, mutants, in_kernel=None):
        """Writes the sources with all switched mutants, and at most one mutant in a kernel. Unchanged files are not
        touched, and so not built again."""
        texts = {mutant_places.HEADER: mutant_places.HEADER_TEXT}
        for file in {each["file"] for each in mutants}:
            text = self.git("show", f"{self.commit}:{file}")
            here = [each for each in mutants if each["file"] == file and each["area"] != "kernels"]
            if in_kernel and in_kernel["file"] == file:
                text = mutant_places.planted(text, in_kernel)
            texts[file] = mutant_places.switched(text, here) if here else text
        for file, text in texts.items():
            path = self.tree / file
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                path.write_text(text, encoding="utf-8")

    def test(self, build, options, number=0, limit=None):
        """Runs tests with a mutant up to the first failure, or all tests without a mutant. Returns the failed tests,
        and the seconds of each."""
        report = self.folder / "tests.xml"
        report.unlink(missing_ok=True)
        command = ["ctest", "--test-dir", self.folder / build, "-j", str(os.cpu_count()), "--output-junit", report,
                   "--repeat", "until-pass:2", *(["--stop-on-failure"] if limit else []), *options]
        environment = {**os.environ, "WARPWISE_MUTANT": str(number)}
        if not limit:
            self.reached.mkdir(exist_ok=True)
            environment["WARPWISE_MUTANTS_REACHED"] = str(self.reached)
        with subprocess.Popen(command, env=environment, start_new_session=True,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                status = process.wait(limit)
            except subprocess.TimeoutExpired:
                return ["timeout"], {}
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
        cases = xml.etree.ElementTree.parse(report).findall("testcase") if report.exists() else []
        failed = [case.get("name") for case in cases if case.find("failure") is not None]
        return (failed or ([f"ctest: status {status}"] if status else []),
                {case.get("name"): float(case.get("time")) for case in cases})

    def times_without_mutant(self):
        """Measures every test by set and build, in seconds; ends the script if one fails."""
        file = self.folder / f"times-{self.chosen}.json"
        times = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        for name, options in SETS.items():
            for build in self.builds:
                if f"{name} {build}" not in times:
                    failed, times[f"{name} {build}"] = self.test(build, [*options, "-E", self.left_out])
                    if failed:
                        sys.exit(f"mutants.py: without a mutant, tests of {name} fail in {build}: {', '.join(failed)}; "
                                 "those that cannot hold in a copy of the tree are left out by --left-out")
                    recording.write(file, times)
        return times

    def tests_that_reach(self, mutant, build):
        """Lists the tests that reach a mutant; None if that is not known."""
        noted = self.reached / str(mutant["number"])
        if mutant["area"] == "kernels" or not self.reached.exists():
            return None
        commands = set(noted.read_text(encoding="utf-8").split("\n")[:-1]) if noted.exists() else set()
        if "" in commands:
            return None  # some process that reached it belongs to no known test
        # The command line of a script's process begins with the interpreter.
        return {test["name"] for test in self.tests_of(build) if "command" in test
                and any(each.endswith("\0".join(test["command"]) + "\0") for each in commands)}

    @functools.cache
    def tests_of(self, build):
        return json.loads(subprocess.run(["ctest", "--test-dir", self.folder / build, "-C", "nightly", "--show-only=json-v1"],
                                         capture_output=True, text=True, check=True).stdout)["tests"]

    def kill(self, mutant, times):
        """Notes in the mutant which test of each set finds it, and after how many seconds."""
        near = next(re.sub(pattern + ".*", expression, mutant["file"])
                    for pattern, expression in NEAREST if re.match(pattern, mutant["file"]))
        started = time.monotonic()
        for name, options in SETS.items():
            for build in self.builds:
                if build != "release" and mutant["area"] in ONLY_IN_RELEASE:
                    continue
                reaching = self.tests_that_reach(mutant, build)
                if reaching is not None:
                    mutant["reached_by"] = len(reaching)
                for is_near in (True, False):
                    seconds = {test: each for test, each in times[f"{name} {build}"].items()
                               if bool(re.search(near, test)) == is_near and (reaching is None or test in reaching)}
                    if not seconds:
                        continue
                    chosen = ["-R", f"^({'|'.join(map(re.escape, seconds))})$"]
                    limit = 60 + 3 * max(sum(seconds.values()) / os.cpu_count(), max(seconds.values()))
                    failed, _ = self.test(build, [*options, *chosen], mutant["number"], limit)
                    if failed:
                        killed = {"test": failed[0], "build": build, "seconds": round(time.monotonic() - started)}
                        mutant.update({"ci": killed if name == "ci" else None, "whole": killed})
                        return
        mutant.update({"ci": None, "whole": None})


def report(record):
    """Prints the table of a record; returns True if all mutants are tested and CI's set kills its share of them."""
    tested = [each for each in record["mutants"] if "whole" in each]
    survivors = [each for each in tested if not each["whole"] and "equivalent" not in each]
    print(f"{'area':12}{'mutants':>9}{'killed by CI':>14}{'by all tests':>14}{'equivalent':>12}{'survivors':>11}")
    for area in [*mutant_choice.AREAS, "all"]:
        rows = [each for each in tested if area in (each["area"], "all")]
        by_ci, by_all = (sum(each[name] is not None for each in rows) for name in SETS)
        others = sum(each in survivors for each in rows)
        print(f"{area:12}{len(rows):>9}{by_ci:>14}{by_all:>14}{len(rows) - by_all - others:>12}{others:>11}")
    for title, rows in [("Found by nightly tests only", [each for each in tested if each["whole"] and not each["ci"]]),
                        ("Equivalent", [each for each in tested if "equivalent" in each]), ("Survivors", survivors)]:
        if rows:
            print(f"\n{title}:")
        for each in rows:
            note = each.get("equivalent") or each.get("test_added") or (each["whole"] or {}).get("test") or (
                f"{each['reached_by']} tests reach it" if "reached_by" in each else None)
            print(f"  {line_of(each)}" + (f"  [{note}]" if note else ""))
    left = len(record["mutants"]) - len(tested)
    is_enough = by_ci >= LEAST_SHARE * by_all
    print(f"\nCI's set kills {by_ci} of the {by_all} mutants that all tests kill: "
          f"{'at least' if is_enough else 'less than'} {LEAST_SHARE:.0%}." + (f" {left} mutants are left to test." if left else ""))
    return is_enough and not left


def line_of(mutant):
    return (f"{mutant['number']:3} {mutant['area']} {mutant['kind']} {mutant['file']}:{mutant['line']}: "
            f"{mutant['before']}  ->  {mutant['after']}")


def run(copy, out, minutes):
    """Tests the mutants that the record does not have yet, and writes the record after each mutant."""
    mutants = copy.mutants()
    record = json.loads(out.read_text(encoding="utf-8")) if out.exists() else {}
    if (record.get("commit"), record.get("seed")) != (copy.commit[:12], copy.seed):
        if any("whole" not in each for each in record.get("mutants", [])):
            sys.exit(f"mutants.py: {out} is not finished: go on with --commit {record['commit']} "
                     f"--seed {record['seed']}, or name another --out")
        record = {"date": datetime.date.today().isoformat(), "commit": copy.commit[:12], "seed": copy.seed,
                  "builds": copy.builds, "cpu": f"{recording.cpu_name()}, {os.cpu_count()} cores",
                  "compilers": compilers(), "mutants": mutants}
    started = time.monotonic()
    left = [each for each in record["mutants"] if "whole" not in each]
    if left:
        copy.write(mutants)
        for build in copy.builds:
            copy.configure(build, copy.folder / build)
            print(f"Building {build} ({copy.folder / build}.log)", flush=True)
            if not copy.make(build):
                sys.exit(f"mutants.py: the build {build} fails: {copy.folder / build}.log")
        print("Testing without a mutant", flush=True)
        times = copy.times_without_mutant()
        record["without_mutant"] = {name: {"tests": len(each), "seconds": round(sum(each.values()))}
                                    for name, each in times.items()}
    # Mutants in kernels come last: each needs a build of its own, which the switched mutants cannot use.
    for mutant in sorted(left, key=lambda each: each["area"] == "kernels"):
        if minutes is not None and time.monotonic() - started > 60 * minutes:
            break
        if mutant["area"] == "kernels":
            copy.write(mutants, mutant)
        if mutant["area"] != "kernels" or copy.make("release"):
            copy.kill(mutant, times)
        else:
            mutant["ci"] = mutant["whole"] = {"test": "build", "build": "release", "seconds": 0}
        print(f"{line_of(mutant)}: {mutant['whole'] or 'survives'}", flush=True)
        recording.write(out, record)
    return record


def compilers():
    nvcc = "/usr/local/cuda/bin/nvcc"
    lines = {"c++": recording.first_line("c++", "--version")}
    if os.path.exists(nvcc):
        lines["nvcc"] = subprocess.run([nvcc, "--version"], capture_output=True, text=True,
                                       check=True).stdout.splitlines()[-2]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["list", "run", "report"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--commit", default="HEAD")
    parser.add_argument("--folder", type=pathlib.Path, default=recording.REPOSITORY / "build/mutants")
    parser.add_argument("--out", type=pathlib.Path, default=recording.REPOSITORY / "results/mutants.json")
    parser.add_argument("--builds", type=lambda text: text.split(","), default=["release"])
    parser.add_argument("--left-out", default="^$")
    parser.add_argument("--limit-minutes", type=float)
    chosen = parser.parse_args()
    if chosen.action == "report":
        return 0 if report(json.loads(chosen.out.read_text(encoding="utf-8"))) else 1
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # ctest is ended, too
    chosen.folder.mkdir(parents=True, exist_ok=True)
    copy = Copy(chosen.folder.resolve(), chosen.commit, chosen.builds, chosen.left_out, chosen.seed)
    if chosen.action == "list":
        print("\n".join(map(line_of, copy.mutants())))
        return 0
    return 0 if report(run(copy, chosen.out, chosen.limit_minutes)) else 1


if __name__ == "__main__":
    sys.exit(main())
