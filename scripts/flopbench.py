"""Reads gpuFLOPBench's table of kernels that ran on a GPU, builds its programs, and gives their arguments."""
import csv
import json
import pathlib
import random
import re
import shlex
import subprocess

# Programs are taken in a random order that this seed determines.
SEED = 31
BUILD_TIMEOUT_S = 300
# Options that nvcc has under the same name as clang++, the suite's compiler.
SAME_OPTIONS = re.compile(r"-(D|std=|fopenmp$)")
# nvcc needs these options for code that clang++ accepts without an option.
AS_CLANG = ("--expt-relaxed-constexpr", "--expt-extended-lambda")
# CUDA 13 lacks these functions, so macros replace them by their successors.
REPLACED = ("-DcudaThreadSynchronize=cudaDeviceSynchronize", "-DcudaThreadExit=cudaDeviceReset")


def kernels(checkout):
    """Returns for each program the first launch of each of its kernels, as the suite itself does."""
    programs = {}
    with open(checkout / "cuda-profiling/profiling-data.csv", encoding="utf-8", newline="") as table:
        for row in csv.DictReader(table):
            if row["targetName"].endswith("-cuda"):
                programs.setdefault(row["targetName"], {}).setdefault(row["Kernel Name"], row)
    return {name: list(rows.values()) for name, rows in programs.items()}


def in_order(names):
    names = sorted(names)
    random.Random(SEED).shuffle(names)
    return names


def sources(checkout):
    """Returns the commands that compiled each program's files."""
    commands = {}
    for entry in json.loads((checkout / "cuda-profiling/compile_commands.json").read_text(encoding="utf-8")):
        name = re.search(r"CMakeFiles/([^/]+)\.dir", entry["output"])[1]
        commands.setdefault(name, []).append(entry)
    return commands


def options_of(checkout, entry):
    """Returns the file that a command of the suite compiles, and nvcc's options for it."""
    root = entry["directory"].removesuffix("/build")
    words = [word.replace(root, str(checkout)) for word in shlex.split(entry["command"])]
    options = [word for word in words if SAME_OPTIONS.match(word) or word.startswith("-I")]
    options = [f"-Xcompiler={word}" if word == "-fopenmp" else "-std=c++17" if word.startswith("-std=") else word for word in options]
    return entry["file"].replace(root, str(checkout)), options


def build(checkout, entries, program):
    """Builds a program with nvcc, as PTX for CC 8.6. Returns "", or the compiler's first error."""
    files, options = [], {}
    for entry in entries:
        file, own = options_of(checkout, entry)
        files.append(file)
        options.update(dict.fromkeys(own))
    kept = kept_folder(program)
    kept.mkdir(exist_ok=True)
    command = ["nvcc", "-x", "cu", "-O3", "-w", "-cudart", "shared", "--keep", "--keep-dir", str(kept), *AS_CLANG,
               "-gencode", "arch=compute_86,code=compute_86", *REPLACED, *options, "-o", str(program), *files]
    if any("-fgpu-rdc" in entry["command"] for entry in entries):
        command.insert(1, "-rdc=true")
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=BUILD_TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired:
        return f"nvcc did not end within {BUILD_TIMEOUT_S} s"
    return (re.findall(r".*(?:error|undefined).*", done.stdout + done.stderr) or ["nvcc failed"])[0] if done.returncode else ""


def kept_folder(program):
    """Returns the folder with the PTX that the build of a program leaves."""
    return program.parent / f"{program.name}.kept"


def repeats_atomics(ptx, kernel):
    """Returns True if a kernel, given by its mangled name, adds floats in shared memory. Machine code then repeats a
    compare-and-swap until it succeeds."""
    at = re.search(rf"\.entry\s+{re.escape(kernel)}\s*\(", ptx)
    body = ptx[at.end():].split(".entry ")[0] if at else ""
    return re.search(r"\b(atom|red)[.\w:]*\.shared[.\w:]*\.add[.\w:]*\.f(32|64)\b", body) is not None


def call_of(rows):
    """Returns the arguments that the suite started a program with."""
    words = rows[0]["exeArgs"]
    return [] if words in ("", "NULL") else shlex.split(words)


def shape(text):
    """Returns (x, y, z) of the text "(x, y, z)"."""
    return [int(number) for number in re.findall(r"\d+", text)]


def demangled(name):
    return subprocess.run(["c++filt", name], capture_output=True, text=True, check=True).stdout.strip()


def parts_of(name):
    """Returns a kernel's name without its scope, and its template arguments: "void k::scale<float, 4>(float*)" gives
    "scale" and "float,4"."""
    depth, before, within = 0, "", ""
    for character in name.removeprefix("void "):
        if character == "(" and depth == 0:
            break
        depth -= character == ">"
        if depth > 0:
            within += character
        elif character not in "<>":
            before += character
        depth += character == "<"
    words = {"true": "1", "false": "0"}
    arguments = ",".join(words.get(word.strip(), word.strip()) for word in re.sub(r"\([\w: ]+\)(?=-?\d)", "", within).split(","))
    return before.rpartition("::")[2].strip(), re.sub(r"\s|(?<=\d)u?l*\b", "", arguments)


def measured(row):
    """Returns the table's figures of one launch: its time, its operations, and the bytes that DRAM moved."""
    seconds = float(row["xtime"]) * 1e-9
    return {"time_us": 1e6 * seconds, "float32": float(row["spPerf"]) * seconds, "float64": float(row["dpPerf"]) * seconds,
            "integer": float(row["intops"]), "bytes": float(row["traffic"]) * seconds}
