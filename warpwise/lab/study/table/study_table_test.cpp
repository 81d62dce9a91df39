// Tests the tables of ladders and studies: valid ones, and invalid ones that are refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "support/enum_names.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/lab/compile/sources.hpp"
#include "warpwise/lab/study/show/figures.hpp"
#include "warpwise/lab/study/show/messages_testing.hpp"
#include "warpwise/lab/study/table/points.hpp"
#include "warpwise/lab/study/table/small_table_testing.hpp"
#include "warpwise/lab/study/table/study_table.hpp"
#include "warpwise/lab/study/table/table_fields.hpp"

namespace warpwise::lab {
namespace {

namespace fs = std::filesystem;
using ladders::Variables;

TEST(Table, IsRead) {
  const StudyTable table = parse_study(small_table, "/folder/ladder.json");
  EXPECT_EQ(table.name(), "threshold");
  EXPECT_EQ(table.about, "a table for a test");
  EXPECT_EQ(table.size, (Size{640, 480}));
  EXPECT_EQ(table.emulator_size, (Size{64, 48}));
  EXPECT_EQ(table.verify, (std::vector<Size>{{1, 1}, {33, 5}}));
  EXPECT_EQ(table.verify_parameters, (std::vector<Variables>{{}, {{"window", 3}}}));
  EXPECT_EQ(table.document_device, "a GPU of then");
  ASSERT_TRUE(table.document_cpu);
  EXPECT_EQ(table.document_cpu->threads, 16);
  EXPECT_EQ(table.document_cpu->gpu_speedup, 23);
  EXPECT_EQ(table.document_cpu->time_us, std::nullopt);
  EXPECT_EQ(table.document_cpu->document_rows, std::vector<std::string>{"C1"});
  EXPECT_EQ(table.rungs.size(), 4U);
}

TEST(Table, RungsAreRead) {
  const StudyTable table = parse_study(small_table, "/folder/ladder.json");
  const Rung& first = table.rung("first");
  EXPECT_EQ(first.file, "/folder/01.cu");
  EXPECT_EQ(first.document_rows, std::vector<std::string>{"C1"});
  ASSERT_EQ(first.blocks.size(), 2U);
  EXPECT_EQ(first.blocks[1].x, 64U);
  EXPECT_EQ(first.blocks[1].y, 1U);
  ASSERT_EQ(first.launches.size(), 1U);
  EXPECT_EQ(first.launches[0].kernel, "threshold");
  EXPECT_EQ(first.launches[0].grid.size(), 2U);
  EXPECT_EQ(first.document.time_us, 800.5);

  const Rung& second = table.rung("second");
  EXPECT_EQ(second.document_rows, std::vector<std::string>{"C2"});
  EXPECT_EQ(second.constants.at("A"), "3");
  EXPECT_EQ(second.parameters, (Variables{{"offset", -5}}));
  EXPECT_EQ(second.launches[0].shared, "4 * block_x");
  EXPECT_EQ(second.scratch, "16");
  EXPECT_EQ(second.textures.at("src"), TextureKind::two_dimensional);
  EXPECT_EQ(second.needs.at("width < 9"), "narrow");
  EXPECT_EQ(second.document.speedup, 2);

  const Rung& third = table.rung("third");
  ASSERT_EQ(third.launches.size(), 2U);
  EXPECT_EQ(third.launches[0].kernel, "a");
  EXPECT_EQ(third.launches[0].grid, std::vector<std::string>{"1"});
  EXPECT_EQ(third.launches[1].kernel, "threshold");
  EXPECT_EQ(third.launches[1].block, std::vector<std::string>{"256"});
  EXPECT_EQ(third.launches[1].shared, "64");

  EXPECT_EQ(first.after, "");
  EXPECT_EQ(second.after, "first") << "the line above, where none is named";
  EXPECT_EQ(third.after, "first");
  EXPECT_EQ(table.rung("shipped").after, "") << "a branch begins";

  EXPECT_TRUE(table.rung("shipped").shipped);
  EXPECT_TRUE(table.rung("shipped").launches.empty());
  EXPECT_EQ(table.rung("shipped").blocks.size(), 1U) << "the library chooses its block";
}

TEST(Table, ExperimentsAreRead) {
  const StudyTable table = parse_study(small_table, "/folder/ladder.json");
  ASSERT_EQ(table.experiments.size(), 2U);
  EXPECT_EQ(table.experiments[0].rungs,
            (std::vector<std::string>{"first", "second", "third", "shipped"}));
  EXPECT_EQ(table.experiments[0].axes.parameters.at("window"), (std::vector<std::int64_t>{3, 5}));
  EXPECT_EQ(table.experiments[0].axes.constants.at("B"), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(table.experiments[0].axes.sizes, (std::vector<Size>{{10, 20}}));
  EXPECT_TRUE(table.experiments[0].axes.all_blocks);
  EXPECT_TRUE(table.experiments[0].cpu);
  EXPECT_EQ(table.experiments[1].rungs, (std::vector<std::string>{"third", "first"}));
  EXPECT_FALSE(table.experiments[1].axes.all_blocks);
  EXPECT_EQ(table.experiments[1].axes.blocks, (std::vector<emulator::Dim3>{{32, 1, 1}, {8, 8, 1}}));
}

TEST(Table, DefaultLaunchesGiveWayToARungsOwn) {
  std::string text = small_table;
  const std::string defaults = R"json("grid": ["ceil_div(width, block_x)", "height"]})json";
  text.replace(text.find(defaults), defaults.size(),
               R"("launches": [{"kernel": "x", "grid": [1]}, {"kernel": "y", "grid": [1]}]})");
  const std::string second = R"("shared": "4 * block_x")";
  text.replace(text.find(second), second.size(), R"("grid": [5])");
  const StudyTable table = parse_study(text, "f/ladder.json");
  EXPECT_EQ(table.rung("first").launches.size(), 2U);
  ASSERT_EQ(table.rung("second").launches.size(), 1U);
  EXPECT_EQ(table.rung("second").launches[0].grid, std::vector<std::string>{"5"});
  EXPECT_EQ(table.rung("third").launches[0].kernel, "a");
}

TEST(Table, WhatARungNeedsExtendsWhatAllNeed) {
  std::string text = small_table;
  const std::string defaults = R"("defaults": {)";
  text.replace(text.find(defaults), defaults.size(),
               R"("defaults": {"needs": {"width > 0": "wide", "width < 9": "for all"}, )");
  const StudyTable table = parse_study(text, "f/ladder.json");
  using Needs = decltype(Rung::needs);
  EXPECT_EQ(table.rung("first").needs, (Needs{{"width > 0", "wide"}, {"width < 9", "for all"}}));
  EXPECT_EQ(table.rung("second").needs, (Needs{{"width > 0", "wide"}, {"width < 9", "narrow"}}));
}

TEST(Table, LongTextsMayBeLists) {
  std::string text = small_table;
  const std::string idea = R"("the next")";
  text.replace(text.find(idea), idea.size(), R"(["the", "next"])");
  const std::string shared = R"("4 * block_x")";
  text.replace(text.find(shared), shared.size(), R"(["4 *", "block_x"])");
  const StudyTable table = parse_study(text, "f/ladder.json");
  EXPECT_EQ(table.rung("second").idea, "the next");
  EXPECT_EQ(table.rung("second").launches[0].shared, "4 * block_x");
}

// ---- A study that lists its own problem

constexpr const char* small_study = R"json({
 "study": "small",
 "about": "a study for a test",
 "size": [64, 2],
 "emulator_size": [32, 2],
 "verify": [[5, 1]],
 "problem": {
  "parameters": {"shift": 3},
  "arguments": [
   {"input": "in", "type": "u16", "elements": "width * height + shift", "fill": "iota"},
   {"scalar": "count", "type": "i32", "value": "width * height"},
   {"output": "out", "type": "f32", "elements": "width * height"},
   {"texture": "in"},
   {"scratch": "partial"},
   {"scalar": "total", "type": "u64", "value": "shift * 2"}
  ],
  "reference": {"file": "reference.cu", "grid": [1]}
 },
 "defaults": {"grid": ["ceil_div(width * height, block_x)"]},
 "kernels": [
  {"name": "plain", "idea": "as it is", "file": "a.cu"},
  {"name": "capped", "idea": "fewer registers", "file": "a.cu", "constants": {"CAP": 0}, "max_registers": "CAP"}
 ],
 "axes": {"shift": [0, 3], "CAP": [0, 16, 32]},
 "report": ["cold_us", "registers"],
 "experiments": [
  {"name": "one", "title": "One of them", "kernels": ["capped"], "axes": {"CAP": [24]}},
  {"name": "curve", "title": "A curve", "kernels": ["*"], "axes": {"CAP": [24, 32], "shift": [0, 2, 4, 6], "sizes": [[8, 1]]}, "knee": {"axis": "shift", "of": "batch_us"}}
 ]
})json";

TEST(Study, IsRead) {
  const StudyTable table = parse_study(small_study, "/folder/study.json");
  EXPECT_FALSE(table.is_ladder());
  EXPECT_EQ(table.name(), "small");
  EXPECT_EQ(table.parameters(), (Variables{{"shift", 3}}));
  ASSERT_EQ(table.listed.arguments.size(), 6U);
  EXPECT_EQ(table.listed.arguments[0].kind, ArgumentKind::input);
  EXPECT_EQ(table.listed.arguments[0].element_type, ElementType::u16);
  EXPECT_EQ(table.listed.arguments[0].filling, Filling::iota);
  EXPECT_EQ(table.listed.arguments[5].number_type, NumberType::u64);
  EXPECT_EQ(table.reference.file, "/folder/reference.cu");
  EXPECT_EQ(table.reference.launches[0].kernel, "reference");
  EXPECT_EQ(table.rung("plain").launches[0].kernel, "small");
  EXPECT_EQ(table.rung("plain").after, "");
  EXPECT_EQ(table.rung("capped").after, "") << "kernels of a study are no steps";
  EXPECT_EQ(table.rung("capped").max_registers, "CAP");
  EXPECT_EQ(table.axes.parameters.at("shift"), (std::vector<std::int64_t>{0, 3}));
  EXPECT_EQ(table.axes.constants.at("CAP").size(), 3U);
  EXPECT_EQ(table.report, (std::vector<std::string>{"cold_us", "registers"}));
  EXPECT_EQ(table.experiments[0].rungs, std::vector<std::string>{"capped"});
  EXPECT_FALSE(table.experiments[0].knee);
  ASSERT_TRUE(table.experiments[1].knee);
  EXPECT_EQ(table.experiments[1].knee->axis, "shift");
  EXPECT_EQ(table.experiments[1].knee->of, "batch_us");
}

TEST(Study, ItsProblemAndArguments) {
  const StudyTable table = parse_study(small_study, "/folder/study.json");
  const ladders::Problem problem = table.problem({5, 2}, {{"shift", 3}}, {0, 4});
  ASSERT_EQ(problem.operands.size(), 2U);
  EXPECT_EQ(problem.operands[0].view().width(), 13);
  EXPECT_EQ(load<std::uint16_t>(problem.operands[0].view().row(0), 12), 12);
  EXPECT_TRUE(problem.operands[1].is_output());
  EXPECT_EQ(problem.bytes, 13 * 2 + 10 * 4);
  EXPECT_EQ(problem.pixels, 10);
  ladders::Placement placement;
  placement.address = {0x1000, 0x2000};
  placement.texture = {7, 0};
  placement.scratch = 0x3000;
  const std::vector<std::byte> block = table.arguments(problem, placement);
  ASSERT_EQ(block.size(), 48U) << "the int is followed by four bytes of padding";
  const auto word = [&](std::size_t at) { return load<std::uint64_t>(block.data() + at, 0); };
  EXPECT_EQ(word(0), 0x1000U);
  EXPECT_EQ(load<std::int32_t>(block.data() + 8, 0), 10);
  EXPECT_EQ(word(16), 0x2000U);
  EXPECT_EQ(word(24), 7U);
  EXPECT_EQ(word(32), 0x3000U);
  EXPECT_EQ(word(40), 6U);
  EXPECT_EQ(parameter_bytes_of(table.listed), (std::vector<std::uint64_t>{8, 4, 8, 8, 8, 8}));
  expect_words(message_of<InvalidArgument>([&] { table.problem({5, 2}, {{"shift", -10}}, {}); }),
               {"\"in\"", "0 elements"});
}

// ---- A study with a ladder's problem and rungs

constexpr const char* study_of_a_ladder = R"json({
 "study": "small",
 "about": "rungs of a ladder for a test",
 "size": [64, 2],
 "emulator_size": [32, 2],
 "verify": [[5, 1]],
 "problem": {"ladder": "convert"},
 "defaults": {"rows": ["D2"]},
 "kernels": [
  {"name": "narrow", "rung": "input", "blocks": [[48], [48, 2]], "needs": {"width > 4": "wide"}, "document": {"time_us": 5}},
  {"name": "output", "rung": "output", "idea": "told otherwise"},
  {"name": "last", "rung": "shipped", "blocks": [[64], [32]]},
  {"name": "own", "idea": "a kernel of its own", "file": "own.cu", "kernel": "convert", "grid": [1]}
 ]
})json";

TEST(Study, HasALaddersProblemAndRungs) {
  const StudyTable ladder = find_study("convert");
  const StudyTable table = parse_study(study_of_a_ladder, "/folder/study.json");
  EXPECT_EQ(table.ladder, ladder.ladder);
  EXPECT_FALSE(table.is_ladder());
  EXPECT_EQ(table.name(), "small");
  EXPECT_EQ(table.problem({5, 2}, {}, {}).operands.size(), 2U);

  const Rung& input = ladder.rung("input");
  const Rung& narrow = table.rung("narrow");
  EXPECT_EQ(narrow.file, input.file);
  EXPECT_EQ(narrow.idea, input.idea);
  EXPECT_EQ(narrow.document_rows, std::vector<std::string>{"D2"});
  EXPECT_EQ(narrow.launches[0].kernel, "convert");
  EXPECT_EQ(narrow.launches[0].grid, input.launches[0].grid);
  EXPECT_EQ(narrow.blocks, (std::vector<emulator::Dim3>{{48, 1, 1}, {48, 2, 1}}));
  EXPECT_EQ(narrow.document.time_us, 5);
  EXPECT_EQ(narrow.needs.size(), input.needs.size() + 1);
  EXPECT_EQ(narrow.place, "/folder/study.json, kernel 1 \"narrow\"");

  const Rung& output = table.rung("output");
  EXPECT_EQ(output.idea, "told otherwise");
  EXPECT_EQ(output.after, "") << "kernels of a study are no steps";
  EXPECT_EQ(output.document.time_us, std::nullopt) << "the ladder's own is of its own shape";
  EXPECT_EQ(output.blocks, ladder.rung("output").blocks);
  EXPECT_TRUE(table.rung("last").shipped);
  EXPECT_EQ(table.rung("last").blocks.size(), 1U);
  EXPECT_EQ(table.rung("own").file, "/folder/own.cu");
}

TEST(Study, ItsPoints) {
  const StudyTable table = parse_study(small_study, "/folder/study.json");
  EXPECT_EQ(parameters_of(table, table.axes),
            (std::vector<Variables>{{{"shift", 0}}, {{"shift", 3}}}));
  const std::vector<RungPoint> points = points_of(table.rung("capped"), table.axes);
  ASSERT_EQ(points.size(), 3U);
  EXPECT_EQ(points[1].rung.constants.at("CAP"), "16");
  EXPECT_EQ(points[1].constants, (Variables{{"CAP", 16}}));
  EXPECT_EQ(points_of(table.rung("plain"), table.axes).size(), 1U) << "it has no such constant";
}

TEST(Study, EveryMistakeIsToldWithItsPlace) {
  struct Change {
    const char* from;
    const char* to;
    std::vector<std::string> says;
  };
  const Change changes[] = {
      {"\"study\": \"small\"", "\"study\": \"copy\"", {"name of a ladder"}},
      {"\"study\": \"small\"", "\"study\": \"a/b\"", {"letters"}},
      {"\"problem\"", "\"problm\"", {"\"problm\"", "did you mean \"problem\""}},
      {"\"kernels\": [\n", "\"rungs\": [\n", {"\"rungs\""}},
      {"\"type\": \"u16\"", "\"type\": \"f64\"", {"\"arguments\" 1", "\"f64\"", "u16"}},
      {"\"fill\": \"iota\"", "\"fill\": \"ones\"", {"\"arguments\" 1", "random, iota, zero"}},
      {"\"fill\": \"iota\"", "\"value\": 3", {"\"arguments\" 1", "\"value\"", "cannot"}},
      {"\"elements\": \"width * height\"", "\"elements\": \"width *\"", {"\"arguments\" 3"}},
      {"{\"texture\": \"in\"}", "{\"texture\": \"out\"}", {"not among the inputs before it"}},
      {"{\"scratch\": \"partial\"}", "{\"scratch\": \"in\"}", {"\"arguments\" 5", "twice: in"}},
      {"{\"scratch\": \"partial\"}", "{}", {"one of input, output"}},
      {"\"output\": \"out\"", "\"input\": \"out\"", {"no output"}},
      {"\"reference\": {", "\"referenc\": {", {"\"reference\""}},
      {"\"parameters\": {\"shift\": 3}", "\"parameters\": {\"width\": 3}", {"\"width\""}},
      {"\"CAP\": [0, 16, 32]", "\"CAPS\": [0]", {"unknown axis \"CAPS\"", "\"CAP\""}},
      {"\"registers\"]", "\"registrs\"]", {"\"report\"", "spill_bytes"}},
      {"[\"capped\"]", "[\"caped\"]", {"no kernel \"caped\"", "did you mean \"capped\""}},
      {"\"max_registers\": \"CAP\"", "\"shipped\": true", {"unknown field \"shipped\""}},
      {"\"knee\": {", "\"kneee\": {", {"experiment 2 \"curve\"", "did you mean \"knee\""}},
      {"\"knee\": {\"axis\": \"shift\"",
       "\"knee\": {\"axes\": \"shift\"",
       {"\"knee\"", "did you mean \"axis\""}},
      {"\"axis\": \"shift\", ", "", {"\"curve\", \"knee\" lacks", "\"axis\""}},
      {", \"of\": \"batch_us\"", "", {"\"knee\" lacks", "\"of\""}},
      {"{\"axis\": \"shift\", \"of\": \"batch_us\"}",
       "\"shift\"",
       {"\"curve\", \"knee\" is no object"}},
      {"\"axis\": \"shift\"",
       "\"axis\": \"shifts\"",
       {"\"shifts\"", "did you mean \"shift\"", "shift, CAP"}},
      {"\"axis\": \"shift\"",
       "\"axis\": \"sizes\"",
       {"\"sizes\"", "of a parameter or a constant", "shift, CAP"}},
      {"\"axis\": \"shift\"", "\"axis\": \"CAP\"", {"\"CAP\"", "2 different values", "at least 4"}},
      {"[0, 2, 4, 6]", "[0, 2, 4, 4]", {"\"shift\"", "3 different values", "at least 4"}},
      {"\"of\": \"batch_us\"",
       "\"of\": \"registers\"",
       {"\"of\" \"registers\"", "cold_us, batch_us"}},
      {"\"axes\": {\"CAP\": [24, 32], \"shift\": [0, 2, 4, 6], \"sizes\": [[8, 1]]}, ",
       "",
       {"\"shift\"", "no axis"}},
      {"\"name\": \"plain\"",
       "\"name\": \"plain\", \"rung\": \"input\"",
       {"kernel 1 \"plain\"", "\"rung\"", "does not come from a ladder"}},
  };
  const Change of_a_ladder[] = {
      {"\"ladder\": \"convert\"",
       "\"ladder\": \"convret\"",
       {"\"problem\"", "no ladder \"convret\"", "did you mean \"convert\""}},
      {"\"ladder\": \"convert\"",
       "\"ladder\": \"convert\", \"roof\": \"read\"",
       {"\"problem\"", "\"roof\" beside its \"ladder\""}},
      {"\"rung\": \"input\"",
       "\"rung\": \"inptu\"",
       {"kernel 1 \"narrow\"", "no rung \"inptu\"", "did you mean \"input\""}},
      {"\"rung\": \"input\"",
       "\"rung\": \"input\", \"grid\": [1]",
       {"kernel 1 \"narrow\"", "\"grid\" beside its \"rung\""}},
  };
  const auto expect_refusal = [](std::string text, const Change& each) {
    const std::size_t at = text.find(each.from);
    ASSERT_NE(at, std::string::npos) << each.from;
    text.replace(at, std::string_view(each.from).size(), each.to);
    const std::string said =
        message_of<InvalidArgument>([&] { parse_study(text, "/some/study.json"); });
    expect_words(said, each.says);
    expect_words(said, {"/some/study.json"});
  };
  for (const Change& each : changes) expect_refusal(small_study, each);
  for (const Change& each : of_a_ladder) expect_refusal(study_of_a_ladder, each);
}

std::string replaced(std::string text, std::string_view from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

// A parameter with one of these names would replace a variable of the run, or be replaced by it.
TEST(StudyTable, RefusesNamesThatMeanSomethingElse) {
  std::vector<std::string> names = {"src_pitch", "out_offset"};
  for (const char* name :
       {"width", "height", "sizes", "blocks", "block_x", "block_y", "block_z", "multiprocessors",
        "blocks_per_sm", "max_shared_bytes", "max_linear_texels", "cc"}) {
    names.emplace_back(name);
  }
  for (const std::string& name : names) {
    const std::string quoted = "\"" + name + "\"";
    const std::string parameter =
        replaced(small_study, "\"parameters\": {", "\"parameters\": {" + quoted + ": 1, ");
    expect_words(message_of<InvalidArgument>([&] { parse_study(parameter, "/some/study.json"); }),
                 {"/some/study.json", "\"problem\"", "the parameter " + quoted, "a reserved name"});
    const std::string constant = replaced(small_table, "\"A\": 3", quoted + ": 3");
    expect_words(message_of<InvalidArgument>([&] { parse_study(constant, "/some/ladder.json"); }),
                 {"rung 2 \"second\"", "the constant " + quoted, "a reserved name"});
  }
  for (const char* name : {"A_pitches", "pitch", "offset_1", "max_shared"}) {
    const std::string constant =
        replaced(small_table, "\"A\": 3", "\"" + std::string(name) + "\": 3");
    EXPECT_NO_THROW(parse_study(constant, "/some/ladder.json")) << name;
  }
}

TEST(StudyTable, NamesWhatItsFieldsMayBe) {
  EXPECT_TRUE(test::names_each_enumerator<ArgumentKind>());
  EXPECT_TRUE(test::names_each_enumerator<Filling>());
  EXPECT_TRUE(test::names_each_enumerator<NumberType>());
  EXPECT_TRUE(test::names_each_enumerator<TextureKind>());
  EXPECT_TRUE(test::names_each_enumerator<ladders::Roof>());
}

// The schema for editors must have the same fields that the program reads.
TEST(Schema, HasTheFieldsThatAreRead) {
  std::ifstream file(source_root() / "warpwise/lab/study/study.schema.json");
  const auto schema = nlohmann::json::parse(file);
  ASSERT_EQ(schema.at("$defs").at("study").at("additionalProperties"), false);
  for (const auto& [kind, fields] : table_fields()) {
    std::set<std::string> known;
    for (const auto& [name, any] : schema.at("$defs").at(kind).at("properties").items()) {
      known.insert(name);
    }
    EXPECT_EQ(known, std::set<std::string>(fields.begin(), fields.end())) << kind;
    EXPECT_EQ(schema.at("$defs").at(kind).at("additionalProperties"), false) << kind;
  }
  std::set<std::string> figures;
  for (const auto& each :
       schema.at("$defs").at("study").at("properties").at("report").at("items").at("enum")) {
    figures.insert(each.get<std::string>());
  }
  EXPECT_EQ(figures, std::set<std::string>(figure_names.begin(), figure_names.end()));
  const nlohmann::json& refused = schema.at("$defs").at("free_name").at("not").at("anyOf");
  std::set<std::string> reserved;
  for (const auto& each : refused.at(0).at("enum")) reserved.insert(each.get<std::string>());
  EXPECT_EQ(reserved, std::set<std::string>(reserved_names.begin(), reserved_names.end()));
  EXPECT_EQ(refused.at(1).at("pattern"), "_(pitch|offset)$");
}

TEST(Table, OfAFolderWithoutOne) {
  expect_words(message_of<IoError>([] { read_study("/nowhere"); }), {"/nowhere/ladder.json"});
}

TEST(Study, EveryInstalledOneIsWhole) {
  for (const std::string& name : study_names()) {
    const StudyTable table = find_study(name);
    EXPECT_EQ(table.name(), name);
    for (const std::string& each : table.collects) {
      const std::size_t slash = each.find('/');
      const std::vector<Experiment> known = find_study(each.substr(0, slash)).experiments;
      EXPECT_TRUE(std::any_of(
          known.begin(), known.end(),
          [&](const Experiment& experiment) { return experiment.name == each.substr(slash + 1); }))
          << name << " collects " << each;
    }
    if (table.is_collection()) continue;
    EXPECT_TRUE(table.ladder != nullptr || fs::is_regular_file(table.reference.file)) << name;
    for (const Rung& rung : table.rungs) EXPECT_TRUE(fs::is_regular_file(rung.file)) << rung.file;
  }
}

TEST(Table, EveryInstalledLadderIsWhole) {
  for (const ladders::Ladder* each : ladders::all()) {
    const StudyTable table = find_study(each->name());
    ASSERT_FALSE(table.rungs.empty());
    EXPECT_TRUE(table.rungs.back().shipped) << table.name();
    for (const Rung& rung : table.rungs) {
      EXPECT_TRUE(fs::is_regular_file(rung.file)) << rung.file;
    }
  }
}

}  // namespace
}  // namespace warpwise::lab
