// Tests the reports of a run: text, JSON and CSV.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/compile/kernel_name.hpp"
#include "warpwise/lab/measure/emulator_executor.hpp"
#include "warpwise/lab/study/run/rung_code.hpp"
#include "warpwise/lab/study/run/rung_run.hpp"
#include "warpwise/lab/study/run/rungs_testing.hpp"
#include "warpwise/lab/study/run/study_run.hpp"
#include "warpwise/lab/study/show/csv_testing.hpp"
#include "warpwise/lab/study/show/messages_testing.hpp"
#include "warpwise/lab/study/show/study_report.hpp"
#include "warpwise/lab/study/table/study_table.hpp"

namespace warpwise::lab {
namespace {

TEST_F(Rungs, AreReportedWithAllTheirFigures) {
  const StudyTable table = find_study("threshold");
  StudyRequest request;
  request.rungs = {"global", "tile", "shipped"};
  request.size = Size{40, 6};
  request.block = emulator::Dim3{16, 4, 1};
  request.compute_capabilities = {{1, 3}, {9, 0}};
  int told = 0;
  StudyRun run = run_study(table, request, [&](const StudyRun&, const RungRow&) { ++told; });
  EXPECT_FALSE(run.any_wrong());
  EXPECT_EQ(static_cast<int>(run.rows.size()), told);

  const nlohmann::ordered_json json = json_of(run);
  ASSERT_EQ(json["results"].size(), run.rows.size());
  int rungs = 0;
  for (const auto& row : json["results"]) {
    EXPECT_TRUE(row.contains("rung") && row.contains("idea") && row.contains("rows"));
    EXPECT_EQ(row["size"], nlohmann::json({40, 6}));
    if (row.contains("on_cpu")) {
      EXPECT_GT(row["time"]["median_us"], 0);
      continue;
    }
    ++rungs;
    const bool shipped = row["rung"] == "shipped";
    EXPECT_EQ(row["block"] == nlohmann::json({16, 4, 1}), !shipped) << "the library has its own";
    ASSERT_EQ(row["counts"].size(), 2U);
    ASSERT_EQ(row["resources"].size(), 2U);
    EXPECT_EQ(row["counts"][0]["compute_capability"], "1.3");
    EXPECT_GT(row["counts"][1]["warp_instructions"], 0);
    EXPECT_GT(row["counts"][1]["active_lanes"], 0);
    EXPECT_FALSE(row.contains("cold"));
  }
  EXPECT_EQ(rungs, 3);

  // This row was not run. The reason has every character that makes CSV quote a field.
  run.rows.back().counts.clear();
  run.rows.back().resources.clear();
  run.rows.back().skipped = "it needs \"more\", they say,\nof everything";
  const auto lines = csv_fields(csv_of(run));
  ASSERT_GT(lines.size(), run.rows.size());
  for (const auto& line : lines) EXPECT_EQ(line.size(), lines[0].size());
  EXPECT_EQ(lines.back()[7], run.rows.back().skipped);
  EXPECT_EQ(lines[0][1], "rung");
  EXPECT_EQ(lines.back()[1], "shipped");
}

TEST(Report, OfTheDocument) {
  StudyRun run;
  run.study = "match";
  run.device = "emulator";
  run.document_device = "GeForce GTX 580";
  run.document_size = {12000, 1024};
  RungRow row;
  row.rung = "unrolled";
  row.document = {2000, std::nullopt};
  row.document_speedup_over_first = 27;
  RungRow cpu;
  cpu.rung = "cpu 4 threads";
  cpu.on_cpu = true;
  cpu.batch = Timing{100, 90, 110, 3, 0};
  cpu.document_cpu = DocumentCpu{16, std::nullopt, 23, {"E1"}};
  run.rows = {cpu, row};
  EXPECT_NE(heading_of(run).find("of a GeForce GTX 580 at 12000x1024"), std::string::npos);
  EXPECT_NE(line_of(run, row).find("2000.0 us x27"), std::string::npos);
  EXPECT_NE(line_of(run, cpu).find("GPU x23, 16 thr."), std::string::npos);
  run.on_gpu = true;
  EXPECT_NE(line_of(run, cpu).find("GPU x23, 16 thr."), std::string::npos);
  const auto json = json_of(run);
  EXPECT_EQ(json["document_size"], nlohmann::json({12000, 1024}));
  EXPECT_EQ(json["results"][0]["document_gpu_speedup"], 23);
  EXPECT_EQ(json["results"][0]["document_threads"], 16);
  EXPECT_FALSE(json["results"][0].contains("document_time_us"));
  const auto lines = csv_fields(csv_of(run));
  const auto column = [&](const std::string& name) {
    return std::find(lines[0].begin(), lines[0].end(), name) - lines[0].begin();
  };
  EXPECT_EQ(lines[1].at(static_cast<std::size_t>(column("document_gpu_speedup"))), "23");
  EXPECT_EQ(lines[2].at(static_cast<std::size_t>(column("document_time_us"))), "2000");
  EXPECT_EQ(lines[2].at(static_cast<std::size_t>(column("document_speedup_over_first"))), "27");
}

TEST(Report, OfAGpuHasAsManyFieldsInEveryLine) {
  StudyRun run;
  run.study = "copy";
  run.on_gpu = true;
  RungRow row;
  row.rung = "scalar";
  row.document_rows = {"B1, left", "B2"};
  row.size = {4, 3};
  row.block = {32, 8, 1};
  row.cold = Timing{10, 9, 11, 12, 0};
  row.batch = Timing{8, 7, 9, 12, 0};
  row.gb_per_s = 1000;
  row.document = {2000, std::nullopt};
  row.document_speedup_over_first = 1.25;
  row.step_before = "nothing";
  row.speedup_over_step_before = 3;
  row.counts.emplace_back().compute_capability = {9, 0};
  run.rows = {row, row};
  run.rows[1].speedup_over_first = 1.5;
  run.rows[1].wrong = "dst at (1, 0): expected 1, got 2";
  const auto lines = csv_fields(csv_of(run));
  ASSERT_EQ(lines.size(), 3U);
  for (const auto& line : lines) EXPECT_EQ(line.size(), lines[0].size());
  EXPECT_EQ(lines[1][2], "B1, left B2");
  const auto json = json_of(run);
  EXPECT_EQ(json["results"][0]["cold"]["median_us"], 10);
  EXPECT_EQ(json["results"][1]["wrong"], run.rows[1].wrong);
  EXPECT_EQ(json["results"][0]["document_time_us"], 2000);
  EXPECT_EQ(json["results"][0]["document_speedup_over_first"], 1.25);
  EXPECT_EQ(json["results"][0]["step_before"], "nothing");
  EXPECT_EQ(json["results"][0]["speedup_over_step_before"], 3);
  EXPECT_NE(line_of(run, run.rows[1]).find("WRONG: dst at (1, 0)"), std::string::npos);
}

}  // namespace
}  // namespace warpwise::lab
