"""Tests `warpwise run` with programs that start others: shells, Python. All are emulated, and share one report."""

import json
import os
import re
import shutil
import subprocess
import sys
import unittest
import xml.etree.ElementTree as ElementTree

import run_support
from run_support import EMULATED, RunTest, compiler, line_of, nvcc, setUpModule  # noqa: F401
from support import WARPWISE, read, write

# Adds 1 to each of 32 integers, by a function in another PTX text.
KERNEL = """.version 8.0
.target sm_75
.address_size 64
.extern .func (.param .b32 sum) plus_one(.param .b32 value);
.visible .entry kernel(.param .u64 values)
{
  .reg .b32 %r<4>; .reg .b64 %d<4>;
  ld.param.u64 %d1, [values];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %d2, %r1, 4;
  add.u64 %d3, %d1, %d2;
  ld.global.u32 %r2, [%d3];
  { .param .b32 value; .param .b32 sum;
    st.param.b32 [value], %r2;
    call.uni (sum), plus_one, (value);
    ld.param.b32 %r3, [sum]; }
  st.global.u32 [%d3], %r3;
  ret;
}
"""
FUNCTION = """.version 8.0
.target sm_75
.address_size 64
.visible .func (.param .b32 sum) plus_one(.param .b32 value)
{
  .reg .b32 %r<2>;
  ld.param.b32 %r1, [value];
  add.u32 %r1, %r1, 1;
  st.param.b32 [sum], %r1;
  ret;
}
"""
# Links the two PTX texts like cuda-python, which looks up nvJitLink's functions in the process.
LINKS = """import ctypes, sys
def check(result):
    assert result == 0, result
process, driver = ctypes.CDLL(None), ctypes.CDLL("libcuda.so.1")
link = ctypes.c_void_p()
check(process.nvJitLinkCreate(ctypes.byref(link), 1, (ctypes.c_char_p * 1)(b"-arch=sm_90")))
for name in sys.argv[1:]:
    text = open(name, "rb").read()
    if process.nvJitLinkAddData(link, 2, text, len(text), name.encode()) != 0:
        sys.exit("not added")
if process.nvJitLinkComplete(link) != 0:
    log = ctypes.create_string_buffer(1000)
    process.nvJitLinkGetErrorLog(link, log)
    sys.exit(log.value.decode())
size = ctypes.c_size_t()
check(process.nvJitLinkGetLinkedCubinSize(link, ctypes.byref(size)))
code = ctypes.create_string_buffer(size.value)
check(process.nvJitLinkGetLinkedCubin(link, code))
check(process.nvJitLinkDestroy(ctypes.byref(link)))
context, module, kernel, values = (ctypes.c_void_p() for _ in range(4))
check(driver.cuInit(0))
check(driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
check(driver.cuCtxSetCurrent(context))
check(driver.cuModuleLoadData(ctypes.byref(module), code))
check(driver.cuModuleGetFunction(ctypes.byref(kernel), module, b"kernel"))
check(driver.cuMemAlloc_v2(ctypes.byref(values), 128))
check(driver.cuMemcpyHtoD_v2(values, bytes(range(128)), 128))
argument = ctypes.pointer(values)
check(driver.cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, None, ctypes.pointer(ctypes.cast(argument, ctypes.c_void_p)), None))
back = (ctypes.c_uint32 * 32)()
check(driver.cuMemcpyDtoH_v2(back, values, 128))
check(driver.cuMemFree_v2(values))
print(hex(back[31]))
"""


class Others(RunTest):
    def run_reported(self, *words, code=0, options=(), **more):
        """Runs words with all reports. Returns the ended process, its test suites and its SARIF run."""
        done = self.run_command("run", "--junit", "report.xml", "--sarif", "report.json", *options, *words, **more)
        self.assertEqual(done.returncode, code, done.stderr)
        [run] = json.loads(read("report.json"))["runs"]
        return done, ElementTree.parse("report.xml").getroot(), run

    def test_programs_of_a_script(self):
        write("script", f"#!/bin/sh\n'{self.program}' sound\n'{self.program}' ignored\n'{self.program}' race\ntrue\n".encode())
        os.chmod("script", 0o755)
        for words in [["./script"], ["sh", "script"]]:
            done, suites, run = self.run_reported(*words, options=["--check", "races"], code=1)
            self.assertEqual(self.said(done)[-1], "warpwise: 7 launches of 4 kernels in 3 processes, 3 faults", "a race has two reports")
            self.assertEqual([suite.get("name") for suite in suites], ["program"] * 3)
            for name in ["tests", "failures", "errors", "skipped"]:
                self.assertEqual(int(suites.get(name)), sum(int(suite.get(name)) for suite in suites))
            self.assertEqual((suites.get("tests"), suites.get("failures")), ("7", "2"))
            self.assertEqual({result["ruleId"] for result in run["results"]}, {"out_of_bounds", "race"})
            self.assertIn(line_of("beyond"), [result["locations"][0]["physicalLocation"]["region"]["startLine"]
                                              for result in run["results"]])
        self.run_reported("sh", "script", options=["--check", "races", "--error-exitcode", "9"], code=9)

    def test_what_ends_without_its_last_words(self):
        """A fault counts even if the process ends by a signal, or by _exit(), like the processes that Python forks."""
        code = f"import os, sys\nif os.fork() == 0:\n    os.execv({self.program!r}, ['program', 'abort'])\nos.wait()\n"
        done, suites, run = self.run_reported(sys.executable, "-c", code, options=["--error-exitcode", "9"], code=9)
        self.assertEqual(self.said(done)[-1], "warpwise: at least 2 launches of 2 kernels, 1 fault")
        self.assertEqual((suites.get("failures"), len(run["results"])), ("1", 1))

    def test_nothing_was_emulated(self):
        done, suites, run = self.run_reported("sh", "-c", "exit 5", code=5)
        self.assertEqual(self.said(done), ["warpwise: no process loaded the emulated CUDA runtime or driver: nothing was checked"])
        self.assertEqual((suites.get("tests"), run["results"]), ("0", []))

    def test_an_installation_whose_path_has_a_space(self):
        os.makedirs("an install/bin")
        shutil.copy(WARPWISE, "an install/bin")
        shutil.copytree(os.path.dirname(os.path.dirname(EMULATED)), "an install/lib", symlinks=True)
        done = subprocess.run(["an install/bin/warpwise", "run", "sh", "-c", f"'{self.program}' sound"], capture_output=True, timeout=60)
        self.assertEqual(self.said(done), ["warpwise: every result is exact if no threads race",
                                           "warpwise: 3 launches of 2 kernels, 0 faults"])

    def test_a_function_that_is_not_run_in_a_child(self):
        for options, code in [([], 1), (["--error-exitcode", "9"], 9)]:
            _, suites, run = self.run_reported("sh", "-c", f"'{self.program}' refused; true", options=options, code=code)
            self.assertEqual((suites.get("errors"), run["invocations"][0]["executionSuccessful"]), ("1", False))

    def test_suppressions_that_another_process_used(self):
        write("known", b"out_of_bounds in beyond because known\nrace in nothing because x\n")
        done, _, _ = self.run_reported("sh", "-c", f"'{self.program}' ignored; '{self.program}' sound",
                                       options=["--suppressions", "known"])
        self.assertEqual([line for line in self.said(done) if "covered no fault" in line],
                         ["warpwise: line 2 of the suppressions covered no fault: race in nothing because x"])
        self.assertTrue(self.said(done)[-1].endswith(" in 2 processes, 0 faults, 1 suppressed"), done.stderr)

    def test_a_runtime_named_by_its_path(self):
        """Python's packages load the runtime that they bring by its path."""
        real = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(compiler()))), "lib64", "libcudart.so.13")
        os.makedirs("site-packages/nvidia/cu13/lib")
        shutil.copy(real, "site-packages/nvidia/cu13/lib")
        code = ("import ctypes, os\nfound = ctypes.CDLL(os.path.abspath('site-packages/nvidia/cu13/lib/libcudart.so.13'))\n"
                "count = ctypes.c_int()\nprint(found.cudaGetDeviceCount(ctypes.byref(count)), count.value)\n")
        self.assertEqual(self.run_command("run", "-q", sys.executable, "-c", code).stdout, b"0 1\n")

    def test_a_library_beside_the_one_that_asks_for_it(self):
        """The preloaded library is between the two, and the loader must not take it for the library that asks."""
        write("inner.c", b"int inner(void) { return 7; }")
        write("outer.c", b'#include <dlfcn.h>\nint outer(void) { return dlopen("libinner.so", RTLD_NOW) != 0; }')
        for name, options in [("inner", []), ("outer", ["-Wl,-rpath,$ORIGIN"])]:
            subprocess.run(["cc", "-shared", "-fPIC", "-o", f"lib{name}.so", f"{name}.c", *options], check=True, timeout=60)
        code = f"import ctypes\nprint(ctypes.CDLL({os.path.abspath('libouter.so')!r}).outer())"
        self.assertEqual(self.run_command("run", "-q", sys.executable, "-c", code).stdout, b"1\n")

    def test_a_library_with_a_static_runtime(self):
        """nvcc links the static runtime by default, and CuPy's wheel has such a library."""
        write("work.cu", b"""__global__ void add(int* sum) { atomicAdd(sum, threadIdx.x); }
extern "C" int work() {
  int* sum = nullptr;
  cudaMallocManaged(&sum, sizeof(int));
  *sum = 0;
  add<<<1, 32>>>(sum);
  cudaDeviceSynchronize();
  const int result = *sum;
  cudaFree(sum);
  cudaFree(sum);
  return result;
}
""")
        nvcc("-g", "-shared", "-Xcompiler", "-fPIC", "-o", os.path.abspath("libwork.so"), os.path.abspath("work.cu"))
        code = f"import ctypes\nfor i in range(2): print(ctypes.CDLL({os.path.abspath('libwork.so')!r}).work())\n"
        done, suites, _ = self.run_reported(sys.executable, "-c", code, options=["--check", "memory"], code=1)
        self.assertEqual(done.stdout, b"496\n496\n")
        self.assertEqual([case.get("name") for case in suites.iter("testcase")], ["add(int*)", "the program"])
        self.assertRegex(self.said(done)[0], r"^warpwise: invalid_free in the program, cudaFree called at \S*work.cu:10 in work: ")
        self.assertEqual(self.said(done)[-1], "warpwise: 2 launches of 1 kernel, 1 fault")
        nvcc("-shared", "-Xcompiler", "-fPIC", "-o", os.path.abspath("libwork.so"), os.path.abspath("work.cu"))
        done = self.run_command("run", "--check", "memory", sys.executable, "-c", code)
        self.assertRegex(self.said(done)[0], r"cudaFree called at libwork.so\+0x[0-9a-f]+ in work: ")

    def build_add(self, *options, value=1):
        """Makes libadd.so, which contains a static runtime. Its add() gives 32 sums of the value."""
        write("add.cu", f"""__global__ void add(int* sum) {{ atomicAdd(sum, {value}); }}
extern "C" int add() {{
  int* sum = nullptr;
  cudaMallocManaged(&sum, sizeof(int));
  if (sum == nullptr) return -1;
  *sum = 0;
  add<<<1, 32>>>(sum);
  cudaDeviceSynchronize();
  const int result = *sum;
  cudaFree(sum);
  return result;
}}
""".encode())
        nvcc("-shared", "-Xcompiler", "-fPIC", "-o", os.path.abspath("libadd.so"), *options, os.path.abspath("add.cu"))

    def test_a_program_whose_library_has_a_static_runtime(self):
        self.build_add()
        write("main.c", b'#include <stdio.h>\nint add(void);\nint main(void) { printf("%d\\n", add()); }')
        subprocess.run(["cc", "-o", "main", "main.c", "-L.", "-ladd", "-Wl,-rpath,$ORIGIN"], check=True, timeout=60)
        for words in [["./main"], ["sh", "-c", "./main; true"]]:
            done, suites, _ = self.run_reported(*words, options=["--check", "races"])
            self.assertEqual(done.stdout, b"32\n")
            self.assertEqual([suite.get("name") for suite in suites], ["main"])
            self.assertEqual(self.said(done), ["warpwise: every result is exact", "warpwise: 1 launch of 1 kernel, 0 faults"])
        code = b"#include <dlfcn.h>\nint add(void);\nint main(void) { return add() - 32 + (dlsym(dlopen(\"./libadd.so\", RTLD_NOW), \"add\") != add); }"
        write("main.c", code)
        subprocess.run(["cc", "-o", "main", "main.c", "-L.", "-ladd", "-Wl,-rpath,$ORIGIN"], check=True, timeout=60)
        self.assertEqual(self.run_command("run", "./main").returncode, 0, "the library is loaded once")

    def test_a_library_with_a_static_runtime_by_its_name(self):
        self.build_add()
        code = "import ctypes\nfor i in range(2): print(ctypes.CDLL('libadd.so').add())"
        done = self.run_command("run", "-q", sys.executable, "-c", code, env=dict(os.environ, LD_LIBRARY_PATH="/nowhere:" + os.getcwd()))
        self.assertEqual(done.stdout, b"32\n32\n", done.stderr)

    def test_a_static_runtime_that_runs(self):
        """Its calls cannot be redirected to the emulated runtime. The run must not look like one without faults."""
        write("outer.c", b"int add(void);\nint outer(void) { return add(); }")
        write("run.py", b"import ctypes, sys\nlibrary = ctypes.CDLL(sys.argv[1])\nprint(getattr(library, sys.argv[2])())\n")
        folder = {"env": dict(os.environ, LD_LIBRARY_PATH=os.getcwd())}
        for options, library, function in [([], "./libouter.so", "outer"), ([], "libouter.so", "outer"),
                                           (["-Xlinker", "-s"], "./libadd.so", "add")]:
            self.build_add(*options)
            subprocess.run(["cc", "-shared", "-fPIC", "-o", "libouter.so", "outer.c", "-L.", "-ladd"], check=True, timeout=60)
            done, suites, run = self.run_reported(sys.executable, "run.py", library, function, code=1, **folder)
            self.assertEqual(done.stdout, b"-1\n")
            self.assertRegex(self.said(done)[0], "does not run the CUDA runtime in libadd.so: .*link it with nvcc -cudart shared$")
            self.assertEqual((suites.get("errors"), run["invocations"][0]["executionSuccessful"]), ("1", False))

    def test_a_library_whose_search_path_leads_to_another_runtime(self):
        """PyTorch's libraries have such a path, and the loader follows it before LD_LIBRARY_PATH."""
        os.mkdir("toolkit")
        write("other.c", b"int cudaGetDeviceCount(int* count) { *count = 99; return 0; }")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", "toolkit/libcudart.so.13", "-Wl,-soname,libcudart.so.13", "other.c"], check=True, timeout=60)
        write("count.c", b"int cudaGetDeviceCount(int*);\nint count(void) { int it = 0; cudaGetDeviceCount(&it); return it; }")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", "libcount.so", "count.c", "toolkit/libcudart.so.13",
                        "-Wl,--disable-new-dtags,-rpath,$ORIGIN/toolkit"], check=True, timeout=60)
        code = "import ctypes\nprint(ctypes.CDLL('./libcount.so').count())"
        self.assertEqual(subprocess.run([sys.executable, "-c", code], check=True, timeout=60, capture_output=True).stdout, b"99\n")
        self.assertEqual(self.run_command("run", "-q", sys.executable, "-c", code).stdout, b"1\n")

    def test_a_library_that_another_replaced(self):
        """A copy of the library calls the emulated runtime. It must be made again from the new file."""
        code = ("import _ctypes, ctypes, os\n"
                "for name in ['first.so', 'second.so']:\n"
                "    os.replace(name, 'library.so')\n"
                "    library = ctypes.CDLL('./library.so')\n"
                "    print(library.add())\n"
                "    _ctypes.dlclose(library._handle)\n")
        for name, value in [("first.so", 1), ("second.so", 2)]:
            self.build_add(value=value)
            os.replace("libadd.so", name)
        self.assertEqual(self.run_command("run", "-q", sys.executable, "-c", code).stdout, b"32\n64\n")

    def test_what_every_process_loads(self):
        """The preloaded library itself loads only the C library, and exports only the names that it replaces."""
        library = os.path.join(EMULATED, "libwarpwise_preload.so")
        needed = subprocess.run(["readelf", "-d", library], capture_output=True, check=True, timeout=60).stdout
        self.assertNotIn(b"libstdc++", needed)
        names = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, check=True, timeout=60).stdout
        self.assertEqual([name for name in names.decode().split()[2::3] if not re.match("dlopen$|nvJitLink|nvrtcGetCUBIN", name)], [])

    def test_host_faults_of_one_place_without_source(self):
        """In Python, all calls come from the same place of a package. Each fault is reported nevertheless."""
        code = ("import ctypes\ndriver = ctypes.CDLL('libcuda.so.1')\ncontext = ctypes.c_void_p()\n"
                "driver.cuInit(0)\ndriver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)\ndriver.cuCtxSetCurrent(context)\n"
                "for i in range(2):\n    values = ctypes.c_void_p()\n    driver.cuMemAlloc_v2(ctypes.byref(values), 128)\n"
                "    for j in range(3): driver.cuMemFree_v2(values)\n")
        done, suites, _ = self.run_reported(sys.executable, "-c", code, options=["--check", "memory"], code=1)
        self.assertEqual(self.said(done)[-1], "warpwise: 0 launches of 0 kernels, 2 faults", done.stderr)

    def test_calls_that_hold_pythons_lock(self):
        """A thread that holds Python's lock must not wait for a thread that asks for this lock."""
        code = ("import ctypes, threading\nfree = ctypes.CDLL('libcuda.so.1')\nheld = ctypes.PyDLL('libcuda.so.1')\n"
                "context = ctypes.c_void_p()\nfree.cuInit(0)\nfree.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)\n"
                "free.cuCtxSetCurrent(context)\nbytes = ctypes.c_void_p()\nfree.cuMemAlloc_v2(ctypes.byref(bytes), 64)\n"
                "idle = ctypes.cast(ctypes.CDLL(None).getpid, ctypes.c_void_p)\n"
                "def allocate():\n    free.cuCtxSetCurrent(context)\n    here = ctypes.c_void_p()\n    for i in range(500):\n"
                "        free.cuMemAllocAsync(ctypes.byref(here), 64, None)\n        free.cuMemFreeAsync(here, None)\n"
                "        free.cuLaunchHostFunc(None, idle, None)\n"
                "def fill():\n    free.cuCtxSetCurrent(context)\n    for i in range(2000): held.cuMemsetD8_v2(bytes, 0, 64)\n"
                "threads = [threading.Thread(target=each) for each in [allocate, fill] * 2]\n"
                "for each in threads: each.start()\nfor each in threads: each.join()\nfree.cuMemFree_v2(bytes)\n")
        done = self.run_command("run", "--check", "all", sys.executable, "-c", code)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_fork_beside_threads_that_use_the_gpu(self):
        """The child finds no lock taken, although a thread of its parent held one at the fork."""
        code = ("import ctypes, os, signal, sys, threading\ndriver = ctypes.CDLL('libcuda.so.1')\ncontext = ctypes.c_void_p()\n"
                "driver.cuInit(0)\ndriver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)\nended = False\n"
                "def use():\n    driver.cuCtxSetCurrent(context)\n    here = ctypes.c_void_p()\n"
                "    driver.cuMemAlloc_v2(ctypes.byref(here), 1 << 20)\n    driver.cuMemsetD8_v2(here, 0, 1 << 20)\n    driver.cuMemFree_v2(here)\n"
                "def use_on():\n    while not ended: use()\n"
                "threads = [threading.Thread(target=use_on) for _ in range(2)]\nfor each in threads: each.start()\nstatus = 0\n"
                "for i in range(40):\n    child = os.fork()\n    if child == 0:\n        signal.alarm(60)\n        use()\n        os._exit(0)\n"
                "    status = status or os.waitpid(child, 0)[1]\nended = True\nfor each in threads: each.join()\nsys.exit(status)\n")
        done = self.run_command("run", "--check", "all", sys.executable, "-c", code)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_fork_beside_a_kernel_that_does_not_end(self):
        """fork() waits ten seconds for the kernel, and then says so. The child still finds no lock taken."""
        ptx = (".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry endless(.param .u64 began)\n{\n.reg .u64 %x;\n.reg .pred %p;\n"
               "ld.param.u64 %x, [began];\nst.global.u32 [%x], 1;\nmov.u64 %x, 0;\nAGAIN:\nadd.u64 %x, %x, 1;\nsetp.ne.u64 %p, %x, 0;\n@%p bra AGAIN;\nret;\n}\n")
        code = ("import ctypes, os, signal, threading, time\ndriver = ctypes.CDLL('libcuda.so.1')\n"
                "context, module, kernel, here, began = (ctypes.c_void_p() for _ in range(5))\n"
                "driver.cuInit(0)\ndriver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)\ndriver.cuCtxSetCurrent(context)\n"
                f"driver.cuModuleLoadData(ctypes.byref(module), {ptx.encode()!r})\n"
                "driver.cuModuleGetFunction(ctypes.byref(kernel), module, b'endless')\n"
                "driver.cuMemAllocManaged(ctypes.byref(began), 64, 1)\nargument = ctypes.pointer(ctypes.cast(ctypes.pointer(began), ctypes.c_void_p))\n"
                "def launch():\n    driver.cuCtxSetCurrent(context)\n    driver.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, None, argument, None)\n"
                "threading.Thread(target=launch, daemon=True).start()\n"
                "while ctypes.c_int.from_address(began.value).value == 0: time.sleep(0.01)\n"
                "start = time.monotonic()\nchild = os.fork()\n"
                "if child == 0:\n    signal.alarm(60)\n    driver.cuMemAlloc_v2(ctypes.byref(here), 64)\n    os._exit(0)\n"
                "print(os.waitpid(child, 0)[1], time.monotonic() - start > 9, flush=True)\nos._exit(0)\n")
        done = self.run_command("run", "--check", "all", sys.executable, "-c", code)
        self.assertEqual(done.stdout, b"0 True\n", done.stderr)
        self.assertEqual(done.stderr.count(b"warpwise: fork() has waited 10 s for another thread's launch or call"), 1, done.stderr)

    def test_a_place_of_which_only_the_file_is_known(self):
        """The symbols give the source file of a static function, but without -g nothing gives its line."""
        write("twice.cu", b"static void __attribute__((noinline)) free_it(void* p) { cudaFree(p); }\n"
                          b"int main() {\n  void* p = nullptr;\n  cudaMalloc(&p, 8);\n  free_it(p);\n  free_it(p);\n}\n")
        nvcc("-O0", "-cudart", "shared", "-o", os.path.abspath("twice"), os.path.abspath("twice.cu"))
        done = self.run_command("run", "--check", "memory", "./twice")
        self.assertRegex(self.said(done)[0], r"cudaFree called at twice\+0x\w+ in free_it")

    def test_names_of_pythons_programs(self):
        code = "import ctypes; ctypes.CDLL('libcudart.so.13').cudaFree(ctypes.c_void_p(4096))\n"
        write("work.py", code.encode())
        own = os.path.basename(sys.executable)
        for name, words in [("work", ["-m", "work"]), ("work", ["-mwork"]), ("work", ["-Bm", "work", "x"]), ("work", ["-Bmwork"]),
                            ("work.py", ["-B", "work.py"]), ("work.py", ["-Wignore", "-X", "utf8", "./work.py", "x"]),
                            ("work.py", ["-BW", "ignore", "--check-hash-based-pycs", "always", "work.py"]),
                            (own, ["-c", code, "x"]), (own, ["-Bc", code, "x"])]:
            _, suites, _ = self.run_reported(sys.executable, *words, options=["--check", "memory"], code=1)
            self.assertEqual([suite.get("name") for suite in suites], [name], words)

    def test_a_stand_in_for_ptxas(self):
        """Triton looks for "release" in the version of ptxas, and passes the file before or after the options."""
        write("kernel", KERNEL.encode())
        for variable in ["TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH"]:
            self.assertRegex(self.run_command("run", "-q", "sh", "-c", f'"${variable}" --version').stdout, rb"release \d+\.\d+")
            for words in ["-v --gpu-name=sm_90 kernel -o code", "kernel --output-file code -O3"]:
                self.assertEqual(self.run_command("run", "-q", "sh", "-c", f'"${variable}" {words}').returncode, 0)
                self.assertEqual(read("code"), KERNEL.encode() + b"\0")
                os.remove("code")

    def test_a_stand_in_for_nvcc(self):
        """PyCUDA finds nvcc by PATH, CuPy by $NVCC. Both ask for cubin files. nvcc itself compiles programs."""
        write("own.cu", b'extern "C" __global__ void own() {}\nint main() {}\n')
        path = os.pathsep.join([os.path.dirname(compiler()), os.environ["PATH"]])

        def compiled(words):
            done = self.run_command("run", "-q", "sh", "-c", words, env={**os.environ, "PATH": path})
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout
        for words, name in [("nvcc --cubin -arch sm_90 own.cu", "own.cubin"), ("$NVCC -cubin -gencode=arch=compute_90,code=sm_90 own.cu -o a", "a")]:
            compiled(words)
            self.assertIn(b".visible .entry own()", read(name))
        compiled("nvcc -arch=sm_90 -o own own.cu && ./own")
        self.assertRegex(compiled("nvcc --version"), rb"release \d+\.\d+(.|\n)*stand-in")

    def test_links_of_nvjitlink(self):
        for name, text in [("kernel", KERNEL), ("function", FUNCTION), ("links.py", LINKS)]:
            write(name, text.encode())
        done, suites, _ = self.run_reported(sys.executable, "links.py", "kernel", "function", options=["--check", "all"])
        self.assertEqual(done.stdout, b"0x7f7e7d7d\n")
        self.assertEqual([case.get("name") for case in suites.iter("testcase")], ["kernel"])
        self.assertEqual([suite.get("name") for suite in suites], ["links.py"])
        write("code", b"\177ELF machine code")
        write("links.py", LINKS.replace("link, 2, text", "link, 1 if name == 'code' else 2, text").encode())
        done = self.run_command("run", sys.executable, "links.py", "kernel", "code")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"code: objects, libraries and cubins hold machine code", done.stderr)

    def test_a_run_within_a_run(self):
        done = self.run_command("run", WARPWISE, "run", "--check", "all", self.program, "sound")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(self.said(done)[0], "another warpwise run has started this one: .*leave out the inner 'warpwise run'")

    def test_signals_reach_the_program(self):
        with subprocess.Popen([WARPWISE, "run", "sh", "-c", f"'{self.program}' ready; echo after"], stdout=subprocess.PIPE,
                              stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True) as running:
            self.assertEqual(running.stdout.readline(), b"ready\n")
            running.kill()
            running.stdin.close()
            self.assertEqual(running.wait(timeout=60), -9)
            self.assertNotIn(b"after", running.stdout.read(), "the shell has ended with the command")


if __name__ == "__main__":
    unittest.main()
