// Tests the reasons that the advice gives for scattered addresses. The PTX is that of short
// kernels, k(float* out, const float* in, int n).
#include "warpwise/lab/explain/kernel/access_pattern.hpp"

#include <gtest/gtest.h>

#include "support/enum_names.hpp"
#include "warpwise/lab/explain/explain.hpp"

namespace warpwise::lab {
namespace {

// Returns an explanation of a kernel with this PTX; line 2 loads and line 3 stores.
Explanation with(const std::string& code, const std::string& name = "_Z1kPfPKfi",
                 const std::string& parameters = "float* out, const float* in, int n") {
  Explanation result;
  result.kernel.name = name;
  result.request.file = "k.cu";
  result.sources = {
      {"k.cu", "k.cu", {"__global__ void k(" + parameters + ") {", "load", "store", "}"}}};
  result.compilation.ptx = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry " +
                           name +
                           "(.param .u64 a, .param .u64 b, .param .u32 c)\n{\n"
                           ".reg .pred %p<4>;\n.reg .f32 %f<9>;\n.reg .b32 %r<20>;\n"
                           ".reg .b64 %rd<20>;\n"
                           "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\n"
                           "ld.param.u32 %r1, [c];\n"
                           "cvta.to.global.u64 %rd3, %rd1;\ncvta.to.global.u64 %rd4, %rd2;\n"
                           "mov.u32 %r2, %tid.x;\nmov.u32 %r3, %tid.y;\n"
                           "mov.u32 %r4, %ctaid.x;\nmov.u32 %r5, %ntid.x;\n"
                           "mad.lo.s32 %r6, %r4, %r5, %r2;\n" +
                           code + "ret;\n}\n.file 1 \"k.cu\"\n";
  return result;
}

// Returns code that loads from `in`, at the index in a register; store() stores to `out`.
std::string load(const std::string& index) {
  return "mul.wide.s32 %rd5, " + index +
         ", 4;\nadd.s64 %rd6, %rd4, %rd5;\n.loc 1 2 0\nld.global.f32 %f1, [%rd6];\n";
}
std::string store(const std::string& index) {
  return "mul.wide.s32 %rd7, " + index +
         ", 4;\nadd.s64 %rd8, %rd3, %rd7;\n.loc 1 3 0\nst.global.f32 [%rd8], %f1;\n";
}

std::optional<ScatteredAccess> at(const Explanation& explanation, int line) {
  return scattered_at(explanation, accesses_of(explanation), "k.cu", line, line == 3);
}

std::string pattern_at(const Explanation& explanation, int line) {
  const auto reason = at(explanation, line);
  return reason ? std::string(warpwise::name_of(reason->pattern)) : "none";
}

TEST(AccessPattern, HasNames) { EXPECT_TRUE(test::names_each_enumerator<AccessPattern>()); }

TEST(AccessPattern, NeighboursAreNoneOfThem) {
  const Explanation kernel = with(load("%r6") + store("%r6"));
  EXPECT_EQ(pattern_at(kernel, 2), "none");
  EXPECT_EQ(pattern_at(kernel, 3), "none");
  const std::vector<GlobalAccess> accesses = accesses_of(kernel);
  ASSERT_EQ(accesses.size(), 2U);
  EXPECT_EQ(accesses[0].address.steps[thread_x], (Step{4, false}));
  EXPECT_TRUE(accesses[0].address.steps[block_x].by_variable) << "blocks are blockDim.x apart";
  EXPECT_EQ(accesses[0].address.parameter, 1U);
  EXPECT_EQ(accesses[1].address.parameter, 0U);
}

TEST(AccessPattern, SwappedIndices) {
  const std::string down = "mad.lo.s32 %r7, %r2, %r1, %r3;\n";  // x * n + y
  const Explanation kernel = with(down + load("%r7") + store("%r7"));
  EXPECT_EQ(pattern_at(kernel, 2), "swapped indices");
  EXPECT_EQ(pattern_at(kernel, 3), "swapped indices");
  EXPECT_NE(at(kernel, 2)->cause.find("threadIdx.x goes down the rows of in[]"), std::string::npos)
      << at(kernel, 2)->cause;
  EXPECT_NE(at(kernel, 2)->cause.find("threadIdx.y goes along a row"), std::string::npos);
  // Swapped indices of a row of known length are not reported as a constant stride.
  EXPECT_EQ(pattern_at(with("mad.lo.s32 %r7, %r2, 1000, %r3;\n" + load("%r7")), 2),
            "swapped indices");
}

// A store of one result per block does not tell which index goes along the rows.
TEST(AccessPattern, AResultOfABlockIsNoRow) {
  const Explanation kernel = with("mul.lo.s32 %r7, %r6, 7;\n" + load("%r7") + store("%r4"));
  EXPECT_EQ(pattern_at(kernel, 2), "stride");
}

TEST(AccessPattern, ATableIsForSharedMemoryIfItFits) {
  Explanation kernel = with(".loc 1 1 0\n" + load("%r6") + "cvt.rzi.s32.f32 %r7, %f1;\n" +
                            "mul.wide.s32 %rd9, %r7, 4;\nadd.s64 %rd10, %rd4, %rd9;\n"
                            ".loc 1 2 0\nld.global.f32 %f2, [%rd10];\n");
  const auto cure = [&](const std::string& buffer) {
    kernel.request.arguments = {parse_argument("f32[1]"), parse_argument(buffer)};
    const auto reason = at(kernel, 2);
    return reason ? reason->cure : "";
  };
  EXPECT_NE(cure("f32[12288]").find("Or keep its 49152 bytes in shared memory"), std::string::npos)
      << cure("f32[12288]");
  EXPECT_EQ(cure("f32[12289]").find("shared memory"), std::string::npos);
}

TEST(AccessPattern, Transpose) {
  const Explanation kernel = with(
      "mad.lo.s32 %r7, %r2, %r1, %r3;\n"    // x * n + y
      "mad.lo.s32 %r8, %r3, %r1, %r2;\n" +  // y * n + x
      load("%r8") +
      store("%r7"));
  EXPECT_EQ(pattern_at(kernel, 2), "none");
  EXPECT_EQ(pattern_at(kernel, 3), "transpose");
  EXPECT_NE(at(kernel, 3)->cure.find("__shared__ float tile[32][33]"), std::string::npos);
  // A vector that is read along threadIdx.x is not taken for a second matrix.
  const Explanation vector = with("mad.lo.s32 %r7, %r2, %r1, %r3;\n" + load("%r2") + store("%r7"));
  EXPECT_EQ(pattern_at(vector, 3), "swapped indices");
}

// Each thread loops over its own row. The loop's step is not the distance between threads.
TEST(AccessPattern, RowPerThread) {
  const Explanation kernel = with(
      "mul.lo.s32 %r7, %r6, %r1;\nmul.wide.s32 %rd5, %r7, 4;\nadd.s64 %rd6, %rd4, %rd5;\n"
      "mov.u32 %r9, 0;\n$L:\n.loc 1 2 0\nld.global.f32 %f1, [%rd6];\nadd.s64 %rd6, %rd6, 4;\n"
      "add.s32 %r9, %r9, 1;\nsetp.lt.s32 %p1, %r9, %r1;\n@%p1 bra $L;\n" +
      store("%r6"));
  EXPECT_EQ(pattern_at(kernel, 2), "row per thread");
  EXPECT_EQ(pattern_at(kernel, 3), "none");
  // A thread uses several elements in an unrolled loop over its row, but they are no structure.
  const Explanation unrolled = with(
      "mul.wide.s32 %rd5, %r6, 128;\nadd.s64 %rd6, %rd4, %rd5;\nmov.u32 %r9, 0;\n$L:\n"
      ".loc 1 2 0\nld.global.f32 %f1, [%rd6];\nld.global.f32 %f2, [%rd6+4];\n"
      "add.s64 %rd7, %rd6, 8;\nadd.s32 %r9, %r9, 1;\nsetp.lt.s32 %p1, %r9, 16;\n"
      "mov.u64 %rd6, %rd7;\n@%p1 bra $L;\n");
  EXPECT_EQ(pattern_at(unrolled, 2), "row per thread");
}

// A loop that stores an element for each element that it loads combines nothing.
TEST(AccessPattern, ARowOfResultsIsNotCombined) {
  const std::string begin =
      "mul.lo.s32 %r7, %r6, %r1;\nmul.wide.s32 %rd5, %r7, 4;\nadd.s64 %rd6, %rd4, %rd5;\n"
      "add.s64 %rd8, %rd3, %rd5;\n$L:\n.loc 1 2 0\nld.global.f32 %f1, [%rd6];\n"
      "add.s64 %rd6, %rd6, 4;\n";
  const std::string end = "setp.lt.s32 %p1, %r9, %r1;\n@%p1 bra $L;\n";
  const std::string stored = ".loc 1 3 0\nst.global.f32 [%rd8], %f1;\nadd.s64 %rd8, %rd8, 4;\n";
  for (const std::string line : {"sum += in[t * n + x];", "sum += in[x];"}) {
    Explanation sum = with(begin + end);
    Explanation rows = with(begin + stored + end);
    sum.sources[0].lines[1] = rows.sources[0].lines[1] = line;
    EXPECT_NE(at(sum, 2)->cure.find("__shfl_down_sync"), std::string::npos) << line;
    EXPECT_EQ(at(rows, 2)->cure.find("__shfl_down_sync"), std::string::npos) << line;
    EXPECT_NE(at(rows, 2)->cure.find("neighbouring elements"), std::string::npos) << line;
  }
}

// Returns a kernel with rows of eight floats whose loop is unrolled.
Explanation rows_of_eight(const std::string& line) {
  std::string code = "mul.wide.s32 %rd5, %r6, 32;\nadd.s64 %rd6, %rd4, %rd5;\n.loc 1 2 0\n";
  for (int k = 0; k < 8; ++k)
    code += "ld.global.f32 %f" + std::to_string(k) + ", [%rd6+" + std::to_string(4 * k) + "];\n";
  Explanation kernel = with(code);
  kernel.sources[0].lines[1] = line;
  return kernel;
}

TEST(AccessPattern, AnUnrolledRowIsNoStructure) {
  const Explanation row = rows_of_eight("for (int k = 0; k < 8; ++k) sum += in[row * 8 + k];");
  EXPECT_EQ(pattern_at(row, 2), "piece per thread");
  EXPECT_NE(at(row, 2)->cure.find("load 16 bytes at a time, as float4"), std::string::npos)
      << at(row, 2)->cure;
  EXPECT_EQ(pattern_at(rows_of_eight("sum = in[8 * row] + in[8 * row + 1] + in[8 * row + 2];"), 2),
            "array of structures");
}

TEST(AccessPattern, ShortRowsAreLoadedAtOnce) {
  std::string code = "mul.wide.s32 %rd5, %r6, 4;\nadd.s64 %rd6, %rd4, %rd5;\n.loc 1 2 0\n";
  for (int k = 0; k < 4; ++k) code += "ld.global.u8 %r7, [%rd6+" + std::to_string(k) + "];\n";
  Explanation bytes = with(code);
  bytes.sources[0].lines[1] = "for (int k = 0; k < 4; ++k) sum += in[t * 4 + k];";
  EXPECT_EQ(at(bytes, 2)->cure,
            "Rows are short. A thread's elements are neighbours: load 4 bytes at a time, as "
            "unsigned.");
  // Two source lines are no unrolled loop.
  Explanation pair = with(
      "mul.wide.s32 %rd5, %r6, 8;\nadd.s64 %rd6, %rd4, %rd5;\n.loc 1 2 0\n"
      "ld.global.f32 %f1, [%rd6];\n.loc 1 3 0\nld.global.f32 %f2, [%rd6+4];\n");
  pair.sources[0].lines[1] = "s[2 * t] = in[2 * t];";
  EXPECT_EQ(pattern_at(pair, 2), "array of structures");
  EXPECT_NE(at(pair, 2)->cure.find("load 8 bytes at a time, as float2"), std::string::npos);
}

TEST(AccessPattern, VectorsOfFloatsBecomeFloat4) {
  std::string code = "mul.wide.s32 %rd5, %r6, 12;\nadd.s64 %rd6, %rd4, %rd5;\n.loc 1 2 0\n";
  for (const std::string at : {"0", "4", "8"}) code += "ld.global.f32 %f1, [%rd6+" + at + "];\n";
  Explanation kernel = with(code, "_Z1kP6float3PKS_i", "float3* out, const float3* in, int n");
  kernel.sources[0].lines[1] = "float3 a = in[i];";
  EXPECT_NE(at(kernel, 2)->cure.find("load 16 bytes at a time, as float4"), std::string::npos)
      << at(kernel, 2)->cure;
}

TEST(AccessPattern, ATableIsCopiedOnlyIfABlockReadsItAll) {
  const std::string index =
      "mul.wide.s32 %rd9, %r6, 4;\nadd.s64 %rd10, %rd4, %rd9;\nld.global.u32 %r7, [%rd10];\n";
  Explanation kernel = with(index + load("%r7"));
  kernel.request.grid = {10, 1, 1};
  kernel.request.arguments = {ArgumentSpec{}, parse_argument("f32[256]"), ArgumentSpec{}};
  emulator::LineCounts line;
  line.file = "k.cu";
  line.line = 2;
  line.memory.resize(1);
  line.memory[0].global_load.bytes_requested = 10 * 1024;
  kernel.launch.lines = {line};
  EXPECT_NE(at(kernel, 2)->cure.find("keep its 1024 bytes in shared memory"), std::string::npos)
      << at(kernel, 2)->cure;
  kernel.launch.lines[0].memory[0].global_load.bytes_requested = 10 * 1024 - 1;
  EXPECT_EQ(at(kernel, 2)->cure.find("in shared memory"), std::string::npos);
}

TEST(AccessPattern, PiecePerThread) {
  Explanation kernel = with(
      "mul.lo.s32 %r7, %r6, %r1;\nmul.wide.s32 %rd5, %r7, 4;\nadd.s64 %rd6, %rd4, %rd5;\n"
      "$L:\n.loc 1 2 0\nld.global.f32 %f1, [%rd6];\nadd.s64 %rd6, %rd6, 4;\n"
      "setp.lt.s32 %p1, %r9, %r1;\n@%p1 bra $L;\n");
  kernel.sources[0].lines[1] = "for (int i = t * n; i < (t + 1) * n; ++i) sum += in[i];";
  EXPECT_EQ(pattern_at(kernel, 2), "piece per thread");
  EXPECT_NE(at(kernel, 2)->cure.find("goes on by the number of threads"), std::string::npos);
  kernel.sources[0].lines[1] = "for (int x = 0; x < n; ++x) sum += in[t * n + x];";
  EXPECT_EQ(pattern_at(kernel, 2), "row per thread");
  // The second index, i - n, shows that the array is not indexed by a loop counter alone.
  kernel.sources[0].lines[1] = "for (int i = t * n; i < t * n + n; ++i) sum += in[i] * w[i - n];";
  EXPECT_EQ(pattern_at(kernel, 2), "row per thread");
}

// A row of a sparse matrix begins at a loaded index; the vector's index is loaded for each element.
TEST(AccessPattern, RowOfASparseMatrix) {
  const Explanation kernel = with(
      "mul.wide.s32 %rd5, %r6, 4;\nadd.s64 %rd6, %rd3, %rd5;\nld.global.u32 %r7, [%rd6];\n$L:\n"
      ".loc 1 2 0\nmul.wide.s32 %rd7, %r7, 4;\nadd.s64 %rd8, %rd4, %rd7;\n"
      "ld.global.u32 %r8, [%rd8];\nmul.wide.s32 %rd9, %r8, 4;\nadd.s64 %rd10, %rd4, %rd9;\n"
      "ld.global.f32 %f1, [%rd10];\nadd.s32 %r7, %r7, 1;\nsetp.lt.s32 %p1, %r7, %r1;\n"
      "@%p1 bra $L;\n");
  EXPECT_EQ(pattern_at(kernel, 2), "row per thread");
  EXPECT_NE(at(kernel, 2)->cause.find("beginning comes from memory"), std::string::npos);
}

TEST(AccessPattern, TypesOfAnUnmangledKernelComeFromTheSource) {
  const std::string code =
      "mul.wide.s32 %rd5, %r6, 32;\nadd.s64 %rd6, %rd3, %rd5;\n"
      ".loc 1 2 0\nld.global.f32 %f1, [%rd6];\n.loc 1 3 0\nst.global.f32 [%rd6], %f1;\n";
  EXPECT_NE(at(with(code, "k", "Particle* p, const float* x, int n"), 2)
                ->cause.find("a Particle of 32 bytes apart"),
            std::string::npos);
  EXPECT_EQ(pattern_at(with(code, "k", "float* p, const float* x, int n"), 2), "stride");
}

TEST(AccessPattern, Structures) {
  const std::string code =
      "mul.wide.s32 %rd5, %r6, 32;\nadd.s64 %rd6, %rd3, %rd5;\n"
      ".loc 1 2 0\nld.global.f32 %f1, [%rd6];\nld.global.f32 %f2, [%rd6+12];\n"
      ".loc 1 3 0\nst.global.f32 [%rd6], %f1;\n";
  const Explanation kernel = with(code, "_Z1kP8ParticlePKfi", "Particle* p, const float* x, int n");
  EXPECT_EQ(pattern_at(kernel, 2), "array of structures");
  EXPECT_EQ(pattern_at(kernel, 3), "array of structures");
  EXPECT_NE(at(kernel, 2)->cause.find("a Particle of 32 bytes apart, and the kernel uses 8"),
            std::string::npos)
      << at(kernel, 2)->cause;
  EXPECT_NE(at(kernel, 2)->cure.find("x[i] in place of p[i].x"), std::string::npos);
  // Interleaved floats count as an array of structures too, without a structure type.
  EXPECT_EQ(pattern_at(with(code), 2), "array of structures");
}

// Floats have no members that could be kept in separate arrays.
TEST(AccessPattern, InterleavedElementsHaveNoMembers) {
  const auto pixels = [](int bytes, int element, const std::string& type) {
    std::string code = "mul.wide.s32 %rd5, %r6, " + std::to_string(bytes) +
                       ";\nadd.s64 %rd6, %rd4, %rd5;\n.loc 1 2 0\n";
    for (int at = 0; at < bytes; at += element)
      code += "ld.global." + type + " %f1, [%rd6+" + std::to_string(at) + "];\n";
    const auto reason = scattered_at(with(code), accesses_of(with(code)), "k.cu", 2, false);
    return reason ? *reason : ScatteredAccess{};
  };
  const ScatteredAccess grey = pixels(3, 1, "u8");
  EXPECT_EQ(
      grey.cause,
      "Neighbouring threads are 3 bytes apart in in[], and the kernel uses all of these bytes.");
  EXPECT_EQ(grey.cure,
            "Let each thread take what 4 neighbours take now, 12 bytes side by side, and load 4 "
            "bytes at a time, as unsigned.");
  EXPECT_FALSE(grey.example_fits);
  EXPECT_NE(pixels(12, 4, "f32")
                .cure.find("4 neighbours take now, 48 bytes side by side, and load 16 bytes at a "
                           "time, as float4"),
            std::string::npos)
      << pixels(12, 4, "f32").cure;
  EXPECT_NE(pixels(8, 4, "f32").cure.find("load 8 bytes at a time, as float2"), std::string::npos)
      << pixels(8, 4, "f32").cure;
}

TEST(AccessPattern, InterleavedResultsAreForAThreadEach) {
  std::string code =
      "mul.wide.s32 %rd5, %r6, 12;\nadd.s64 %rd6, %rd4, %rd5;\nadd.s64 %rd8, %rd3, %rd5;\n"
      ".loc 1 2 0\n";
  for (const std::string at : {"0", "4", "8"})
    code += "ld.global.f32 %f1, [%rd6+" + at + "];\nst.global.f32 [%rd8+" + at + "], %f1;\n";
  Explanation kernel = with(code);
  kernel.sources[0].lines[1] = "for (c = 0; c < 3; ++c) out[i * 3 + c] = f(in[i * 3 + c]);";
  for (const bool is_store : {false, true}) {
    const auto reason = scattered_at(kernel, accesses_of(kernel), "k.cu", 2, is_store);
    ASSERT_TRUE(reason);
    EXPECT_NE(reason->cause.find("Each thread takes 3 interleaved elements"), std::string::npos)
        << reason->cause;
    EXPECT_NE(reason->cure.find("Let each thread take one element"), std::string::npos);
  }
  // This loop mirrors a pixel: a result needs another element than its own.
  kernel.sources[0].lines[1] = "for (c = 0; c < 3; ++c) out[i * 3 + c] = f(in[i * 3 + 2 - c]);";
  EXPECT_EQ(at(kernel, 2)->cause.find("interleaved"), std::string::npos) << at(kernel, 2)->cause;
}

TEST(AccessPattern, Stride) {
  const Explanation kernel = with("shl.b32 %r7, %r6, 3;\n" + load("%r7"));
  EXPECT_EQ(pattern_at(kernel, 2), "stride");
  EXPECT_NE(at(kernel, 2)->cause.find("32 bytes apart in in[]"), std::string::npos);
  EXPECT_NE(at(kernel, 2)->cure.find("one element in 8"), std::string::npos);
  const Explanation by_variable = with("mul.lo.s32 %r7, %r6, %r1;\n" + load("%r7"));
  EXPECT_EQ(pattern_at(by_variable, 2), "stride");
}

TEST(AccessPattern, IndexFromMemoryAndFromArithmetic) {
  const std::string index =
      "mul.wide.s32 %rd9, %r6, 4;\nadd.s64 %rd10, %rd4, %rd9;\nld.global.u32 %r7, [%rd10];\n";
  EXPECT_EQ(pattern_at(with(index + load("%r7")), 2), "loaded index");
  EXPECT_EQ(pattern_at(with(index + store("%r7")), 3), "loaded index");
  EXPECT_EQ(pattern_at(with("rem.s32 %r7, %r6, %r1;\n" + load("%r7")), 2), "computed index");
  // An index that all threads load from one address is the same for all threads.
  const std::string shared = "ld.global.u32 %r8, [%rd4];\nadd.s32 %r7, %r6, %r8;\n";
  EXPECT_EQ(pattern_at(with(shared + load("%r7")), 2), "none");
}

TEST(AccessPattern, IndicesComeFromABuffer) {
  using Sources = std::set<std::size_t>;
  const auto sources = [](const std::string& code) {
    return index_sources(with(code).compilation.ptx, "_Z1kPfPKfi");
  };
  const std::string index =
      "mul.wide.s32 %rd9, %r6, 4;\nadd.s64 %rd10, %rd4, %rd9;\nld.global.u32 %r7, [%rd10];\n";
  EXPECT_EQ(sources(load("%r6") + store("%r6")), Sources{});
  EXPECT_EQ(sources(index + store("%r7")), Sources{1});
  EXPECT_EQ(sources(index + "shl.b32 %r8, %r7, 1;\nand.b32 %r8, %r8, 63;\n" + store("%r8")),
            Sources{1});
  EXPECT_EQ(sources(index + "mul.wide.s32 %rd7, %r7, 4;\nadd.s64 %rd8, %rd3, %rd7;\n"
                            "red.global.add.u32 [%rd8], 1;\n"),
            Sources{1});
  // Row offsets, at which a loop begins, do not count as indices.
  EXPECT_EQ(sources(index + "$L:\n" + store("%r7") +
                    "add.s32 %r7, %r7, 1;\nsetp.lt.s32 %p1, %r7, %r1;\n@%p1 bra $L;\n"),
            Sources{});
}

// Index warp * n + lane: neighbouring lanes use neighbouring elements, whatever n is.
TEST(AccessPattern, LaneAndWarp) {
  EXPECT_EQ(pattern_at(with("and.b32 %r7, %r2, 31;\nshr.u32 %r8, %r2, 5;\n"
                            "mad.lo.s32 %r9, %r8, %r1, %r7;\n" +
                            load("%r9")),
                       2),
            "none");
}

TEST(AccessPattern, OfNoPtxThereIsNone) {
  Explanation kernel = with("");
  kernel.compilation.ptx = "this is no PTX";
  EXPECT_TRUE(accesses_of(kernel).empty());
  EXPECT_EQ(pattern_at(kernel, 2), "none");
}

}  // namespace
}  // namespace warpwise::lab
