#!/usr/bin/env python3
"""Checks that comments and pages begin with their subject: a reader then has to read them once.

    scripts/check-prose.py [ROOT] [--places]      ROOT: of the repository, this one unless given

Counts, and compares with LIMITS:
  comments    comments outside of tests that begin with a dependent word ("Of", "What", "Where", "Which" …)
  sentences   sentences of English pages that begin so; tables, code, quotes and headings are left out
  long        sentences of English pages with more than 30 words
  korean …    the counts of Korean pages: sentences that begin with a word that leans on the sentence before ("이는",
              "그래서" …), those with more than 20 words, and those that end plainly ("-다") instead of politely ("-니다")
  wide        lines of pages with more than 200 characters; tables, code, pictures and lines that
              scripts/render-results.py makes are left out
A question may begin with any word. Ends with status 1 if a share is above its limit, and prints the places of that kind.
--places prints the places of all kinds.
"""
import pathlib
import re
import subprocess
import sys

LIMITS = {"comments": 0.01, "sentences": 0.01, "long": 0.003, "korean sentences": 0.01, "korean long": 0.003, "korean plain": 0.003,
          "wide": 0}
DEPENDENT = frozenset("of what where whether which who whoever whatever that as such until unless than nor beside besides "
                      "whose whichever so but behind".split())
# Korean words that only refer to the previous sentence, and conjunctions that begin half a sentence.
KOREAN_DEPENDENT = frozenset("이는 이를 이것은 이것이 이것을 그것은 그것이 그것을 그래서 그러나 하지만 그런데 그리고 또한 또 즉 따라서 "
                             "다만 단 혹은 또는 왜냐하면 때문에".split())
# In Korean, articles, prepositions and auxiliaries are parts of words: 20 Korean words are as long as 30 English ones.
LONGEST_SENTENCE, LONGEST_KOREAN_SENTENCE, LONGEST_LINE = 30, 20, 200

SOURCE = re.compile(r"\.(cpp|hpp|cu|cuh|py|sh|cmake)$|CMakeLists\.txt$")
TEST = re.compile(r"_test\.|^tests/")
COMMENTS = {True: re.compile(r"\s*///?\s?(?![!/*-])(.*)$"), False: re.compile(r"\s*#\s?(?![!#*-])(.*)$")}
SLASHES = re.compile(r"\.(cpp|hpp|cu|cuh)$")
NO_PROSE = ("#", "|", "<", "!", ">")
ITEM = re.compile(r"\s*(?:[-*]|\d+\.)\s+")
SENTENCE = re.compile(r"\S.*?(?:[.!?:;][)\"*_`]*(?=\s)|$(?![\r\n]))", re.DOTALL)
MARKUP = re.compile(r"[*_`]|\]\([^)]*\)")
RESULTS = re.compile(r"^results/")
PLAIN_END = re.compile(r"(?<!니)다[.)]+$")
KOREAN = re.compile(r"^docs/ko/|\.ko\.")


def comments(name, text):
    """Yields the number of the first line and the words of each run of comment lines."""
    start, words = 0, []
    comment = COMMENTS[SLASHES.search(name) is not None]
    for number, line in enumerate([*text.splitlines(), ""], 1):
        match = comment.match(line)
        if match and match[1].strip():
            start = start if words else number
            words += match[1].split()
        elif words:
            yield start, words
            words = []


def paragraphs(text):
    """Yields each paragraph or list item as the number of its first line and its lines. Skips tables, code and results."""
    start, lines, code, made = 0, [], False, False
    for number, line in enumerate([*text.splitlines(), ""], 1):
        fence = line.lstrip().startswith("```")
        made = line.startswith("<!-- results:") or (made and not line.startswith("<!-- end"))
        left_out = code or fence or made or not line.strip() or line.startswith(NO_PROSE) or (line.startswith("    ") and not lines)
        code ^= fence
        item = ITEM.match(line)
        if lines and (left_out or item):
            yield start, lines
            lines = []
        if not left_out:
            start = start if lines else number
            lines.append(line[item.end():] if item else line)


def sentences(text):
    """Yields the line's number and the words of each sentence of a page."""
    for start, lines in paragraphs(text):
        for match in SENTENCE.finditer("\n".join(lines)):
            words = MARKUP.sub(" ", match[0]).split()
            if len(words) > 2:
                yield start + match.string.count("\n", 0, match.start()), words


def dependent(words, first_words=DEPENDENT):
    return re.sub(r"\W", "", words[0]).lower() in first_words and not words[-1].endswith("?")


def read(root):
    """Returns for each kind the places that break its rule, and the number of comments, sentences or lines examined."""
    places = {kind: [] for kind in LIMITS}
    totals = dict.fromkeys(LIMITS, 0)

    def count(kind, found, place):
        totals[kind] += 1
        if found:
            places[kind].append(place)

    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=root, capture_output=True, text=True, check=True)
    for name in sorted(set(listed.stdout.splitlines())):
        path = root / name
        if RESULTS.search(name) or not path.is_file():
            continue
        if SOURCE.search(name) and not TEST.search(name):
            for number, words in comments(name, path.read_text(encoding="utf-8")):
                count("comments", dependent(words), f"{name}:{number}: {' '.join(words)[:90]}")
        elif name.endswith(".md"):
            text = path.read_text(encoding="utf-8")
            korean = "korean " if KOREAN.search(name) else ""
            first_words, longest = (KOREAN_DEPENDENT, LONGEST_KOREAN_SENTENCE) if korean else (DEPENDENT, LONGEST_SENTENCE)
            for number, words in sentences(text):
                place = f"{name}:{number}: {' '.join(words)[:90]}"
                count(f"{korean}sentences", dependent(words, first_words), place)
                if korean:
                    count("korean plain", PLAIN_END.search(words[-1]), place)
                count(f"{korean}long", len(words) > longest, f"{place} ({len(words)} words)")
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
