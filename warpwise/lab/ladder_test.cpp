// A ladder's table and its expressions, from texts that are right to all that can be wrong with them;
// rungs compiled, kept, run and compared; what becomes of the rows. Where there is no compiler the
// tests that need one are skipped with the reason.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/emulator_executor.hpp"
#include "warpwise/lab/expression.hpp"
#include "warpwise/lab/kernel_name.hpp"
#include "warpwise/lab/ladder_report.hpp"
#include "warpwise/lab/ladder_run.hpp"
#include "warpwise/lab/ladder_table.hpp"
#include "warpwise/lab/rung_code.hpp"
#include "warpwise/lab/rung_run.hpp"
#include "warpwise/lab/text_diff.hpp"
#include "warpwise/lab/verify.hpp"

namespace warpwise::lab {
namespace {

namespace fs = std::filesystem;
using ladders::Layout;
using ladders::Problem;
using ladders::Variables;

constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();

void expect_words(const std::string& text, const std::vector<std::string>& words) {
  for (const std::string& each : words) {
    EXPECT_NE(text.find(each), std::string::npos) << "\"" << each << "\" is not in: " << text;
  }
}

template <class Thrown, class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Thrown& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

// ---- Expressions

const Variables variables = {{"width", 33},         {"height", 7},       {"block_x", 32},
                             {"negative", -7},      {"greatest", greatest}, {"least", least},
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
    const std::string said =
        message_of<InvalidArgument>([&] { evaluate(each.text, variables); });
    expect_words(said, each.says);
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
  for (const std::string& text : {sum + " +", "x" + sum, sum + " ? " + sum}) {
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
 "large_size": [6400, 4800],
 "emulator_size": [64, 48],
 "verify": [[1, 1], [33, 5]],
 "verify_parameters": [{}, {"window": 3}],
 "document": {"device": "a GPU of then", "cpu_time_us": 1000},
 "defaults": {"rows": ["C1"], "blocks": [[32, 4], [64]], "grid": ["ceil_div(width, block_x)", "height"]},
 "rungs": [
  {"name": "first", "idea": "the first idea", "file": "01.cu", "document": {"time_us": 800.5}},
  {"name": "second", "idea": "the next", "rows": ["C2"], "file": "02.cu", "constants": {"A": 3, "B": "A_B * 2"}, "parameters": {"offset": -5}, "shared": "4 * block_x", "scratch": 16, "textures": {"src": "2d"}, "needs": {"width < 9": "narrow"}, "document": {"speedup": 2}},
  {"name": "third", "idea": "two kernels", "file": "03.cu", "blocks": [[8, 8, 8]], "launches": [{"kernel": "a", "grid": ["1"]}, {"grid": [2, 3, 4], "block": [256], "shared": 64}]},
  {"name": "shipped", "idea": "the library's", "file": "shipped.cu", "shipped": true}
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
  EXPECT_EQ(table.large_size, (Size{6400, 4800}));
  EXPECT_EQ(table.emulator_size, (Size{64, 48}));
  EXPECT_EQ(table.verify, (std::vector<Size>{{1, 1}, {33, 5}}));
  EXPECT_EQ(table.verify_parameters, (std::vector<Variables>{{}, {{"window", 3}}}));
  EXPECT_EQ(table.document_device, "a GPU of then");
  EXPECT_EQ(table.document_cpu_time_us, 1000);
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
    {"FieldUnknown", "\"large_size\"", "\"larg_size\"",
     {"unknown field \"larg_size\"", "did you mean \"large_size\""}},
    {"FieldTwice", "\"size\": [640, 480],", "\"size\": [640, 480], \"size\": [1, 1],",
     {"\"size\" twice"}},
    {"FieldOfRungTwice", "\"idea\": \"the next\"", "\"idea\": \"a\", \"idea\": \"b\"",
     {"\"idea\" twice"}},
    {"LadderUnknown", "\"threshold\"", "\"treshold\"",
     {"no ladder \"treshold\"", "did you mean \"threshold\"", "sobel"}},
    {"LadderNoText", "\"threshold\"", "5", {"\"ladder\"", "no text"}},
    {"SizeNoList", "[640, 480]", "640", {"\"size\"", "no list"}},
    {"SizeOfThree", "[640, 480]", "[640, 480, 3]", {"\"size\"", "[width, height]"}},
    {"SizeOfZero", "[640, 480]", "[0, 480]", {"\"size\"", "0", "from 1 on"}},
    {"SizeNegative", "[640, 480]", "[-3, 480]", {"\"size\"", "-3"}},
    {"SizeFraction", "[640, 480]", "[1.5, 480]", {"\"size\"", "1.5"}},
    {"SizeHuge", "[640, 480]", "[4294967296, 480]", {"\"size\"", "4294967296", "2147483647"}},
    {"SizeBeyond64Bits", "[640, 480]", "[18446744073709551615, 480]",
     {"\"size\"", "18446744073709551615"}},
    {"SizeOfLists", "[640, 480]", "[[1, 2], [3, 4]]", {"\"size\"", "[1,2]"}},
    {"NumberBeyondAll", "[640, 480]", "[1e999, 480]", {"number overflow"}},
    {"VerifyEmpty", "[[1, 1], [33, 5]]", "[]", {"\"verify\"", "empty"}},
    {"VerifyNoList", "[[1, 1], [33, 5]]", "{}", {"\"verify\"", "no list"}},
    {"VerifyParameterUnknown", "{\"window\": 3}", "{\"windows\": 3}",
     {"unknown parameter \"windows\"", "window"}},
    {"VerifyParameterNoNumber", "{\"window\": 3}", "{\"window\": \"3\"}",
     {"\"window\"", "no whole number"}},
    {"ParameterBeyond64Bits", "{\"window\": 3}", "{\"window\": 9223372036854775808}",
     {"\"window\"", "no whole number"}},
    {"DocumentUnknown", "\"cpu_time_us\"", "\"cpu_us\"", {"\"document\"", "\"cpu_us\""}},
    {"DocumentTimeOfZero", "800.5", "0", {"rung 1 \"first\"", "\"time_us\"", "above 0"}},
    {"DocumentTimeNoNumber", "800.5", "\"fast\"", {"rung 1 \"first\"", "\"time_us\""}},
    {"DefaultsNoObject", "\"defaults\": {\"rows\"", "\"defaults\": 1, \"x\": {\"rows\"",
     {"unknown field \"x\""}},
    {"DefaultsUnknown", "\"defaults\": {\"rows\"", "\"defaults\": {\"row\"",
     {"\"defaults\"", "\"row\"", "did you mean \"rows\""}},
    {"RungUnknown", "\"scratch\"", "\"scrath\"",
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
    {"ConstantBeyond64Bits", "\"A\": 3", "\"A\": 18446744073709551615", {"second", "\"constants\""}},
    {"ConstantNoName", "\"A\": 3", "\"A B=1\": 3", {"rung 2 \"second\"", "\"A B=1\""}},
    {"ConstantOfTheBlock", "\"A\": 3", "\"BLOCK_X\": 3", {"rung 2 \"second\"", "BLOCK_X"}},
    {"RungParameterUnknown", "\"offset\": -5", "\"ofset\": -5",
     {"rung 2 \"second\"", "\"ofset\"", "offset, window"}},
    {"BlocksEmpty", "[[8, 8, 8]]", "[]", {"rung 3 \"third\"", "\"blocks\""}},
    {"BlocksNoList", "[[8, 8, 8]]", "64", {"rung 3 \"third\"", "\"blocks\""}},
    {"BlockNoList", "[[8, 8, 8]]", "[64]", {"rung 3 \"third\"", "\"blocks\""}},
    {"BlockOfFour", "[[8, 8, 8]]", "[[8, 8, 8, 1]]", {"rung 3 \"third\"", "\"blocks\""}},
    {"BlockTooLarge", "[[8, 8, 8]]", "[[33, 32]]", {"third", "[33,32]", "1024"}},
    {"BlockHuge", "[[8, 8, 8]]", "[[4294967296, 4294967296]]", {"third", "1024"}},
    {"BlockNegative", "[[8, 8, 8]]", "[[-32]]", {"third", "\"blocks\"", "-32"}},
    {"GridMissing", "\"grid\": [2, 3, 4],", "", {"rung 3 \"third\"", "\"launches\"", "\"grid\""}},
    {"GridEmpty", "[2, 3, 4]", "[]", {"third", "\"grid\"", "0 expressions"}},
    {"GridOfFour", "[2, 3, 4]", "[1, 2, 3, 4]", {"third", "\"grid\"", "4 expressions"}},
    {"GridNoExpression", "[2, 3, 4]", "[null]", {"third", "\"grid\"", "expression"}},
    {"KernelEmpty", "\"kernel\": \"a\"", "\"kernel\": \"\"", {"third", "\"kernel\""}},
    {"LaunchUnknown", "\"kernel\": \"a\"", "\"kernl\": \"a\"",
     {"third", "\"launches\"", "did you mean \"kernel\""}},
    {"LaunchesEmpty", "[{\"kernel\": \"a\", \"grid\": [\"1\"]}, {\"grid\": [2, 3, 4], \"block\": [256], "
                      "\"shared\": 64}]", "[]", {"third", "\"launches\"", "empty"}},
    {"LaunchesAndGrid", "\"launches\": [", "\"grid\": [1], \"launches\": [",
     {"rung 3 \"third\"", "\"launches\"", "\"grid\""}},
    {"TextureUnknown", "\"2d\"", "\"3d\"", {"rung 2 \"second\"", "\"3d\"", "\"linear\""}},
    {"NeedsNoText", "\"narrow\"", "false", {"rung 2 \"second\"", "\"needs\""}},
    {"ShippedNoTruth", "\"shipped\": true", "\"shipped\": 1", {"rung 4 \"shipped\"", "true nor false"}},
    {"ExperimentUnknown", "\"blocks\": \"all\"", "\"block\": \"all\"",
     {"experiment 1 \"all\"", "did you mean \"blocks\""}},
    {"ExperimentBlocks", "\"blocks\": \"all\"", "\"blocks\": \"some\"", {"experiment 1 \"all\"", "blocks"}},
    {"ExperimentOfNoRung", "[\"third\", \"first\"]", "[\"thrid\"]",
     {"no rung \"thrid\"", "did you mean \"third\""}},
    {"ExperimentWithoutRungs", "[\"third\", \"first\"]", "[]", {"experiment 2 \"some\"", "one rung"}},
    {"ExperimentWithoutSizes", "[[1, 2], [3, 4]]", "[]", {"experiment 2 \"some\"", "one size"}},
    {"ExperimentTwice", "\"some\"", "\"all\"", {"experiment 2", "twice"}},
    {"ExperimentLikeARung", "\"some\"", "\"first\"", {"experiment 2", "rung"}},
    {"ExperimentNameOfAPath", "\"some\"", "\"../some\"", {"experiment 2", "letters"}},
    {"ExperimentParameterUnknown", "\"window\": [3, 5]", "\"widnow\": [3, 5]",
     {"experiment 1 \"all\"", "\"widnow\"", "window"}},
    {"ExperimentParameterEmpty", "\"window\": [3, 5]", "\"window\": []",
     {"experiment 1 \"all\"", "\"window\""}},
    {"ExperimentParameterNoList", "\"window\": [3, 5]", "\"window\": 3",
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
      message_of<InvalidArgument>([&] { parse_ladder(text, "/some/folder"); });
  expect_words(said, says);
  if (std::string_view(name) != "LadderUnknown" && std::string_view(name) != "ExperimentOfNoRung") {
    expect_words(said, {"/some/folder/ladder.json"});
  }
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
  EXPECT_EQ(text_diff("1\n2\n3\n4\n5\n6\n7\n8\n", "1\n2\n3\n4\n5\n6\n7\n8\n9\n"),
            " 7\n 8\n+9\n");
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
  expect_words(message_of<InvalidArgument>([&] { kernel_in(ptx, "k"); }), {"more than one", "\"k\""});
  expect_words(message_of<InvalidArgument>([&] { kernel_in(ptx, "trans"); }),
               {"is no kernel \"trans\"", "copy", "transpose<32>", "gemv"});
  expect_words(message_of<InvalidArgument>([&] { kernel_in("", "k"); }), {"is no kernel \"k\""});
  expect_words(message_of<InvalidArgument>([&] { kernel_in(ptx, ""); }), {"is no kernel \"\""});
  EXPECT_EQ(plain_name("_ZN12_GLOBAL__N_11kEi"), "(anonymous namespace)::k");
  EXPECT_EQ(plain_name("plain"), "plain");
}

// ---- Rungs: a copy of a ladder's folder that may be edited, and a cache of its own

class Rungs : public testing::Test {
 protected:
  void SetUp() override {
    try {
      require_compiler();
    } catch (const Unsupported& reason) {
      GTEST_SKIP() << reason.what();
    }
    const fs::path nvrtc = nvrtc_cache();
    std::string name = (fs::temp_directory_path() / "warpwise-ladder-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    // A compiler that is in the cache is still wanted.
    fs::create_directories(folder_ / "cache/warpwise");
    if (fs::exists(nvrtc)) fs::create_directory_symlink(nvrtc, folder_ / "cache/warpwise/nvrtc");
    ::setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1);
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  LadderTable edited(const std::string& ladder) {
    const LadderTable installed = find_ladder(ladder);
    fs::copy(installed.folder, folder_ / ladder);
    return read_ladder(folder_ / ladder);
  }

  static std::string text_of(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

  std::vector<fs::path> cached() const {
    std::vector<fs::path> result;
    const fs::path rungs = folder_ / "cache/warpwise/rungs";
    if (!fs::exists(rungs)) return result;
    for (const auto& each : fs::directory_iterator(rungs)) result.push_back(each.path());
    return result;
  }

  fs::path folder_;
};

TEST_F(Rungs, ComeFromTheCacheUntilAnythingChanges) {
  const LadderTable table = edited("copy");
  const Rung& rung = table.rung("scalar");
  const auto compiled = [&](std::map<std::string, std::int64_t> constants = {}, int width = 256,
                            int architecture = 75) {
    return compile_rung(rung, constants, {static_cast<std::uint32_t>(width), 1, 1}, architecture).ptx;
  };
  const std::string ptx = compiled();
  ASSERT_NE(ptx.find(".entry copy"), std::string::npos);
  ASSERT_EQ(cached().size(), 1U);
  const fs::path kept = cached()[0];

  // What lies there is taken, so it is not compiled again.
  const std::string content = text_of(kept);
  write(kept, R"({"compiler": "none", "ptx": "of the cache"})");
  EXPECT_EQ(compiled(), "of the cache");

  // Spoilt: compiled anew, and put right.
  for (const std::string& spoilt :
       {std::string(), content.substr(0, content.size() / 2), std::string("[1, 2]"),
        std::string(R"({"ptx": 5, "compiler": "x"})"), std::string(R"({"ptx": "x"})"),
        std::string("\xff\xfe\0", 3)}) {
    write(kept, spoilt);
    EXPECT_EQ(compiled(), ptx);
    EXPECT_EQ(text_of(kept), content);
  }

  // Another constant, block, architecture: another file each.
  write(kept, R"({"compiler": "none", "ptx": "of the cache"})");
  EXPECT_EQ(compiled({{"UNUSED", 1}}), ptx);
  EXPECT_NE(compiled({}, 128), "of the cache");
  EXPECT_NE(compiled({}, 256, 90), "of the cache");
  EXPECT_EQ(cached().size(), 4U);
  EXPECT_EQ(compiled(), "of the cache");

  // The file itself.
  const std::string source = text_of(rung.file);
  write(rung.file, source + "\n");
  EXPECT_EQ(compiled(), ptx);
  write(rung.file, source);
  EXPECT_EQ(compiled(), "of the cache");
}

// However a file is included, and through however many others.
TEST_F(Rungs, AreCompiledAnewWhenAnIncludedFileChanges) {
  const LadderTable table = edited("copy");
  const Rung& rung = table.rung("scalar");
  write(table.folder / "inner.hpp", "#pragma once\n#define SHIFT 1\n");
  write(table.folder / "outer.hpp", "#pragma once\n#  include   \"inner.hpp\"\n");
  write(rung.file,
        "#include\t\"problem.hpp\"\n  #include\"outer.hpp\"\n"
        "extern \"C\" __global__ void copy(warpwise::ladders::CopyProblem p) { p.dst[SHIFT] = 1; }\n");
  const auto compiled = [&] { return compile_rung(rung, {}, {32, 1, 1}, 75).ptx; };
  const std::string first = compiled();
  write(table.folder / "inner.hpp", "#pragma once\n#define SHIFT 2\n");
  EXPECT_NE(compiled(), first);
  expect_words(text_with_includes(rung.file), {"SHIFT 2", "struct CopyProblem"});
}

TEST_F(Rungs, DoWithoutACacheThatCannotBeWritten) {
  const LadderTable table = edited("copy");
  // A compiler that is in the cache goes with it.
  if (fs::exists(nvrtc_cache())) GTEST_SKIP() << "the only compiler may be the one in the cache";
  write(folder_ / "file", "");
  for (const char* nowhere : {"file", "file/below"}) {
    ::setenv("XDG_CACHE_HOME", (folder_ / nowhere).c_str(), 1);
    EXPECT_NE(compile_rung(table.rung("scalar"), {}, {32, 1, 1}, 75).ptx.find(".entry copy"),
              std::string::npos);
  }
}

// Its name is in the PTX, and JSON holds no such bytes.
TEST_F(Rungs, InAFolderWhoseNameIsNotUtf8) {
  edited("copy");
  fs::rename(folder_ / "copy", folder_ / "c\xffpy");
  const LadderTable table = read_ladder(folder_ / "c\xffpy");
  for (int i = 0; i < 2; ++i) {
    EXPECT_NE(compile_rung(table.rung("scalar"), {}, {32, 1, 1}, 75).ptx.find(".entry copy"),
              std::string::npos);
  }
}

TEST_F(Rungs, OfAMissingFile) {
  Rung rung = edited("copy").rung("scalar");
  rung.file = folder_ / "none.cu";
  expect_words(message_of<IoError>([&] { compile_rung(rung, {}, {32, 1, 1}, 75); }), {"none.cu"});
}

// A rung that was run, whose result is spoilt afterwards.
class Comparison : public Rungs {
 protected:
  struct Done {
    LadderTable table;
    Problem expected;
    std::unique_ptr<EmulatorExecutor> executor;
    std::unique_ptr<RungRun> run;

    std::string difference() const { return run->first_difference(expected); }
    template <class T>
    void set(std::size_t operand, std::int64_t byte, T value) const {
      const auto bytes = ladders::bytes_of(value);
      executor->write(run->placement().address[operand] + static_cast<std::uint64_t>(byte), bytes);
    }
  };

  static std::unique_ptr<Done> done(const char* ladder, const char* rung, const Size& size,
                                    Layout layout) {
    auto result = std::make_unique<Done>();
    result->table = find_ladder(ladder);
    const LadderTable& table = result->table;
    Problem problem = table.ladder->problem(size.width, size.height, table.ladder->parameters(), layout);
    result->expected = problem;
    table.ladder->compute(result->expected, ladders::Cpu::reference);
    result->executor = std::make_unique<EmulatorExecutor>(
        std::vector<rules::ComputeCapability>{{9, 0}}, false);
    const Rung& chosen = table.rung(rung);
    result->run = std::make_unique<RungRun>(*result->executor, table, chosen, problem,
                                            chosen.blocks.front());
    result->run->run();
    return result;
  }
};

TEST_F(Comparison, FindsTheFirstWrongPixel) {
  const auto done = Comparison::done("copy", "scalar", {40, 1}, {3, 5});
  EXPECT_EQ(done->difference(), "");
  const auto right = load<std::int32_t>(done->expected.operand("src").view().row(0), 7);
  done->set(1, 4 * 7, right ^ 1);
  done->set(1, 4 * 39, 0);
  const std::string said = done->difference();
  expect_words(said, {"dst at (7, 0)", "expected " + std::to_string(right),
                      "got " + std::to_string(right ^ 1), "2 of 40 pixels"});
}

TEST_F(Comparison, FindsWhatWasWrittenBesideThePixels) {
  auto done = Comparison::done("copy", "scalar", {40, 1}, {3, 5});
  done->set(1, -1, std::byte{0});
  expect_words(done->difference(), {"dst: byte 11 ", "belongs to no pixel"});
  done = Comparison::done("copy", "scalar", {40, 1}, {3, 5});
  done->set(1, 4 * 45 - 1, std::byte{1});
  expect_words(done->difference(), {"dst: byte 191 ", "belongs to no pixel"});
  // What was not written at all.
  done = Comparison::done("copy", "scalar", {40, 1}, {3, 5});
  done->set(1, 4 * 39, 0xa5a5a5a5U);
  expect_words(done->difference(), {"dst at (39, 0)", "1 of 40"});
}

TEST_F(Comparison, OfAnOutputBetweenOtherRows) {
  const auto done = Comparison::done("sobel", "global_plain", {20, 4}, {3, 5});
  const ladders::Operand& output = done->expected.operands.back();
  ASSERT_TRUE(output.is_output());
  ASSERT_EQ(done->difference(), "");
  const std::int64_t pixel = output.view().pixel_bytes();
  done->set(done->expected.operands.size() - 1, output.pitch_bytes() + 21 * pixel, std::byte{0});
  expect_words(done->difference(), {"belongs to no pixel"});
}

TEST_F(Comparison, WithinATolerance) {
  const auto done = Comparison::done("gemv", "warp_per_row", {64, 5}, {});
  ASSERT_EQ(done->difference(), "");
  ladders::Operand& y = done->expected.operands.back();
  ASSERT_FALSE(y.tolerance.empty());
  const auto at = [&](float value) {
    done->set(done->expected.operands.size() - 1, 4 * 2, value);
    return done->difference();
  };
  const auto elements = y.view();
  const std::int64_t row = elements.height() > 1 ? 2 : 0;
  const std::int64_t column = elements.height() > 1 ? 0 : 2;
  ASSERT_EQ(elements.pixel_bytes(), 4);
  y.tolerance.assign(y.tolerance.size(), 0.5F);
  store(y.view().row(row), column, 1.0F);
  const std::string place = "at (" + std::to_string(column) + ", " + std::to_string(row) + ")";
  EXPECT_EQ(at(1.5F), "");
  EXPECT_EQ(at(0.5F), "");
  expect_words(at(1.625F), {place, "expected 1,", "got 1.625"});
  expect_words(at(NAN), {place, "got nan"});
  expect_words(at(INFINITY), {place, "got inf"});
  store(y.view().row(row), column, static_cast<float>(NAN));
  expect_words(at(1.0F), {"expected nan, got 1"});
  EXPECT_EQ(at(static_cast<float>(NAN)), "");
  store(y.view().row(row), column, static_cast<float>(INFINITY));
  EXPECT_EQ(at(INFINITY), "");
  expect_words(at(-INFINITY), {"expected inf, got -inf"});
  // Without a tolerance the bits have to be the same.
  y.tolerance.clear();
  const Problem exact = done->expected;
  store(y.view().row(row), column, 0.0F);
  EXPECT_NE(at(-0.0F), "");
}

TEST_F(Rungs, AreSkippedWithTheReason) {
  const LadderTable table = find_ladder("threshold");
  const EmulatorExecutor executor({{9, 0}}, false);
  const Rung& rung = table.rung("texture");
  const auto why = [&](Layout layout) {
    return RungRun::why_skipped(
        executor, rung, table.ladder->problem(32, 4, table.ladder->parameters(), layout),
        rung.blocks.front());
  };
  EXPECT_EQ(why({}), "");
  EXPECT_EQ(why({3, 0}), "a 2-D texture starts at a multiple of 512 bytes");
  EXPECT_EQ(why({0, 5}), "the rows of a 2-D texture are a multiple of 32 bytes apart");
}

TEST_F(Rungs, UseNamesOfTheProblemAndTheBlock) {
  const LadderTable table = find_ladder("copy");
  const EmulatorExecutor executor({{1, 3}, {9, 0}}, false);
  Rung rung = table.rung("scalar");
  rung.constants = {{"TILE", "4 * block_x"}};
  const Variables names = variables_of(executor, rung, table.ladder->problem(33, 2, {}, {3, 5}),
                                       {32, 4, 2});
  EXPECT_EQ(names.at("width"), 33);
  EXPECT_EQ(names.at("count"), 66);
  EXPECT_EQ(names.at("src_offset"), 12);
  EXPECT_EQ(names.at("dst_pitch"), 4 * 71);
  EXPECT_EQ(names.at("block_x"), 32);
  EXPECT_EQ(names.at("block_z"), 2);
  EXPECT_EQ(names.at("TILE"), 128);
  EXPECT_EQ(names.at("cc"), 90);
  EXPECT_EQ(names.at("multiprocessors"), executor.multiprocessors());
  EXPECT_EQ(names.at("max_shared_bytes"), 227 * 1024);
}

TEST_F(Rungs, WhoseLaunchCannotBe) {
  const LadderTable table = find_ladder("copy");
  EmulatorExecutor executor({{9, 0}}, false);
  const Problem problem = table.ladder->problem(33, 2, {}, {});
  const auto run = [&](const auto& change) {
    Rung rung = table.rung("scalar");
    change(rung);
    RungRun(executor, table, rung, problem, {32, 1, 1});
  };
  const auto refused = [&](const auto& change) {
    return message_of<InvalidArgument>([&] { run(change); });
  };
  expect_words(refused([](Rung& rung) { rung.launches[0].grid = {"0"}; }), {"grid", "\"0\"", "2147483647"});
  expect_words(refused([](Rung& rung) { rung.launches[0].grid = {"1", "65536"}; }), {"65536", "65535"});
  expect_words(refused([](Rung& rung) { rung.launches[0].grid = {"wdth"}; }), {"'wdth'", "width"});
  expect_words(refused([](Rung& rung) { rung.launches[0].block = {"2048"}; }), {"block", "2048", "1024"});
  expect_words(refused([](Rung& rung) { rung.launches[0].shared = "0 - 1"; }), {"negative"});
  expect_words(refused([](Rung& rung) { rung.launches[0].kernel = "cpy"; }), {"\"cpy\"", "copy"});
  expect_words(refused([](Rung& rung) { rung.scratch = "0 - 1"; }), {"scratch", "negative"});
  expect_words(refused([](Rung& rung) { rung.textures["source"] = TextureKind::linear; }),
               {"\"source\"", "src, dst"});
  // What no SM holds is skipped, however large the number.
  for (const char* bytes : {"max_shared_bytes + 1", "4294967296 + 64"}) {
    const auto needs_too_much = [&] { run([&](Rung& rung) { rung.launches[0].shared = bytes; }); };
    expect_words(message_of<Unsupported>(needs_too_much), {"does not fit an SM"});
  }
}

TEST_F(Rungs, ThatReadOutOfBoundsAreWrong) {
  const LadderTable table = edited("copy");
  write(table.folder / "01_scalar.cu",
        "#include \"problem.hpp\"\n"
        "extern \"C\" __global__ void copy(warpwise::ladders::CopyProblem p) {\n"
        "  if (blockIdx.x == 0) p.dst[threadIdx.x] = p.src[p.count + 1000000];\n}\n");
  LadderRequest request;
  request.rungs = {"scalar", "vector2"};
  request.size = Size{100, 1};
  request.compute_capabilities = {{9, 0}};
  const LadderRun run = run_ladder(table, request, [](const LadderRun&, const RungRow&) {});
  EXPECT_TRUE(run.any_wrong());
  std::vector<RungRow> rungs;
  std::copy_if(run.rows.begin(), run.rows.end(), std::back_inserter(rungs),
               [](const RungRow& row) { return !row.on_cpu; });
  ASSERT_EQ(rungs.size(), 2U);
  expect_words(rungs[0].wrong, {"out_of_bounds", "01_scalar.cu:3", "thread (0, 0, 0)"});
  EXPECT_EQ(rungs[1].wrong, "") << "the next rung is run all the same";
}

TEST_F(Rungs, AreVerifiedAtEverySizeAndBlock) {
  const LadderTable table = edited("copy");
  EmulatorExecutor executor({{9, 0}}, false);
  std::vector<VerifiedRung> verified;
  const auto done = [&](const VerifiedRung& rung) { verified.push_back(rung); };
  verify(executor, table, {"vector2", "shipped"}, false, done);
  ASSERT_EQ(verified.size(), 2U);
  for (const VerifiedRung& each : verified) EXPECT_TRUE(each.right()) << each.failure;
  EXPECT_EQ(verified[0].passed % 3, 0) << "three block shapes";
  EXPECT_EQ(verified[1].passed, verified[0].passed / 3);

  // Wrong for one size only: told with the problem.
  std::string source = text_of(table.folder / "01_scalar.cu");
  source.replace(source.find("i < p.count;"), 12, "i < p.count - (p.count == 257);");
  write(table.folder / "01_scalar.cu", source);
  verified.clear();
  verify(executor, table, {"scalar"}, false, done);
  ASSERT_EQ(verified.size(), 1U);
  EXPECT_FALSE(verified[0].right());
  expect_words(verified[0].failure, {"dst at (256, 0)", "1 of 257 pixels", "width 257", "block 256x1x1"});

  write(table.folder / "01_scalar.cu", "#include \"problem.hpp\"\nnonsense;\n");
  verified.clear();
  verify(executor, table, {"scalar"}, false, done);
  expect_words(verified[0].failure, {"01_scalar.cu(2)"});
  expect_words(verified[0].compiler_log, {"nonsense"});
}

TEST(HostMemory, IsAskedForBeforeItIsFilled) {
  expect_words(message_of<OutOfMemory>([] {
                 find_ladder("copy").ladder->problem(1'000'000, 1'000'000, {}, {});
               }),
               {"src takes 4000000000000 bytes", "memory"});
  EXPECT_THROW(find_ladder("copy").ladder->problem(greatest, 2, {}, {}), InvalidArgument);
  EXPECT_THROW(find_ladder("copy").ladder->problem(greatest, 1, {}, {}), InvalidArgument);
}

// ---- Reports

// Names of the first line and fields of the others, quotes taken off.
std::vector<std::vector<std::string>> csv_fields(const std::string& text) {
  std::vector<std::vector<std::string>> lines(1, {""});
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' && quoted && i + 1 < text.size() && text[i + 1] == '"') lines.back().back() += text[i++];
    else if (c == '"') quoted = !quoted;
    else if (c == ',' && !quoted) lines.back().emplace_back();
    else if (c == '\n' && !quoted) lines.push_back({""});
    else lines.back().back() += c;
  }
  EXPECT_FALSE(quoted);
  lines.pop_back();
  return lines;
}

TEST_F(Rungs, AreReportedWithAllTheirFigures) {
  const LadderTable table = find_ladder("threshold");
  LadderRequest request;
  request.rungs = {"global", "tile", "shipped"};
  request.size = Size{40, 6};
  request.block = emulator::Dim3{16, 4, 1};
  request.compute_capabilities = {{1, 3}, {9, 0}};
  int told = 0;
  LadderRun run = run_ladder(table, request, [&](const LadderRun&, const RungRow&) { ++told; });
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

  // What was not run, for a reason with every character that CSV makes much of.
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

TEST(Report, OfAGpuHasAsManyFieldsInEveryLine) {
  LadderRun run;
  run.ladder = "copy";
  run.on_gpu = true;
  RungRow row;
  row.rung = "scalar";
  row.size = {4, 3};
  row.block = {32, 8, 1};
  row.cold = Timing{10, 9, 11, 12, 0};
  row.batch = Timing{8, 7, 9, 12, 0};
  row.gb_per_s = 1000;
  row.document = {2000, std::nullopt};
  row.counts.emplace_back().compute_capability = {9, 0};
  run.rows = {row, row};
  run.rows[1].speedup_over_first = 1.5;
  run.rows[1].wrong = "dst at (1, 0): expected 1, got 2";
  const auto lines = csv_fields(csv_of(run));
  ASSERT_EQ(lines.size(), 3U);
  for (const auto& line : lines) EXPECT_EQ(line.size(), lines[0].size());
  const auto json = json_of(run);
  EXPECT_EQ(json["results"][0]["cold"]["median_us"], 10);
  EXPECT_EQ(json["results"][1]["wrong"], run.rows[1].wrong);
  EXPECT_EQ(json["results"][0]["document_time_us"], 2000);
  EXPECT_NE(line_of(run.rows[1], true).find("WRONG: dst at (1, 0)"), std::string::npos);
}

}  // namespace
}  // namespace warpwise::lab
