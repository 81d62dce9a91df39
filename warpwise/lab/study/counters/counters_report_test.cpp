// Tests reports of a GPU's counters beside the emulator's counts: text, JSON and CSV. The values
// are invented for the test.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "warpwise/lab/study/show/csv_testing.hpp"
#include "warpwise/lab/study/show/study_report.hpp"

namespace warpwise::lab {
namespace {

constexpr const char* instructions = "smsp__inst_executed.sum";
constexpr const char* threads = "smsp__thread_inst_executed_pred_on.sum";
constexpr const char* load_sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
constexpr const char* store_sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";
constexpr const char* l1_hits = "l1tex__t_sector_hit_rate.pct";
constexpr const char* occupancy = "sm__warps_active.avg.pct_of_peak_sustained_active";
constexpr const char* barrier = "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio";
constexpr const char* scoreboard =
    "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio";

// The GPU counted 100 and 300 warp instructions in two launches, the emulator 200 in each.
RungRow row_with_counters() {
  RungRow row;
  row.rung = "scalar";
  row.size = {4096, 3072};
  row.block = {256, 1, 1};
  row.cold = Timing{10, 9, 11, 12, 0};
  row.batch = Timing{8, 7, 9, 12, 0};
  RungCounts& counts = row.counts.emplace_back();
  counts.compute_capability = {9, 0};
  counts.size = {64, 8};
  counts.warp_instructions = 200;
  counts.active_lanes = 30;
  counts.global_load.transactions_32 = 512;
  row.compared_counters = CounterReading{
      {64, 8},
      {{"first", {1, 1, 1}, {{instructions, 100}, {threads, 3200}, {load_sectors, 128}}},
       {"second", {2, 1, 1}, {{instructions, 300}, {threads, 6400}, {load_sectors, 128}}}}};
  row.counters = CounterReading{
      {4096, 3072},
      {{"first", {48, 1, 1}, {{instructions, 1000}, {occupancy, 40}, {barrier, 0.04}}},
       {"second",
        {96, 1, 1},
        {{instructions, 3000},
         {occupancy, 81.4},
         {barrier, 1.25},
         {scoreboard, 20.04},
         {l1_hits, std::numeric_limits<double>::quiet_NaN()}}}}};
  return row;
}

StudyRun run_with_counters() {
  StudyRun run;
  run.study = "copy";
  run.is_ladder = true;
  run.on_gpu = true;
  run.counters_library = "/somewhere/libcupti.so";
  run.counters_left_out = {{"dram__bytes_read.sum", "GB202 does not have it"}};
  run.rows = {row_with_counters()};
  return run;
}

std::string at(const std::vector<std::vector<std::string>>& lines, const std::string& name,
               std::size_t line = 1) {
  const auto found = std::find(lines[0].begin(), lines[0].end(), name);
  if (found == lines[0].end()) return "no column " + name;
  return lines.at(line).at(static_cast<std::size_t>(found - lines[0].begin()));
}

TEST(CountersCompared, PutsEachCounterBesideItsCount) {
  const RungRow row = row_with_counters();
  const auto compared = compared_counts(row.counts[0], *row.compared_counters);
  ASSERT_EQ(compared.size(), 3U) << "neither what was not read nor what is 0 on both sides";
  EXPECT_EQ(compared[0].name, "warp instructions");
  EXPECT_EQ(compared[0].counted, 200);
  EXPECT_EQ(compared[0].measured, 400);
  EXPECT_EQ(compared[1].name, "global load sectors");
  EXPECT_EQ(compared[1].counted, 512);
  EXPECT_EQ(compared[1].measured, 256);
  EXPECT_EQ(compared[2].name, "active lanes");
  EXPECT_EQ(compared[2].measured, 24) << "9600 of threads by 400 of warps";
}

TEST(CountersCompared, ShowsACountThatTheGpuDoesNotHave) {
  RungRow row = row_with_counters();
  for (LaunchCounters& each : row.compared_counters->launches) each.values[store_sectors] = 5;
  const auto compared = compared_counts(row.counts[0], *row.compared_counters);
  ASSERT_EQ(compared.size(), 4U);
  EXPECT_EQ(compared[2].metric, store_sectors);
  EXPECT_EQ(compared[2].counted, 0);
  EXPECT_EQ(compared[2].measured, 10);
  EXPECT_NE(
      counters_of(row).find("global store sectors                     0            10       -"),
      std::string::npos)
      << counters_of(row);
}

TEST(CountersCompared, OfLaunchesThatDifferIsCalledSo) {
  const CounterReading reading = *row_with_counters().compared_counters;
  EXPECT_EQ(why_not_comparable(reading, {{1, 1, 1}, {2, 1, 1}}), "");
  EXPECT_EQ(why_not_comparable(reading, {{1, 1, 1}, {3, 1, 1}}),
            "the grid of second is 2x1x1 on the GPU and 3x1x1 in the emulator");
  EXPECT_EQ(why_not_comparable(reading, {{1, 1, 1}}), "the GPU runs 2 launches, the emulator 1");
}

TEST(CountersRead, AddsUpSumsAndTakesRatesOfTheLargestLaunch) {
  const CounterReading reading = *row_with_counters().counters;
  EXPECT_EQ(value_of(reading, instructions), 4000);
  EXPECT_EQ(value_of(reading, occupancy), 81.4);
  EXPECT_EQ(value_of(reading, scoreboard), std::nullopt) << "not read of the first";
}

TEST(CountersReport, AsText) {
  RungRow row = row_with_counters();
  EXPECT_EQ(counters_of(row, 80),
            "    at 64x8, CC 9.0                     emulator           GPU   ratio\n"
            "      warp instructions                      200           400   2.000\n"
            "      global load sectors                    512           256   0.500\n"
            "      active lanes                            30            24   0.800\n"
            "    first at 4096x3072: achieved occupancy 40 %\n"
            "    second at 4096x3072: achieved occupancy 81 %\n"
            "      cycles that a warp waits per instruction: long scoreboard 20.0, barrier 1.2\n");
  EXPECT_NE(counters_of(row).find("0.500  l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\n"),
            std::string::npos)
      << "where a line may be as long as it is";
  row.not_comparable = "the grid differs";
  EXPECT_NE(counters_of(row).find("not the same launches: the grid differs"), std::string::npos);
  EXPECT_EQ(counters_of(RungRow{}), "");

  StudyRun run = run_with_counters();
  EXPECT_NE(legend_of(run).find("ratio"), std::string::npos);
  EXPECT_EQ(counters_notice(run), "left out: dram__bytes_read.sum: GB202 does not have it\n");
  run.counters_unavailable = "no CUPTI";
  EXPECT_EQ(counters_notice(run), "no counters, only the emulator's counts: no CUPTI\n");
  EXPECT_EQ(counters_notice(StudyRun{}), "");
  EXPECT_EQ(legend_of(StudyRun{}).find("ratio"), std::string::npos);
}

TEST(CountersReport, AsJson) {
  StudyRun run = run_with_counters();
  auto json = json_of(run);
  EXPECT_EQ(json["counters"]["library"], "/somewhere/libcupti.so");
  EXPECT_EQ(json["counters"]["left_out"]["dram__bytes_read.sum"], "GB202 does not have it");
  const auto& row = json["results"][0];
  EXPECT_EQ(row["counters"]["size"], nlohmann::json({4096, 3072}));
  ASSERT_EQ(row["counters"]["launches"].size(), 2U);
  EXPECT_EQ(row["counters"]["launches"][1]["kernel"], "second");
  EXPECT_EQ(row["counters"]["launches"][1]["grid"], nlohmann::json({96, 1, 1}));
  EXPECT_EQ(row["counters"]["launches"][1]["metrics"][occupancy], 81.4);
  const auto& beside = row["counters_of_counts"];
  EXPECT_EQ(beside["size"], nlohmann::json({64, 8}));
  EXPECT_FALSE(beside.contains("not_comparable"));
  ASSERT_EQ(beside["compared"].size(), 3U);
  EXPECT_EQ(beside["compared"][1]["count"], "global load sectors");
  EXPECT_EQ(beside["compared"][1]["metric"], load_sectors);
  EXPECT_EQ(beside["compared"][1]["emulator"], 512);
  EXPECT_EQ(beside["compared"][1]["gpu"], 256);
  EXPECT_EQ(beside["compared"][1]["ratio"], 0.5);
  EXPECT_NO_THROW(nlohmann::json::parse(json.dump())) << "with what is not a number";

  run.counters_unavailable = "no CUPTI";
  run.rows[0].not_comparable = "the grid differs";
  json = json_of(run);
  EXPECT_EQ(json["counters"]["unavailable"], "no CUPTI");
  EXPECT_EQ(json["results"][0]["counters_of_counts"]["not_comparable"], "the grid differs");
  run.rows[0].counters.reset();
  run.rows[0].compared_counters.reset();
  EXPECT_FALSE(json_of(run)["results"][0].contains("counters"));
  EXPECT_FALSE(json_of(run)["results"][0].contains("counters_of_counts"));
}

TEST(CountersReport, AsCsv) {
  StudyRun run = run_with_counters();
  run.rows.emplace_back().rung = "skipped";
  run.rows.back().skipped = "no reason";
  run.rows[0].axis_constants = {{"STRIDE", 3}};
  const auto lines = csv_fields(csv_of(run));
  ASSERT_EQ(lines.size(), 3U);
  for (const auto& line : lines) EXPECT_EQ(line.size(), lines[0].size());
  EXPECT_EQ(at(lines, "STRIDE"), "3");
  EXPECT_EQ(at(lines, "warp_instructions"), "200");
  EXPECT_EQ(at(lines, "gpu_warp_instructions"), "400");
  EXPECT_EQ(at(lines, "gpu_global_load_sectors"), "256");
  EXPECT_EQ(at(lines, "gpu_active_lanes"), "24");
  EXPECT_EQ(at(lines, "not_comparable"), "");
  EXPECT_EQ(at(lines, instructions), "4000") << "at the row's own size";
  EXPECT_EQ(at(lines, occupancy), "81.4");
  EXPECT_EQ(at(lines, l1_hits), "") << "it is not a number";
  EXPECT_EQ(at(lines, "gpu_warp_instructions", 2), "");
  EXPECT_EQ(at(lines, instructions, 2), "");

  run.rows[0].counters.reset();
  run.rows[0].compared_counters.reset();
  const auto without = csv_fields(csv_of(run));
  EXPECT_EQ(without[0].back(), "STRIDE") << "no columns for what was not asked for";
}

}  // namespace
}  // namespace warpwise::lab
