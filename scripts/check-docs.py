#!/usr/bin/env python3
"""Checks the names that documents use, and their translations:

- Every relative link and #anchor in *.md leads to a file or heading that exists.
- Every path (with a slash and an extension) and every source file in backticks exists.
- A block of code that begins with "from=PATH" has lines of that file.
- Every page below docs/ is linked from another page, and from its folder's README.md if there is one.
- A Korean page (NAME.ko.md or docs/ko/NAME.md) has the same parts as its original (NAME.md or docs/NAME.md), in the same
  order, with the same code, links and numbers.

    scripts/check-docs.py [ROOT]      ROOT: of the repository, this one unless given

Prints FILE:LINE and what is wrong, and ends with status 1 if anything is wrong. A path may be written from the root,
from warpwise/ or from the document's own folder. Not checked are paths below build/, demo-output/, bin/ and
lib/warpwise/, which are build products, patterns with * < >, and placeholders in capitals.
"""
import collections
import itertools
import os
import re
import subprocess
import sys
import urllib.parse

LINK = re.compile(r"(?<!\\)!?\[(?:[^\]\[]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
CODE = re.compile(r"`([^`]+)`")
FILE = re.compile(r"^[\w.+-]+\.(?:cpp|hpp|cu|cuh|py|sh|inc)$")
PATH = re.compile(r"^[\w.+-]+(?:/[\w.+-]+)+\.[A-Za-z]\w{0,4}$")
QUOTE = re.compile(r"^ *```\w+ from=(\S+)\n(.*?)^ *```$", re.M | re.S)
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
# English writes these numbers in words, and Korean may write them in digits.
IN_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
# Placeholders in capitals that stand for any name.
ANY = ("NAME", "FILE", "OUT", "NN", "LADDER", "STUDY")
MADE = ("build/", "demo-output/", "lib/warpwise/", "bin/")


def blank_code(text):
    """Returns the text with fenced blocks blanked, and with code spans blanked too, because links in code are none."""
    def spaces(match):
        return re.sub(r"[^\n]", " ", match[0])
    text = re.sub(r"^```.*?^```", spaces, text, flags=re.M | re.S)
    return text, re.sub(CODE, spaces, text)


def anchor(heading):
    """Returns the anchor that GitHub gives to a heading."""
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    heading = re.sub(r"[^\w\- ]", "", heading)
    return heading.replace(" ", "-")


def anchors_of(path):
    with open(path, encoding="utf-8") as file:
        text, _ = blank_code(file.read())
    found = set()
    for heading in re.findall(r"^#{1,6}\s+(.*?)\s*#*$", text, re.M):
        base = name = anchor(heading)
        count = 0
        while name in found:
            count += 1
            name = f"{base}-{count}"
        found.add(name)
    return found | set(re.findall(r'<a\s+(?:id|name)="([^"]+)"', text))


def unindented(text):
    return [line.strip() for line in text.strip().split("\n")]


def is_quoted(path, quote):
    """Returns True if the quote's lines follow one another in the file, with any indentation."""
    if not os.path.exists(path):
        return False
    with open(path, encoding="utf-8") as file:
        lines = unindented(file.read())
    wanted = unindented(quote)
    return any(lines[i:i + len(wanted)] == wanted for i in range(len(lines)))


def is_tracked_or_there(root, folder, path):
    return any(os.path.exists(os.path.join(root, base, path)) for base in ("", "warpwise", folder))


def check(root, document, names):
    with open(os.path.join(root, document), encoding="utf-8") as file:
        text = file.read()
    without_blocks, prose = blank_code(text)
    folder = os.path.dirname(document)
    for match in LINK.finditer(prose):
        target = match[1]
        line = text.count("\n", 0, match.start()) + 1
        if re.match(r"[a-z][a-z0-9+.-]*:", target):
            continue
        path, _, fragment = urllib.parse.unquote(target).partition("#")
        full = os.path.normpath(os.path.join(root, folder, path)) if path else os.path.join(root, document)
        if not os.path.exists(full):
            yield f"{document}:{line}: the link leads to {path}, which is not there"
        elif fragment and full.endswith(".md") and fragment not in anchors_of(full):
            yield f"{document}:{line}: {path or document} has no heading with the anchor #{fragment}"
    for match in CODE.finditer(without_blocks):
        path = match[1]
        line = text.count("\n", 0, match.start()) + 1
        if FILE.match(path) and path not in names and not path.startswith(("my_", "your_", *ANY)):
            yield f"{document}:{line}: names `{path}`, and no file has this name"
        if not PATH.match(path) or path.startswith(MADE) or any(f"/{word}" in path for word in ANY):
            continue
        if not is_tracked_or_there(root, folder, path):
            yield f"{document}:{line}: names `{path}`, which is not there"
    for match in QUOTE.finditer(text):
        if not is_quoted(os.path.join(root, match[1]), match[2]):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{document}:{line}: quotes lines that {match[1]} does not have"


def unlinked(root, documents):
    """Lists pages below docs/ that no other page links to, or that the README.md of their folder does not link to."""
    links = {}
    for document in documents:
        with open(os.path.join(root, document), encoding="utf-8") as file:
            _, prose = blank_code(file.read())
        links[document] = {os.path.normpath(os.path.join(os.path.dirname(document), match[1].partition("#")[0]))
                           for match in LINK.finditer(prose)}
    for document in documents:
        if not document.startswith("docs/"):
            continue
        index = os.path.dirname(document) + "/README.md"
        if document != index and index in links:
            if document not in links[index]:
                yield f"{document}: {index} does not link to it"
        elif not any(document in links[other] or os.path.dirname(document) in links[other]
                     for other in documents if other != document):
            yield f"{document}: no other document links to it"


def original_of(document):
    """Returns the English page that a document translates; None if the document is no translation."""
    if document.startswith("docs/ko/"):
        return "docs/" + document.removeprefix("docs/ko/")
    return document.removesuffix(".ko.md") + ".md" if document.endswith(".ko.md") else None


def parts_of(text):
    """Yields (line, kind, text) of each block of code and of each part between blank lines. The kind of a table or a
    list contains its number of lines or items."""
    line = 1
    for piece in re.split(r"(^ *```.*?^ *```$|\n[ \t]*\n)", text, flags=re.M | re.S):
        part = piece.strip("\n")
        at = line + len(piece) - len(piece.lstrip("\n"))
        line += piece.count("\n")
        if not part.strip():
            continue
        start = re.match(r" *(```|#+ |\||[-*] |\d+\. |!\[|<!--|)", part)[1].strip()
        if start == "|":
            start += f" {part.count(chr(10)) + 1} lines"
        elif start and start[0] in "-*0123456789":
            start = f"- {len(re.findall(r'^ *(?:[-*]|[0-9]+[.]) ', part, re.M))} items"
        yield at, start or "text", part


def inside(document, part):
    """Returns a part's inline code, the pages that it links to, and its numbers in digits and in words."""
    def page(target):
        path = os.path.normpath(os.path.join(os.path.dirname(document), target)) if target else document
        return original_of(path) or path
    code = collections.Counter(" ".join(code.split()) for code in CODE.findall(part))
    prose = CODE.sub(" ", part)
    links = collections.Counter(match[1] if ":" in match[1] else page(match[1].partition("#")[0])
                                for match in LINK.finditer(prose))
    prose = re.sub(r"\]\([^)]*\)", "]", prose)
    digits = collections.Counter(NUMBER.findall(prose))
    words = collections.Counter(str(IN_WORDS.index(word)) for word in re.findall("[a-z]+", prose.lower())
                                if word in IN_WORDS)
    return code, links, digits, digits + words


def differences(original, english, document, korean):
    """Lists the places where a translation differs from its original."""
    pairs = itertools.zip_longest(parts_of(english), parts_of(korean), fillvalue=(1, "nothing more", ""))
    for (there, kind, part), (line, own_kind, own) in pairs:
        if kind != own_kind:
            yield f"{document}:{line}: is \"{own_kind}\" where {original}:{there} has \"{kind}\""
            return
        if kind == "```":
            if part != own:
                yield f"{document}:{line}: the code is not that of {original}:{there}"
            continue
        code, links, digits, numbers = inside(original, part)
        own_code, own_links, own_digits, _ = inside(document, own)
        for what, fewer, more in [("code", code - own_code, own_code - code),
                                  ("links", links - own_links, own_links - links),
                                  ("numbers", digits - own_digits, own_digits - numbers)]:
            if fewer or more:
                yield (f"{document}:{line}: {what} of {original}:{there} left out: {', '.join(fewer) or 'none'}; "
                       f"added: {', '.join(more) or 'none'}")


def translations(root, documents):
    """Lists the errors of the translated pages."""
    def text_of(document):
        with open(os.path.join(root, document), encoding="utf-8") as file:
            return file.read()
    for document in documents:
        original = original_of(document)
        if original and original not in documents:
            yield f"{document}: is a translation of {original}, which is not there"
        elif original:
            yield from differences(original, text_of(original), document, text_of(document))


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..")
    listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard"],
                            capture_output=True, text=True, check=True).stdout.split("\n")
    files = sorted(path for path in set(listed) if path and os.path.exists(os.path.join(root, path)))
    names = {os.path.basename(path) for path in files}
    documents = [path for path in files if path.endswith(".md")]
    found = [message for document in documents for message in check(root, document, names)]
    found += unlinked(root, documents)
    found += translations(root, documents)
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
