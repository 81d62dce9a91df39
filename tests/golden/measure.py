#!/usr/bin/env python3
"""Runs the golden kernels on a GPU, by calls of its driver: neither a compiler nor a package is needed.

    measure.py access FOLDER FIRST COUNT   launches COUNT of the access cases from FIRST on, once each, under the profiler
    measure.py arithmetic FOLDER OUT       runs the arithmetic kernels; writes OUT/golden_arithmetic.json, which the
                                           tests compare with, and OUT/outputs.bin, every word the kernels left
    measure.py forms FOLDER OUT            runs the forms' kernels, each again in a new process if one ends with an error; writes
                                           OUT/golden_forms.json and OUT/outputs.bin
    measure.py collect FOLDER OUT CSV...   writes OUT/golden_access.json from the profiler's tables
    measure.py metrics AVAILABLE counts|branches   the metrics to ask for, of those that the profiler says it has

FOLDER holds what scripts/golden-bundle.sh put there.
"""

import csv
import ctypes
import datetime
import gzip
import json
import os
import signal
import struct
import subprocess
import sys

# Metrics with which the emulator's counts are compared.
COMPARED = ["l1tex__t_requests_pipe_lsu_mem_global_op_ld", "l1tex__t_requests_pipe_lsu_mem_global_op_st",
            "l1tex__t_sectors_pipe_lsu_mem_global_op_ld", "l1tex__t_sectors_pipe_lsu_mem_global_op_st",
            "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st"]
# Further metrics, recorded if the profiler has them.
BESIDE = ["smsp__inst_executed_op_shared_ld", "smsp__inst_executed_op_shared_st", "smsp__inst_executed_op_global_ld",
          "smsp__inst_executed_op_global_st", "smsp__inst_executed", "smsp__thread_inst_executed"]
# Metrics for kernels that diverge. They are slow, because the profiler patches the machine code to count them.
OF_BRANCHES = ["smsp__sass_branch_targets", "smsp__sass_branch_targets_threads_divergent",
               "smsp__sass_inst_executed_op_branch", "smsp__inst_executed_op_branch", "smsp__inst_executed",
               "smsp__thread_inst_executed"]


# Seconds after which a form counts as endless.
SECONDS_A_FORM = 5


class Driver:
    """The calls of the CUDA driver that this script needs."""

    def __init__(self):
        for name in ("libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1", "/usr/lib/x86_64-linux-gnu/libcuda.so.1"):
            try:
                self.library = ctypes.CDLL(name)
                break
            except OSError:
                continue
        else:
            sys.exit("measure.py: there is no libcuda.so.1, so no GPU's driver")
        self.call("cuInit", ctypes.c_uint(0))
        self.device = ctypes.c_int()
        self.call("cuDeviceGet", ctypes.byref(self.device), ctypes.c_int(0))
        self.context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), self.device)
        self.call("cuCtxSetCurrent", self.context)

    def call(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status != 0:
            text = ctypes.c_char_p()
            self.library.cuGetErrorName(ctypes.c_int(status), ctypes.byref(text))
            raise RuntimeError(f"{name} gave {status} {(text.value or b'').decode()}")

    def name(self):
        text = ctypes.create_string_buffer(256)
        self.call("cuDeviceGetName", text, ctypes.c_int(256), self.device)
        return text.value.decode()

    def compute_capability(self):
        value = ctypes.c_int()
        parts = []
        for attribute in (75, 76):  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, _MINOR
            self.call("cuDeviceGetAttribute", ctypes.byref(value), ctypes.c_int(attribute), self.device)
            parts.append(str(value.value))
        return ".".join(parts)

    def load(self, image):
        module = ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), ctypes.c_char_p(image))
        return module

    def load_file(self, folder, stem):
        """Loads machine code. On a GPU for which it was not made, loads the PTX instead."""
        try:
            with open(os.path.join(folder, stem + ".cubin"), "rb") as file:
                return self.load(file.read())
        except (RuntimeError, OSError) as error:
            print(f"{stem}.cubin: {error}; the driver compiles the PTX", file=sys.stderr)
            with gzip.open(os.path.join(folder, stem + ".ptx.gz"), "rb") as file:
                return self.load(file.read() + b"\0")

    def function(self, module, name):
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function), module, ctypes.c_char_p(name.encode()))
        return function

    def allocate(self, size):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
        return address.value

    def clear(self, address, size):
        self.call("cuMemsetD8_v2", ctypes.c_uint64(address), ctypes.c_ubyte(0), ctypes.c_size_t(size))

    def write(self, address, data):
        self.call("cuMemcpyHtoD_v2", ctypes.c_uint64(address), ctypes.c_char_p(data), ctypes.c_size_t(len(data)))

    def read(self, address, size):
        data = ctypes.create_string_buffer(size)
        self.call("cuMemcpyDtoH_v2", data, ctypes.c_uint64(address), ctypes.c_size_t(size))
        return data.raw

    def launch(self, function, grid, block, shared, arguments):
        """Launches a kernel. arguments: the bytes of each argument."""
        buffers = [ctypes.create_string_buffer(argument, len(argument)) for argument in arguments]
        pointers = (ctypes.c_void_p * len(buffers))(*[ctypes.addressof(buffer) for buffer in buffers])
        dimensions = [ctypes.c_uint(n) for n in (grid[0], grid[1], 1, block[0], block[1], 1)]
        self.call("cuLaunchKernel", function, *dimensions, ctypes.c_uint(shared), ctypes.c_void_p(None), pointers,
                  ctypes.c_void_p(None))
        self.call("cuCtxSynchronize")


def access_cases(folder):
    with open(os.path.join(folder, "access_cases.json")) as file:
        return json.load(file)["cases"]


def run_access(folder, first, count):
    driver = Driver()
    module = driver.load_file(folder, "access")
    arena = driver.allocate(1 << 22)
    driver.clear(arena, 1 << 22)
    for case in access_cases(folder)[first:first + count]:
        at = arena
        arguments = []
        for argument in case["arguments"]:
            if "words" in argument:
                arguments.append(struct.pack(f"<{len(argument['words'])}I", *argument["words"]))
                continue
            size = argument.get("buffer", 0)
            if "table" in argument:
                data = struct.pack(f"<{len(argument['table'])}I", *argument["table"])
                driver.write(at, data)
                size = len(data)
            arguments.append(struct.pack("<Q", at))
            at += (size + 511) // 256 * 256
        assert at <= arena + (1 << 22)
        driver.launch(driver.function(module, case["kernel"]), case["grid"], case["block"], case["shared"], arguments)
        # The next case overwrites this memory by its own tables.


def hash_of(data):
    value = 0xCBF29CE484222325
    for (word,) in struct.iter_unpack("<I", data):
        value = ((value ^ word) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def machine(folder, driver=None):
    driver = driver or Driver()
    with open(os.path.join(folder, "bundle.json")) as file:
        bundle = json.load(file)
    try:
        version = subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], text=True,
                                 capture_output=True, timeout=30).stdout.split("\n")[0].strip()
    except (OSError, subprocess.TimeoutExpired):
        version = ""
    return {"gpu": driver.name(), "compute_capability": driver.compute_capability(), "driver": version,
            "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"), **bundle}


def run_arithmetic(folder, out):
    driver = Driver()
    with open(os.path.join(folder, "kernels.json")) as file:
        listed = json.load(file)
    with open(os.path.join(folder, "inputs.bin"), "rb") as file:
        inputs = file.read()
    source = driver.allocate(len(inputs))
    driver.write(source, inputs)
    size = max(kernel["bytes"] for kernel in listed["kernels"])
    target = driver.allocate(size)
    modules = {}
    hashes = {}
    approximate = {}
    with open(os.path.join(out, "outputs.bin"), "wb") as outputs:
        for kernel in listed["kernels"]:
            if kernel["file"] not in modules:
                modules[kernel["file"]] = driver.load_file(folder, kernel["file"])
            driver.clear(target, size)
            driver.launch(driver.function(modules[kernel["file"]], kernel["name"]), (1, 1), (listed["threads"], 1), 0,
                          [struct.pack("<Q", source), struct.pack("<Q", target)])
            data = driver.read(target, kernel["bytes"])
            outputs.write(data)
            if kernel["name"].startswith("approx_"):
                approximate[kernel["name"]] = data.hex()
            else:
                hashes[kernel["name"]] = hash_of(data)
    write_arithmetic(os.path.join(out, "golden_arithmetic.json"), machine(folder, driver), hashes, approximate)


def write_arithmetic(path, about, hashes, approximate):
    with open(path, "w") as file:
        file.write('{"machine": ' + json.dumps(about) + ',\n"hashes": {\n')
        file.write(",\n".join(f'"{name}": "{value}"' for name, value in hashes.items()))
        file.write('\n},\n"approximate": {\n')
        file.write(",\n".join(f'"{name}": "{value}"' for name, value in approximate.items()))
        file.write("\n}}\n")
    print(f"{path}: {len(hashes)} hashes, {len(approximate)} lists")


def run_some_forms(folder, out, first):
    """Runs the forms' kernels from number `first` on. Appends lines to OUT/forms.lines, words to OUT/outputs.bin."""
    driver = Driver()
    with open(os.path.join(folder, "forms.json")) as file:
        listed = json.load(file)
    with open(os.path.join(folder, "inputs.bin"), "rb") as file:
        inputs = file.read()
    source = driver.allocate(len(inputs))
    driver.write(source, inputs)
    size = max(kernel["bytes"] for kernel in listed["kernels"])
    target = driver.allocate(size)
    module, loaded = None, ""
    with open(os.path.join(out, "outputs.bin"), "ab") as outputs, open(os.path.join(out, "forms.lines"), "a") as lines:
        for kernel in listed["kernels"][first:]:
            signal.alarm(SECONDS_A_FORM)
            if kernel["file"] != loaded:
                module, loaded = driver.load_file(folder, kernel["file"]), kernel["file"]
            driver.clear(target, size)
            error, data = "", bytes(kernel["bytes"])
            try:
                driver.launch(driver.function(module, kernel["name"]), (1, 1), (listed["threads"], 1), 0,
                              [struct.pack("<Q", argument) for argument in (source, target, 0)])
                data = driver.read(target, kernel["bytes"])
            except RuntimeError as failure:
                error = str(failure)
            outputs.write(data)
            outputs.flush()
            lines.write(json.dumps([kernel["form"], error or hash_of(data)]) + "\n")
            lines.flush()
            if error:
                os._exit(1)  # after the error the context cannot be used


def run_forms(folder, out):
    with open(os.path.join(folder, "forms.json")) as file:
        kernels = json.load(file)["kernels"]
    path = os.path.join(out, "forms.lines")
    for name in ("forms.lines", "outputs.bin"):
        open(os.path.join(out, name), "wb").close()
    results = {}
    while len(results) < len(kernels):
        subprocess.run([sys.executable, __file__, "forms", folder, out, str(len(results))], check=False)
        with open(path) as file:
            now = dict(json.loads(line) for line in file)
        if len(now) == len(results):  # the process ended without a new line
            with open(path, "a") as lines, open(os.path.join(out, "outputs.bin"), "ab") as outputs:
                lines.write(json.dumps([kernels[len(now)]["form"], "no end"]) + "\n")
                outputs.write(bytes(kernels[len(now)]["bytes"]))
        with open(path) as file:
            results = dict(json.loads(line) for line in file)
    write_forms(os.path.join(out, "golden_forms.json"), machine(folder), kernels, results)


def write_forms(path, about, kernels, results):
    """Writes the hash of each form that can be compared. For other forms, writes the reason and the outcome."""
    hashes, others = {}, {}
    for kernel in kernels:
        value = results[kernel["form"]]
        ran = len(value) == 16
        if ran and not kernel["not_compared"]:
            hashes[kernel["form"]] = value
        else:
            others[kernel["form"]] = {"why": kernel["not_compared"] or "the GPU ended it with an error", "gpu": "ran" if ran else value}
    with open(path, "w") as file:
        file.write('{"machine": ' + json.dumps(about) + ',\n"hashes": {\n')
        file.write(",\n".join(f"{json.dumps(form)}: {json.dumps(value)}" for form, value in hashes.items()))
        file.write('\n},\n"not_compared": {\n')
        file.write(",\n".join(f"{json.dumps(form)}: {json.dumps(value)}" for form, value in others.items()))
        file.write("\n}}\n")
    print(f"{path}: {len(hashes)} hashes, {len(others)} other forms")


def table_rows(path):
    """Returns (kernel, values) of each launch in the profiler's table. Other lines around the table are skipped."""
    with open(path, errors="replace") as file:
        lines = [line for line in file if line.startswith('"')]
    launches = {}
    for row in csv.DictReader(lines):
        if not (row.get("ID") or "").strip().isdigit():
            continue  # this row has the units
        kernel = row.get("Kernel Name", "").split("(")[0].strip()
        values = launches.setdefault(int(row["ID"]), (kernel, {}))[1]
        if "Metric Name" in row:
            row = {row["Metric Name"]: row["Metric Value"]}
        for column, text in row.items():
            if column and column.endswith(".sum") and number(text) is not None:
                values[column[:-4]] = number(text)
    return [launches[key] for key in sorted(launches)]


def number(text):
    try:
        return int(float(text.replace(",", "")))
    except (ValueError, AttributeError):
        return None


def collect(folder, out, tables):
    cases = access_cases(folder)
    counts = {}
    for path in tables:
        # The file's name is PART-FIRST.csv.
        first = int(os.path.basename(path).split("-")[1].split(".")[0])
        try:
            launches = table_rows(path)
        except OSError as error:
            print(f"{path}: {error}")
            continue
        print(f"{path}: {len(launches)} launches")
        for case, (kernel, values) in zip(cases[first:], launches):
            if kernel != case["kernel"]:
                print(f"{path}: a launch is {kernel}, expected {case['kernel']}: the rest is left out")
                break
            counts.setdefault(case["name"], {}).update(values)
    for case in cases:
        missing = [metric for metric in COMPARED if metric not in counts.get(case["name"], {})]
        if missing:
            print(f"{case['name']}: no {', '.join(missing)}")
    about = machine(folder)
    path = os.path.join(out, "golden_access.json")
    with open(path, "w") as file:
        file.write('{"machine": ' + json.dumps(about) + ',\n"counts": {\n')
        file.write(",\n".join(f"{json.dumps(name)}: {json.dumps(values)}" for name, values in counts.items()))
        file.write("\n}}\n")
    print(f"{path}: {len(counts)} of {len(cases)} cases")


def metrics(available, which):
    with open(available, errors="replace") as file:
        known = {line.split()[0] for line in file if line.strip()}
    wanted = COMPARED if which == "counts" else []
    wanted = wanted + [metric for metric in (BESIDE if which == "counts" else OF_BRANCHES) if metric in known]
    print(",".join(metric + ".sum" for metric in wanted))


def main():
    if len(sys.argv) == 5 and sys.argv[1] == "access":
        run_access(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    elif len(sys.argv) == 4 and sys.argv[1] == "arithmetic":
        run_arithmetic(sys.argv[2], sys.argv[3])
    elif len(sys.argv) == 4 and sys.argv[1] == "forms":
        run_forms(sys.argv[2], sys.argv[3])
    elif len(sys.argv) == 5 and sys.argv[1] == "forms":
        run_some_forms(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    elif len(sys.argv) >= 5 and sys.argv[1] == "collect":
        collect(sys.argv[2], sys.argv[3], sys.argv[4:])
    elif len(sys.argv) == 4 and sys.argv[1] == "metrics":
        metrics(sys.argv[2], sys.argv[3])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
