#!/usr/bin/env python3
"""Checks that every public class, enum and function of the installed headers has a docstring (///), and
that the docstrings name parameters that exist. The headers are those of CMake's file set HEADERS; doxygen
reads them.

    scripts/check-docstrings.py [ROOT]      ROOT: of the repository, this one unless given

Prints doxygen's warnings, and ends with status 1 if there are any. Declarations that follow one another without an
empty line share the docstring above the first. No docstring is needed for data members, types inside of classes, moves,
comparisons, tables of enum names (base/enum_names.hpp), and accessors without arguments, whose names say what they
return. Namespaces called detail are not public.
"""
import os
import re
import subprocess
import sys
import tempfile

CONFIGURATION = """
INPUT = {headers} {output}/namespaces.dox
OUTPUT_DIRECTORY = {output}
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
QUIET = YES
JAVADOC_AUTOBRIEF = YES
MACRO_EXPANSION = YES
PREDEFINED = WARPWISE_EXPORT=
EXCLUDE_SYMBOLS = warpwise::detail warpwise::*::detail
WARN_IF_UNDOCUMENTED = YES
WARN_IF_DOC_ERROR = YES
WARN_IF_INCOMPLETE_DOC = NO
WARN_NO_PARAMDOC = NO
"""

NOT_ASKED_FOR = (
    re.compile(r"\(variable\) of "),
    re.compile(r"\(typedef\) of (class|struct) "),
    re.compile(r"&&\s*\w*\) noexcept"),
    re.compile(r"operator(==|<=>)"),
    re.compile(r"enum_names\(\w+\) \(function\)"),
    re.compile(r"\(\)( const)?( noexcept)? \(function\) of (class|struct) "),
)


def listed(text, directory):
    """Lists the header files that one CMakeLists.txt puts into a file set HEADERS."""
    text = re.sub(r"#.*", "", text)
    for call in re.findall(r"target_sources\(([^)]*FILE_SET\s+HEADERS[^)]*)\)", text):
        for word in re.split(r"\bFILES\b", call)[-1].split():
            if word.endswith((".hpp", ".h", ".cuh")):
                yield os.path.join(directory, word)


def public_headers(root):
    found = set()
    lists = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard",
                            "warpwise/*CMakeLists.txt"], capture_output=True, text=True, check=True)
    for path in lists.stdout.split():
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text = file.read()
        directory = os.path.dirname(path)
        for header in listed(text, directory):
            if "${folder}/${name}" in header:  # a primitive's header, named by a CMake variable
                primitives = os.path.join(root, directory, "primitives")
                found.update(os.path.join(directory, "primitives", name, name + ".hpp")
                             for name in os.listdir(primitives))
            else:
                found.add(header)
    return sorted(header for header in found if os.path.exists(os.path.join(root, header)))


def namespaces(root, headers):
    """Writes a file that documents the headers' namespaces: doxygen ignores namespaces without a docstring."""
    names = set()
    for header in headers:
        with open(os.path.join(root, header), encoding="utf-8") as file:
            text = file.read()
        names.update(re.findall(r"^namespace ([\w:]+) \{", text, re.M))
    names |= {"warpwise::" + name for name in names if not name.startswith("warpwise")}
    return "".join(f"/** \\namespace {name} A part of Warpwise. */\n" for name in sorted(names))


def shares_docstring(root, warning):
    """Returns True if a declaration follows one with a docstring directly, without a blank line."""
    place = re.match(r"(\S+):(\d+): .*\((function|typedef|enumeration)\) of", warning)
    if not place:
        return False
    with open(os.path.join(root, place[1]), encoding="utf-8") as file:
        lines = file.read().split("\n")[:int(place[2]) - 1]
    for line in reversed(lines):
        if not line.strip() or line.rstrip().endswith(("{", "}", ":")):
            return False
        if line.strip().startswith("///"):
            return True
    return False


def warnings(root):
    headers = public_headers(root)
    if not headers:
        return ["no public header found: scripts/check-docstrings.py reads the FILE_SETs of CMakeLists.txt"]
    with tempfile.TemporaryDirectory() as output:
        with open(os.path.join(output, "namespaces.dox"), "w", encoding="utf-8") as file:
            file.write(namespaces(root, headers))
        text = CONFIGURATION.format(headers=" ".join(headers), output=output)
        run = subprocess.run(["doxygen", "-"], input=text, cwd=root, capture_output=True, text=True)
    prefix = os.path.realpath(root) + "/"
    found = [line.replace(prefix, "") for line in run.stderr.splitlines() if line.strip()]
    if run.returncode != 0:
        found.append(f"doxygen ended with status {run.returncode}")
    return [line for line in found if not any(pattern.search(line) for pattern in NOT_ASKED_FOR)
            and not shares_docstring(root, line)]


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..")
    found = warnings(root)
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
