// Tests the knees of an experiment's curves, and the reports on them.
#include "warpwise/lab/study/show/series_knees.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "warpwise/lab/study/show/csv_testing.hpp"
#include "warpwise/lab/study/show/messages_testing.hpp"
#include "warpwise/lab/study/show/study_report.hpp"

namespace warpwise::lab {
namespace {

Timing timing(double us) { return {us, us, us, 10, 0}; }

// Returns a row of a run on a GPU. The axes are the constant OPS and the parameter loads.
RungRow point(const char* kernel, std::int64_t ops, std::int64_t loads, double us,
              std::uint32_t block = 256) {
  RungRow row;
  row.rung = kernel;
  row.size = {64, 2};
  row.parameters = {{"loads", loads}, {"stores", 1}};
  row.axis_constants = {{"OPS", ops}};
  row.block = {block, 1, 1};
  row.cold = timing(us);
  row.batch = timing(us / 2);
  return row;
}

// A curve that is flat at 10 µs per load up to 100 operations per load, and then rises.
double bent(std::int64_t ops, std::int64_t loads) {
  return static_cast<double>(10 * loads) +
         0.5 * std::max(0.0, static_cast<double>(ops - 100 * loads));
}

StudyRun run_of(std::vector<RungRow> rows, const KneeQuestion& question = {"OPS", "cold_us"}) {
  StudyRun run;
  run.study = "latency";
  run.is_ladder = false;
  run.report = {"cold_us"};
  run.on_gpu = true;
  run.rows = std::move(rows);
  run.knee = question;
  run.knees = find_knees(question, run.rows);
  return run;
}

std::vector<RungRow> two_curves_and_a_line() {
  std::vector<RungRow> rows;
  for (const std::int64_t loads : {1, 2}) {
    for (const std::int64_t ops : {0, 50, 120, 220, 300, 400}) {
      rows.push_back(point("multiply", ops, loads, bent(ops, loads)));
    }
  }
  for (const std::int64_t ops : {0, 50, 120, 220}) {
    rows.push_back(point("divide", ops, 1, static_cast<double>(10 + ops)));
  }
  return rows;
}

TEST(SeriesKnees, OneForEachCurve) {
  const StudyRun run = run_of(two_curves_and_a_line());
  ASSERT_EQ(run.knees.size(), 3U);
  EXPECT_EQ(run.knees[1].rung, "multiply");
  EXPECT_EQ(run.knees[1].parameters, (ladders::Variables{{"loads", 2}, {"stores", 1}}));
  EXPECT_TRUE(run.knees[1].axis_constants.empty()) << "but for the axis itself";
  for (const std::size_t i : {0, 1}) {
    ASSERT_TRUE(run.knees[i].search.knee) << run.knees[i].search.why_none;
    EXPECT_NEAR(run.knees[i].search.knee->at, 100.0 * static_cast<double>(i + 1), 1e-6);
  }
  EXPECT_FALSE(run.knees[2].search.knee);
  EXPECT_EQ(is_of_series(run.rows[0], run.knees[0], "OPS"), true);
  EXPECT_EQ(is_of_series(run.rows[0], run.knees[1], "OPS"), false);
}

TEST(SeriesKnees, OverAParameterAndOfTheBatchTime) {
  std::vector<RungRow> rows;
  for (const std::int64_t loads : {1, 2, 3, 4, 5}) {
    rows.push_back(point("multiply", 7, loads, bent(40 * loads, 1)));
  }
  const StudyRun run = run_of(std::move(rows), {"loads", "batch_us"});
  ASSERT_EQ(run.knees.size(), 1U);
  EXPECT_EQ(run.knees[0].parameters, (ladders::Variables{{"stores", 1}}));
  EXPECT_EQ(run.knees[0].axis_constants, (ladders::Variables{{"OPS", 7}}));
  ASSERT_TRUE(run.knees[0].search.knee);
  EXPECT_NEAR(run.knees[0].search.knee->at, 2.5, 1e-6);
  EXPECT_NEAR(run.knees[0].search.knee->level, 5, 1e-6);
}

TEST(SeriesKnees, BlocksAndSizesAreCurvesOfTheirOwn) {
  std::vector<RungRow> rows;
  for (const std::int64_t ops : {0, 50, 120, 220}) {
    for (const std::uint32_t block : {128U, 512U}) {
      rows.push_back(point("multiply", ops, 1, bent(ops, 1), block));
      rows.push_back(rows.back());
      rows.back().size = {128, 2};
    }
  }
  EXPECT_EQ(run_of(std::move(rows)).knees.size(), 4U);
}

TEST(SeriesKnees, SharesOfTheGpuAreCurvesOfTheirOwn) {
  std::vector<RungRow> rows;
  for (const std::int64_t share : {1, 2}) {
    for (const std::int64_t ops : {0, 50, 120, 220, 300, 400}) {
      rows.push_back(point("multiply", ops, 1, bent(ops, share)));
      rows.back().setting.sm_percent = static_cast<int>(100 / share);
    }
  }
  const StudyRun run = run_of(rows);
  ASSERT_EQ(run.knees.size(), 2U);
  EXPECT_NEAR(run.knees[1].search.knee.value().at, 200, 1e-6);
  EXPECT_NE(knees_of(run).find("sm_percent 50"), std::string::npos) << knees_of(run);
  EXPECT_EQ(json_of(run).at("knees").at(1).at("setting").at("sm_percent"), 50);
}

TEST(SeriesKnees, OfRowsThatWereTimed) {
  std::vector<RungRow> rows = two_curves_and_a_line();
  rows[3].cold.reset();
  rows[3].skipped = "for a reason";
  for (std::size_t i = 6; i < 9; ++i) rows[i].cold.reset();
  rows.push_back(point("plain", 0, 1, 5));
  rows.back().axis_constants.clear();  // as of a kernel without the constant OPS
  const StudyRun run = run_of(std::move(rows));
  ASSERT_EQ(run.knees.size(), 3U);
  EXPECT_NEAR(run.knees[0].search.knee->at, 100, 1e-6);
  expect_words(run.knees[1].search.why_none, {"3 points"});
}

TEST(SeriesKnees, AreReported) {
  const StudyRun run = run_of(two_curves_and_a_line());
  const std::string text = knees_of(run);
  expect_words(text, {"knees of cold_us over OPS", "\nmultiply (256) loads 1, stores 1 64x2 ",
                      " at 100: 10.0 us up to there, then 0.5 us per unit",
                      "\ndivide (256) loads 1, stores 1 64x2 ", " none: all rising"});
  const auto json = json_of(run);
  EXPECT_EQ(json["knee"], (nlohmann::json{{"axis", "OPS"}, {"of", "cold_us"}}));
  ASSERT_EQ(json["knees"].size(), 3U);
  EXPECT_EQ(json["knees"][1]["parameters"]["loads"], 2);
  EXPECT_NEAR(json["knees"][1]["at"].get<double>(), 200, 1e-6);
  EXPECT_NEAR(json["knees"][1]["level_us"].get<double>(), 20, 1e-6);
  EXPECT_NEAR(json["knees"][1]["slope_us"].get<double>(), 0.5, 1e-6);
  EXPECT_LT(json["knees"][1]["largest_deviation"].get<double>(), 1e-6);
  EXPECT_FALSE(json["knees"][1].contains("none"));
  EXPECT_EQ(json["knees"][2]["none"], run.knees[2].search.why_none);
  const auto lines = csv_fields(csv_of(run));
  EXPECT_EQ(lines[0].back(), "knee");
  for (const auto& line : lines) EXPECT_EQ(line.size(), lines[0].size());
  EXPECT_NEAR(std::stod(lines[1].back()), 100, 1e-6);
  EXPECT_NEAR(std::stod(lines[7].back()), 200, 1e-6);
  EXPECT_EQ(lines.back().back(), "") << "no knee";
}

TEST(SeriesKnees, WithoutTimesOrWithoutAQuestion) {
  std::vector<RungRow> rows = two_curves_and_a_line();
  for (RungRow& each : rows) each.cold.reset();
  StudyRun run = run_of(std::move(rows));
  EXPECT_TRUE(run.knees.empty());
  expect_words(knees_of(run), {"cold_us over OPS", "none without times", "GPU"});
  EXPECT_TRUE(json_of(run)["knees"].empty());
  run.knee.reset();
  EXPECT_EQ(knees_of(run), "");
  EXPECT_FALSE(json_of(run).contains("knees"));
  EXPECT_NE(csv_fields(csv_of(run))[0].back(), "knee");
}

}  // namespace
}  // namespace warpwise::lab
