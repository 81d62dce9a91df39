#!/usr/bin/env python3
"""Checks that includes follow the layers of the tree: no file includes a file of a layer above it.

    scripts/check-layers.py [ROOT]      ROOT: of the repository, this one unless given

Prints each include that breaks a rule, with the rule, and ends with status 1 if there is any. A room is a folder with
its own rule. To mend an include, move the needed code down, or into the room that may include it. To change a rule,
change the table below and docs/architecture.md. Tests and benches (*_test.cpp, *_bench.cpp, tests/, bench/) are
programs on top of everything and may include any file of the library.
"""
import fnmatch
import os
import re
import subprocess
import sys

# Each room and the rooms that its files may include besides itself. A folder below warpwise/ belongs to the first
# pattern that matches it. "primitives/*" in a room's list means any primitive.
ROOMS = [
    ("base", []),
    ("cpu", ["base"]),
    ("gpu", ["base"]),
    ("io", ["base"]),
    ("rules", ["base"]),

    # A primitive never includes another: code that several primitives need is in shared.
    ("primitives/shared", ["base", "cpu", "gpu"]),
    ("primitives/*", ["base", "cpu", "gpu", "primitives/shared"]),
    ("algorithms/*", ["base", "cpu", "gpu", "primitives/*"]),

    # - ptx turns text into syntax, without interpreting it.
    # - decode turns syntax into operations, which name their handlers. It does not depend on a running kernel.
    # - execute holds the state of a running kernel. It does not see the syntax.
    # - host_code translates operations into the CPU's machine code.
    # - observe sees the running kernel and follows values through its instructions.
    # - runtime implements CUDA's calls; it includes only the public header.
    ("emulator/ptx", ["base"]),
    ("emulator/decode", ["base", "emulator", "emulator/ptx", "emulator/instructions"]),
    ("emulator/instructions", ["base", "emulator", "emulator/ptx", "emulator/decode",
                               "emulator/execute", "emulator/observe"]),
    ("emulator/execute", ["base", "emulator", "emulator/decode", "emulator/instructions",
                          "emulator/observe", "emulator/host_code"]),
    ("emulator/observe", ["base", "rules", "emulator", "emulator/execute", "emulator/instructions",
                          "emulator/host_code"]),
    ("emulator/host_code", ["base", "emulator", "emulator/decode", "emulator/execute",
                            "emulator/instructions", "emulator/observe"]),
    ("emulator/runtime", ["base", "emulator"]),
    # The folder itself has the public header, and the program and the device, which connect the rooms above.
    ("emulator", ["base", "rules", "emulator/ptx", "emulator/decode", "emulator/execute",
                  "emulator/observe", "emulator/host_code"]),

    # The laboratory's order is: compile, measure, study, explain.
    ("lab/compile", ["base", "io", "rules", "emulator"]),
    ("lab/measure", ["base", "gpu", "rules", "emulator", "primitives/shared", "lab/compile"]),
    ("lab/study", ["base", "io", "rules", "emulator", "primitives/shared", "lab/compile",
                   "lab/measure"]),
    # Lets programs test kernels, with explain's compilers and the emulator.
    ("testbench", ["base", "rules", "emulator", "lab/compile"]),
    # Draws the recorded results of studies, from the records alone.
    ("lab/plot", ["base", "io", "lab/compile"]),
    # Predicts times on other GPUs, from counts and the GPU's profile.
    ("lab/predict", ["base", "gpu", "rules", "emulator", "primitives/shared", "lab/compile", "lab/measure",
                     "lab/study"]),
    # Puts plots and tables on one page for a browser.
    ("lab/report", ["base", "io", "lab/compile", "lab/plot", "lab/study"]),
    # Explains a kernel's costs. The syntax of PTX tells how addresses depend on a thread's indices.
    ("lab/explain", ["base", "gpu", "io", "rules", "emulator", "emulator/ptx", "emulator/runtime", "primitives/shared",
                     "lab/compile", "lab/measure", "lab/study", "lab/predict"]),
    # Marks students' kernels by their results and counts.
    ("lab/exercise", ["base", "io", "rules", "emulator", "primitives/shared", "lab/compile", "lab/measure",
                      "lab/study", "lab/predict", "lab/explain", "lab/report"]),

    # A study consists of data. Sources beside it may use the laboratory.
    ("studies/*", ["base", "primitives/*", "lab/compile", "lab/measure", "lab/study"]),
    # An exercise consists of data alone.
    ("exercises/*", []),
    # Sends frames from sources through stages to sinks.
    ("live", ["base", "cpu", "gpu", "io", "primitives/*", "algorithms/*"]),
    # Shows live's frames in a window.
    ("viewer", ["base", "gpu", "io", "live"]),
    ("cli", ["base", "gpu", "io", "rules", "emulator", "primitives/*", "algorithms/*", "lab/compile",
             "lab/measure", "lab/study", "lab/plot", "lab/report", "lab/predict", "lab/explain", "lab/exercise",
             "live", "viewer"]),
    ("", ["base", "cpu", "gpu", "primitives/*", "algorithms/*"]),  # files of warpwise/ itself: warpwise.hpp, opencv.hpp
]

# A room, the rooms that its files must not reach even through other headers, and the reason.
OUT_OF_REACH = [
    ("emulator/decode", ["emulator/execute", "emulator/observe"],
     "decoding knows nothing of a running kernel"),
]

# Headers of other projects, the rooms that may include them, and the reason.
OWNERS = [
    ("cuda_runtime*.h", ["gpu", "emulator/runtime"], "CUDA resources have one owner, gpu"),
    ("cuda.h", ["gpu", "emulator/runtime"], "CUDA resources have one owner, gpu"),
    ("hwy/*", ["cpu", "primitives/*", "emulator/instructions"], "SIMD code lies beside its scalar twin"),
    ("xbyak/*", ["emulator/host_code"], "machine code is made in one room"),
    # The room "" is warpwise/ itself: its opencv.hpp is for programs that use OpenCV.
    ("opencv2/*", ["io", ""], "OpenCV is loaded by one module, when a file needs it"),
    ("png.h", ["io"], "image libraries are loaded by modules, when a file needs them"),
    ("jpeglib.h", ["io"], "image libraries are loaded by modules, when a file needs them"),
    ("tiffio.h", ["io"], "image libraries are loaded by modules, when a file needs them"),
    ("webp/*", ["io"], "image libraries are loaded by modules, when a file needs them"),
    ("CLI/*", ["cli"], "the library knows no command line"),
    ("nlohmann/*", ["cli", "lab/*", "studies/*", "emulator/runtime"], "the core library has no JSON"),
    ("libav*/*", ["live"], "FFmpeg is loaded by one module, when a video or a camera is opened"),
    ("GLFW/*", ["viewer"], "windows are of one module, loaded by `warpwise view`"),
    ("imgui/*", ["viewer"], "windows are of one module, loaded by `warpwise view`"),
    ("EGL/*", ["live"], "OpenGL is loaded by modules, when it draws"),
    ("GL/*", ["live", "viewer"], "OpenGL is loaded by modules, when it draws"),
    ("fmt/*", ["cli", "live", "viewer", "lab/*", "studies/*"], "the core library does not format text for people"),
]

SOURCES = (".cpp", ".hpp", ".cu", ".cuh", ".inc", ".h")
PROGRAMS = ("*_test.cpp", "*_bench.cpp", "*_testing.hpp")
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)', re.M)


def room_of(path):
    """Returns the room of a file below warpwise/, such as emulator/decode; "" for warpwise/ itself."""
    folder = os.path.dirname(path).removeprefix("warpwise").strip("/")
    parts = folder.split("/")
    for depth in (2, 1):
        name = "/".join(parts[:depth])
        for pattern, _ in ROOMS:
            if name == pattern or fnmatch.fnmatch(name, pattern) and pattern.count("/") == name.count("/"):
                return name, pattern
    return None, None


def matches_any(room, patterns):
    return any(fnmatch.fnmatch(room, pattern) and pattern.count("/") == room.count("/")
               for pattern in patterns)


def sources(root):
    listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", "warpwise"],
                            capture_output=True, text=True, check=True).stdout.split("\n")
    return sorted(path for path in set(listed)
                  if path.endswith(SOURCES) and os.path.exists(os.path.join(root, path)))


def includes(root, files):
    """Lists each file's includes: the line, the name, and the included file if it belongs to Warpwise."""
    known = set(files)
    found = {}
    for path in files:
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text = file.read()
        found[path] = []
        for match in INCLUDE.finditer(text):
            name = match[1] or match[2]
            line = text.count("\n", 0, match.start(1 if match[1] else 2)) + 1
            # A name in <...> is looked up like one in "...", except that it is not searched beside the including file.
            beside = os.path.normpath(os.path.join(os.path.dirname(path), match[1])) if match[1] else None
            target = next((each for each in (name, beside) if each in known), None)
            found[path].append((line, name, target))
    return found


def reached(path, all_includes):
    """Returns every file that a file includes directly or indirectly, with the chain of includes that leads to it."""
    ways = {path: []}
    left = [path]
    while left:
        here = left.pop()
        for _, _, target in all_includes[here]:
            if target and target not in ways:
                ways[target] = [*ways[here], target]
                left.append(target)
    return ways


def broken(root):
    files = sources(root)
    all_includes = includes(root, files)
    allowed = dict(ROOMS)
    messages = []
    for path in files:
        if matches_any_name(path, PROGRAMS):
            continue
        room, pattern = room_of(path)
        if room is None:
            messages.append(f"{path}: its folder is no room; add the room to the table in scripts/check-layers.py")
            continue
        for line, name, target in all_includes[path]:
            if target:
                other, _ = room_of(target)
                if other == room or matches_any(other, allowed[pattern]):
                    continue
                may = ", ".join(allowed[pattern]) or "nothing else of Warpwise"
                messages.append(f"{path}:{line}: includes {target}, but {room or 'warpwise/'} may include: {may}")
            else:
                for header, owners, why in OWNERS:
                    if fnmatch.fnmatch(name, header) and not matches_any(room, owners):
                        messages.append(f"{path}:{line}: includes {name}, which only {', '.join(owners)} may: {why}")
        for near, far, why in OUT_OF_REACH:
            if room != near:
                continue
            ways = reached(path, all_includes)
            bad = [way for target, way in ways.items() if len(way) > 1 and room_of(target)[0] in far]
            if bad:
                messages.append(f"{path}: reaches {' by way of '.join(reversed(min(bad, key=len)))}: {why}")
    return messages


def matches_any_name(path, patterns):
    return any(fnmatch.fnmatch(path, pattern) for pattern in patterns)


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..")
    messages = broken(root)
    for message in messages:
        print(message)
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
