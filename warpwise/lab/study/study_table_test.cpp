// A ladder's table and its expressions: texts that are right, and everything that can be wrong with
// them; differences between texts, and names of kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "support/enum_names.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/lab/compile/kernel_name.hpp"
#include "warpwise/lab/compile/sources.hpp"
#include "warpwise/lab/study/expression.hpp"
#include "warpwise/lab/study/figures.hpp"
#include "warpwise/lab/study/messages_testing.hpp"
#include "warpwise/lab/study/points.hpp"
#include "warpwise/lab/study/study_table.hpp"
#include "warpwise/lab/study/suggestion.hpp"
#include "warpwise/lab/study/table_fields.hpp"
#include "warpwise/lab/study/text_diff.hpp"

namespace warpwise::lab {
namespace {

namespace fs = std::filesystem;
using ladders::Variables;

constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();

// ---- Expressions

const Variables variables = {{"width", 33},        {"height", 7},          {"block_x", 32},
                             {"negative", -7},     {"greatest", greatest}, {"least", least},
                             {"_under_score2", 11}};

TEST(Expression, Values) {
  const std::pair<const char*, std::int64_t> cases[] = {
      {"0", 0},
      {" 42 ", 42},
      {"width", 33},
      {"_under_score2", 11},
      {"9223372036854775807", greatest},
      {"least", least},
      {"1 + 2 * 3", 7},
      {"(1 + 2) * 3", 9},
      {"10 - 3 - 2", 5},
      {"100 / 10 / 5", 2},
      {"7 - 2 * 3 % 4", 5},
      {"negative / 2", -3},
      {"negative % 2", -1},
      {"7 / (0 - 2)", -3},
      {"1 + 1 == 2", 1},
      {"width != 33", 0},
      {"2 < 2", 0},
      {"2 <= 2", 1},
      {"3 > 2", 1},
      {"2 >= 3", 0},
      {"1 == 1 && 2 > 1", 1},
      {"5 && 7", 1},
      {"5 && 0 && 1", 0},
      {"(1 < 2) + (3 == 3)", 2},
      {"ceil_div(width, block_x)", 2},
      {"ceil_div(32, 32)", 1},
      {"ceil_div(0, 32)", 0},
      {"ceil_div(negative, 2)", -3},
      {"ceil_div(7, 0 - 2)", -3},
      {"ceil_div(negative, 0 - 2)", 4},
      {"ceil_div(greatest, 2)", greatest / 2 + 1},
      {"round_up(width, block_x)", 64},
      {"round_up(negative, 4)", -4},
      {"round_up(negative, 0 - 4)", -8},
      {"min(negative, 3)", -7},
      {"max(negative, 3)", 3},
      {"min (max(1, 2), ceil_div(9, 2)) * 2", 4},
      {"min(1 == 1 && 1, 5)", 1},
      {"least % (0 - 1)", 0},
  };
  for (const auto& [text, value] : cases) {
    EXPECT_EQ(evaluate(text, variables), value) << text;
    EXPECT_NO_THROW(require_expression(text)) << text;
  }
}

TEST(Expression, EveryErrorSaysWhere) {
  struct Wrong {
    const char* text;
    std::vector<std::string> says;
  };
  const Wrong cases[] = {
      {"", {"character 1:", "ends"}},
      {"   ", {"character 4:", "ends"}},
      {"1 +", {"character 4:", "ends"}},
      {"1 2", {"character 3:", "operator"}},
      {"2x", {"character 2:", "operator"}},
      {"(1", {"character 3:", "')'"}},
      {"1)", {"character 2:", "operator"}},
      {"()", {"character 2:", "neither"}},
      {"-1", {"character 1:", "'-'", "neither"}},
      {"1 = 1", {"character 3:", "operator"}},
      {"1 < 2 < 3", {"character 7:", "operator"}},
      {"1 & 2", {"character 3:", "operator"}},
      {"1.5", {"character 2:", "operator"}},
      {"\xc3\xbc", {"character 1:", "neither"}},
      {"widht + 1", {"character 1:", "'widht'", "known are", "height", "width"}},
      {"max(1)", {"character 6:", "','"}},
      {"max(1, 2, 3)", {"character 9:", "')'"}},
      {"median(1, 2)", {"'median'", "ceil_div", "round_up"}},
      {"1 / 0", {"division by zero"}},
      {"1 % (height - 7)", {"division by zero"}},
      {"ceil_div(1, 0)", {"division by zero"}},
      {"round_up(1, 0)", {"division by zero"}},
      {"9223372036854775808", {"character 1:", "64 bits"}},
      {"greatest + 1", {"64 bits"}},
      {"least - 1", {"64 bits"}},
      {"greatest * 2", {"64 bits"}},
      {"least / (0 - 1)", {"64 bits"}},
      {"ceil_div(least, 0 - 1)", {"64 bits"}},
      {"round_up(greatest, 2)", {"64 bits"}},
  };
  for (const Wrong& each : cases) {
    const std::string said = message_of<InvalidArgument>([&] { evaluate(each.text, variables); });
    expect_words(said, each.says);
    // What is malformed is so whatever the names stand for.
    const bool of_values = std::string(each.says.back()) == "width" || each.says[0] == "64 bits" ||
                           each.says[0] == "division by zero";
    if (of_values)
      EXPECT_NO_THROW(require_expression(each.text)) << each.text;
    else
      EXPECT_THROW(require_expression(each.text), InvalidArgument) << each.text;
    EXPECT_NE(said.find("the expression \""), std::string::npos) << said;
  }
}

TEST(Expression, DepthIsLimited) {
  const auto nested = [](int depth) {
    return std::string(static_cast<std::size_t>(depth), '(') + "1" +
           std::string(static_cast<std::size_t>(depth), ')');
  };
  EXPECT_EQ(evaluate(nested(60), {}), 1);
  // One behind another do not count.
  std::string row = "0";
  for (int i = 0; i < 1000; ++i) row += " + (1)";
  EXPECT_EQ(evaluate(row, {}), 1000);
  for (const int depth : {70, 1'000'000}) {
    expect_words(message_of<InvalidArgument>([&] { evaluate(nested(depth), {}); }),
                 {"too many parentheses"});
  }
  std::string calls;
  for (int i = 0; i < 100'000; ++i) calls += "max(1,";
  expect_words(message_of<InvalidArgument>([&] { evaluate(calls, {}); }), {"too many parentheses"});
}

TEST(Expression, MessagesStayShort) {
  std::string sum = "1";
  for (int i = 0; i < 500'000; ++i) sum += " + 1";
  EXPECT_EQ(evaluate(sum, {}), 500'001);
  const std::string name(1000, 'n');
  for (const std::string& text :
       {sum + " +", "x" + sum, sum + " ? " + sum, name, name + "(1, 1)"}) {
    const std::string said = message_of<InvalidArgument>([&] { evaluate(text, {}); });
    EXPECT_LT(said.size(), 500U);
    EXPECT_NE(said.find("..."), std::string::npos);
  }
}

// ---- Tables

constexpr const char* small_table = R"json({
 "ladder": "threshold",
 "about": "a table for a test",
 "size": [640, 480],
 "emulator_size": [64, 48],
 "verify": [[1, 1], [33, 5]],
 "verify_parameters": [{}, {"window": 3}],
 "document": {"device": "a GPU of then", "cpu": {"threads": 16, "gpu_speedup": 23, "rows": ["C1"]}},
 "defaults": {"rows": ["C1"], "blocks": [[32, 4], [64]], "grid": ["ceil_div(width, block_x)", "height"]},
 "rungs": [
  {"name": "first", "idea": "the first idea", "file": "01.cu", "document": {"time_us": 800.5}},
  {"name": "second", "idea": "the next", "rows": ["C2"], "file": "02.cu", "constants": {"A": 3, "B": "A_B * 2"}, "parameters": {"offset": -5}, "shared": "4 * block_x", "scratch": 16, "textures": {"src": "2d"}, "needs": {"width < 9": "narrow"}, "document": {"speedup": 2}},
  {"name": "third", "idea": "two kernels", "after": "first", "file": "03.cu", "blocks": [[8, 8, 8]], "launches": [{"kernel": "a", "grid": ["1"]}, {"grid": [2, 3, 4], "block": [256], "shared": 64}]},
  {"name": "shipped", "idea": "the library's", "after": "", "file": "shipped.cu", "shipped": true}
 ],
 "experiments": [
  {"name": "all", "title": "All of it", "rows": ["C1"], "rungs": ["*"], "axes": {"sizes": [[10, 20]], "window": [3, 5], "B": [1, 2], "blocks": "all"}, "cpu": true},
  {"name": "some", "title": "Two", "rungs": ["third", "first"], "axes": {"sizes": [[1, 2], [3, 4]], "blocks": [[32], [8, 8]]}}
 ]
})json";

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
  EXPECT_EQ(table.document_cpu->rows, std::vector<std::string>{"C1"});
  ASSERT_EQ(table.rungs.size(), 4U);

  const Rung& first = table.rung("first");
  EXPECT_EQ(first.file, "/folder/01.cu");
  EXPECT_EQ(first.rows, std::vector<std::string>{"C1"});
  ASSERT_EQ(first.blocks.size(), 2U);
  EXPECT_EQ(first.blocks[1].x, 64U);
  EXPECT_EQ(first.blocks[1].y, 1U);
  ASSERT_EQ(first.launches.size(), 1U);
  EXPECT_EQ(first.launches[0].kernel, "threshold");
  EXPECT_EQ(first.launches[0].grid.size(), 2U);
  EXPECT_EQ(first.document.time_us, 800.5);

  const Rung& second = table.rung("second");
  EXPECT_EQ(second.rows, std::vector<std::string>{"C2"});
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

// ---- A study that states its own problem

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
 "experiments": [{"name": "one", "title": "One of them", "kernels": ["capped"], "axes": {"CAP": [24]}}]
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
      {"{\"texture\": \"in\"}", "{\"texture\": \"out\"}", {"no input before it"}},
      {"{\"scratch\": \"partial\"}", "{\"scratch\": \"in\"}", {"\"arguments\" 5", "twice: in"}},
      {"{\"scratch\": \"partial\"}", "{}", {"one of input, output"}},
      {"\"output\": \"out\"", "\"input\": \"out\"", {"no output"}},
      {"\"reference\": {", "\"referenc\": {", {"\"reference\""}},
      {"\"parameters\": {\"shift\": 3}", "\"parameters\": {\"width\": 3}", {"\"width\""}},
      {"\"CAP\": [0, 16, 32]", "\"CAPS\": [0]", {"unknown axis \"CAPS\"", "\"CAP\""}},
      {"\"registers\"]", "\"registrs\"]", {"\"report\"", "spill_bytes"}},
      {"[\"capped\"]", "[\"caped\"]", {"no kernel \"caped\"", "did you mean \"capped\""}},
      {"\"max_registers\": \"CAP\"", "\"shipped\": true", {"unknown field \"shipped\""}},
  };
  for (const Change& each : changes) {
    std::string text = small_study;
    const std::size_t at = text.find(each.from);
    ASSERT_NE(at, std::string::npos) << each.from;
    text.replace(at, std::string_view(each.from).size(), each.to);
    const std::string said =
        message_of<InvalidArgument>([&] { parse_study(text, "/some/study.json"); });
    expect_words(said, each.says);
    expect_words(said, {"/some/study.json"});
  }
}

std::string replaced(std::string text, std::string_view from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

// Else a run would put its own number in the place of the table's, or the table's in its own.
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
                 {"/some/study.json", "\"problem\"", "the parameter " + quoted, "something else"});
    const std::string constant = replaced(small_table, "\"A\": 3", quoted + ": 3");
    expect_words(message_of<InvalidArgument>([&] { parse_study(constant, "/some/ladder.json"); }),
                 {"rung 2 \"second\"", "the constant " + quoted, "something else"});
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

// The schema that editors use knows the fields that are read, and no others.
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

struct Mistake {
  const char* name;
  const char* from;  // of small_table; empty: the whole
  std::string to;
  std::vector<std::string> says;
};

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

const Mistake mistakes[] = {
    {"Empty", "", "", {"parse error"}},
    {"Cut", "", std::string(small_table).substr(0, 700), {"parse error"}},
    {"NotAnObject", "", "[]", {"is no object"}},
    {"NotUtf8", "a table for", "\xff", {"parse error"}},
    {"NestedForEver", "[640, 480]", repeated("[", 1'000'000), {"too deeply"}},
    {"NestedObjects", "[640, 480]", repeated("{\"a\": ", 1'000'000), {"too deeply"}},
    {"FieldMissing", "\"about\": \"a table for a test\",", "", {"lacks", "\"about\""}},
    {"FieldUnknown",
     "\"emulator_size\"",
     "\"emulator_siz\"",
     {"unknown field \"emulator_siz\"", "did you mean \"emulator_size\""}},
    {"FieldTwice",
     "\"size\": [640, 480],",
     "\"size\": [640, 480], \"size\": [1, 1],",
     {"\"size\" twice"}},
    {"FieldOfRungTwice",
     "\"idea\": \"the next\"",
     "\"idea\": \"a\", \"idea\": \"b\"",
     {"\"idea\" twice"}},
    {"LadderUnknown",
     "\"threshold\"",
     "\"treshold\"",
     {"no ladder \"treshold\"", "did you mean \"threshold\"", "sobel"}},
    {"LadderNoText", "\"threshold\"", "5", {"\"ladder\"", "no text"}},
    {"SizeNoList", "[640, 480]", "640", {"\"size\"", "no list"}},
    {"SizeOfThree", "[640, 480]", "[640, 480, 3]", {"\"size\"", "[width, height]"}},
    {"SizeOfZero", "[640, 480]", "[0, 480]", {"\"size\"", "0", "from 1 on"}},
    {"SizeNegative", "[640, 480]", "[-3, 480]", {"\"size\"", "-3"}},
    {"SizeFraction", "[640, 480]", "[1.5, 480]", {"\"size\"", "1.5"}},
    {"SizeHuge", "[640, 480]", "[4294967296, 480]", {"\"size\"", "4294967296", "2147483647"}},
    {"SizeBeyond64Bits",
     "[640, 480]",
     "[18446744073709551615, 480]",
     {"\"size\"", "18446744073709551615"}},
    {"SizeOfLists", "[640, 480]", "[[1, 2], [3, 4]]", {"\"size\"", "[1,2]"}},
    {"NumberBeyondAll", "[640, 480]", "[1e999, 480]", {"number overflow"}},
    {"VerifyEmpty", "[[1, 1], [33, 5]]", "[]", {"\"verify\"", "empty"}},
    {"VerifyNoList", "[[1, 1], [33, 5]]", "{}", {"\"verify\"", "no list"}},
    {"VerifyParameterUnknown",
     "{\"window\": 3}",
     "{\"windows\": 3}",
     {"unknown parameter \"windows\"", "window"}},
    {"VerifyParameterNoNumber",
     "{\"window\": 3}",
     "{\"window\": \"3\"}",
     {"\"window\"", "no whole number"}},
    {"ParameterBeyond64Bits",
     "{\"window\": 3}",
     "{\"window\": 9223372036854775808}",
     {"\"window\"", "no whole number"}},
    {"DocumentUnknown", "\"cpu\": {", "\"cpus\": {", {"\"document\"", "\"cpus\""}},
    {"DocumentCpuUnknown", "\"gpu_speedup\"", "\"speedup\"", {"\"cpu\"", "\"speedup\""}},
    {"DocumentCpuOfNothing", "\"gpu_speedup\": 23, ", "", {"\"cpu\"", "neither \"time_us\""}},
    {"DocumentCpuThreads", "\"threads\": 16", "\"threads\": 0", {"\"cpu\"", "\"threads\""}},
    {"AfterUnknown",
     "\"after\": \"first\"",
     "\"after\": \"frist\"",
     {"rung 3 \"third\"", "\"frist\"", "no rung above it", "did you mean \"first\""}},
    {"AfterALaterRung",
     "\"after\": \"first\"",
     "\"after\": \"shipped\"",
     {"rung 3 \"third\"", "\"shipped\"", "no rung above it"}},
    {"DocumentTimeOfZero", "800.5", "0", {"rung 1 \"first\"", "\"time_us\"", "above 0"}},
    {"DocumentTimeNoNumber", "800.5", "\"fast\"", {"rung 1 \"first\"", "\"time_us\""}},
    {"DefaultsNoObject",
     "\"defaults\": {\"rows\"",
     "\"defaults\": 1, \"x\": {\"rows\"",
     {"unknown field \"x\""}},
    {"DefaultsUnknown",
     "\"defaults\": {\"rows\"",
     "\"defaults\": {\"row\"",
     {"\"defaults\"", "\"row\"", "did you mean \"rows\""}},
    {"RungUnknown",
     "\"scratch\"",
     "\"scrath\"",
     {"rung 2", "\"scrath\"", "did you mean \"scratch\""}},
    {"RungNoObject", "\"rungs\": [", "\"rungs\": [7, ", {"rung 1", "no object"}},
    {"RungsNoList", "\"rungs\": [", "\"rungs\": 3, \"x\": [", {"unknown field \"x\""}},
    {"RungWithoutName", "\"name\": \"second\",", "", {"rung 2", "\"name\""}},
    {"RungWithoutIdea", "\"idea\": \"the next\",", "", {"rung 2 \"second\"", "\"idea\""}},
    {"RungWithoutFile", "\"file\": \"02.cu\",", "", {"rung 2 \"second\"", "\"file\""}},
    {"RungTwice", "\"second\"", "\"first\"", {"two rungs named \"first\""}},
    {"RungNameEmpty", "\"second\"", "\"\"", {"rung 2", "the name \"\"", "letters"}},
    {"RungNameOfAPath", "\"second\"", "\"a/b\"", {"rung 2", "a/b", "letters"}},
    {"RowsNoList", "[\"C2\"]", "\"C2\"", {"rung 2 \"second\"", "\"rows\""}},
    {"RowsNoTexts", "[\"C2\"]", "[2]", {"rung 2 \"second\"", "\"rows\"", "texts"}},
    {"ConstantNoNumber", "\"A\": 3", "\"A\": [3]", {"rung 2 \"second\"", "\"constants\""}},
    {"ConstantFraction", "\"A\": 3", "\"A\": 0.5", {"rung 2 \"second\"", "\"constants\""}},
    {"ConstantBeyond64Bits",
     "\"A\": 3",
     "\"A\": 18446744073709551615",
     {"second", "\"constants\""}},
    {"ConstantNoName", "\"A\": 3", "\"A B=1\": 3", {"rung 2 \"second\"", "\"A B=1\""}},
    {"ConstantOfTheBlock", "\"A\": 3", "\"BLOCK_X\": 3", {"rung 2 \"second\"", "BLOCK_X"}},
    {"RungParameterUnknown",
     "\"offset\": -5",
     "\"ofset\": -5",
     {"rung 2 \"second\"", "\"ofset\"", "offset, window"}},
    {"BlocksEmpty", "[[8, 8, 8]]", "[]", {"rung 3 \"third\"", "\"blocks\""}},
    {"BlocksNoList", "[[8, 8, 8]]", "64", {"rung 3 \"third\"", "\"blocks\""}},
    {"BlockNoList", "[[8, 8, 8]]", "[64]", {"rung 3 \"third\"", "\"blocks\""}},
    {"BlockOfFour", "[[8, 8, 8]]", "[[8, 8, 8, 1]]", {"rung 3 \"third\"", "\"blocks\""}},
    {"BlockTooLarge", "[[8, 8, 8]]", "[[33, 32]]", {"third", "[33,32]", "1024"}},
    {"BlockTooDeep", "[[8, 8, 8]]", "[[1, 1, 65]]", {"rung 3 \"third\"", "[1,1,65]", "64 in z"}},
    {"BlockHuge", "[[8, 8, 8]]", "[[4294967296, 4294967296]]", {"third", "1024"}},
    {"BlockNegative", "[[8, 8, 8]]", "[[-32]]", {"third", "\"blocks\"", "-32"}},
    {"GridMissing", "\"grid\": [2, 3, 4],", "", {"rung 3 \"third\"", "\"launches\"", "\"grid\""}},
    {"GridEmpty", "[2, 3, 4]", "[]", {"third", "\"grid\"", "0 expressions"}},
    {"GridOfFour", "[2, 3, 4]", "[1, 2, 3, 4]", {"third", "\"grid\"", "4 expressions"}},
    {"GridNoExpression", "[2, 3, 4]", "[null]", {"third", "\"grid\"", "expression"}},
    {"GridMalformed",
     "[2, 3, 4]",
     "[2, \"3 +\"]",
     {"rung 3 \"third\", \"launches\", \"grid\": the expression \"3 +\"", "character 4"}},
    {"SharedMalformed",
     "\"4 * block_x\"",
     "\"4 * (\"",
     {"rung 2 \"second\", \"shared\"", "character 6"}},
    {"ScratchMalformed",
     "\"scratch\": 16",
     "\"scratch\": \"16 bytes\"",
     {"rung 2 \"second\", \"scratch\"", "operator"}},
    {"ConstantMalformed",
     "\"A_B * 2\"",
     "\"A_B ** 2\"",
     {"rung 2 \"second\", \"constants\"", "'*'"}},
    {"NeedsMalformed",
     "\"width < 9\"",
     "\"width =< 9\"",
     {"rung 2 \"second\", \"needs\"", "operator"}},
    {"KernelEmpty", "\"kernel\": \"a\"", "\"kernel\": \"\"", {"third", "\"kernel\""}},
    {"LaunchUnknown",
     "\"kernel\": \"a\"",
     "\"kernl\": \"a\"",
     {"third", "\"launches\"", "did you mean \"kernel\""}},
    {"LaunchesEmpty",
     "[{\"kernel\": \"a\", \"grid\": [\"1\"]}, {\"grid\": [2, 3, 4], \"block\": [256], "
     "\"shared\": 64}]",
     "[]",
     {"third", "\"launches\"", "empty"}},
    {"LaunchesAndGrid",
     "\"launches\": [",
     "\"grid\": [1], \"launches\": [",
     {"rung 3 \"third\"", "\"launches\"", "\"grid\""}},
    {"TextureUnknown", "\"2d\"", "\"3d\"", {"rung 2 \"second\"", "\"3d\"", "\"linear\""}},
    {"NeedsNoText", "\"narrow\"", "false", {"rung 2 \"second\"", "\"needs\""}},
    {"ShippedNoTruth",
     "\"shipped\": true",
     "\"shipped\": 1",
     {"rung 4 \"shipped\"", "true nor false"}},
    {"ExperimentUnknown",
     "\"axes\": {\"sizes\": [[10",
     "\"axis\": {\"sizes\": [[10",
     {"experiment 1 \"all\"", "did you mean \"axes\""}},
    {"ExperimentBlocks",
     "\"blocks\": \"all\"",
     "\"blocks\": \"some\"",
     {"experiment 1 \"all\"", "\"blocks\""}},
    {"ExperimentOfNoRung",
     "[\"third\", \"first\"]",
     "[\"thrid\"]",
     {"experiment 2 \"some\"", "no rung \"thrid\"", "did you mean \"third\""}},
    {"ExperimentWithoutRungs",
     "[\"third\", \"first\"]",
     "[]",
     {"experiment 2 \"some\"", "one rung"}},
    {"ExperimentWithoutSizes", "[[1, 2], [3, 4]]", "[]", {"experiment 2 \"some\"", "\"sizes\""}},
    {"ExperimentTwice", "\"some\"", "\"all\"", {"experiment 2", "twice"}},
    {"ExperimentLikeARung", "\"some\"", "\"first\"", {"experiment 2", "rung"}},
    {"ExperimentNameOfAPath", "\"some\"", "\"../some\"", {"experiment 2", "letters"}},
    {"ExperimentParameterUnknown",
     "\"window\": [3, 5]",
     "\"widnow\": [3, 5]",
     {"experiment 1 \"all\"", "\"widnow\"", "window"}},
    {"ExperimentParameterEmpty",
     "\"window\": [3, 5]",
     "\"window\": []",
     {"experiment 1 \"all\"", "\"window\""}},
    {"ExperimentParameterNoList",
     "\"window\": [3, 5]",
     "\"window\": 3",
     {"experiment 1 \"all\"", "no list"}},
};

class Mistakes : public testing::TestWithParam<Mistake> {};
INSTANTIATE_TEST_SUITE_P(All, Mistakes, testing::ValuesIn(mistakes),
                         [](const auto& mistake) { return mistake.param.name; });

TEST_P(Mistakes, AreToldWithTheirPlace) {
  const auto& [name, from, to, says] = GetParam();
  std::string text = small_table;
  if (std::string_view(from).empty()) {
    text = to;
  } else {
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, std::string_view(from).size(), to);
  }
  const std::string said =
      message_of<InvalidArgument>([&] { parse_study(text, "/some/folder/ladder.json"); });
  expect_words(said, says);
  expect_words(said, {"/some/folder/ladder.json"});
  EXPECT_EQ(said.find(",,"), std::string::npos) << said;
  EXPECT_LT(said.size(), 600U);
}

TEST(Table, OfAFolderWithoutOne) {
  expect_words(message_of<IoError>([] { read_study("/nowhere"); }), {"/nowhere/ladder.json"});
}

TEST(Study, EveryInstalledOneIsWhole) {
  for (const std::string& name : study_names()) {
    const StudyTable table = find_study(name);
    EXPECT_EQ(table.name(), name);
    EXPECT_TRUE(table.is_ladder() || fs::is_regular_file(table.reference.file)) << name;
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

TEST(Suggestion, OfANameThatIsNear) {
  const std::vector<std::string> names = {"scalar", "vector2", "vector4", "shipped", "lab"};
  EXPECT_EQ(suggestion("vector", names), " (did you mean \"vector2\"?)");
  EXPECT_EQ(suggestion("vecotr4", names), " (did you mean \"vector4\"?)");
  EXPECT_EQ(suggestion("ship", names), " (did you mean \"shipped\"?)");
  EXPECT_EQ(suggestion("scaler", names), " (did you mean \"scalar\"?)");
  for (const char* far : {"", "anything", "zzz", "xy", "s", "ol"}) {
    EXPECT_EQ(suggestion(far, names), "") << far;
  }
  EXPECT_EQ(suggestion("scalar", {}), "");
}

// ---- Texts

TEST(TextDiff, ShowsChangesWithTheirSurroundings) {
  EXPECT_EQ(text_diff("", ""), "");
  EXPECT_EQ(text_diff("a\nb\n", "a\nb\n"), "");
  EXPECT_EQ(text_diff("", "a\n"), "+a\n");
  EXPECT_EQ(text_diff("a\n", ""), "-a\n");
  EXPECT_EQ(text_diff("a\nb\nc\n", "a\nB\nc\n"), " a\n-b\n+B\n c\n");
  EXPECT_EQ(text_diff("1\n2\n3\n4\n5\n6\n7\n8\n", "1\n2\n3\n4\n5\n6\n7\n8\n9\n"), " 7\n 8\n+9\n");
  EXPECT_EQ(text_diff("0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n", "x\n1\n2\n3\n4\n5\n6\n7\n8\ny\n"),
            "-0\n+x\n 1\n 2\n  ...\n 7\n 8\n-9\n+y\n");
  EXPECT_EQ(text_diff("a\n\n\nb", "a\n\nb"), " a\n \n-\n b\n");
}

// Whatever the two are: the lines kept and removed are the first, those kept and added the second.
TEST(TextDiff, MakesOneOfTheOther) {
  unsigned state = 1;
  const auto text = [&] {
    std::string result;
    for (int i = 0; i < 4; ++i) {
      state = state * 1664525U + 1013904223U;
      result += std::string(1, static_cast<char>('a' + (state >> 24) % 3)) + "\n";
    }
    return result;
  };
  for (int i = 0; i < 500; ++i) {
    const std::string before = text();
    const std::string after = text();
    std::string first;
    std::string second;
    std::istringstream lines(text_diff(before, after));
    bool whole = true;
    for (std::string line; std::getline(lines, line);) {
      if (line == "  ...") whole = lines.peek() == EOF;
      if (line == "  ...") continue;
      if (line[0] != '+') first += line.substr(1) + "\n";
      if (line[0] != '-') second += line.substr(1) + "\n";
    }
    if (before == after || !whole) continue;
    // Lines far from all changes are left out of both, at either end.
    EXPECT_NE(before.find(first), std::string::npos);
    EXPECT_NE(after.find(second), std::string::npos);
    EXPECT_EQ(before.size() - first.size(), after.size() - second.size());
  }
}

TEST(KernelName, IsFoundByItsLastPart) {
  const std::string ptx =
      ".visible .entry copy(\n.visible .entry _Z9transposeILi32EEvPfPKf(\n"
      ".weak .entry _ZN8warpwise7kernels4gemvIiEEvPT_(\n.entry _Z1ki\n(\n.entry _Z1kf(";
  EXPECT_EQ(kernel_in(ptx, "copy"), "copy");
  EXPECT_EQ(kernel_in(ptx, "transpose"), "_Z9transposeILi32EEvPfPKf");
  EXPECT_EQ(kernel_in(ptx, "transpose<32>"), "_Z9transposeILi32EEvPfPKf");
  EXPECT_EQ(kernel_in(ptx, "_Z9transposeILi32EEvPfPKf"), "_Z9transposeILi32EEvPfPKf");
  EXPECT_EQ(kernel_in(ptx, "gemv"), "_ZN8warpwise7kernels4gemvIiEEvPT_");
  EXPECT_EQ(kernel_in(ptx, "_Z1kf"), "_Z1kf");
  expect_words(message_of<InvalidArgument>([&] { kernel_in(ptx, "k"); }),
               {"more than one", "\"k\""});
  expect_words(message_of<InvalidArgument>([&] { kernel_in(ptx, "trans"); }),
               {"is no kernel \"trans\"", "copy", "transpose<32>", "gemv"});
  expect_words(message_of<InvalidArgument>([&] { kernel_in("", "k"); }), {"is no kernel \"k\""});
  expect_words(message_of<InvalidArgument>([&] { kernel_in(ptx, ""); }), {"is no kernel \"\""});
  EXPECT_EQ(plain_name("_ZN12_GLOBAL__N_11kEi"), "(anonymous namespace)::k");
  EXPECT_EQ(plain_name("plain"), "plain");
}

}  // namespace
}  // namespace warpwise::lab
