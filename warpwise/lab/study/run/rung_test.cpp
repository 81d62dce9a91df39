// Tests that rungs are run and verified, and checks the rows of their runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/compile/kernel_name.hpp"
#include "warpwise/lab/measure/emulator_executor.hpp"
#include "warpwise/lab/study/run/rung_code.hpp"
#include "warpwise/lab/study/run/rung_run.hpp"
#include "warpwise/lab/study/run/rungs_testing.hpp"
#include "warpwise/lab/study/run/study_run.hpp"
#include "warpwise/lab/study/run/verify.hpp"
#include "warpwise/lab/study/show/messages_testing.hpp"
#include "warpwise/lab/study/table/study_table.hpp"
#include "warpwise/lab/study/table/table_fields.hpp"

namespace warpwise::lab {
namespace {

using ladders::Layout;
using ladders::Problem;
using ladders::Variables;
constexpr std::int64_t too_wide = std::numeric_limits<std::int64_t>::max();

TEST_F(Rungs, AreSkippedWithTheReason) {
  const StudyTable table = find_study("threshold");
  const EmulatorExecutor executor({{9, 0}}, false);
  const Rung& rung = table.rung("texture");
  const auto why = [&](Layout layout) {
    return RungRun::why_skipped(executor, rung,
                                table.ladder->problem(32, 4, table.ladder->parameters(), layout),
                                rung.blocks.front());
  };
  EXPECT_EQ(why({}), "");
  EXPECT_EQ(why({3, 0}), "a 2-D texture starts at a multiple of 512 bytes");
  EXPECT_EQ(why({0, 5}), "the rows of a 2-D texture are a multiple of 32 bytes apart");
}

TEST_F(Rungs, UseNamesOfTheProblemAndTheBlock) {
  const StudyTable table = find_study("copy");
  const EmulatorExecutor executor({{1, 3}, {9, 0}}, false);
  Rung rung = table.rung("scalar");
  rung.constants = {{"TILE", "4 * block_x"}};
  const Variables names =
      variables_of(executor, rung, table.ladder->problem(33, 2, {}, {3, 5}), {32, 4, 2});
  EXPECT_EQ(names.at("width"), 33);
  EXPECT_EQ(names.at("count"), 66);
  EXPECT_EQ(names.at("src_offset"), 12);
  EXPECT_EQ(names.at("dst_pitch"), 4 * 71);
  EXPECT_EQ(names.at("block_x"), 32);
  EXPECT_EQ(names.at("block_z"), 2);
  EXPECT_EQ(names.at("TILE"), 128);
  EXPECT_EQ(names.at("cc"), 90);
  EXPECT_EQ(names.at("multiprocessors"), executor.multiprocessors());
  EXPECT_EQ(names.at("max_shared_bytes"), 227 * 1024);
  EXPECT_EQ(names.at("max_linear_texels"), 1 << 28);

  // is_reserved() knows all these names, except the problem's own count and the constant TILE.
  for (const auto& [name, value] : names) {
    EXPECT_TRUE(is_reserved(name) || name == "count" || name == "TILE") << name;
  }
  rung.constants = {{"count", "1"}};
  expect_words(message_of<InvalidArgument>([&] {
                 variables_of(executor, rung, table.ladder->problem(33, 2, {}, {3, 5}), {32, 1, 1});
               }),
               {"rung 1 \"scalar\"", "\"constants\"", "\"count\"", "the problem has"});
}

TEST_F(Rungs, WhoseLaunchCannotBe) {
  const StudyTable table = find_study("copy");
  EmulatorExecutor executor({{9, 0}}, false);
  const Problem problem = table.ladder->problem(33, 2, {}, {});
  const auto run = [&](const auto& change) {
    Rung rung = table.rung("scalar");
    change(rung);
    RungRun(executor, table, rung, problem, {32, 1, 1});
  };
  const auto refused = [&](const auto& change) {
    return message_of<InvalidArgument>([&] { run(change); });
  };
  expect_words(refused([](Rung& rung) { rung.launches[0].grid = {"0"}; }),
               {"grid", "\"0\"", "2147483647"});
  expect_words(refused([](Rung& rung) { rung.launches[0].grid = {"1", "65536"}; }),
               {"65536", "65535"});
  expect_words(refused([](Rung& rung) { rung.launches[0].grid = {"wdth"}; }), {"'wdth'", "width"});
  expect_words(refused([](Rung& rung) { rung.launches[0].block = {"2048"}; }),
               {"block", "2048", "1024"});
  expect_words(refused([](Rung& rung) { rung.launches[0].shared = "0 - 1"; }), {"negative"});
  expect_words(refused([](Rung& rung) { rung.launches[0].kernel = "cpy"; }), {"\"cpy\"", "copy"});
  expect_words(refused([](Rung& rung) { rung.scratch = "0 - 1"; }), {"scratch", "negative"});
  expect_words(refused([](Rung& rung) { rung.textures["source"] = TextureKind::linear; }),
               {"\"source\"", "src, dst"});
  // A launch that no SM can hold is skipped, even if its number of bytes exceeds 32 bits.
  for (const char* bytes : {"max_shared_bytes + 1", "4294967296 + 64"}) {
    const auto needs_too_much = [&] { run([&](Rung& rung) { rung.launches[0].shared = bytes; }); };
    expect_words(message_of<Unsupported>(needs_too_much), {"does not fit an SM"});
  }
}

TEST_F(Rungs, ThatReadOutOfBoundsAreWrong) {
  const StudyTable table = edited("copy");
  write(table.folder / "01_scalar.cu",
        "#include \"problem.hpp\"\n"
        "extern \"C\" __global__ void copy(warpwise::ladders::CopyProblem p) {\n"
        "  if (blockIdx.x == 0) p.dst[threadIdx.x] = p.src[p.count + 1000000];\n}\n");
  StudyRequest request;
  request.rungs = {"scalar", "vector2"};
  request.size = Size{100, 1};
  request.compute_capabilities = {{9, 0}};
  const StudyRun run = run_study(table, request, [](const StudyRun&, const RungRow&) {});
  EXPECT_TRUE(run.any_wrong());
  std::vector<RungRow> rungs;
  std::copy_if(run.rows.begin(), run.rows.end(), std::back_inserter(rungs),
               [](const RungRow& row) { return !row.on_cpu; });
  ASSERT_EQ(rungs.size(), 2U);
  expect_words(rungs[0].wrong, {"out_of_bounds", "01_scalar.cu:3", "thread (0, 0, 0)"});
  EXPECT_EQ(rungs[1].wrong, "") << "the next rung is run all the same";
}

TEST_F(Rungs, AreVerifiedAtEverySizeAndBlock) {
  const StudyTable table = edited("copy");
  EmulatorExecutor executor({{9, 0}}, false);
  std::vector<VerifiedRung> verified;
  const auto done = [&](const VerifiedRung& rung) { verified.push_back(rung); };
  verify(executor, table, {"vector2", "shipped"}, false, done);
  ASSERT_EQ(verified.size(), 2U);
  for (const VerifiedRung& each : verified) EXPECT_TRUE(each.right()) << each.failure;
  EXPECT_EQ(verified[0].passed % 3, 0) << "three block shapes";
  EXPECT_EQ(verified[1].passed, verified[0].passed / 3);

  // The kernel's result is wrong for one size only. The text must name this problem.
  std::string source = text_of(table.folder / "01_scalar.cu");
  source.replace(source.find("i < p.count;"), 12, "i < p.count - (p.count == 257);");
  write(table.folder / "01_scalar.cu", source);
  verified.clear();
  verify(executor, table, {"scalar"}, false, done);
  ASSERT_EQ(verified.size(), 1U);
  EXPECT_FALSE(verified[0].right());
  expect_words(verified[0].failure,
               {"dst at (256, 0)", "1 of 257 pixels", "width 257", "block 256x1x1"});

  write(table.folder / "01_scalar.cu", "#include \"problem.hpp\"\nnonsense;\n");
  verified.clear();
  verify(executor, table, {"scalar"}, false, done);
  expect_words(verified[0].failure, {"01_scalar.cu(2)"});
  expect_words(verified[0].compiler_log, {"nonsense"});
}

TEST_F(Rungs, OfParametersThatMakeNoProblem) {
  StudyTable table = find_study("match");
  table.experiments.clear();
  table.verify = {{4, 4}, {9, 9}};
  EmulatorExecutor executor({{9, 0}}, false);
  const auto verified = [&](std::vector<Variables> parameters) {
    table.verify_parameters = std::move(parameters);
    VerifiedRung result;
    verify(executor, table, {"shipped"}, false, [&](const VerifiedRung& rung) { result = rung; });
    return result;
  };
  // A block of 5x5 does not fit the 4x4 image, so that image's three memory layouts are skipped.
  const VerifiedRung some = verified({{{"block", 5}}});
  EXPECT_TRUE(some.right()) << some.failure;
  EXPECT_EQ(some.passed, 3);
  ASSERT_EQ(some.skipped.size(), 1U);
  EXPECT_EQ(some.skipped.begin()->second, 3);
  expect_words(some.skipped.begin()->first, {"4x4", "block"});

  const VerifiedRung none = verified({{{"block", 5}}, {{"block", 10}}});
  EXPECT_FALSE(none.right());
  expect_words(none.failure, {"verify_parameters", "block 10", "9x9"});
}

TEST_F(Rungs, MayBeCappedInTheirRegisters) {
  const StudyTable table = find_study("sobel");
  const Rung& rung = table.rung("global_unrolled");
  const std::map<std::string, std::int64_t> constants = {
      {"FILTER_IN_CONSTANT", 1}, {"FEWER_CONDITIONS", 1}, {"CONSTANT_BLOCK", 1}, {"UNROLLED", 1}};
  const auto registers = [&](int cap) {
    const Compilation compiled = compile_rung(rung, constants, {32, 8, 1}, 90, cap);
    const std::vector<rules::ComputeCapability> cc = {{9, 0}};
    const auto report = kernel_resources(compiled, kernel_in(compiled.ptx, "sobel"), cc);
    EXPECT_TRUE(report.by_compute_capability[0]) << report.why_unknown;
    return report.by_compute_capability[0] ? report.by_compute_capability[0]->registers : 0;
  };
  const int uncapped = registers(0);
  ASSERT_GT(uncapped, 24);
  EXPECT_LE(registers(24), 24);
  EXPECT_EQ(registers(255), uncapped);
}

TEST(HostMemory, IsAskedForBeforeItIsFilled) {
  expect_words(message_of<OutOfMemory>(
                   [] { find_study("copy").ladder->problem(1'000'000, 1'000'000, {}, {}); }),
               {"src takes 4000000000000 bytes", "memory"});
  EXPECT_THROW(find_study("copy").ladder->problem(too_wide, 2, {}, {}), InvalidArgument);
  EXPECT_THROW(find_study("copy").ladder->problem(too_wide, 1, {}, {}), InvalidArgument);
}

}  // namespace
}  // namespace warpwise::lab
