// Tests the values of a table's expressions, and the errors of wrong ones.
#include <gtest/gtest.h>

#include <limits>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/study/show/messages_testing.hpp"
#include "warpwise/lab/study/table/expression.hpp"

namespace warpwise::lab {
namespace {

using ladders::Variables;

constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();

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
      {"", {"character 1:", "at its end"}},
      {"   ", {"character 4:", "at its end"}},
      {"1 +", {"character 4:", "at its end"}},
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
    // require_expression() must find all errors except those that depend on the values of names.
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
  // Parentheses that follow one another are not nested, so their number has no limit.
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

}  // namespace
}  // namespace warpwise::lab
