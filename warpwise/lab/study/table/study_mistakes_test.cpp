// Tests the messages about all mistakes that a ladder's table can have.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/study/show/messages_testing.hpp"
#include "warpwise/lab/study/table/small_table_testing.hpp"
#include "warpwise/lab/study/table/study_table.hpp"

namespace warpwise::lab {
namespace {

struct Mistake {
  const char* name;
  const char* from;  // part of small_table to replace; empty: all of it
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
    {"BlockOfSeven",
     "[[8, 8, 8]]",
     "[[1024, 1024, 1024, 1024, 1024, 1024, 1024]]",
     {"rung 3 \"third\"", "\"blocks\"", "at most 1024 threads"}},
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

}  // namespace
}  // namespace warpwise::lab
