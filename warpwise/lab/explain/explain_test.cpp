// What `explain` reads and what it concludes; tests/command/explain_test.py tests the whole
// command.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "support/enum_names.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/lab/explain/advice.hpp"
#include "warpwise/lab/explain/argument_spec.hpp"
#include "warpwise/lab/explain/report.hpp"

namespace warpwise::lab {
namespace {

std::string refusal(const std::string& text) {
  try {
    parse_argument(text);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "not refused";
}

TEST(ArgumentSpec, NamesItsTypes) { EXPECT_TRUE(test::names_each_enumerator<ScalarType>()); }

TEST(ArgumentSpec, ReadsScalars) {
  EXPECT_EQ(parse_argument("i32:5").bits, 5U);
  EXPECT_EQ(parse_argument("i32:-1").bits, 0xffffffffU);
  EXPECT_EQ(parse_argument("i32:0xffffffff").bits, 0xffffffffU);
  EXPECT_EQ(parse_argument("u32:4294967295").bits, 0xffffffffU);
  EXPECT_EQ(parse_argument("i8:-128").bits, 0x80U);
  EXPECT_EQ(parse_argument("u64:18446744073709551615").bits, ~std::uint64_t{0});
  EXPECT_EQ(parse_argument("i64:-9223372036854775808").bits, std::uint64_t{1} << 63);
  EXPECT_EQ(parse_argument("f32:1.5").bits, std::bit_cast<std::uint32_t>(1.5F));
  EXPECT_EQ(parse_argument("f64:-2e10").bits, std::bit_cast<std::uint64_t>(-2e10));
  EXPECT_EQ(parse_argument("f16:1").bits, 0x3c00U);
  EXPECT_EQ(parse_argument("f32:inf").bits, 0x7f800000U);
}

TEST(ArgumentSpec, ReadsBuffersAndTextures) {
  const ArgumentSpec buffer = parse_argument("i32[1024]");
  EXPECT_EQ(buffer.kind, ArgumentSpec::Kind::buffer);
  EXPECT_EQ(buffer.fill, ArgumentSpec::Fill::zero);
  EXPECT_EQ(buffer.bytes(), 4096U);
  EXPECT_EQ(parse_argument("u8[3]:iota").fill, ArgumentSpec::Fill::iota);
  EXPECT_EQ(parse_argument("f64[3]:random").fill, ArgumentSpec::Fill::random);
  EXPECT_EQ(parse_argument("f32[3]:@a:b.npy").path, "a:b.npy");
  const ArgumentSpec texture = parse_argument("tex2d<u8>[640x480]:@file.png");
  EXPECT_EQ(texture.kind, ArgumentSpec::Kind::texture);
  EXPECT_EQ(texture.width, 640U);
  EXPECT_EQ(texture.height, 480U);
  EXPECT_EQ(texture.path, "file.png");
}

TEST(ArgumentSpec, RefusesTheRest) {
  for (const char* text : {"",
                           ":",
                           "5",
                           "i32",
                           "i32:",
                           "i32:5x",
                           "i32:2147483648",
                           "i32:-2147483649",
                           "u32:-1",
                           "u8:256",
                           "i8:0x100",
                           "f32:",
                           "f32:1.5f",
                           "int:5",
                           "f32[",
                           "f32[]",
                           "f32[0]",
                           "f32[-1]",
                           "f32[4",
                           "f32[4]x",
                           "f32[4]:",
                           "f32[4]:@",
                           "f32[4]:ones",
                           "f32[18446744073709551615]",
                           "f64[4611686018427387904]",
                           "tex2d<u8>",
                           "tex2d<u8>[4]",
                           "tex2d<u8>[0x4]",
                           "tex2d<f64>[4x4]",
                           "tex2d<>[4x4]",
                           "tex3d<u8>[4x4]",
                           "tex2d<u8>[4294967296x4294967296]",
                           " i32:5",
                           "i32: 5",
                           "i32:+5",
                           "tex2d[4x4]"}) {
    EXPECT_TRUE(refusal(text).starts_with("--arg '" + std::string(text) + "'")) << refusal(text);
  }
}

TEST(ArgumentSpec, ReadsDimensions) {
  EXPECT_EQ(parse_dimensions("--grid", "7"), (emulator::Dim3{7, 1, 1}));
  EXPECT_EQ(parse_dimensions("--grid", "7,8"), (emulator::Dim3{7, 8, 1}));
  EXPECT_EQ(parse_dimensions("--grid", "7,8,9"), (emulator::Dim3{7, 8, 9}));
  for (const char* text :
       {"", "0", "1,0", "1,", ",1", "1,2,3,4", "-1", "1x2", "4294967296", " 1"}) {
    EXPECT_THROW(parse_dimensions("--grid", text), InvalidArgument) << text;
  }
}

TEST(ArgumentSpec, ReadsListsAndDumps) {
  EXPECT_EQ(parse_compute_capabilities("1.3,2.0,9.0,2.0"),
            (std::vector<rules::ComputeCapability>{{1, 3}, {2, 0}, {9, 0}}));
  EXPECT_THROW(parse_compute_capabilities("9.0,"), InvalidArgument);
  EXPECT_THROW(parse_compute_capabilities("4.0"), InvalidArgument);
  EXPECT_EQ(parse_dump("12=a=b.npy").index, 12U);
  EXPECT_EQ(parse_dump("12=a=b.npy").path, "a=b.npy");
  for (const char* text : {"", "1", "=a.npy", "x=a.npy", "1=", "1=.npy", "1=a.png", "-1=a.npy"}) {
    EXPECT_THROW(parse_dump(text), InvalidArgument) << text;
  }
}

// The counts of one line, as a launch would give them for a 32x32 transpose.
class AdviceOfALine : public testing::Test {
 protected:
  AdviceOfALine() {
    result_.request.file = "t.cu";
    result_.request.block = {32, 32, 1};
    result_.kernel_name = "transpose";
    result_.capabilities = {{.compute_capability = {9, 0},
                             .registers = 16,
                             .registers_from = "sm_90",
                             .spill_bytes = 0,
                             .shared_bytes = 4096,
                             .occupancy = {2, 64, 1.0, rules::Limiter::warps},
                             .why_not = ""}};
    result_.sources = {
        {"t.cu", "t.cu", {"__shared__ float tile[32][SIZE];", "out[i] = tile[x][y];"}}};
    result_.launch.totals = {.warp_instructions = 1024,
                             .thread_instructions = 32768,
                             .branches = 32,
                             .divergent_branches = 0,
                             .barriers = 32};
    result_.launch.memory.resize(1);
    emulator::LineCounts line;
    line.file = "t.cu";
    line.line = 2;
    line.execution = result_.launch.totals;
    line.memory.resize(1);
    line.memory[0].shared_load = {32, 32, 32};
    line.memory[0].global_store = {32, 1024, 128, 0, 0, 4096, 4096, 128};
    result_.launch.lines = {line};
  }

  emulator::MemoryCounts& counts() { return result_.launch.lines[0].memory[0]; }
  emulator::ExecutionCounts& execution() { return result_.launch.lines[0].execution; }

  Explanation result_;
};

TEST_F(AdviceOfALine, FindsNothingWhereNothingIs) {
  result_.launch.memory = result_.launch.lines[0].memory;
  const auto advice = advice_for(result_);
  ASSERT_EQ(advice.size(), 1U);
  EXPECT_NE(advice[0].text.find("a shared read takes 1 pass"), std::string::npos) << advice[0].text;
  EXPECT_NE(advice[0].text.find("128 transactions, of which 128 are needed"), std::string::npos);
}

TEST_F(AdviceOfALine, NamesTheArrayToPad) {
  counts().shared_load.passes = 1024;
  const auto advice = advice_for(result_);
  ASSERT_EQ(advice.size(), 1U);
  EXPECT_NE(advice[0].text.find("Line 2 (out[i] = tile[x][y];) reads shared memory in 32 passes"),
            std::string::npos)
      << advice[0].text;
  EXPECT_NE(advice[0].text.find("tile[32][SIZE + 1] in place of tile[32][SIZE]"),
            std::string::npos);
  EXPECT_EQ(advice[0].rule, "bank conflicts (docs/hardware-rules.md, Shared memory)");
}

TEST_F(AdviceOfALine, TellsScatteredFromMisaligned) {
  counts().global_store = {32, 1024, 1024, 0, 0, 4096, 32768, 128};
  EXPECT_NE(advice_for(result_)[0].text.find("32768 bytes are moved for 4096 that were asked for. "
                                             "The threads' addresses lie far apart"),
            std::string::npos)
      << advice_for(result_)[0].text;
  counts().global_store = {32, 1024, 160, 0, 0, 4096, 5120, 128};
  EXPECT_NE(advice_for(result_)[0].text.find("do not begin where a segment of memory begins"),
            std::string::npos)
      << advice_for(result_)[0].text;
}

TEST_F(AdviceOfALine, SeesDivergence) {
  execution().divergent_branches = result_.launch.totals.divergent_branches = 32;
  result_.launch.totals.thread_instructions = 16384;
  EXPECT_NE(advice_for(result_)[0].text.find("diverges in 32 of 32 branches"), std::string::npos);
  EXPECT_NE(advice_for(result_)[0].text.find("16 of 32 lanes work"), std::string::npos);
}

TEST_F(AdviceOfALine, SeesWhatEndsOccupancy) {
  result_.capabilities[0].occupancy = {1, 16, 0.25, rules::Limiter::registers};
  result_.capabilities[0].registers = 128;
  EXPECT_NE(advice_for(result_)[0].text.find("Fewer registers than 128 a thread"),
            std::string::npos);
  result_.capabilities[0].why_not = "a block with 2048 threads cannot run";
  EXPECT_NE(advice_for(result_)[0].text.find("cannot run"), std::string::npos);
}

TEST_F(AdviceOfALine, SaysThreeThingsAtMostTheDearestFirst) {
  counts().shared_load.passes = 1024;
  counts().global_store = {32, 1024, 1024, 0, 0, 4096, 32768, 128};
  counts().global_load = {32, 1024, 160, 0, 0, 4096, 5120, 128};
  counts().constant = {32, 64, 32};
  const auto advice = advice_for(result_);
  ASSERT_EQ(advice.size(), 3U);
  EXPECT_NE(advice[0].text.find("writes global memory"), std::string::npos) << advice[0].text;
  EXPECT_NE(advice[1].text.find("shared memory"), std::string::npos) << advice[1].text;
}

/// Predicted for a GPU whose units never rule but for shared memory and DRAM.
LaunchPrediction predicted(std::uint64_t passes, std::uint64_t sectors) {
  DeviceProfile profile;
  profile.gpu = "GeForce GTX 1";
  profile.compute_capability = {9, 0};
  for (const std::string& name : profile_figures()) profile.figures[name] = 1000;
  profile.figures["shared_passes_per_cycle"] = 1;
  profile.figures["dram_gb_per_s"] = 1;
  LaunchFacts facts;
  facts.blocks = 100'000'000;
  facts.memory_bytes = std::uint64_t{1} << 50;
  return predict_launch(profile, 1024, facts, [&](const emulator::LaunchOptions&) {
    emulator::LaunchResult sample;
    sample.blocks = 100;
    sample.memory.resize(1);
    sample.memory[0].shared_load.passes = passes;
    sample.pace.dram_read_sectors = sample.pace.l2_read_sectors = sectors;
    return sample;
  });
}

TEST_F(AdviceOfALine, SaysWhatAChangeGainsOnAGpu) {
  counts().shared_load = {32, 1024, 32};
  result_.launch.memory = result_.launch.lines[0].memory;
  // Shared memory rules: 31 of 32 passes are conflicts.
  result_.prediction = predicted(1'000'000, 0);
  std::vector<Advice> advice = advice_for(result_);
  ASSERT_FALSE(advice.empty());
  EXPECT_NEAR(advice[0].gain.value(), 32, 1);
  EXPECT_NE(advice[0].text.find("times as fast on a GeForce GTX 1 that it fills (modelled)"),
            std::string::npos)
      << advice[0].text;
  // The same conflicts where DRAM rules.
  result_.prediction = predicted(1, 1'000'000);
  advice = advice_for(result_);
  ASSERT_EQ(advice.size(), 2U);
  const auto conflict = std::find_if(advice.begin(), advice.end(), [](const Advice& each) {
    return each.rule.starts_with("bank conflicts");
  });
  ASSERT_NE(conflict, advice.end());
  EXPECT_NEAR(conflict->gain.value(), 1, 0.01);
  EXPECT_NE(conflict->text.find("worth little (modelled): DRAM rules there"), std::string::npos)
      << conflict->text;
  EXPECT_TRUE(std::any_of(advice.begin(), advice.end(), [](const Advice& each) {
    return each.text.find("near this GPU's roof") != std::string::npos;
  }));
}

TEST_F(AdviceOfALine, ComesInTheOrderOfItsGain) {
  // Many bank conflicts, which cost most issue slots, and an access that moves too much.
  counts().shared_load = {32, 1024, 32};
  counts().global_store = {32, 1024, 1024, 0, 0, 4096, 32768, 128};
  result_.launch.memory = result_.launch.lines[0].memory;
  result_.prediction = predicted(1, 1'000'000);
  const std::vector<Advice> advice = advice_for(result_);
  ASSERT_GE(advice.size(), 2U);
  EXPECT_TRUE(advice[0].rule.starts_with("coalescing")) << advice[0].rule;
  EXPECT_GT(advice[0].gain.value(), 5);
}

TEST_F(AdviceOfALine, OfAPredictionThatIsNotKnownIsThatOfTheCounts) {
  counts().shared_load = {32, 1024, 32};
  result_.launch.memory = result_.launch.lines[0].memory;
  result_.prediction.emplace().why_not = "it waits for other blocks";
  const std::vector<Advice> advice = advice_for(result_);
  ASSERT_EQ(advice.size(), 1U);
  EXPECT_FALSE(advice[0].gain.has_value());
}

TEST_F(AdviceOfALine, IsColouredOnATerminalOnly) {
  counts().shared_load.passes = 1024;
  EXPECT_EQ(text_of(result_, false).find('\x1b'), std::string::npos);
  EXPECT_NE(text_of(result_, true).find('\x1b'), std::string::npos);
  result_.sources[0].lines[1] = "out[i] = \x1b[2J tile[x][y];";
  EXPECT_EQ(text_of(result_, false).find('\x1b'), std::string::npos);
}

TEST_F(AdviceOfALine, IsInTheJson) {
  const auto object = json_of(result_);
  EXPECT_EQ(object["kernel"], "transpose");
  EXPECT_EQ(object["by_cc"]["9.0"]["occupancy"]["limiter"], "warps");
  EXPECT_EQ(object["lines"][0]["source"], "out[i] = tile[x][y];");
  EXPECT_EQ(object["lines"][0]["by_cc"]["9.0"]["shared_load"]["passes"], 32);
  EXPECT_EQ(object["advice"].size(), 1U);
}

TEST(PtxOfKernel, LeavesTheOthersOut) {
  const std::string head = ".version 7.0\n.target sm_75\n.global .u32 g;\n";
  const std::string one =
      ".visible .entry one(\n.param .u64 p\n)\n{\n { // a } in a comment\n }\nret;\n}\n";
  const std::string two = ".weak .entry one_more()\n.maxntid 32\n{\nret;\n}";
  const std::string tail = "\n.file 1 \"a{.cu\"\n";
  const std::string ptx = head + one + two + tail;
  EXPECT_EQ(ptx_of_kernel(ptx, "one"), head + one + tail);
  EXPECT_EQ(ptx_of_kernel(ptx, "one_more"), head + one.substr(one.size() - 1) + two + tail);
  EXPECT_EQ(ptx_of_kernel(ptx, "none"), head + "\n" + tail);
  const std::string cut = ptx.substr(0, head.size() + 20);
  EXPECT_EQ(ptx_of_kernel(cut, "two"), cut);
  EXPECT_EQ(target_architecture(ptx), 75);
}

}  // namespace
}  // namespace warpwise::lab
