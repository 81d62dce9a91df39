#!/usr/bin/env python3
"""Checks that comments and pages begin with their subject: a reader then has to read them once.

    scripts/check-prose.py [ROOT] [--places]      ROOT: of the repository, this one unless given

Counts, and compares with LIMITS:
  comments    comments outside of tests that begin with a dependent word ("Of", "What", "Where", "Which" …)
  sentences   sentences of English pages that do so; tables, code and headings are left out
  long        sentences of pages with more than 30 words
  wide        lines of pages with more than 200 characters; tables, code, pictures and lines that
              scripts/render-results.py makes are left out
A question may begin with any word. Ends with status 1 if a share is above its limit, and prints the places of that kind.
--places prints the places of all kinds.
"""
import pathlib
import re
import subprocess
import sys

LIMITS = {"comments": 0.01, "sentences": 0.01, "long": 0.003, "wide": 0}
DEPENDENT = frozenset("of what where whether which who whoever whatever that as such until unless than nor beside besides "
                      "whose whichever so but behind".split())
LONGEST_SENTENCE, LONGEST_LINE = 30, 200

SOURCE = re.compile(r"\.(cpp|hpp|cu|cuh|py|sh|cmake)$|CMakeLists\.txt$")
TEST = re.compile(r"_test\.|^tests/")
COMMENT = re.compile(r"\s*(?:///?|#)\s?(?![!/#*-])(.*)$")
# Results are records; translations have other rules.
LEFT_OUT = re.compile(r"^results/|^docs/ko/|\.ko\.")


def comments(text):
    """The first line's number and the words of each run of comment lines."""
    start, words = 0, []
    for number, line in enumerate([*text.splitlines(), ""], 1):
        match = COMMENT.match(line)
        if match and match[1].strip():
            start = start if words else number
            words += match[1].split()
        elif words:
            yield start, words
            words = []


def sentences(text):
    """The line's number and the words of each sentence of a page."""
    code = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            code = not code
        if code or line.startswith(("#", "|", "    ", "<", "!")):
            continue
        without_marker = re.sub(r"^\s*(?:[-*]|\d+\.)\s+", "", line)
        for sentence in re.split(r"(?<=[.!?:;])\s+", without_marker):
            words = re.sub(r"[*_`]|\]\([^)]*\)", " ", sentence).split()
            if len(words) > 2:
                yield number, words


def dependent(words):
    return re.sub(r"\W", "", words[0]).lower() in DEPENDENT and not words[-1].endswith("?")


def read(root):
    """For each kind its places, and of how many they are a share."""
    places = {kind: [] for kind in LIMITS}
    totals = dict.fromkeys(LIMITS, 0)

    def count(kind, found, place):
        totals[kind] += 1
        if found:
            places[kind].append(place)

    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=root, capture_output=True, text=True, check=True)
    for name in sorted(set(listed.stdout.splitlines())):
        path = root / name
        if LEFT_OUT.search(name) or not path.is_file():
            continue
        if SOURCE.search(name) and not TEST.search(name):
            for number, words in comments(path.read_text(encoding="utf-8")):
                count("comments", dependent(words), f"{name}:{number}: {' '.join(words)[:90]}")
        elif name.endswith(".md"):
            text = path.read_text(encoding="utf-8")
            for number, words in sentences(text):
                place = f"{name}:{number}: {' '.join(words)[:90]}"
                count("sentences", dependent(words), place)
                count("long", len(words) > LONGEST_SENTENCE, f"{place} ({len(words)} words)")
            code = made = False
            for number, line in enumerate(text.splitlines(), 1):
                code ^= line.lstrip().startswith("```")
                made = line.startswith("<!-- results:") or (made and not line.startswith("<!-- end"))
                if not code and not made and not line.startswith(("|", "!")):
                    count("wide", len(line) > LONGEST_LINE, f"{name}:{number}: {len(line)} characters")
    return places, totals


def main():
    arguments = [each for each in sys.argv[1:] if each != "--places"]
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).resolve().parent.parent
    places, totals = read(root)
    status = 0
    for kind, limit in LIMITS.items():
        found = len(places[kind])
        above = found > limit * totals[kind]
        if above or "--places" in sys.argv:
            print(*places[kind], sep="\n")
        if above:
            print(f"{kind}: {found} of {totals[kind]}, and {100 * limit:g} % are allowed")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
