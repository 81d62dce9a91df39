// A ladder's table and its expressions, from texts that are right to all that can be wrong with
// them; differences between texts, and names of kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/compile/kernel_name.hpp"
#include "warpwise/lab/study/expression.hpp"
#include "warpwise/lab/study/messages_testing.hpp"
#include "warpwise/lab/study/study_table.hpp"
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
  {"name": "all", "title": "All of it", "rows": ["C1"], "rungs": ["*"], "sizes": [[10, 20]], "parameters": {"window": [3, 5]}, "blocks": "all", "cpu": true},
  {"name": "some", "title": "Two", "rungs": ["third", "first"], "sizes": [[1, 2], [3, 4]]}
 ]
})json";

TEST(Table, IsRead) {
  const LadderTable table = parse_ladder(small_table, "/folder");
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
  EXPECT_EQ(table.experiments[0].parameters.at("window"), (std::vector<std::int64_t>{3, 5}));
  EXPECT_TRUE(table.experiments[0].all_blocks);
  EXPECT_TRUE(table.experiments[0].cpu);
  EXPECT_EQ(table.experiments[1].rungs, (std::vector<std::string>{"third", "first"}));
  EXPECT_FALSE(table.experiments[1].all_blocks);
}

TEST(Table, DefaultLaunchesGiveWayToARungsOwn) {
  std::string text = small_table;
  const std::string defaults = R"json("grid": ["ceil_div(width, block_x)", "height"]})json";
  text.replace(text.find(defaults), defaults.size(),
               R"("launches": [{"kernel": "x", "grid": [1]}, {"kernel": "y", "grid": [1]}]})");
  const std::string second = R"("shared": "4 * block_x")";
  text.replace(text.find(second), second.size(), R"("grid": [5])");
  const LadderTable table = parse_ladder(text, "f");
  EXPECT_EQ(table.rung("first").launches.size(), 2U);
  ASSERT_EQ(table.rung("second").launches.size(), 1U);
  EXPECT_EQ(table.rung("second").launches[0].grid, std::vector<std::string>{"5"});
  EXPECT_EQ(table.rung("third").launches[0].kernel, "a");
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
     "\"blocks\": \"all\"",
     "\"block\": \"all\"",
     {"experiment 1 \"all\"", "did you mean \"blocks\""}},
    {"ExperimentBlocks",
     "\"blocks\": \"all\"",
     "\"blocks\": \"some\"",
     {"experiment 1 \"all\"", "blocks"}},
    {"ExperimentOfNoRung",
     "[\"third\", \"first\"]",
     "[\"thrid\"]",
     {"experiment 2 \"some\"", "no rung \"thrid\"", "did you mean \"third\""}},
    {"ExperimentWithoutRungs",
     "[\"third\", \"first\"]",
     "[]",
     {"experiment 2 \"some\"", "one rung"}},
    {"ExperimentWithoutSizes", "[[1, 2], [3, 4]]", "[]", {"experiment 2 \"some\"", "one size"}},
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
  const std::string said = message_of<InvalidArgument>([&] { parse_ladder(text, "/some/folder"); });
  expect_words(said, says);
  expect_words(said, {"/some/folder/ladder.json"});
  EXPECT_EQ(said.find(",,"), std::string::npos) << said;
  EXPECT_LT(said.size(), 600U);
}

TEST(Table, OfAFolderWithoutOne) {
  expect_words(message_of<IoError>([] { read_ladder("/nowhere"); }), {"/nowhere/ladder.json"});
}

TEST(Table, EveryInstalledLadderIsWhole) {
  for (const ladders::Ladder* each : ladders::all()) {
    const LadderTable table = find_ladder(each->name());
    ASSERT_FALSE(table.rungs.empty());
    EXPECT_TRUE(table.rungs.back().shipped) << table.name();
    for (const Rung& rung : table.rungs) {
      EXPECT_TRUE(fs::is_regular_file(rung.file)) << rung.file;
    }
  }
}

TEST(Nearest, ByTheLettersThatHaveToChange) {
  const std::vector<std::string> names = {"scalar", "vector2", "vector4", "shipped"};
  EXPECT_EQ(nearest("vector", names), "vector2");
  EXPECT_EQ(nearest("vecotr4", names), "vector4");
  EXPECT_EQ(nearest("ship", names), "shipped");
  EXPECT_EQ(nearest("scaler", names), "scalar");
  EXPECT_EQ(nearest("", names), "scalar");
  EXPECT_EQ(nearest("anything", {}), "");
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
