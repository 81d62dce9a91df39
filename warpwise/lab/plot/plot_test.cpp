// Tests the contents of a run's plot, and the errors for invalid records.
#include "warpwise/lab/plot/plot.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <regex>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/plot/draw.hpp"
#include "warpwise/lab/plot/gnuplot_script.hpp"
#include "warpwise/lab/plot/scale.hpp"

namespace warpwise::lab {
namespace {

using Json = nlohmann::ordered_json;

Json timed(const std::string& rung, double us, const Json& parameters = Json::object(),
           const Json& block = {32, 8, 1}, const Json& size = {640, 480}) {
  return {{"rung", rung},
          {"size", size},
          {"parameters", parameters},
          {"block", block},
          {"cold", {{"median_us", us}, {"p5_us", 0.9 * us}, {"p95_us", 1.2 * us}}}};
}

Json counted(const std::string& rung, const Json& parameters, const Json& counts) {
  Json row = timed(rung, 1, parameters);
  row.erase("cold");
  for (const auto& [cc, numbers] : counts.items()) {
    Json each = {{"compute_capability", cc}};
    each.update(numbers);
    row["counts"].push_back(each);
  }
  return row;
}

Json study(const Json& rows) {
  return {{"study", "s"}, {"machine", {{"device", "a GPU"}}}, {"results", rows}};
}

Plot plot_of_study(const Json& rows, const Json& report = nullptr) {
  Json json = study(rows);
  if (!report.is_null()) json["report"] = report;
  return plot_of(read_record(json, "a record"));
}

std::vector<std::string> names_of(const PlotPanel& panel) {
  std::vector<std::string> names;
  for (const PlotSeries& each : panel.series) names.push_back(each.name);
  return names;
}

using Texts = std::vector<std::string>;

TEST(Plot, WithoutAnAxisHasADotForEachKernel) {
  Json rows = {timed("first", 100), timed("second", 50)};
  rows[0].update({{"share_of_roof", 0.2}, {"speedup_over_first", 1}});
  rows[1].update(
      {{"share_of_roof", 0.4}, {"speedup_over_first", 2}, {"document_speedup_over_first", 3}});
  rows.push_back({{"rung", "third"}, {"size", {640, 480}}, {"skipped", "for a reason"}});
  Json json = study(rows);
  json["ladder"] = "l";
  json.erase("study");
  const Plot plot = plot_of(read_record(json, "a record"));
  EXPECT_EQ(plot.kind, PlotKind::dots);
  EXPECT_EQ(plot.value.name, "share_of_roof_percent");
  EXPECT_EQ(plot.x.texts, (Texts{"first", "second", "third"}));
  EXPECT_EQ(plot.row_texts, (Texts{"100 µs", "50 µs", "not run"}));
  ASSERT_EQ(plot.panels.size(), 1U);
  ASSERT_EQ(plot.panels[0].series.size(), 1U);
  const PlotPoint& second = plot.panels[0].series[0].points.at(1);
  EXPECT_DOUBLE_EQ(second.value, 40);
  EXPECT_DOUBLE_EQ(*second.low, 40 / 1.2) << "the longest time is the least share";
  EXPECT_DOUBLE_EQ(*second.high, 40 / 0.9);
  EXPECT_DOUBLE_EQ(*second.document, 60);
  EXPECT_DOUBLE_EQ(*plot.value_at_speedup_1, 20);
  EXPECT_TRUE(plot.value.logarithmic);
  // A study without a ladder shows times: a speed-up of 3 is a third of the first rung's time.
  const Plot times = plot_of_study(rows);
  EXPECT_EQ(times.value.name, "cold_us");
  EXPECT_NEAR(*times.panels[0].series[0].points.at(1).document, 100.0 / 3, 1e-9);
}

TEST(Plot, OfTheCpusRowsThereIsNone) {
  Json cpu = timed("cpu 1 thread", 5);
  cpu["on_cpu"] = true;
  EXPECT_EQ(plot_of_study({cpu, timed("a", 1), timed("b", 2)}).x.texts, (Texts{"a", "b"}));
}

TEST(Plot, OverOneAxisHasALineForEachKernel) {
  Json rows;
  for (const int stride : {1, 2, 4, 8, 16}) {
    rows.push_back(timed("a", 10 + stride, {{"stride", stride}, {"fixed", 3}}));
    rows.push_back(timed("b", 20 + stride, {{"stride", stride}, {"fixed", 4}}));
  }
  const Plot plot = plot_of_study(rows);
  EXPECT_EQ(plot.kind, PlotKind::lines);
  EXPECT_EQ(plot.x.name, "stride");
  EXPECT_TRUE(plot.x.logarithmic) << "powers of two";
  EXPECT_EQ(names_of(plot.panels.at(0)), (Texts{"a", "b"})) << "what a kernel fixes is no axis";
  EXPECT_EQ(plot.panels[0].series[1].points.at(4).value, 36);
  EXPECT_FALSE(plot.value.logarithmic);
  EXPECT_NE(plot.description.find("from 11 (a, stride 1) to 36 (b, stride 16)"), std::string::npos)
      << plot.description;
}

TEST(Plot, AKernelWithoutTheAxisIsALevel) {
  Json rows;
  for (const int cap : {24, 32, 64}) {
    rows.push_back(timed("capped", 100 - cap));
    rows.back()["axes"] = {{"CAP", cap}};
  }
  rows.push_back(timed("uncapped", 30));
  const Plot plot = plot_of_study(rows);
  ASSERT_EQ(names_of(plot.panels.at(0)), (Texts{"capped", "uncapped"}));
  EXPECT_FALSE(plot.panels[0].series[0].is_level);
  EXPECT_TRUE(plot.panels[0].series[1].is_level);
  EXPECT_NE(csv_of(plot).find("\n,uncapped,,30,27,36\n"), std::string::npos) << csv_of(plot);
  EXPECT_NE(plot.description.find("from 30 (uncapped)"), std::string::npos) << plot.description;
}

TEST(Plot, AxisOfWholeNumbersInARowIsNotLogarithmic) {
  Json rows;
  for (int stride = 1; stride <= 32; ++stride) rows.push_back(timed("a", 1, {{"stride", stride}}));
  EXPECT_FALSE(plot_of_study(rows).x.logarithmic);
}

TEST(Plot, ASecondAxisOfFewValuesIsOneOfLines) {
  Json rows;
  for (const char* rung : {"additions", "divisions"}) {
    for (const int loads : {1, 2, 4, 8}) {
      for (int count = 0; count < 10; ++count) {
        rows.push_back(timed(rung, 5 + count, {{"loads", loads}, {"count", count}}));
      }
    }
  }
  const Plot plot = plot_of_study(rows);
  EXPECT_EQ(plot.kind, PlotKind::lines);
  EXPECT_EQ(plot.x.name, "count");
  // One panel cannot hold eight lines, so each kernel has its own panel.
  ASSERT_EQ(plot.panels.size(), 2U);
  EXPECT_EQ(plot.panels[1].title, "divisions");
  EXPECT_EQ(names_of(plot.panels[1]), (Texts{"loads 1", "loads 2", "loads 4", "loads 8"}));
  EXPECT_EQ(plot.panels[0].values, plot.panels[1].values) << "panels compare";
}

TEST(Plot, OfTwoAxesIsAMapForEachKernelAndCapability) {
  Json rows;
  for (int stride = 1; stride <= 7; ++stride) {
    for (int offset = 0; offset < 6; ++offset) {
      rows.push_back(counted("load", {{"stride", stride}, {"offset", offset}},
                             {{"1.3", {{"transactions_per_request", stride}}},
                              {"9.0", {{"transactions_per_request", stride + offset}}}}));
    }
  }
  const Plot plot = plot_of_study(rows, {"cold_us", "transactions_per_request"});
  EXPECT_EQ(plot.kind, PlotKind::maps);
  EXPECT_EQ(plot.value.name, "transactions_per_request") << "the emulator has no times";
  EXPECT_EQ(plot.x.name, "stride");
  EXPECT_EQ(plot.y.name, "offset");
  ASSERT_EQ(plot.panels.size(), 2U);
  EXPECT_EQ(plot.panels[1].title, "CC 9.0");
  EXPECT_EQ(plot.panels[1].series.at(0).points.size(), 42U);
}

TEST(Plot, OfBlocksOfTwoSidesIsAMapWhereTheyFillOne) {
  Json rows;
  for (const int x : {16, 32, 64}) {
    for (const int y : {1, 2, 4}) rows.push_back(timed("a", x + y, Json::object(), {x, y, 1}));
  }
  const Plot plot = plot_of_study(rows);
  EXPECT_EQ(plot.kind, PlotKind::maps);
  EXPECT_EQ(plot.x.name, "block_x");
  EXPECT_EQ(plot.y.values, (std::vector<double>{1, 2, 4}));
  // A few block shapes are drawn as rows of dots, and not as a map.
  rows = {timed("a", 5, Json::object(), {16, 16, 1}), timed("a", 4, Json::object(), {32, 8, 1}),
          timed("b", 7, Json::object(), {16, 16, 1})};
  const Plot few = plot_of_study(rows);
  EXPECT_EQ(few.kind, PlotKind::dots);
  EXPECT_EQ(few.x.texts, (Texts{"a 16×16", "a 32×8", "b 16×16"}));
  EXPECT_EQ(few.row_texts, (Texts{"5 µs", "4 µs ★", "7 µs"}));
  // Blocks that differ only in one side make one axis.
  rows = Json::array();
  for (const int x : {32, 64, 128}) rows.push_back(timed("a", x, Json::object(), {x, 1, 1}));
  EXPECT_EQ(plot_of_study(rows).x.name, "block_threads");
}

// A record may have any block lengths. Series are sorted by the number of threads in a block.
TEST(Plot, ABlockOfTheLargestSizesIsStillTheLargest) {
  constexpr int length = 1 << 21;  // the product is 2^63
  Json rows;
  for (const int n : {1, 2, 4}) {
    rows.push_back(timed("a", n, {{"n", n}}, {length, length, length}));
    rows.push_back(timed("a", n, {{"n", n}}, {32, 8, 1}));
  }
  EXPECT_EQ(names_of(plot_of_study(rows).panels.at(0)),
            (Texts{"block 32×8", "block 2097152×2097152×2097152"}));
}

TEST(Plot, SizesAreAnAxisWhereThereAreMany) {
  Json rows;
  for (const int width : {64, 128, 256, 512}) {
    rows.push_back(timed("a", width, Json::object(), {32, 1, 1}, {width, 64}));
  }
  const Plot many = plot_of_study(rows);
  EXPECT_EQ(many.x.name, "pixels");
  EXPECT_EQ(many.x.values.front(), 4096);
  rows.erase(2);
  rows.erase(2);
  const Plot few = plot_of_study(rows);
  EXPECT_EQ(few.kind, PlotKind::dots);
  EXPECT_EQ(names_of(few.panels.at(0)), (Texts{"64×64", "128×64"}));
}

TEST(Plot, SharesOfTheGpuAreAxesAndWaysOfTransferRows) {
  Json rows;
  for (const int share : {25, 50, 100}) {
    rows.push_back(timed("a", 1000.0 / share));
    rows.back()["setting"] = {{"sm_percent", share}, {"neighbour_percent", 0}};
  }
  const Plot shares = plot_of_study(rows);
  EXPECT_EQ(shares.kind, PlotKind::lines);
  EXPECT_EQ(shares.x.name, "sm_percent");
  rows = Json::array();
  for (const char* way : {"pageable", "overlapped 4"}) {
    rows.push_back({{"rung", "a"}, {"size", {4, 4}}, {"setting", {{"transfer", way}}}});
    rows.back()["end_to_end"] = {{"median_us", 9}, {"p5_us", 8}, {"p95_us", 10}};
  }
  const Plot ways = plot_of_study(rows);
  EXPECT_EQ(ways.kind, PlotKind::dots);
  EXPECT_EQ(ways.value.name, "end_to_end_us");
  EXPECT_EQ(ways.x.texts, (Texts{"a pageable", "a overlapped 4"}));
  EXPECT_EQ(ways.row_texts, (Texts{"9 µs", "9 µs"}));
}

TEST(Plot, ShowsTheFirstCountThatChanges) {
  Json rows;
  for (const int stride : {1, 2, 3}) {
    rows.push_back(counted("a", {{"stride", stride}},
                           {{"9.0",
                             {{"warp_instructions", 7},
                              {"shared_load", {{"passes", stride}}},
                              {"global_load", {{"transactions_32", 2 * stride}}}}}}));
  }
  const Json report = {"cold_us", "warp_instructions", "shared_load_passes", "global_load_32"};
  EXPECT_EQ(plot_of_study(rows, report).value.name, "shared_load_passes");
  EXPECT_EQ(plot_of_study(rows, {"global_load_32"}).value.name, "global_load_32");
  EXPECT_EQ(plot_of_study(rows, {"warp_instructions"}).value.name, "warp_instructions");
}

TEST(Plot, ManyLinesAreDividedAmongPanels) {
  Json rows;
  for (int rung = 0; rung < 11; ++rung) {
    for (const int window : {3, 7, 15}) {
      rows.push_back(timed(fmt::format("rung{}", rung), 1 + rung, {{"window", window}}));
    }
  }
  const Plot plot = plot_of_study(rows);
  ASSERT_EQ(plot.panels.size(), 2U);
  EXPECT_EQ(plot.panels[0].series.size(), 6U);
  EXPECT_EQ(plot.panels[1].series.size(), 5U);
  EXPECT_EQ(plot.panels[1].series.back().name, "rung10") << "in the record's order";
}

TEST(Plot, CsvHasEachPoint) {
  Json rows = {timed("a,b", 10, {{"n", 1}}), timed("a,b", 30, {{"n", 2}})};
  EXPECT_EQ(csv_of(plot_of_study(rows)),
            "panel,series,n,cold_us,cold_us_p5,cold_us_p95\n"
            ",\"a,b\",1,10,9,12\n"
            ",\"a,b\",2,30,27,36\n");
}

TEST(Plot, OfNothingIsRefused) {
  EXPECT_THROW(plot_of_study(Json::array()), InvalidArgument);
  Json skipped = {{"rung", "a"}, {"size", {1, 1}}, {"skipped", "for a reason"}};
  EXPECT_THROW(plot_of_study({skipped}), InvalidArgument);
}

void expect_refused(const std::string& text, const std::string& words) {
  try {
    parse_record(text, "run.json");
    FAIL() << "taken: " << text;
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(Record, WhatIsNoneIsRefusedWithItsPlace) {
  expect_refused("{", "run.json is no JSON");
  expect_refused("[]", "run.json holds a list of runs");
  expect_refused("3", "run.json has to be an object");
  expect_refused("{}", "run.json has no \"study\"");
  expect_refused(R"({"study": 3})", "run.json, study has to be a text");
  expect_refused(R"({"study": "s"})", "run.json has no \"machine\"");
  const auto with_row = [](const std::string& row) {
    return R"({"study": "s", "machine": {}, "results": [)" + row + "]}";
  };
  expect_refused(with_row("3"), "run.json, results[0] has to be an object");
  expect_refused(with_row(R"({"rung": "a"})"), "results[0] has no \"size\"");
  expect_refused(with_row(R"({"rung": "a", "size": [4]})"), "size has to be 2 numbers");
  expect_refused(with_row(R"({"rung": "a", "size": [4, 0]})"), "size[1] has to be a length");
  expect_refused(with_row(R"({"rung": "a", "size": [4, 1e300]})"), "size[1] has to be a whole");
  expect_refused(with_row(R"({"rung": "a", "size": [4, 4], "block": [1, 1]})"),
                 "block has to be 3");
  expect_refused(
      with_row(R"({"rung": "a", "size": [4, 4], "parameters": {"n": 18446744073709551615}})"),
      "parameters, n has to be a whole number");
  expect_refused(with_row(R"({"rung": "a", "size": [4, 4], "cold": {"median_us": 3}})"),
                 "cold has no \"p5_us\"");
  expect_refused(with_row(R"({"rung": "a", "size": [4, 4], "cold": {"median_us": "x"}})"),
                 "median_us has to be a number");
  for (const char* time :
       {R"("cold": {"median_us": 0, "p5_us": 0, "p95_us": 0})",
        R"("cold": {"median_us": 1, "p5_us": -1, "p95_us": 1})", R"("document_time_us": 0)"})
    expect_refused(with_row(fmt::format(R"({{"rung": "a", "size": [4, 4], {}}})", time)),
                   "_us has to be more than 0");
  expect_refused(with_row(R"({"rung": "a", "size": [4, 4], "counts": [{}]})"),
                 "counts[0] has no \"compute_capability\"");
}

TEST(Scale, TicksAreRoundAndFew) {
  EXPECT_EQ(even_ticks(0, 148, 7), (std::vector<double>{0, 50, 100}));
  EXPECT_EQ(even_ticks(0, 4, 5), (std::vector<double>{0, 1, 2, 3, 4}));
  EXPECT_EQ(even_ticks(3, 3, 5), (std::vector<double>{3}));
  EXPECT_EQ(log_ticks(7, 120, 7), (std::vector<double>{10, 20, 50, 100}));
  EXPECT_EQ(log_ticks(1, 1e6, 4), (std::vector<double>{1, 100, 1e4, 1e6}));
  EXPECT_EQ(log_ticks(51, 58, 4), even_ticks(51, 58, 4)) << "no 1, 2 or 5 in there";
  EXPECT_EQ(log_ticks(1, std::numeric_limits<double>::infinity(), 4), (std::vector<double>{1}));
  EXPECT_EQ(thinned(7, 3), (std::vector<std::size_t>{0, 3, 6}));
  EXPECT_EQ(thinned(2, 0), (std::vector<std::size_t>{0}));
}

TEST(Scale, FiguresHaveThreeDigits) {
  EXPECT_EQ(figure_text(0), "0");
  EXPECT_EQ(figure_text(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(figure_text(0.051234), "0.0512");
  EXPECT_EQ(figure_text(54.18), "54.2");
  EXPECT_EQ(figure_text(1234.5), "1234");
  EXPECT_EQ(figure_text(12345), "12.3k");
  EXPECT_EQ(figure_text(65536), "65.5k");
  EXPECT_EQ(figure_text(268435456), "268M");
}

// Names and titles may come from tables and records that anybody wrote.
constexpr const char* hostile =
    "a'`touch hacked`\"; system 'touch hacked' #<&>\\ @x\n$d0 EOD\x1b screen |\1|";

Plot hostile_plot() {
  Json rows = {timed(hostile, 10, {{hostile, 1}}), timed(hostile, 30, {{hostile, 2}}),
               timed("b", 30, {{hostile, 2}})};
  Json json = study(rows);
  json.update({{"experiment", "e"}, {"title", hostile}});
  return plot_of(read_record(json, "a record"));
}

TEST(Script, TextsAreNoCommands) {
  const std::string script = gnuplot_script(hostile_plot(), "plot.svg");
  EXPECT_NE(script.find("touch hacked"), std::string::npos);
  // Outside of single quotes, the script must contain no part of the hostile text.
  const std::string rest = std::regex_replace(script, std::regex("'([^'\n]|'')*'"), "");
  EXPECT_EQ(rest.find("hacked"), std::string::npos) << rest;
  EXPECT_EQ(rest.find('\''), std::string::npos);
  EXPECT_EQ(rest.find('`'), std::string::npos);
}

class Drawn : public testing::Test {
 protected:
  void SetUp() override {
    try {
      require_gnuplot();
    } catch (const Unsupported& reason) {
      GTEST_SKIP() << reason.what();
    }
  }
};

TEST_F(Drawn, IsOnePictureForLightAndDarkPages) {
  const std::string svg = svg_of(plot_of_study({timed("a", 10), timed("b", 30)}));
  for (const char* words :
       {"<title id=\"title\">s</title>", "from 10 (a) to 30 (b).</desc>", "role=\"img\"",
        "@media (prefers-color-scheme:dark)", "[fill=\"#ffffff\"]{fill:#0d1117}", "width=\"460\"",
        "viewBox=\"0 0 460 "}) {
    EXPECT_NE(svg.find(words), std::string::npos) << words;
  }
  // For each colour of the picture, the style must have a rule for a dark page.
  const std::regex colour("(?:fill|stroke|color)=[\"'](#[0-9a-f]{6})[\"']");
  for (auto each = std::sregex_iterator(svg.begin(), svg.end(), colour);
       each != std::sregex_iterator(); ++each) {
    EXPECT_TRUE(std::any_of(plot_colours.begin(), plot_colours.end(), [&](const auto& pair) {
      return pair.first == (*each)[1];
    })) << (*each)[0];
  }
}

TEST_F(Drawn, HostileTextsAreShown) {
  const std::string svg = svg_of(hostile_plot());
  EXPECT_NE(svg.find("#&lt;&amp;&gt;"), std::string::npos);
  EXPECT_NE(svg.find("`touch hacked`"), std::string::npos);
}

}  // namespace
}  // namespace warpwise::lab
