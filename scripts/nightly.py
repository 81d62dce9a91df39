#!/usr/bin/env python3
"""Keeps the record of the last nightly run, results/nightly.json, and says whether it can still be relied on.

    scripts/nightly.py record              writes it, from build/minutes.json and build/tests.json
    scripts/nightly.py record SECTION      adds a run of one section, sanitizers or fuzz, which was run again at a later commit
    scripts/nightly.py check               ends with status 1 and says why if the record is missing or too old, or has a
                                           failure that its field "known" does not name with a reason
    scripts/nightly.py changed parsers     prints the sources of the fuzz targets that have changed since their last recorded run
    scripts/nightly.py changed sanitized   prints in the same way the sources that CI builds with sanitizers

A change of comments, or of a file's folder, does not count. All sources are printed if the clone lacks the record's commit.

"known": {name of a failure: reason} is written by hand, and kept from one record to the next. "again" holds the sections
that were run again since the whole run. A run's "note", written by hand too, names what it left out.
"""
import datetime
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMMITS, DAYS = 300, 14
# Parts of the nightly run. CI runs them too, but leaves them out while their sources have not changed.
PARTS = {"parsers": ["fuzz"], "sanitized": ["asan tests", "tsan tests"]}
# Sections that can be run again alone: their choice of sources, and their builds.
SECTIONS = {"sanitizers": ("sanitized", ["asan", "tsan"]), "fuzz": ("parsers", ["fuzz"])}


def git(root, *arguments):
    """Returns git's output, or None if it fails."""
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, errors="replace")
    return done.stdout.strip() if done.returncode == 0 else None


def read(root):
    path = root / "results/nightly.json"
    return json.loads(path.read_text()) if path.exists() else None


def runs_in(kept):
    """Returns the whole run, and the runs of single sections since."""
    return [kept, *kept.get("again", {}).values()]


def failures_in(kept):
    """Lists the failures of the latest run of each section."""
    again = kept.get("again", {})
    repeated = {build for section in again for build in SECTIONS[section][1]}
    failures = [name for name in kept["results"]["failures"] if name.split(":")[0] not in repeated]
    return sorted({*failures, *(name for run in again.values() for name in run["results"]["failures"])})


def record(root, section=None):
    run = json.loads((root / "build/minutes.json").read_text())
    run["results"] = json.loads((root / "build/tests.json").read_text())
    old = read(root) or {}
    kept = run
    if section is not None:
        if "commit" not in old:
            sys.exit("nightly.py: there is no whole run that a section could be added to")
        if not has_run(run, PARTS[SECTIONS[section][0]]):
            sys.exit(f"nightly.py: the section {section} was not run")
        if run["commit"].endswith("-dirty"):
            sys.exit(f"nightly.py: the section {section} ran with changes that are not committed")
        kept = {**old, "again": {**old.get("again", {}), section: run}}
    kept["known"] = {name: why for name, why in old.get("known", {}).items() if name in failures_in(kept)}
    (root / "results/nightly.json").write_text(json.dumps(kept, indent=1) + "\n")


def age(root, kept):
    """Returns the reason why the record is too old, or None."""
    commit = kept["commit"].removesuffix("-dirty")
    then, now = (git(root, "log", "-1", "--format=%ct", each) for each in [commit, "HEAD"])
    if then is None and git(root, "rev-parse", "--is-shallow-repository") == "true":
        # A clone without history cannot count commits: only the record's date can be checked.
        then = datetime.datetime.fromisoformat(f"{kept['date']}T00:00+00:00").timestamp()
        commit = "HEAD"
    if then is None:
        return f"its commit {commit} is not in this history"
    days = (int(now) - int(then)) / 86400
    if days > DAYS:
        return f"its commit {kept['commit']} is {days:.0f} days older than this one, and {DAYS} are allowed"
    commits = int(git(root, "rev-list", "--count", f"{commit}..HEAD"))
    if commits > COMMITS:
        return f"{commits} commits were made since its commit {commit}, and {COMMITS} are allowed"
    return None


def has_run(kept, parts):
    return set(parts) <= {part["part"] for part in kept["parts"] if "skipped" not in part}


def check(root):
    """Returns the record's problems as lines; none if it is good."""
    kept = read(root)
    if kept is None:
        return ["there is no results/nightly.json"]
    wrong = [age(root, kept)]
    wrong += [f"it has no part \"{part}\"" for parts in PARTS.values() for part in parts
              if not any(has_run(run, [part]) for run in runs_in(kept))]
    known = kept.get("known", {})
    wrong += [f"{name} failed, and \"known\" has no reason for it" for name in failures_in(kept) if not known.get(name, "").strip()]
    return [each for each in wrong if each]


def parsers(root):
    """Lists the files of the fuzz targets, including the header beside each source."""
    listed = (root / "tests/fuzz/CMakeLists.txt").read_text()
    sources = re.findall(r"[\w/]+\.cpp", listed[listed.index("foreach(source"):listed.index("target_sources(parsers")])
    files = [f"warpwise/{source}" for source in sources]
    files += [f"warpwise/io/{name}_file.cpp" for name in ["jpeg", "png", "tiff", "webp"]]
    return ["tests/fuzz", *files, *(file[:-3] + "hpp" for file in files)]


def sanitized(root):
    """Lists the sources of the targets ci_tests and threads_test under a sanitizer, which include neither the laboratory
    nor the command. Only these two read the JSON tables of ladders and studies."""
    places = ["CMakeLists.txt", "CMakePresets.json", "cmake", "warpwise", ":!warpwise/lab", ":!warpwise/cli", ":!warpwise/exercises", ":!warpwise/*.json",
              "scripts/build.sh", "scripts/test.sh", "samples", "tests/CMakeLists.txt", "tests/leaks_of_others.txt",
              *(f"tests/{name}" for name in ["emulator", "live", "property", "ptx", "support", "threads"])]
    listed = git(root, "ls-files", "--", *places) or ""
    return [name for name in listed.split("\n") if name and not name.endswith(".md")]


CHOICES = {"parsers": parsers, "sanitized": sanitized}


def changed(root, choice):
    """Lists the chosen sources whose code differs from the commit of their last recorded run."""
    files = CHOICES[choice](root)
    runs = [run for run in runs_in(read(root) or {"parts": []}) if has_run(run, PARTS[choice])]
    if not runs:
        return files
    kept = runs[-1]
    commit = kept["commit"].removesuffix("-dirty")
    differing = git(root, "diff", "--name-only", "--no-renames", commit)
    if differing is None:
        return files
    differing = differing.split("\n")

    def then(name):
        return code(name, git(root, "show", f"{commit}:{name}"))

    endings = {pathlib.PurePath(name).suffix for name in files}
    gone = [then(name) for name in differing if pathlib.PurePath(name).suffix in endings and not (root / name).exists()]
    places = set(files)
    inside = [name for name in differing if name in places or any(name.startswith(place + "/") for place in places)]
    return [name for name in inside if code(name, text_of(root / name)) not in [then(name), *gone]]


def text_of(path):
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else None


def code(name, text):
    """Returns the words of a source outside of comments, included files without their folders; None for a missing
    file."""
    if text is None:
        return None
    comment = "//" if name.endswith((".cpp", ".hpp", ".cu", ".cuh", ".h")) else "#"
    text = re.sub(r'^(#include ")[^"]*/', r"\1", text, flags=re.MULTILINE)
    without = re.sub(r'("(?:\\.|[^"\\\n])*")|' + comment + r"[^\n]*", lambda match: match[1] or "", text)
    return without.split()


def main(command, *choice):
    if command == "record" and choice in [(), *((section,) for section in SECTIONS)]:
        record(ROOT, *choice)
    elif command == "check":
        wrong = check(ROOT)
        for line in wrong:
            print(f"The record of the nightly run: {line}; scripts/test.sh --nightly makes a new one", file=sys.stderr)
        return 1 if wrong else 0
    elif command == "changed" and choice in [(each,) for each in CHOICES]:
        print("\n".join(changed(ROOT, *choice)))
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(*(sys.argv[1:] or ["help"])))
