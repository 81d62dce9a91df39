"""Tests explain's advice, and the launches that explain suggests, on kernels as a beginner writes them."""

import json

from explain_support import FAILED, ExplainTest, compile_by_nvrtc, compiles
from support import read, write

setUpModule = compile_by_nvrtc

INDEX = "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
LINE = ["--grid", "256", "--block", "256"]


def kernel(parameters, *lines):
    """Writes k.cu, in which the first of `lines` is line 3."""
    write("k.cu", (f"__global__ void k({parameters}) {{\n{INDEX}" + "".join(f"  {line}\n" for line in lines) + "}\n").encode())


class Advice(ExplainTest):
    def advice(self, *arguments):
        return self.json_of("k.cu", *LINE, *arguments)["advice"]

    def words(self, *arguments):
        return " ".join(each["text"] for each in self.advice(*arguments))

    @compiles
    def test_scattered_bytes_are_not_told_to_be_wide(self):
        kernel("unsigned char* out, const unsigned char* in, int n", "if (i < n) out[i * 3] = 255 - in[i * 3];")
        text = self.words("--arg", "u8[262144]", "--arg", "u8[262144]:random", "--arg", "i32:65536")
        self.assertIn("Neighbouring threads are 3 bytes apart in in[]", text)
        self.assertNotIn("Accesses of 16 bytes", text)
        kernel("unsigned char* out, const unsigned char* in, int n", "if (i < n) out[i] = 255 - in[i];")
        text = self.words("--arg", "u8[65536]", "--arg", "u8[65536]:random", "--arg", "i32:65536")
        self.assertIn("Accesses of 16 bytes to neighbouring elements, as by uint4,", text)

    @compiles
    def test_doubles_are_said_although_others_gain_more(self):
        arguments = ["--arg", "f32[65536]", "--arg", "f32[65536]:random", "--arg", "i32:65536"]
        kernel("float* out, const float* in, int n", "if (i < n) out[i] = in[i] * 0.299 + 0.114f;")
        text = self.words(*arguments)
        self.assertIn("Line 3 (if (i < n) out[i] = in[i] * 0.299 + 0.114f;) computes most in double precision.", text)
        self.assertIn("A constant without f is a double: write 0.299f, not 0.299.", text)
        kernel("float* out, const float* in, int n", "const double x = in[i];", "if (i < n) out[i] = x * x * x + x;")
        self.assertIn("If single precision is exact enough, compute in float.", self.words(*arguments))
        kernel("float* out, const float* in, int n", "if (i < n) out[i] = in[i] * 0.299f;")
        self.assertNotIn("double", self.words(*arguments))
        # A kernel whose floats are all doubles gets this advice only for a GPU that is slow in double precision.
        kernel("double* out, const double* in, int n", "if (i < n) out[i] = in[i] * 0.299;")
        arguments = ["--arg", "f64[65536]", "--arg", "f64[65536]:random", "--arg", "i32:65536", "--profile"]
        self.assertNotIn("double precision", self.words(*arguments, "h200"))
        self.assertIn("The kernel computes in double precision. An NVIDIA L4 computes 64 times as fast in single",
                      self.words(*arguments, "l4"))

    @compiles
    def test_lanes_that_idle_in_a_function_belong_to_the_branch(self):
        """The function stands above the kernel, inlined or called. The other branch calls no function."""
        for inlining in ["__forceinline__", "__noinline__"]:
            write("k.cu", (f"__device__ {inlining} float work(float v) {{\n  for (int k = 0; k < 100; ++k) v = v * 1.5f + 0.25f * v * v;\n"
                           f"  return v;\n}}\n__global__ void k(float* y, int n) {{\n{INDEX}  if (i % 3 == 0) y[i] = 1;\n  __syncwarp();\n"
                           "  if (i % 4 == 0) y[i] = work(y[i]);\n}\n").encode())
            told = [each["text"] for each in self.advice("--arg", "f32[65536]", "--arg", "i32:65536") if each["remedy"] == "divergence"]
            self.assertEqual(len(told), 1, told)
            self.assertIn("Line 9 (if (i % 4 == 0) y[i] = work(y[i]);) diverges in 2,048 of", told[0])
            self.assertNotIn("Line 7", told[0])

    @compiles
    def test_a_table_in_constant_memory_is_said_once(self):
        write("k.cu", (f"__constant__ float table[4096];\n__global__ void k(const unsigned short* x, float* y) {{\n{INDEX}"
                       "  y[i] = table[x[i] & 4095];\n}\n").encode())
        told = [each for each in self.advice("--arg", "u16[65536]:random", "--arg", "f32[65536]") if each["remedy"] == "constant memory"]
        self.assertEqual(len(told), 1, told)
        self.assertIn("use shared or global memory. Constant memory is the bottleneck.", told[0]["text"])
        self.assertNotIn("example", told[0], "the example moves values into constant memory")

    @compiles
    def test_less_than_a_warp_is_too_small_for_gains(self):
        write("k.cu", b"__global__ void k(float* y) {}\n")
        text = self.succeed("explain", "k.cu", "--grid", "1", "--block", "1", "--arg", "f32[10]").stdout.decode()
        self.assertIn("This launch has 1 thread, less than a warp: it is too small", text)
        self.assertNotIn("times as fast", text)
        self.assertNotIn("Gains are for", text)

    @compiles
    def test_a_gain_that_the_model_does_not_know_is_not_said(self):
        kernel("float* y, const float* x, float mu, float sigma, int n", "if (i >= n) return;", "float d = (x[i] - mu) / sigma;",
               "y[i] = 0.3989422804 / sigma * exp(-0.5 * d * d);")
        text = self.words("--arg", "f32[65536]", "--arg", "f32[65536]:random", "--arg", "f32:0", "--arg", "f32:1", "--arg",
                          "i32:65536", "--profile", "h200")
        self.assertIn("write 0.3989422804f and 0.5f, not 0.3989422804 and 0.5. In single precision, conversions and double "
                      "arithmetic disappear; the model does not know the gain.", text)
        self.assertNotIn("as fast as now", text)

    @compiles
    def test_bank_conflicts_are_said_although_others_gain_more(self):
        kernel("float* out, const float* in, int n", "__shared__ float tile[16][16];",
               "tile[threadIdx.x / 16][threadIdx.x % 16] = in[i];", "__syncthreads();",
               "out[i] = tile[threadIdx.x % 16][threadIdx.x / 16];")
        advice = self.advice("--arg", "f32[65536]", "--arg", "f32[65536]:random", "--arg", "i32:65536")
        [conflicts] = [each for each in advice if each["remedy"] == "bank conflicts"]
        self.assertIn("reads shared memory in 8 passes", conflicts["text"])
        self.assertNotIn("example", conflicts, "the example pads no row")

    @compiles
    def test_rows_pieces_and_sparse_rows_are_told_apart(self):
        sizes = ["--arg", "f32[65536]", "--arg", "f32[1048576]:random"]
        for body, says in [
                ("for (int k = 0; k < 8; ++k) sum += in[i * 8 + k];", "a row of in[] by itself, so that neighbouring threads are "
                 "a row apart. Rows are short: load 16 bytes at a time, as float4."),
                ("for (int k = i * n; k < (i + 1) * n; ++k) sum += in[k];", "a piece of in[] of its own"),
                ("for (int k = 0; k < n; ++k) sum += in[i * n + k];", "Let the 32 threads of a warp take neighbouring elements")]:
            kernel("float* out, const float* in, int n", "float sum = 0;", body, "out[i] = sum;")
            self.assertIn(says, self.words(*sizes, "--arg", "i32:16"))
        kernel("float* y, const int* start, const int* column, const float* a, const float* x", "float sum = 0;",
               "for (int j = start[i]; j < start[i + 1]; ++j)", "sum += a[j] * x[column[j]];", "y[i] = sum;")
        write("start.raw", b"".join((8 * row).to_bytes(4, "little") for row in range(65537)))
        rest = ["--arg", "i32[524288]:random:0..65535", "--arg", "f32[524288]:random", "--arg", "f32[65536]:random"]
        self.assertRegex(self.words("--arg", "f32[65536]", "--arg", "i32[65537]:@start.raw", *rest),
                         r"Each thread goes through a row of \w+\[\] by itself; the row's beginning comes from memory")
        texts = [each["text"] for each in self.advice("--arg", "f32[65536]", "--arg", "i32[65537]", *rest)]
        self.assertIn("Line 5 (sum += a[j] * x[column[j]];) never accessed memory", texts[-1])
        self.assertIn("If its indices are data", texts[-1])
        self.assertGreater(len(texts), 1)

    @compiles
    def test_atomics_name_their_line(self):
        kernel("unsigned* bins, const unsigned char* in, int n", "if (i < n) atomicAdd(&bins[in[i]], 1u);")
        text = self.words("--arg", "u32[256]", "--arg", "u8[65536]:random", "--arg", "i32:65536")
        self.assertIn("Line 3 (if (i < n) atomicAdd(&bins[in[i]], 1u);) has most of the global atomics.", text)
        self.assertIn("With half the atomics, the kernel would be", text)

    @compiles
    def test_spills_name_their_line(self):
        kernel("float* out, const float* in, int n", "float v[64];", "#pragma unroll",
               "for (int k = 0; k < 64; ++k) v[k] = in[i + k * 65536];", "#pragma unroll",
               "for (int k = 1; k < 64; ++k) v[k] += v[k - 1] * v[(k * 37) % 64];", "#pragma unroll",
               "for (int k = 0; k < 64; ++k) out[i + k * 65536] = v[k];")
        write("k.cu", read("k.cu").replace(b"void k(", b"void __launch_bounds__(1024, 2) k("))
        launch = [*LINE, "--arg", "f32[4194304]", "--arg", "f32[4194304]:random", "--arg", "i32:1"]
        report = self.json_of("k.cu", *launch, "--machine-code")
        if not report["by_cc"]["9.0"]["spill_bytes"] or "unavailable" in report["machine_code"]:
            self.skipTest("this compiler spills nothing here, or there is no disassembler")
        report = self.json_of("k.cu", *launch)
        text = " ".join(each["text"] for each in report["advice"])
        self.assertRegex(text, r"Line \d+ \(.*\) has \d+ of the \d+ instructions that load or store them")


class Edges(ExplainTest):
    def faults(self, *arguments):
        done = self.run_command("explain", "k.cu", *arguments)
        self.assertEqual(done.returncode, FAILED)
        return " ".join(done.stdout.decode().split()), done.stderr.decode()

    @compiles
    def test_an_element_past_the_end_is_a_missing_check(self):
        kernel("float* out, const float* in, int n", "if (i < n) out[i] = in[i + 1] - in[i];")
        text, error = self.faults(*LINE, "--arg", "f32[65536]", "--arg", "f32[65536]", "--arg", "i32:65536")
        self.assertIn("No thread goes further than one element past the end: the kernel lacks a check at that edge", text)
        self.assertIn("If a buffer is meant to be longer, this is enough: argument 1: f32[65537]", text)
        self.assertEqual(error, "warpwise: a fault was found at line 3: see Faults in the report\n")
        # The size argument is larger than the number of elements.
        text, _ = self.faults(*LINE, "--arg", "f32[65535]", "--arg", "f32[65538]", "--arg", "i32:65536")
        self.assertNotIn("lacks a check", text)
        self.assertIn("With larger buffers no thread passes their end: argument 0: f32[65536]", text)

    @compiles
    def test_sizes_are_enough_for_the_whole_access(self):
        kernel("float4* out, const float4* in, int n", "if (i <= n) out[i] = in[i];")
        arguments = ["--arg", "f32[262144]", "--arg", "f32[262144]", "--arg", "i32:65535"]
        self.assertEqual(self.json_of("k.cu", *LINE, *arguments)["faults"], [])
        text, _ = self.faults(*LINE, "--arg", "f32[262142]", *arguments[2:])
        sizes = "If a buffer is meant to be longer, this is enough: argument 0: f32[262146]"
        self.assertIn(sizes, text)
        self.assertEqual(self.json_of("k.cu", *LINE, "--arg", "f32[262146]", *arguments[2:])["faults"], [])
        # In a larger buffer, element -1 is outside as well, so no size is suggested.
        kernel("float* out, const float* in, int n", "out[i] = in[i - 1];")
        text, _ = self.faults(*LINE, "--arg", "f32[65535]", "--arg", "f32[65536]", "--arg", "i32:1")
        self.assertNotIn("is enough", text)
        self.assertNotIn("With larger buffers", text)

    @compiles
    def test_a_row_past_the_end_is_a_missing_check(self):
        kernel("float* out, const float* in, int width", "out[i] = in[i + width];")
        text, _ = self.faults(*LINE, "--arg", "f32[65536]", "--arg", "f32[65536]", "--arg", "i32:256")
        self.assertIn("No thread goes further than 256 elements past the end, the value of argument 2: the kernel lacks", text)
        self.assertIn("argument 1: f32[65792]", text)

    @compiles
    def test_more_threads_than_elements_are_a_missing_check(self):
        kernel("float* out, const float* in, int n", "out[i] = in[i];")
        text, _ = self.faults(*LINE, "--arg", "f32[65500]", "--arg", "f32[65500]", "--arg", "i32:65500")
        self.assertIn("The launch has 65536 threads, which is more than the buffer has elements", text)
        self.assertIn("lacks a check such as if (i < n)", text)


class Listed(ExplainTest):
    def listed(self):
        [each] = json.loads(self.succeed("explain", "k.cu", "--json").stdout)["kernels"]
        self.assertEqual(self.json_of(*each["command"][2:])["faults"], [])
        return each

    @compiles
    def test_masks_and_bits_are_no_sizes(self):
        kernel("unsigned* out, const unsigned* in, unsigned mask, int first_bit, int n",
               "if (i < n) out[i] = (in[i] & mask) >> first_bit;")
        self.assertEqual(self.listed()["command"][-6:], ["--arg", "u32:65535", "--arg", "i32:4", "--arg", "i32:65536"])

    @compiles
    def test_beginnings_of_rows_and_indices_lie_in_the_buffers(self):
        kernel("float* y, const int* row_start, const int* column, const float* x, int rows", "if (i >= rows) return;",
               "float sum = 0;", "for (int j = row_start[i]; j < row_start[i + 1]; ++j) sum += x[column[j]];", "y[i] = sum;")
        each = self.listed()
        self.assertIn("i32[65537]:iota", each["command"])
        self.assertTrue({"i32[65536]:random:0..65535", "i32[65537]:random:0..65535"} & set(each["command"]), each["command"])
        self.assertIn("k accesses argument 1 up to 1 element beyond the number of threads", each["note"])
        self.assertIn(b"If it should not, it lacks a bound check.", self.succeed("explain", "k.cu").stdout)

    @compiles
    def test_indices_are_known_by_their_use(self):
        kernel("unsigned* bins, const int* data, int n", "if (i < n) atomicAdd(&bins[data[i]], 1u);")
        self.assertIn("i32[65536]:random:0..65535", self.listed()["command"])
        kernel("int* out, const int* index, int n", "if (i < n) out[i] = index[i];")
        self.assertIn("i32[65536]", self.listed()["command"])

    @compiles
    def test_blocks_without_work_are_left_out(self):
        kernel("float* out, const float* in, int width, int height", "if (i >= height) return;",
               "for (int x = 1; x < width; ++x) out[i * width + x] = in[i * width + x - 1];")
        command = self.listed()["command"]
        self.assertEqual(command[command.index("--grid") + 1], "1")
        kernel("float* out, const float* in, int width, int height", "if (i < width * height) out[i] = in[i];")
        command = self.listed()["command"]
        self.assertEqual(command[command.index("--grid") + 1], "256")

    @compiles
    def test_a_tile_is_a_block(self):
        for tile in ["[TILE][TILE]", "[TILE][TILE + 1]", "[32][33]"]:
            write("k.cu", ("#define TILE 32\n__global__ void k(const float* in, float* out, int n) {\n"
                           f"  __shared__ float tile{tile};\n  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;\n"
                           "  tile[threadIdx.y][threadIdx.x] = in[y * n + x];\n  __syncthreads();\n"
                           "  out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = "
                           "tile[threadIdx.x][threadIdx.y];\n}\n").encode())
            command = self.listed()["command"]
            self.assertEqual(command[command.index("--block") + 1], "32,32", tile)

    @compiles
    def test_rows_of_a_tile_that_loops_pass_over(self):
        write("k.cu", b"__global__ void k(const double* in, double* out, int n) {\n  __shared__ double tile[32][33];\n"
                      b"  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;\n"
                      b"  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];\n"
                      b"  __syncthreads();\n  x = blockIdx.y * 32 + threadIdx.x;\n  y = blockIdx.x * 32 + threadIdx.y;\n"
                      b"  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];\n}\n")
        command = self.listed()["command"]
        self.assertEqual(command[command.index("--block") + 1], "32,8")

    @compiles
    def test_the_largest_block_that_a_shared_array_takes(self):
        write("k.cu", b"__global__ void k(const float* in, float* out) {\n  __shared__ float s[128];\n"
                      b"  s[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];\n  __syncthreads();\n"
                      b"  out[blockIdx.x * blockDim.x + threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];\n}\n")
        command = self.listed()["command"]
        self.assertEqual(command[command.index("--block") + 1], "128")

    @compiles
    def test_textures_have_elements(self):
        write("k.cu", b"__global__ void k(cudaTextureObject_t in, unsigned char* out, int w, int h) {\n"
                      b"  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
                      b"  if (x < w && y < h) out[y * w + x] = tex2D<unsigned char>(in, x + 0.5f, y + 0.5f);\n}\n")
        self.assertIn("tex2d<u8>[256x256]:random", self.listed()["command"])

    @compiles
    def test_a_launch_that_always_faults_says_so(self):
        kernel("float* out, const float* in", "out[i + 100000000] = in[i];")
        [each] = json.loads(self.succeed("explain", "k.cu", "--json").stdout)["kernels"]
        self.assertIn("k: each launch that was tried has a fault (global write of 4 bytes", each["note"])

    @compiles
    def test_k_beside_m_is_a_size_and_the_gpu_is_kept(self):
        kernel("float* c, const float* a, int m, int n, int k", "if (i >= m * n) return;", "float s = 0;",
               "for (int j = 0; j < k; ++j) s += a[j];", "c[i] = s;")
        self.assertEqual(self.listed()["command"][-2:], ["--arg", "i32:64"])
        [each] = json.loads(self.succeed("explain", "k.cu", "--profile", "h200", "--cc", "9.0", "--json").stdout)["kernels"]
        self.assertEqual(each["command"][3:7], ["--cc", "9.0", "--profile", "h200"])

    @compiles
    def test_types_of_extern_c_kernels_come_from_the_source(self):
        write("k.cu", b'extern "C" __global__ void k(double* out, const uint32_t* in, const float* by) {\n'
                      b"  out[threadIdx.x] = in[threadIdx.x] * by[threadIdx.x];\n}\n".replace(b"uint32_t", b"unsigned"))
        self.assertEqual(self.listed()["command"][-6:], ["--arg", "f64[65536]", "--arg", "u32[65536]", "--arg", "f32[65536]:random"])
