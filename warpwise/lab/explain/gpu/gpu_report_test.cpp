// Tests explain's report on a GPU and on machine code, in text and JSON. A library that stands in
// for CUPTI gives the counters; the counts are made by hand.
#include <gtest/gtest.h>

#include <algorithm>

#include "warpwise/io/printable.hpp"
#include "warpwise/lab/explain/comparison/comparison.hpp"
#include "warpwise/lab/explain/gpu/gpu_probe.hpp"
#include "warpwise/lab/explain/show/report.hpp"
#include "warpwise/lab/measure/fake_cupti.hpp"
#include "warpwise/lab/report/kernel/kernel_page.hpp"

namespace warpwise::lab {
namespace {

constexpr std::string_view instructions = "smsp__inst_executed.sum";
constexpr std::string_view load_sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";

Explanation counted_launch(const std::string& kernel) {
  Explanation explanation;
  explanation.request.file = "t.cu";
  explanation.request.grid = {4, 1, 1};
  explanation.request.compute_capabilities = {{2, 0}, {9, 0}};
  explanation.kernel_name = kernel;
  explanation.capabilities.resize(2);
  explanation.launch.totals = {.warp_instructions = 46, .thread_instructions = 32 * 46};
  explanation.launch.memory.resize(2);
  explanation.launch.memory[1].global_load.transactions_32 = 23;
  explanation.gpu = GpuReport{};
  explanation.gpu->device = "NVIDIA H200";
  explanation.gpu->compute_capability = {9, 0};
  return explanation;
}

Counters fake_counters() {
  Toolchain toolchain;
  toolchain.cupti_libraries = {FAKE_CUPTI};
  static int context = 0;
  static constexpr std::string_view metrics[] = {
      instructions, load_sectors, "smsp__nothing_executed.sum", "l1tex__t_sector_hit_rate.pct",
      "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio"};
  return {0, &context, metrics, toolchain};
}

// Reads counters of two launches. The library's value is 100 times the number of earlier launches,
// plus the length of the metric's name.
std::vector<Explanation> read_explanations() {
  fake_begin("");
  Counters counters = fake_counters();
  std::vector<ladders::Launch> launches(2);
  launches[0].grid[0] = 4;
  launches[1].grid[0] = 5;
  std::vector<Explanation> explanations = {counted_launch("first"), counted_launch("second")};
  const auto run = [] {
    fake_kernel();
    fake_kernel();
  };
  read_counters(counters, launches, run, explanations);
  return explanations;
}

TEST(CountersOfLaunches, StandBesideTheCountsOfTheirOwnLaunchAndGpu) {
  const std::vector<Explanation> explanations = read_explanations();
  const auto& first = explanations[0].gpu->compared;
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0].metric, instructions);
  EXPECT_EQ(first[0].counted, 46);
  EXPECT_EQ(first[0].measured, instructions.size());
  EXPECT_EQ(first[1].counted, 23) << "as CC 9.0 counts, not 2.0";
  EXPECT_EQ(first[1].measured, load_sectors.size());
  EXPECT_EQ(explanations[1].gpu->compared[0].measured, 100 + instructions.size());
  EXPECT_EQ(explanations[0].gpu->not_comparable, "");
  EXPECT_EQ(explanations[1].gpu->not_comparable,
            "the grid of second is 5x1x1 on the GPU and 4x1x1 in the emulator");
  EXPECT_EQ(explanations[0].gpu->left_out.size(), 1U);
}

TEST(CountersOfLaunches, OfAGpuThatNothingWasCountedForAreRefused) {
  fake_begin("");
  Counters counters = fake_counters();
  const std::vector<ladders::Launch> launches(1);
  std::vector<Explanation> explanations = {counted_launch("first")};
  explanations[0].gpu->compute_capability = {12, 0};
  EXPECT_THROW(read_counters(counters, launches, fake_kernel, explanations), InvalidArgument);
}

TEST(CountersOfLaunches, WithoutPermissionSayWhatToDo) {
  fake_begin("enable");
  Counters counters = fake_counters();
  const std::vector<ladders::Launch> launches(1);
  std::vector<Explanation> explanations = {counted_launch("first")};
  EXPECT_THROW(read_counters(counters, launches, fake_kernel, explanations), CountersUnavailable);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(GpuReport, IsPartOfTheText) {
  Explanation explanation = read_explanations()[0];
  explanation.gpu->times = Measurement{};
  explanation.gpu->times->cold.median_us = 3.25;
  explanation.gpu->times->batch.median_us = 2;
  const std::string text = text_of(explanation, false);
  EXPECT_TRUE(has(text,
                  "On NVIDIA H200, CC 9.0:\n"
                  "    3.25 us with a cold L2, 2.00 us in a batch on the same operands\n"
                  "    hardware counters                   emulator           GPU   ratio\n"
                  "      warp instructions                       46            23   0.500  "
                  "smsp__inst_executed.sum\n"))
      << text;
  EXPECT_TRUE(has(text, "L1 hits                             28.0 %  l1tex__t_sector_hit_rate.pct"))
      << text;
  EXPECT_TRUE(has(text, "left out: smsp__nothing_executed.sum")) << text;
}

TEST(GpuReport, IsPartOfTheJson) {
  const Explanation explanation = read_explanations()[0];
  const auto gpu = json_of(explanation)["gpu"];
  EXPECT_EQ(gpu["device"], "NVIDIA H200");
  EXPECT_EQ(gpu["metrics"]["smsp__inst_executed.sum"], 23);
  EXPECT_EQ(gpu["compared"][0]["ratio"], 0.5);
  EXPECT_EQ(gpu["compared"][0]["count"], "warp instructions");
  EXPECT_EQ(gpu["counters"]["left_out"].size(), 1U);
  EXPECT_FALSE(gpu.contains("cold"));
}

Explanation predicted_launch() {
  Explanation explanation = counted_launch("k");
  explanation.prediction.emplace();
  explanation.prediction->profile = find_device_profile("h200");
  explanation.prediction->facts.blocks = 4;
  explanation.prediction->sample.memory.resize(1);
  explanation.prediction->bounds.launch_us = 1;
  explanation.prediction->bounds.us[static_cast<std::size_t>(Resource::dram)] = 4;
  return explanation;
}

TEST(GpuReport, ItsTimeStandsBesideTheModelledOne) {
  Explanation explanation = predicted_launch();
  EXPECT_FALSE(explanation.measured_over_predicted());
  EXPECT_FALSE(json_of(explanation)["prediction"].contains("measured_over_predicted"));
  explanation.gpu->times = Measurement{};
  explanation.gpu->times->cold.median_us = 6.25;
  EXPECT_DOUBLE_EQ(explanation.measured_over_predicted().value(), 1.25);
  std::string text = text_of(explanation, false);
  std::replace(text.begin(), text.end(), '\n', ' ');
  EXPECT_TRUE(has(text, "on an NVIDIA H200, modelled: 5 us (4.17 to 6 us);")) << text;
  EXPECT_TRUE(has(text, "measured on NVIDIA H200, cold: 6.25 us, 1.25 times as long")) << text;
  const nlohmann::ordered_json json = json_of(explanation);
  EXPECT_DOUBLE_EQ(json["prediction"]["measured_over_predicted"], 1.25);
  EXPECT_TRUE(has(report::kernel_page(json, {}), "6.25 µs, 1.25 times the modelled time"));
}

// Compares two launches. The prediction of the second is half that of the first.
Comparison compared_launches(double before_us, double after_us) {
  Explanation first = predicted_launch();
  Explanation second = predicted_launch();
  second.prediction->bounds.us[static_cast<std::size_t>(Resource::dram)] = 1.5;
  first.gpu->times = second.gpu->times = Measurement{};
  first.gpu->times->cold.median_us = before_us;
  second.gpu->times->cold.median_us = after_us;
  return compare({"a", {first}}, {"b", {second}});
}

std::string in_one_line(const Comparison& comparison) {
  std::string text = text_of(comparison);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

TEST(GpuReport, TheGainOfASecondKernelStandsBesideThePredictedOne) {
  Comparison comparison = compared_launches(9, 3);
  std::string text = in_one_line(comparison);
  EXPECT_TRUE(has(text,
                  "Measured on NVIDIA H200 with a cold L2: 9 us and 3 us. The second is 3.00 times "
                  "as fast; predicted were 2.00 times."))
      << text;
  const auto measured = json_of(comparison)["measured"];
  EXPECT_EQ(measured["device"], "NVIDIA H200");
  EXPECT_EQ(measured["cold_us"], (nlohmann::ordered_json{9.0, 3.0}));

  comparison.measured->device = "NVIDIA L4";
  text = in_one_line(comparison);
  EXPECT_TRUE(has(text, "The second is 3.00 times as fast. "))
      << "the prediction is for another GPU";
}

TEST(GpuReport, CutsTheLinesOfTwoKernelsBetweenCharacters) {
  Comparison comparison = compared_launches(9, 3);
  ComparedLine line;
  line.before = "line 1 of a.cu";
  for (int i = 0; i < 100; ++i) line.source += "가";
  for (int i = 0; i < 3; ++i) {
    comparison.lines.push_back(line);
    line.source.insert(0, "x");
  }
  const std::string text = text_of(comparison);
  EXPECT_TRUE(has(text, "가…\n")) << text;
  EXPECT_EQ(io::printable(text, "\n"), text);
}

TEST(GpuReport, SaysWhyTwoKernelsAreNotMeasured) {
  Explanation first = predicted_launch();
  Explanation second = predicted_launch();
  first.gpu->times = Measurement{};
  second.gpu->why_not = "the kernel prints";
  const Comparison comparison = compare({"a", {first}}, {"b", {second}});
  EXPECT_TRUE(has(text_of(comparison), "Not measured: the kernel prints.\n"));
  EXPECT_EQ(json_of(comparison)["measured"]["unavailable"], "the kernel prints");
  first.gpu.reset();
  second.gpu.reset();
  EXPECT_FALSE(json_of(compare({"a", {first}}, {"b", {second}})).contains("measured"));
}

TEST(GpuReport, IsPredictedByItsOwnProfile) {
  EXPECT_EQ(profile_of({9, 0}).value().name, "h200");
  EXPECT_EQ(profile_of({9, 0}, "NVIDIA H100 80GB HBM3").value().name, "h100");
  EXPECT_EQ(profile_of({9, 0}, "a GPU without a profile").value().name, "h200");
}

TEST(GpuReport, SaysWhyThereIsNone) {
  Explanation explanation = counted_launch("first");
  explanation.gpu->why_no_counters = "no permission";
  explanation.gpu->why_no_times = "no compiler";
  std::string text = text_of(explanation, false);
  EXPECT_TRUE(has(text, "no counters, only the emulator's counts: no permission")) << text;
  EXPECT_TRUE(has(text, "no times: no compiler")) << text;
  EXPECT_EQ(json_of(explanation)["gpu"]["counters"]["unavailable"], "no permission");
  EXPECT_EQ(json_of(explanation)["gpu"]["no_times"], "no compiler");
  explanation.gpu->why_not = "no CUDA device";
  text = text_of(explanation, false);
  EXPECT_TRUE(has(text, "Not run on a GPU; these are only the emulator's counts: no CUDA device"));
  EXPECT_EQ(json_of(explanation)["gpu"], (nlohmann::json{{"unavailable", "no CUDA device"}}));
}

// Returns a launch with two source lines. Only line 2 has machine code: two instructions.
Explanation with_machine_code() {
  Explanation explanation = counted_launch("k");
  explanation.sources = {{"t.cu", "t.cu", {"int i = 0;", "out[i] = 1;"}}};
  for (const int line : {1, 2}) {
    explanation.launch.lines.push_back(
        {"t.cu", line, {.warp_instructions = 23}, std::vector<emulator::MemoryCounts>(2)});
  }
  explanation.machine_code = MachineCode{
      "sm_90", "", {{0, "STG.E [R2], R4", "t.cu", 2}, {16, ".L_x_0: BRA `(.L_x_0)", "t.cu", 2}}};
  return explanation;
}

TEST(MachineCodeInAReport, StandsBelowItsLine) {
  const std::string text = text_of(with_machine_code(), false);
  EXPECT_TRUE(has(text, "machine code: 2 instructions for sm_90, each below its source line\n"));
  EXPECT_TRUE(has(text,
                  " 50.0 %     1  int i = 0;\n"
                  " 50.0 %     2  out[i] = 1;\n"
                  "              0000  STG.E [R2], R4\n"
                  "              0010  .L_x_0: BRA `(.L_x_0)\n"))
      << text;
  const auto object = json_of(with_machine_code());
  EXPECT_FALSE(object["lines"][0].contains("machine_code"));
  EXPECT_EQ(object["lines"][1]["machine_code"][1]["address"], 16);
  EXPECT_EQ(object["machine_code"]["built_for"], "sm_90");
}

TEST(MachineCodeInAReport, ThatIsNotThereIsToldInALine) {
  Explanation explanation = with_machine_code();
  explanation.machine_code = MachineCode{"", "there is no disassembler", {}};
  EXPECT_TRUE(has(text_of(explanation, false), "no machine code: there is no disassembler\n"));
  EXPECT_EQ(json_of(explanation)["machine_code"]["unavailable"], "there is no disassembler");
}

}  // namespace
}  // namespace warpwise::lab
