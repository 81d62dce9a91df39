#!/usr/bin/env python3
"""Tests that the files of docs/add-a-primitive.md fit the present library.

    add_a_primitive_test.py ROOT COMPILER    compiles the page's host files for their syntax alone
    add_a_primitive_test.py ROOT             follows the page in the checkout ROOT: writes its files and lines there
"""

import pathlib
import re
import subprocess
import sys
import tempfile

NAME = "invert"


def blocks(page, kind):
    """Returns for each code block the text behind the word `kind` on its first line, and the block's text."""
    return re.findall(rf"^```\w+ {kind}(\S*)\n(.*?)^```$", page, re.S | re.M)


def write_files(page, folder):
    folder.mkdir(parents=True, exist_ok=True)
    files = dict(blocks(page, "file="))
    listed = re.findall(r"^\| `([\w.]+)` \|", page, re.M)
    assert sorted(files) == sorted(name.replace("NAME", NAME) for name in listed), (sorted(files), listed)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return sorted(files)


def change_lines(page, root):
    ((_, text),) = blocks(page, "lines")
    path, before = root, ""
    for line in text.splitlines():
        if line[0] == "+":
            content = path.read_text(encoding="utf-8")
            assert content.count(before[1:]) == 1, f"{path} has no one line {before[1:]!r}"
            kept = "" if before[0] == "-" else before[1:] + "\n"
            path.write_text(content.replace(before[1:], kept + line[1:]), encoding="utf-8")
        elif line[0] in " -":
            before = line
        else:
            path = root / line


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    page = (root / "docs/add-a-primitive.md").read_text(encoding="utf-8")
    if len(sys.argv) == 2:
        write_files(page, root / "warpwise/primitives" / NAME)
        change_lines(page, root)
        return 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "warpwise/primitives" / NAME
        files = write_files(page, folder)
        for file in files:
            if file.endswith(".cpp") or file == "launch.hpp":
                # The file is included (-include), so that a header may say #pragma once.
                subprocess.run([*sys.argv[2:], "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wshadow", "-Werror",
                                f"-I{name}", f"-I{root}", f"-I{root}/tests", "-include", str(folder / file),
                                "-x", "c++", "/dev/null"], check=True)
        print(f"{len(files)} files")
    return 0


if __name__ == "__main__":
    sys.exit(main())
