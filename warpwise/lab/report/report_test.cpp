// Tests the report's findings, tables and pictures, and its errors for invalid files.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/message_of.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/lab/report/charts/chart.hpp"
#include "warpwise/lab/report/charts/roofline.hpp"
#include "warpwise/lab/report/html/table.hpp"
#include "warpwise/lab/report/kernel/program_page.hpp"
#include "warpwise/lab/report/page.hpp"
#include "warpwise/lab/report/records/findings.hpp"
#include "warpwise/lab/report/words/words.hpp"

namespace warpwise::lab::report {
namespace {

using Json = nlohmann::ordered_json;

Json step(const std::string& rung, double us, double first_us, const char* before = nullptr) {
  Json row = {{"rung", rung},
              {"idea", "of " + rung},
              {"size", {1000, 100}},
              {"parameters", Json::object()},
              {"block", {32, 8, 1}},
              {"cold", {{"median_us", us}, {"p5_us", 0.9 * us}, {"p95_us", 1.2 * us}}},
              {"gb_per_s", 800 / us},
              {"share_of_roof", 0.8 / us},
              {"sm_clock_mhz", 2000},
              {"speedup_over_first", first_us / us},
              {"counts",
               {{{"compute_capability", "9.0"}, {"size", {100, 10}}, {"warp_instructions", 40}}}}};
  if (before != nullptr) {
    row["step_before"] = before;
    row["speedup_over_step_before"] = 2;
  }
  return row;
}

Json ladder(const Json& rows) {
  return {{"ladder", "l"},
          {"experiment", "ladder"},
          {"document_device", "an old GPU"},
          {"machine", {{"gpu", "a GPU"}, {"compute_capability", "9.0"}, {"multiprocessors", 10}}},
          {"copy_roof_gb_per_s", 1000},
          {"results", rows}};
}

Collection collection_of(const Json& json) {
  Collection collection;
  add_file(json.dump(), "file.json", collection);
  return collection;
}

std::string message_of(const std::string& text) {
  Collection collection;
  return test::message_of<InvalidArgument>([&] { add_file(text, "file.json", collection); });
}

TEST(Html, ATextIsNoMarkup) {
  EXPECT_EQ(text("<a href=\"x\">&amp;").markup, "&lt;a href=&quot;x&quot;&gt;&amp;amp;");
  EXPECT_EQ(element("p", {{"title", "\"><script>"}}, "<b>").markup,
            "<p title=\"&quot;&gt;&lt;script&gt;\">&lt;b&gt;</p>");
}

TEST(Html, WhatIsNoUtf8IsReplaced) {
  const std::string_view replaced = "\xEF\xBF\xBD";
  EXPECT_EQ(text("é한😀\n\t").markup, "é한😀\n\t");
  for (const char* wrong : {"\xFF", "\x80", "\xC3", "\x07", "\x7F"}) {
    EXPECT_EQ(text(wrong).markup, replaced) << fmt::format("{:02x}", wrong[0]);
  }
  // The bytes of an overlong form, a surrogate or a code point above U+10FFFF are all replaced.
  for (const char* wrong : {"\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80"}) {
    EXPECT_EQ(text(wrong).markup.size(), replaced.size() * std::string_view(wrong).size());
  }
}

TEST(Html, AnAddressHoldsAFile) {
  EXPECT_EQ(data_address("text/csv", "a,b\n\"1\",50 %é\n"),
            "data:text/csv;charset=utf-8,a,b%0A%221%22,50%20%25%C3%A9%0A");
}

TEST(Scale, LiesBetweenItsEnds) {
  const Scale even = scale_for(10, 40, false);
  EXPECT_EQ(even.least, 0);
  EXPECT_NEAR(even.fraction(40), 1 / 1.06, 1e-9);
  const Scale powers = scale_for(1, 100, true);
  EXPECT_NEAR(powers.fraction(10), 0.5, 1e-9);
  // The number of ticks is limited for extreme ranges too.
  for (const double far : {0.0, 5e-324, 1e308}) {
    const Scale scale = scale_for(far, 1e308, true);
    EXPECT_LT(scale.ticks(5).size(), 100U);
    EXPECT_GE(scale.fraction(far), 0);
  }
}

TEST(Findings, BranchesOfALadder) {
  const Json rows = {step("a", 8, 8),
                     step("b", 4, 8, "a"),
                     step("other", 6, 8),
                     step("c", 2, 8, "b"),
                     step("d", 5, 8, "other"),
                     step("e", 1, 8, "b"),
                     step("f", 1, 8, "left out")};
  const Collection collection = collection_of(ladder(rows));
  const auto branches = branches_of(rows_of_first_size(collection.runs.at(0).record));
  std::string found;
  for (const Branch& each : branches) {
    found += fmt::format("{}..{}:", each.first, each.last);
    for (const RecordedRow* row : each.rows) found += " " + row->rung;
    found += "\n";
  }
  EXPECT_EQ(found, "a..e: a b c e\nother..d: other d\nf..f: f\n");
}

TEST(Findings, TheRoofOfALadder) {
  Json run = ladder(Json::array({step("a", 8, 8)}));
  const auto roof = [&] { return roof_of(collection_of(run).runs.at(0).record); };
  EXPECT_EQ(roof(), "copy");
  run["read_roof_gb_per_s"] = 1100;
  EXPECT_EQ(roof(), "read") << "an older record does not name it";
  run["absolute_differences_roof_per_s"] = 1e13;
  EXPECT_EQ(roof(), "vsadu4");
  run["results"][0]["roof"] = "read";
  EXPECT_EQ(roof(), "read");
}

TEST(Findings, OfALadder) {
  Json rows = {step("first", 8, 8), step("second", 4, 8, "first"), step("third", 1, 8, "second")};
  rows[2]["speedup_over_step_before"] = 4;
  rows[0]["document_speedup_over_first"] = 1;
  rows[1]["document_speedup_over_first"] = 3;
  Json larger = rows[2];
  larger["size"] = {2000, 100};
  rows.push_back(larger);
  const Collection collection = collection_of(ladder(rows));
  const auto finding = finding_of(collection.runs.at(0).record);
  ASSERT_TRUE(finding);
  EXPECT_DOUBLE_EQ(finding->speedup, 8);
  EXPECT_EQ(finding->largest_step->rung, "third");
  EXPECT_EQ(finding->last_at_largest_size->size[0], 2000);
  ASSERT_TRUE(finding->document);
  EXPECT_TRUE(finding->document->is_alone);
  EXPECT_EQ(finding->document->in_document->rung, "second");
}

TEST(Findings, OnlyAWholeLadderHasACard) {
  const auto has_card = [](const Json& json) {
    return page_of(collection_of(json), {}).find("over its first rung") != std::string::npos;
  };
  Json run = ladder({step("first", 8, 8), step("second", 4, 8, "first")});
  EXPECT_TRUE(has_card(run));
  EXPECT_FALSE(has_card(ladder(Json::array({step("first", 8, 8)}))));
  run["named_rungs"] = {"first", "second"};
  EXPECT_FALSE(has_card(run));
  run.erase("named_rungs");
  run["interrupted"] = true;
  EXPECT_FALSE(has_card(run));
}

TEST(Findings, ASlowerStepIsNoGain) {
  Json rows = {step("first", 8, 8), step("second", 10, 8, "first")};
  rows[1]["speedup_over_step_before"] = 0.8;
  const Collection collection = collection_of(ladder(rows));
  EXPECT_EQ(finding_of(collection.runs.at(0).record)->largest_step, nullptr);
  EXPECT_EQ(page_of(collection, {}).find("The largest gain"), std::string::npos);
}

TEST(Findings, TheDocumentsBestMayBeBestNoLonger) {
  Json rows = {step("first", 8, 8), step("second", 4, 8), step("third", 2, 8), step("own", 1, 8)};
  rows[0]["document_speedup_over_first"] = 1;
  rows[1]["document_speedup_over_first"] = 6;
  rows[2]["document_speedup_over_first"] = 5;
  const Collection collection = collection_of(ladder(rows));
  const auto best = finding_of(collection.runs.at(0).record)->document;
  ASSERT_TRUE(best);
  EXPECT_EQ(best->in_document->rung, "second");
  EXPECT_EQ(best->measured->rung, "third") << "of the document's own steps";
  const std::string page = page_of(collection, {});
  EXPECT_NE(page.find("l: second was the best rung (×6.00 over the first, ×2.00 now); now it is "
                      "third (×5.00 then, ×4.00 now)."),
            std::string::npos);
}

TEST(Findings, OfBlocks) {
  Json rows = {step("a", 4, 4), step("a", 3, 4)};
  rows[0]["document_time_us"] = 100;
  rows[1]["block"] = {64, 2, 1};
  const Collection collection = collection_of(ladder(rows));
  const auto blocks = other_best_blocks(collection.runs);
  ASSERT_EQ(blocks.size(), 1U);
  EXPECT_EQ(blocks[0].fastest_row->block[0], 64);
  rows[1]["cold"]["median_us"] = 3.99;
  EXPECT_TRUE(other_best_blocks(collection_of(ladder(rows)).runs).empty()) << "as good";
}

TEST(Findings, OfOtherLibraries) {
  const auto row = [](const char* by, double us) {
    return Json{{"primitive", "copy"}, {"variant", "v"}, {"implementation", by},
                {"width", 8},          {"height", 4},    {"median_us", us},
                {"p5_us", us},         {"p95_us", us},   {"share_of_roof", 1}};
  };
  const Collection collection = collection_of(
      {{"machine", Json::object()},
       {"method", "m"},
       {"roof_gb_per_s", 1},
       {"rows", {{{"primitive", "roof"}}, row("warpwise", 2), row("a", 3), row("b", 1)}}});
  const auto peers = peer_findings(collection.benches);
  ASSERT_EQ(peers.size(), 1U);
  EXPECT_EQ(peers[0].comparisons, 2U);
  EXPECT_EQ(peers[0].faster, 1U);
  EXPECT_DOUBLE_EQ(peers[0].least, 0.5);
  EXPECT_DOUBLE_EQ(peers[0].greatest, 1.5);
}

TEST(Roofline, ComparesWorkWithBytes) {
  const Collection collection = collection_of(ladder(Json::array({step("first", 8, 8)})));
  const auto lines = rooflines_of(collection.runs);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_DOUBLE_EQ(lines[0].instructions_per_s, 10 * 4 * 2000e6);
  // 40 instructions on 1000 pixels are 4000 on 100,000 pixels. 100 GB/s for 8 µs are 800 kilobytes.
  EXPECT_DOUBLE_EQ(lines[0].points.at(0).work, 5);
  EXPECT_DOUBLE_EQ(lines[0].points.at(0).gb_per_s, 100);
}

TEST(Collection, NamesTheFileThatIsWrong) {
  EXPECT_EQ(message_of("{"), "file.json is no JSON; lab run --out writes such records");
  EXPECT_EQ(message_of(R"({"ladder": "copy"})"),
            "file.json has no \"machine\"; lab run --out writes such records");
  EXPECT_EQ(message_of(R"({"rows": [3], "roof_gb_per_s": 1, "machine": {}, "method": ""})"),
            "file.json, rows[0] has to be an object; lab run --out writes such records");
  Json wrong = ladder(Json::array({step("a", 1, 1)}));
  wrong["knees"] = {{{"rung", 1}}};
  EXPECT_NE(message_of(wrong.dump()).find("file.json, knees[0], rung has to be a text"),
            std::string::npos);
}

TEST(Collection, WhatIsNoRecordIsPassedOver) {
  Collection collection;
  for (const char* other : {"{}", "[1, 2]", "3", R"({"ladder": {"runs": 3}})"}) {
    add_file(other, "file.json", collection);
  }
  EXPECT_TRUE(collection.runs.empty());
  EXPECT_EQ(collection.others, 5U) << "a list's elements are each something else";
}

TEST(Collection, ARunWithCountersStandsInWhereThereIsNoOther) {
  const std::filesystem::path folder = testing::TempDir() + "report_counters";
  std::filesystem::create_directories(folder);
  Json counted = ladder(Json::array({step("a", 1, 1)}));
  counted["counters"] = Json::object();
  counted.erase("experiment");
  const auto write = [&](const char* name, const Json& json) {
    std::ofstream(folder / name) << json;
  };
  write("counted.json", counted);
  EXPECT_EQ(read_folder(folder).runs.size(), 1U);
  write("plain.json", ladder(Json::array({step("a", 1, 1)})));
  const Collection both = read_folder(folder);
  EXPECT_EQ(both.runs.size(), 1U);
  EXPECT_FALSE(both.runs[0].record.has_counters);
  EXPECT_EQ(both.counted.size(), 1U);
  std::filesystem::remove_all(folder);
}

TEST(Page, TwoGpusHaveAChapterEach) {
  Collection collection = collection_of(ladder(Json::array({step("a", 1, 1)})));
  Json other = ladder(Json::array({step("a", 1, 1)}));
  other["machine"]["gpu"] = "another GPU";
  add_file(other.dump(), "other.json", collection);
  const std::string page = page_of(collection, {});
  EXPECT_NE(page.find("id=\"ladder-l\""), std::string::npos);
  EXPECT_NE(page.find("id=\"ladder-l-2\""), std::string::npos);
  EXPECT_NE(page.find("From other.json: another GPU"), std::string::npos);
}

TEST(Page, WhatWasNotRunSaysWhy) {
  Json rows = {step("a", 1, 1),
               {{"rung", "b"}, {"size", {1000, 100}}, {"skipped", "for a reason"}}};
  EXPECT_NE(page_of(collection_of(ladder(rows)), {}).find("not run: for a reason"),
            std::string::npos);
}

Json predicted(const std::string& rung, double predicted_us, double measured_us) {
  return {{"rung", rung},
          {"size", {1000, 100}},
          {"parameters", {{"window", 5}}},
          {"axes", Json::object()},
          {"block", {32, 8, 1}},
          {"predicted_us", predicted_us},
          {"measured_us", measured_us},
          {"rules", "DRAM"}};
}

Json predictions_of(const Json& rows) {
  const Json fit = {{"points", 3},      {"rank_correlation", 0.5}, {"median_error", 0.25},
                    {"ratio_least", 1}, {"ratio_median", 1},       {"ratio_greatest", 3}};
  Json experiment = fit;
  experiment.update({{"study", "l"}, {"experiment", nullptr}, {"device", "d"}, {"rows", rows}});
  return {{"commit", "abc"},
          {"all", fit},
          {"experiments", Json::array({experiment})},
          {"documents", Json::array()}};
}

TEST(Predictions, MissesAreNamedOnceByTheirWorst) {
  Collection collection = collection_of(ladder(Json::array({step("a", 1, 1)})));
  const Json rows = {predicted("a", 2.1, 1), predicted("a", 3, 1), predicted("b", 1.9, 1),
                     predicted("c", 1, 4)};
  add_file(predictions_of(rows).dump(), "predictions.json", collection);
  const std::string page = page_of(collection, {});
  EXPECT_NE(page.find("Misses by more than a factor of two: c 0.25 (bottleneck: DRAM), a 3.00 "
                      "(bottleneck: DRAM)."),
            std::string::npos);
  EXPECT_NE(page.find("b, 1000×100, 32×8, window 5: 1.90 µs predicted, 1.00 µs measured, ratio "
                      "1.90"),
            std::string::npos);
  EXPECT_NE(page.find("From predictions.json, made at commit abc."), std::string::npos);
}

TEST(Predictions, TimesThatCannotBeAreRefused) {
  EXPECT_NE(message_of(predictions_of(Json::array({predicted("a", 0, 1)})).dump())
                .find("file.json, experiments[0], rows[0], predicted_us has to be more than 0"),
            std::string::npos);
  EXPECT_NE(message_of(predictions_of(Json::array()).dump()).find("at least one row"),
            std::string::npos);
}

TEST(Programs, ALongNameIsCutBetweenCharacters) {
  std::string name;
  for (int i = 0; i < 40; ++i) name += "가";
  const Json event = {{"transfer", name}, {"time_us", 2.0}, {"times", 1}, {"start_us", 0.0}};
  const Json program = {{"gpu", "a GPU"},
                        {"predicted_us", 2.0},
                        {"kernels", Json::array()},
                        {"look_first", Json::array()},
                        {"timeline", Json::array({event})}};
  const std::string shown = program_overview(RecordField(program, "program")).markup;
  EXPECT_NE(shown.find("가…<"), std::string::npos) << shown;
}

Json counted_line(std::int64_t line, const std::string& source, double instructions) {
  return {
      {"file", "a.cu"}, {"line", line}, {"source", source}, {"warp_instructions", instructions}};
}

Annotation annotation_of(const Json& launch) {
  Annotation annotation;
  add_launch(RecordField(launch, "launch"), annotation);
  return annotation;
}

TEST(Annotation, LaunchesOfOneFileAreAddedUp) {
  Json line = counted_line(2, "b;", 30);
  line["by_cc"]["9.0"]["global_load"] = {
      {"requests", 2}, {"transactions", {{"32", 6}, {"128", 1}}}, {"ideal_transactions", 2}};
  const Json launch = {{"warp_instructions", 50}, {"lines", {line, counted_line(1, "a;", 20)}}};
  Annotation annotation = annotation_of(launch);
  add_launch(RecordField(launch, "launch"), annotation);
  EXPECT_DOUBLE_EQ(annotation.warp_instructions, 100);
  const auto& lines = annotation.files.at("a.cu");
  const AccessCounts& reads = lines.at(2).accesses.at("9.0").at("global_load");
  EXPECT_DOUBLE_EQ(reads.requests, 4);
  EXPECT_DOUBLE_EQ(reads.made, 14);
  const std::string shown = listing("a.cu", "a;\n  b;\n", lines, 100).markup;
  EXPECT_NE(shown.find("60.0 %</i>  b;"), std::string::npos);
  EXPECT_NE(shown.find("<em class=\"bad\">global read 3.5 transactions, ideal 1</em>"),
            std::string::npos);
  EXPECT_NE(excerpt("a.cu", {*lines.find(2)}, 100).markup.find("counter-increment:line 2"),
            std::string::npos);
}

TEST(Annotation, AFileThatChangedIsNotTheOneThatWasCounted) {
  const Annotation annotation =
      annotation_of({{"warp_instructions", 5}, {"lines", {counted_line(2, "b;", 5)}}});
  EXPECT_TRUE(is_of("a;\n  b;  \n", annotation.files.at("a.cu")));
  EXPECT_FALSE(is_of("a;\n  c;\n", annotation.files.at("a.cu")));
  EXPECT_FALSE(is_of("a;\n", annotation.files.at("a.cu")));
}

TEST(Annotation, CountsThatCannotBeAreRefused) {
  for (const double wrong : {-1.0, 1e300}) {
    const Json launch = {{"lines", {counted_line(1, "a", wrong)}}};
    EXPECT_THROW(annotation_of(launch), InvalidArgument);
  }
}

TEST(Table, EmptyColumnsAreLeftOut) {
  Table table;
  table.caption = "c";
  table.file = "c.csv";
  table.columns = {{"a"}, {"b"}, {"c", true}};
  table.rows = {{{"1", {}}, {}, {"2.5", text("3")}}};
  drop_empty_columns(table);
  EXPECT_EQ(csv_of(table), "a,c\n1,2.5\n");
  EXPECT_NE(html_of(table).markup.find("<td class=\"n\">3</td>"), std::string::npos);
}

}  // namespace
}  // namespace warpwise::lab::report
