#!/usr/bin/env python3
"""Tests that no two files that are linked together define different types of one name.

Two structs of one qualified name in one program are undefined behaviour, and neither the compiler
nor the linker says so: it sees one of them at a time. This reads all sources of the libraries and
the command, follows their namespaces, and lists each type that two files define.

    one_definition_test.py FOLDER      the folder `warpwise`; exits with 1 and a list if there are any
"""

import pathlib
import re
import sys
import tempfile

# Sources that are programs of their own: rungs are compiled one by one, and tests and benches are not linked together.
APART = re.compile(r"/ladder/[^/]*\.cuh?$|_test\.cpp$|_bench\.cpp$|/emulator/runtime/")
TOKEN = re.compile(
    r"namespace\s+(?:\[\[[^]]*\]\]\s*)?(?P<namespace>[\w:]+)?\s*\{"
    r"|(?P<scoped>enum\s+(?:class|struct)|struct|class|union|enum)\s+(?:alignas\([^)]*\)\s*)?(?:WARPWISE_EXPORT\s+)?"
    r"(?P<type>[A-Za-z_]\w*)(?P<special>\s*<[^;{}]*>)?\s*(?:final\s*)?(?::(?!:)[^;{}]*)?\{"
    r"|(?P<open>\{)|(?P<close>\})")


def without_comments(text):
    text = re.sub(r'R"(\w*)\(.*?\)\1"', '""', text, flags=re.S)
    text = re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', " ", text, flags=re.S)
    # Removes the directives and reads all branches of conditions; in this project each branch has balanced braces.
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)


def types_of(text):
    """Returns the qualified names of the types that a file defines in named namespaces."""
    scopes, types = [], set()
    for match in TOKEN.finditer(without_comments(text)):
        if match["close"]:
            if scopes:
                scopes.pop()
        elif match["type"]:
            if None not in scopes and not match["special"]:
                types.add("::".join([*scopes, match["type"]]))
            scopes.append(None)
        elif match["open"]:
            scopes.append(None)
        else:
            scopes.append(match["namespace"])  # None for an unnamed namespace, whose types belong to the file alone
    return types


def defined_twice(folder):
    places = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".hpp", ".cpp", ".cuh", ".cu") and not APART.search(path.as_posix()):
            for name in types_of(path.read_text(encoding="utf-8")):
                places.setdefault(name, []).append(path.relative_to(folder).as_posix())
    return {name: files for name, files in places.items() if len(files) > 1}, len(places)


def check_itself():
    """Checks that the parser finds types that are defined twice, and no others."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "a.hpp").write_text(
            "namespace w::kernels {\nstruct Same { int a; };\nenum class Way : int { up };\nstruct Once;\n"
            "namespace {\nstruct Own {};\n}\n}\nnamespace w { struct Same {}; }\n")
        (folder / "b.cu").write_text(
            'namespace w {\nnamespace kernels {\n// } struct Way {\ntemplate <class T>\nclass WARPWISE_EXPORT Same final : T { };\n'
            "struct Own {};\nvoid f() { struct Way {}; }\n}\nenum Same2 { };\ntemplate <> struct Once<int> {};\n}\n")
        twice, _ = defined_twice(folder)
        assert twice == {"w::kernels::Same": ["a.hpp", "b.cu"]}, twice


def main():
    check_itself()
    twice, count = defined_twice(pathlib.Path(sys.argv[1]))
    for name, files in sorted(twice.items()):
        print(f"{name} is defined in {' and in '.join(files)}")
    if twice:
        print("Put each in the namespace of its own part, as warpwise::kernels::match.")
        return 1
    if count < 100:
        print(f"only {count} types found: the reader does not understand the sources any more")
        return 1
    print(f"{count} types, each defined once")
    return 0


if __name__ == "__main__":
    sys.exit(main())
