#!/usr/bin/env python3
"""Tests that a shared library exports what its public headers mark with WARPWISE_EXPORT, and nothing else.

    exported_symbols_test.py NM LIBRARY FOLDER SYMBOL...    FOLDER: the folder `warpwise`; SYMBOL: must be exported,
                                                            written without its parameters
"""

import pathlib
import re
import subprocess
import sys

# Symbols instantiated from templates of the standard library, whose own headers make them visible.
STANDARD = re.compile(r"([\w ]+ )?(std::|operator (new|delete)|__gnu_cxx::)")
# Inline code of base/view.hpp calls this function, so the library must export it.
CALLED_INLINE = "warpwise::detail::validate_view"
INSIDE = re.compile(r"warpwise::(.*::)?(detail|kernels|N_\w+|ladders|explain_cases)::")
KIND = re.compile(r"^(typeinfo for|typeinfo name for|vtable for|guard variable for|non-virtual thunk to) ")


def marked(text):
    """Returns the names of the classes and of the functions that headers mark, a member as "Class::function"."""
    functions = set(re.findall(r"^WARPWISE_EXPORT [^;({]*?(\w+)\(", text, re.M))
    for name, body in re.findall(r"^class (\w+)[^;{]*\{(.*?)^\};", text, re.M | re.S):
        functions |= {f"{name}::{each}" for each in re.findall(r"^  WARPWISE_EXPORT [^;({]*?(\w+)\(", body, re.M)}
    return set(re.findall(r"class WARPWISE_EXPORT (\w+)", text)), functions


def without_arguments(name):
    """Returns "a::b" for "void a::b<c>(d)": leaves out the result type, template arguments and parameters."""
    plain, depth = "", 0
    for letter in KIND.sub("", name).replace("[abi:cxx11]", ""):
        if letter == "(":
            break
        depth += (letter == "<") - (letter == ">")
        if depth == 0 and letter != ">":
            plain += letter
    return plain.split(" ")[-1]


def belongs(name, classes, functions):
    if STANDARD.match(KIND.sub("", name)):
        return True
    plain = without_arguments(name)
    parts = plain.split("::")
    if plain == CALLED_INLINE:
        return True
    return (parts[0] == "warpwise" and not INSIDE.match(plain) and
            (not functions.isdisjoint((parts[-1], "::".join(parts[-2:]))) or any(part in classes for part in parts)))


def main():
    nm, library, folder, *wanted = sys.argv[1:]
    classes, functions = marked("".join(path.read_text(encoding="utf-8")
                                        for path in pathlib.Path(folder).rglob("*.hpp")))
    assert marked("class C {\n  WARPWISE_EXPORT int f(int);\n  int g();\n};\n") == (set(), {"C::f"})
    assert belongs("void warpwise::f<int>(std::string)", set(), {"f"})
    assert belongs("typeinfo for warpwise::C", {"C"}, set())
    assert belongs("warpwise::C::f(int)", set(), {"C::f"})
    assert not belongs("warpwise::D::f(int)", set(), {"C::f"})
    assert not belongs("warpwise::detail::copy::f(int)", set(), {"f"})
    assert not belongs("tbb::detail::d1::f()", {"d1"}, {"f"})
    listed = subprocess.run([nm, "-DC", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    symbols = re.findall(r"^[0-9a-f]* +\w (.+)$", listed, re.M)
    strange = sorted({name for name in symbols if not belongs(name, classes, functions)})
    for name in strange[:40]:
        print(f"{library} shows {name}")
    if strange:
        print(f"{len(strange)} symbols that no public header marks with WARPWISE_EXPORT are to be seen.")
        return 1
    missing = [each for each in wanted if not any(without_arguments(name) == each for name in symbols)]
    if missing:
        print(f"{library} does not show {', '.join(missing)}")
        return 1
    print(f"{len(symbols)} symbols")
    return 0


if __name__ == "__main__":
    sys.exit(main())
