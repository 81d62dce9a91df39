"""Tests the input of explain: arguments, kernels with faults, and wrong calls."""

import json
import os
import struct
import subprocess
import unittest

from explain_support import FAILED, PTX, SHAPE, USAGE, ExplainTest, compile_by_nvrtc, compiles
from support import HAS_IMAGES, WARPWISE, npy, npy_parts, png, read, write

setUpModule = compile_by_nvrtc


# Kernels that would fault with default sizes, and words of the launch that `explain` suggests for each instead.
HARD = {
    "rows": ("const float* matrix, float* sums, int rows, int cols",
             "int row = blockIdx.x * blockDim.x + threadIdx.x; if (row >= rows) return; float s = 0;"
             "for (int i = 0; i < cols; ++i) s += matrix[row * cols + i]; sums[row] = s;", ["i32:256", "i32:256"]),
    "reduce": ("const float* in, float* out, int n",
               "extern __shared__ float s[]; s[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x]; __syncthreads();"
               "if (threadIdx.x == 0) out[blockIdx.x] = s[blockDim.x - 1];", ["--shared", "1024", "f32[65536]:random"]),
    "move": ("Particle* p, int n, float dt",
             "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i].x += p[i].charge * dt;", ["f32[524288]"]),
    "strided": ("float* out, const float* in, int n, int stride",
                "int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride; if (i < n) out[i] = in[i];", ["i32:65536", "i32:4"]),
    "votes": ("const int* in, int* out, int n, int k",
              "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; int s = 0;"
              "for (int j = 0; j < k; ++j) s += in[j * n + i]; out[i] = s;", ["i32[262144]", "i32:4"]),
    "scan": ("const float* in, float* out, int width",
             "__shared__ float t[32][32]; int base = blockIdx.x * 32;"
             "for (int r = 0; r < 32; ++r) t[r][threadIdx.x] = in[r * width + base + threadIdx.x]; __syncthreads();"
             "for (int r = 0; r < 32; ++r) out[r * width + base + threadIdx.x] = t[threadIdx.x][r];", ["--block", "32"]),
    "scaled": ("Scaling p, bool flip",
               "int i = threadIdx.x; if (i < p.n) p.out[i] = p.in[flip ? p.n - 1 - i : i] * p.f;",
               ["{f32[65536], f32[65536], i32:65536, f32:1}"]),
    "stencil": ("const float* in, float* out, int nx, int ny, int nz",
                "int z = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;"
                "if (z >= nz || y >= ny) return; for (int x = 0; x < nx; ++x) out[(z * ny + y) * nx + x] = in[(z * ny + y) * nx + x];",
                ["i32:64", "f32[262144]"]),
}


class Arguments(ExplainTest):
    @compiles
    def test_larger_buffers_are_named_after_a_fault(self):
        done = self.run_command("explain", "scale.cu", "--grid", "1", "--block", "32", "--arg", "f32[10]:random:1..2", "--arg",
                                "f32:2.5", "--arg", "i32:32")
        self.assertEqual(done.returncode, FAILED)
        self.assertIn(b"With larger buffers no thread passes their end: argument 0: f32[32]:random:1..2", done.stdout)

    @compiles
    def test_a_similar_kernel_is_named(self):
        done = self.run_command("explain", "scale.cu", "--kernel", "scael", "--grid", "1", "--block", "32")
        self.assertEqual(done.returncode, USAGE)
        self.assertIn(b'(did you mean "scale"?)', done.stderr)
        self.assertNotIn(b") (", done.stderr)

    @compiles
    def test_scalars_and_files(self):
        write("in.npy", npy("<f4", (4,), struct.pack("<4f", 1, 2, 3, 4)))
        self.json_of("scale.cu", "--grid", "1", "--block", "32", "--arg", "f32[4]:@in.npy", "--arg",
                     "f32:2.5", "--arg", "i32:3", "--dump", "0=out.npy")
        self.assertEqual(struct.unpack("<4f", npy_parts("out.npy")[2]), (2.5, 5, 7.5, 4))
        write("in.raw", struct.pack("<4f", 1, 2, 3, 4))
        self.json_of("scale.cu", "--grid", "1", "--block", "32", "--arg", "f32[4]:@in.raw", "--arg",
                     "f32:2.5", "--arg", "i32:3", "--dump", "0=raw.npy")
        self.assertEqual(read("raw.npy"), read("out.npy"))

    def test_dumps_have_the_buffers_type(self):
        for spec, descr in [("u8[64]:iota", "|u1"), ("i16[64]:random", "<i2"), ("f64[64]:iota", "<f8"),
                            ("i64[64]", "<i8"), ("f16[64]:random", "<f2")]:
            self.json_of("one.ptx", "--grid", "1", "--block", "16", "--arg", spec, "--dump",
                         "0=out.npy")
            self.assertEqual(npy_parts("out.npy")[:2], (descr, (64,)))

    def test_random_is_the_same_every_time(self):
        for name in ["a.npy", "b.npy"]:
            self.json_of("one.ptx", "--grid", "1", "--block", "1", "--arg", "f32[64]:random", "--dump",
                         f"0={name}")
        self.assertEqual(npy_parts("a.npy"), npy_parts("b.npy"))
        values = struct.unpack("<64f", npy_parts("a.npy")[2])[1:]
        self.assertTrue(all(0 <= value < 1 for value in values))
        self.assertGreater(len(set(values)), 60)

    @compiles
    @unittest.skipUnless(HAS_IMAGES, "not every image module is in this build")
    def test_a_texture(self):
        write("in.png", png(3, 2, 8, 0, bytes([1, 2, 3, 4, 5, 6])))
        write("fetch.cu", b"""extern "C" __global__ void fetch(int* out, cudaTextureObject_t in) {
  out[threadIdx.y * 3 + threadIdx.x] = tex2D<unsigned char>(in, threadIdx.x + 0.5f, threadIdx.y + 0.5f);
}""")
        write("in.npy", npy("|u1", (2, 3), bytes([1, 2, 3, 4, 5, 6])))
        write("in.raw", bytes([1, 2, 3, 4, 5, 6]))
        for name, stdin in [("in.png", b""), ("in.npy", b""), ("in.raw", b""), ("-", read("in.png"))]:
            report = self.json_of("fetch.cu", "--grid", "1", "--block", "3,2", "--arg", "i32[6]", "--arg",
                                  f"tex2d<u8>[3x2]:@{name}", "--dump", "0=out.npy", stdin=stdin)
            self.assertEqual(report["by_cc"]["9.0"]["texture"]["requests"], 1)
            self.assertEqual(struct.unpack("<6i", npy_parts("out.npy")[2]), (1, 2, 3, 4, 5, 6))

    @compiles
    def test_the_mangled_name_and_shared_memory(self):
        write("shared.cu", b"__global__ void k(int* p) { extern __shared__ int s[]; "
                           b"s[threadIdx.x] = 1; __syncthreads(); p[0] = s[0]; }")
        report = self.json_of("shared.cu", "--kernel", "_Z1kPi", "--grid", "1", "--block", "32",
                              "--shared", "128", "--arg", "i32[1]")
        self.assertEqual(report["dynamic_shared_bytes"], 128)
        self.assertEqual(report["faults"], [])


class Faults(ExplainTest):
    def test_out_of_bounds(self):
        report = self.json_of("one.ptx", "--grid", "1", "--block", "64", "--arg", "i32[40]",
                              "--dump", "0=out.npy", code=FAILED)
        [fault] = report["faults"]
        self.assertEqual(fault["kind"], "out_of_bounds")
        self.assertEqual(fault["thread"], [40, 0, 0])
        self.assertEqual(fault["block"], [0, 0, 0])
        self.assertEqual(fault["count"], 24)
        self.assertEqual(struct.unpack("<40i", npy_parts("out.npy")[2]), (1,) * 40)

    @compiles
    def test_the_line_of_a_fault(self):
        report = self.json_of("scale.cu", "--grid", "1", "--block", "64", "--arg", "f32[60]", "--arg",
                              "f32:2", "--arg", "i32:64", code=FAILED)
        self.assertEqual({(fault["kind"], fault["line"], fault["count"]) for fault in report["faults"]},
                         {("out_of_bounds", 3, 8)})

    @compiles
    def test_misaligned(self):
        write("odd.cu", b'extern "C" __global__ void odd(char* p) {\n  *(int*)(p + 1) = 1;\n}\n')
        done = self.run_command("explain", "odd.cu", "--grid", "1", "--block", "1", "--arg", "u8[64]")
        self.assertEqual(done.returncode, FAILED)
        self.assertIn(b"misaligned at odd.cu:2", done.stdout)
        self.assertIn(b"line 2", done.stderr)
        self.assertEqual(done.stderr.count(b"\n"), 1)

    @compiles
    def test_a_loop_that_changes_nothing(self):
        write("loop.cu", b'extern "C" __global__ void loop(volatile int* p) {\n  while (*p == 0) {\n  }\n}\n')
        report = self.json_of("loop.cu", "--grid", "1", "--block", "32", "--arg", "i32[1]", code=FAILED)
        [fault] = report["faults"]
        self.assertEqual((fault["kind"], fault["line"]), ("livelock", 2))

    @compiles
    def test_a_file_alone_lists_its_kernels_and_each_command_runs(self):
        write("list.cu", b"struct Box { int a, b; };\n"
                         b"template <int N> __global__ void scale(float* data, const volatile double4* by, int n) {\n"
                         b"  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                         b"  if (i < n) data[i] *= N * by[i].x;\n}\n"
                         b"template __global__ void scale<3>(float*, const volatile double4*, int);\n"
                         b"namespace two {\n__global__ void fill(unsigned char* out, Box box, bool on, float x) {\n"
                         b"  out[(blockIdx.y * 16 + threadIdx.y) * 256 + blockIdx.x * 16 + threadIdx.x] = on + box.a + x;\n}\n}\n"
                         b'extern "C" __global__ void __launch_bounds__(64) plain(int* p) { p[threadIdx.x] = 1; }\n')
        listed = json.loads(self.succeed("explain", "list.cu", "--define", "A=1", "--json").stdout)["kernels"]
        commands = {each["kernel"]: each["command"] for each in listed}
        self.assertEqual(set(commands), {"scale<3>", "two::fill", "plain"})
        for each in listed:
            self.assertEqual(each["command"][:5], ["warpwise", "explain", "list.cu", "--define", "A=1"])
            report = self.json_of(*each["command"][2:])
            self.assertEqual((report["kernel"], report["faults"]), (each["kernel"], []))
        self.assertEqual(commands["scale<3>"][5:],
                         ["--kernel", "scale<3>", "--grid", "256", "--block", "256", "--arg", "f32[65536]", "--arg",
                          "f64[262144]:random", "--arg", "i32:65536"])
        self.assertEqual(commands["two::fill"][7:],
                         ["--grid", "16,16", "--block", "16,16", "--arg", "u8[65536]", "--arg", "{i32:256, i32:0}", "--arg",
                          "u8:1", "--arg", "f32:1"])
        self.assertIn(b"If the data decide branches, indices or atomics, give real data", self.succeed("explain", "list.cu").stdout)
        self.assertIn(b"--block 64 ", self.succeed("explain", "list.cu").stdout)
        done = self.run_command("explain", "list.cu", "--kernel", "fill", "--grid", "1", "--block", "1", "--arg", "u8[1]")
        self.assertIn(b"two::fill(unsigned char*, Box, bool, float) needs 4 arguments and got 1", done.stderr)
        self.assertIn(b"list.cu: 1 kernel.", self.succeed("explain", "list.cu", "--kernel", "scale").stdout)

    @compiles
    def test_a_kernel_that_uses_z_gets_a_cube(self):
        index = "const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y"
        write("cube.cu", "".join(f"__global__ void {name}(float* out, int nx, int ny, int nz) {{\n  {index}, z = {z};\n"
                                 "  if (x < nx && y < ny && z < nz) out[(z * ny + y) * nx + x] = 1;\n}\n"
                                 for name, z in [("deep", "blockIdx.z * blockDim.z + threadIdx.z"), ("layers", "blockIdx.z")]).encode())
        listed = {each["kernel"]: each["command"] for each in json.loads(self.succeed("explain", "cube.cu", "--json").stdout)["kernels"]}
        rest = ["--arg", "f32[262144]"] + ["--arg", "i32:64"] * 3
        self.assertEqual(listed["deep"][5:], ["--grid", "8,8,16", "--block", "8,8,4", *rest])
        self.assertEqual(listed["layers"][5:], ["--grid", "4,4,64", "--block", "16,16", *rest])
        for command in listed.values():
            self.assertEqual(self.json_of(*command[2:])["faults"], [])

    @compiles
    def test_a_kernel_that_waits_for_its_grid(self):
        write("waits.cu", b"#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n__global__ void waits(float* o) {\n"
              b"  cg::grid_group g = cg::this_grid();\n  o[g.thread_rank()] = 1;\n  g.sync();\n  o[g.thread_rank()] += o[0];\n}\n")
        [listed] = json.loads(self.succeed("explain", "waits.cu", "--json").stdout)["kernels"]
        self.assertEqual(listed["command"][5:], ["--grid", "256", "--block", "256", "--arg", "f32[65536]"])
        self.assertIn("warpwise run --explain FILE PROGRAM", listed["note"])

    def test_a_name_that_is_not_utf8(self):
        write("one.ptx", PTX.encode())
        os.rename("one.ptx", b"\xff.ptx")
        [listed] = json.loads(self.succeed("explain", b"\xff.ptx", "--json").stdout)["kernels"]
        self.assertEqual(listed["kernel"], "one")
        launch = ["--grid", "1", "--block", "32", "--arg", "i32[32]", "--json"]
        two = json.loads(self.succeed("explain", b"\xff.ptx", b"\xff.ptx", *launch).stdout)
        self.assertEqual((two["before"], two["after"]), ("one in \ufffd.ptx", "one in \ufffd.ptx"))

    @compiles
    def test_listed_launches_run_without_a_fault(self):
        source = "struct Particle { float x, y, z, vx, vy, vz, mass, charge; };\n" \
                 "struct Scaling { const float* in; float* out; int n; float f; };\n"
        source += "".join(f"__global__ void {name}({parameters}) {{ {body} }}\n" for name, (parameters, body, _) in HARD.items())
        write("hard.cu", source.encode())
        listed = json.loads(self.succeed("explain", "hard.cu", "--json").stdout)["kernels"]
        self.assertEqual({each["kernel"] for each in listed}, set(HARD))
        for each in listed:
            with self.subTest(each["kernel"]):
                for words in HARD[each["kernel"]][2]:
                    self.assertIn(words, each["command"])
                self.assertEqual(self.json_of(*each["command"][2:])["faults"], [])

    @compiles
    def test_a_loop_that_counts_for_ever(self):
        write("count.cu", b'extern "C" __global__ void count(volatile unsigned* p) {\n  for (;;) {\n'
                          b'    *p = *p + 1;\n  }\n}\n')
        report = self.json_of("count.cu", "--grid", "1", "--block", "1", "--arg", "u32[1]", "--budget",
                              "100000", code=FAILED)
        [fault] = report["faults"]
        self.assertEqual((fault["kind"], fault["line"]), ("budget", 3))

    def test_it_shows_what_takes_over_a_second(self):
        write("loop.ptx", b".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry loop() {\n  .reg .b32 %r;\n  mov.b32 %r, 0;\n"
                          b"again:\n  add.s32 %r, %r, 1;\n  bra again;\n}\n")
        call = ["explain", "loop.ptx", "--grid", "1", "--block", "32", "--budget"]
        self.assertNotIn(b"running", self.on_terminal(*call, "100", streams=["stderr"])[1])
        for budget in [30_000_000, 600_000_000, 6_000_000_000]:  # with a sanitizer even the first budget takes long
            code, shown = self.on_terminal(*call, str(budget), streams=["stderr"])
            self.assertEqual(code, FAILED)
            if b"running" in shown:
                break
        self.assertRegex(shown, rb"running loop.ptx: 1 s")


class BadInput(ExplainTest):
    ONE = ["one.ptx", "--grid", "1", "--block", "32"]

    def refuse(self, *arguments, says, code=USAGE):
        self.fail_with(code, "explain", *arguments, says=says)

    def test_calls(self):
        self.refuse(says=["FILE.cu", "lists"])
        self.refuse("one.ptx", "--kernal", "one", says='--kernal (did you mean "--kernel"?)')
        self.refuse("one.ptx", "--arg", "i32[9]", says="--grid")
        self.refuse("one.ptx", "--block", "1", says="--grid")
        self.refuse("none.ptx", says=["none.ptx", "no such file"], code=FAILED)
        self.refuse("one.ptx", "--grid", "1", says="--block")
        self.refuse("one.ptx", "--grid", "0", "--block", "1", says=["--grid", "'0'"])
        self.refuse(*self.ONE, "--arg", "i32[32]", "--cc", "4.0", says=["4.0", "9.0"])
        self.refuse(*self.ONE, "--arg", "i32[32]", "--registers", "256", says="1 to 255")
        self.refuse(*self.ONE, "--arg", "i32[32]", "--budget", "0", says="--budget")
        self.refuse(*self.ONE, "more", says="more")
        self.refuse("one.c", "--grid", "1", "--block", "1", says=".cu")
        self.refuse("none.ptx", "--grid", "1", "--block", "1", says="none.ptx", code=FAILED)

    def test_outputs_are_checked_before_the_run(self):
        launch = [*self.ONE, "--arg", "i32[32]", "--dump", "0=a.npy"]
        self.refuse(*launch, "--html", "./one.ptx", says="--html would replace ./one.ptx, which is the input")
        self.assertEqual(read("one.ptx"), PTX.encode())
        os.symlink("one.ptx", "link.npy")
        self.refuse(*launch, "--dump", "0=link.npy", says="--dump 0 would replace link.npy, which is the input")
        self.refuse(*launch, "--dump", "1=./a.npy", says="--dump 0 and --dump 1 name the same file")
        self.refuse(*launch, "--html", "no/x.html", says="no/x.html", code=FAILED)
        self.refuse(*launch, "--dump", "0=no/x.npy", says="no/x.npy", code=FAILED)
        self.refuse(*launch, "--html", "", says="the name of a file is empty")
        with open("a.npy", "wb") as output:
            done = subprocess.run([WARPWISE, "explain", *launch], stdout=output, stderr=subprocess.PIPE, text=True)
        self.assertEqual((done.returncode, read("a.npy")), (USAGE, b""))
        self.assertIn("--dump 0 would replace a.npy, which is standard output too", done.stderr)

    def test_options_without_effect(self):
        for option in [["--html", "x.html"], ["--dump", "0=x.npy"], ["--check", "all"], ["--on", "gpu"], ["--registers", "32"], ["--sample", "2"],
                       ["--budget", "9"], ["--shared", "9"], ["--machine-code"], ["--fidelity"]]:
            self.refuse("one.ptx", *option, says=f"{option[0]} needs --grid and --block")
            if option[0] != "--html":
                self.refuse("one.ptx", "--host-code", *option, says=["--host-code launches no kernel", option[0]])
        self.refuse("one.ptx", "--fidelity", "--shared", "9", says="--shared, --fidelity need --grid and --block")
        self.succeed("explain", "one.ptx", "--on", "emulator", "--cc", "1.3", "--kernel", "one")
        for option in [["--define", "V=9"], ["--include", "."], ["--arch", "90"]]:
            self.refuse(*self.ONE, "--arg", "i32[32]", *option, says=[option[0], "one.ptx is compiled already"])
            self.refuse("one.ptx", *option, says="one.ptx is compiled already")

    def test_kernels(self):
        self.refuse(*self.ONE, "--kernel", "two", says=["two", "one"])

    def test_blocks(self):
        self.refuse("one.ptx", "--grid", "1", "--block", "2000", "--arg", "i32[9]",
                    says=["2000", "1024"])
        self.refuse("one.ptx", "--grid", "1", "--block", "32,33", "--arg", "i32[9]", says="1024")
        self.refuse("one.ptx", "--grid", "1", "--block", "1,1,65", "--arg", "i32[9]", says="64")
        self.refuse("one.ptx", "--grid", "1", "--block", "4294967295,4294967295,4294967295", "--arg",
                    "i32[9]", says="1024")
        self.refuse("one.ptx", "--grid", "1,65536", "--block", "1", "--arg", "i32[9]", says="65535")

    def test_arguments(self):
        self.refuse(*self.ONE, says=["1 parameters", "got 0", "pointer"])
        self.refuse(*self.ONE, "--arg", "i32[1]", "--arg", "i32[1]", says="got 2")
        self.refuse(*self.ONE, "--arg", "i32:1", says=["argument 0", "i32:1"])
        self.refuse(*self.ONE, "--arg", "i32[1", says="']' is missing")
        self.refuse(*self.ONE, "--arg", "i32[0]", says="from 1 on")
        self.refuse(*self.ONE, "--arg", "i32[4*]", says="from 1 on")
        self.refuse(*self.ONE, "--arg", "i32[4294967296*4294967296]", says="memory")
        self.refuse(*self.ONE, "--arg", "int[1]", says=["'int' is no type", "i32"])
        self.refuse(*self.ONE, "--arg", "i32[4]:@none.npy", says="none.npy", code=FAILED)
        write("four.npy", npy("<i4", (4,), bytes(16)))
        self.refuse(*self.ONE, "--arg", "i32[5]:@four.npy", says=["i32[5]", "4 elements"])
        write("four.raw", bytes(16))
        for size in [3, 5]:
            self.refuse(*self.ONE, "--arg", f"i32[{size}]:@four.raw",
                        says=[f"i32[{size}]", "four.raw", f"{4 * size} bytes"])
        self.refuse(*self.ONE, "--arg", "f32[4]:@four.npy", says=["f32[4]", "i32"])
        self.refuse(*self.ONE, "--arg", "i32[4]", "--dump", "1=a.npy", says="1 arguments")
        self.refuse(*self.ONE, "--arg", "i32[4]", "--dump", "0=a.txt", says="FILE.npy")

    @compiles
    def test_shared_memory(self):
        write("shared.cu", b"__global__ void k(int* p) { extern __shared__ int s[]; s[threadIdx.x] = 1; p[0] = s[0]; }")
        launch = ["shared.cu", "--grid", "1", "--block", "32", "--arg", "i32[1]"]
        done = self.run_command("explain", *launch)
        self.assertIn(b"extern __shared__ memory: give its size by --shared BYTES.", done.stdout)
        self.refuse(*launch, "--shared", "300000", says="a block with 300000 bytes")

    @compiles
    def test_structures_need_each_member(self):
        write("box.cu", b"struct Box { float* p; int w, h; };\n"
                        b"__global__ void k(Box b) { if (threadIdx.x < b.w * b.h) b.p[threadIdx.x] = 1; }\n")
        self.refuse("box.cu", "--grid", "1", "--block", "32", "--arg", "{f32[32], i32:8}",
                    says=["box.cu: argument 0 of the kernel (counted from 0) lacks a member", "byte 12"])
        self.succeed("explain", "box.cu", "--grid", "1", "--block", "32", "--arg", "{f32[32], i32:8, i32:4}")

    @compiles
    def test_templates(self):
        write("none.cu", b"template <class T> __global__ void k(T* p) { *p = 0; }\n")
        self.refuse("none.cu", says="has no kernel; a template needs an instantiation such as: template __global__ void")
        write("empty.cu", b"__device__ void f() {}\n")
        done = self.run_command("explain", "empty.cu")
        self.assertNotIn(b"template", done.stderr)

    def test_memory(self):
        self.refuse(*self.ONE, "--arg", "f64[1000000000000]", says="bytes", code=FAILED)
        self.refuse(*self.ONE, "--arg", "f64[1000000000000000000000]", says="from 1 on")

    def test_ptx(self):
        for cut in [40, 120, 200, len(PTX) - 5]:
            write("cut.ptx", PTX[:cut].encode())
            done = self.run_command("explain", "cut.ptx", "--grid", "1", "--block", "1")
            self.assertIn(done.returncode, [FAILED, USAGE])
            self.assertTrue(done.stderr.startswith(b"warpwise: "), done.stderr)
            self.assertEqual(done.stdout, b"")
        write("binary.ptx", bytes(range(256)))
        self.refuse("binary.ptx", "--grid", "1", "--block", "1", says="line 1")

    @compiles
    def test_sources(self):
        write("wrong.cu", b"__global__ void k(int* p) {\n  p[0] = nothing;\n}\n")
        done = self.run_command("explain", "wrong.cu", "--grid", "1", "--block", "1", "--arg", "i32[1]")
        self.assertEqual(done.returncode, FAILED)
        self.assertEqual(done.stdout, b"")
        self.assertIn(b'wrong.cu(2): error: identifier "nothing" is undefined',
                      done.stderr.splitlines()[-1])

    @compiles
    def test_elements_of_a_kernel_whose_name_has_no_types(self):
        twice = 'extern "C" __global__ void twice(const int n, TYPE* __restrict__ y) { if (threadIdx.x < n) y[threadIdx.x] *= 2; }\n'
        launch = ["twice.cu", "--grid", "1", "--block", "32", "--arg", "i32:4", "--arg", "f32[64]"]
        write("twice.cu", twice.replace("TYPE", "double").encode())
        self.refuse(*launch, says=["argument 1", "is double*", "write f64[64]"])
        for source in [twice.replace("TYPE", "float"), "#ifdef DOUBLE\n" + twice.replace("TYPE", "double") + "#else\n" + twice.replace("TYPE", "float")
                       + "#endif\n"]:
            write("twice.cu", source.encode())
            self.succeed("explain", *launch)

    @compiles
    def test_several_kernels(self):
        self.refuse("transpose.cu", "--define", "PAD=0", *SHAPE,
                    says=["--kernel", "naive", "transpose"])

    @compiles
    def test_the_architecture_is_that_of_the_gpu(self):
        write("arch.cu", b"__global__ void k(int* p) {\n#if __CUDA_ARCH__ >= 900\n  p[0] = 900;\n#else\n  p[0] = 1;\n#endif\n}\n")
        launch = ["arch.cu", "--grid", "1", "--block", "32", "--arg", "i32[1]", "--dump", "0=out.npy"]
        for options, expected, built in [([], 900, 90), (["--cc", "2.0"], 1, 75), (["--cc", "2.0,9.0"], 900, 90),
                                         (["--cc", "7.5,9.0"], 1, 75), (["--profile", "h200"], 900, 90),
                                         (["--arch", "75"], 1, 75)]:
            shown = self.succeed("explain", *launch, *options).stdout.decode()
            self.assertIn(f"for compute_{built}\n", shown, options)
            self.assertEqual(struct.unpack("<i", npy_parts("out.npy")[2]), (expected,), options)
        write("redux.cu", b"__global__ void k(int* p) { p[0] = __reduce_add_sync(~0u, p[threadIdx.x]); }\n")
        launch = ["redux.cu", "--grid", "1", "--block", "32", "--arg", "i32[32]"]
        self.succeed("explain", *launch)
        done = self.run_command("explain", *launch, "--arch", "75")
        self.assertEqual(done.returncode, FAILED)
        self.assertIn(b"is undefined; if only newer GPUs have it, choose one by --arch, --cc or --profile", done.stderr.splitlines()[-1])

    @compiles
    def test_architectures(self):
        self.refuse("scale.cu", "--arch", "20", "--grid", "1", "--block", "1", says=["20", "75", "90"])

    def test_nothing_stays_behind(self):
        os.mkdir("tmp")
        environment = dict(os.environ, TMPDIR=os.path.join(os.getcwd(), "tmp"))
        self.run_command("explain", "scale.cu", "--grid", "1", "--block", "1", env=environment)
        self.assertEqual(os.listdir("tmp"), [])

    def test_without_a_compiler(self):
        environment = dict(os.environ, WARPWISE_CUDA_HOME="none", XDG_CACHE_HOME=os.getcwd())
        self.fail_with(FAILED, "explain", "scale.cu", "--grid", "1", "--block", "1",
                       says=["no CUDA compiler", "get-nvrtc.sh"], env=environment)
        done = self.run_command("explain", *self.ONE, "--arg", "i32[32]", "--json", env=environment)
        counts = json.loads(done.stdout)["by_cc"]["9.0"]
        self.assertIsNone(counts["registers"])
        self.assertIn("not known", counts["registers_from"])


if __name__ == "__main__":
    unittest.main()
