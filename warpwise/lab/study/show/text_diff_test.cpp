#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "warpwise/lab/study/show/text_diff.hpp"

namespace warpwise::lab {
namespace {

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

// In the diff of any two texts, the kept and removed lines make up the first text, and the kept and
// added lines the second.
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
    // Both texts begin and end with the same lines, which the diff leaves out.
    EXPECT_NE(before.find(first), std::string::npos);
    EXPECT_NE(after.find(second), std::string::npos);
    EXPECT_EQ(before.size() - first.size(), after.size() - second.size());
  }
}

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

TEST(CommonLines, AreThoseOfTheLongestCommonSequence) {
  EXPECT_EQ(common_lines({"a", "b", "c"}, {"a", "x", "c"}), (Pairs{{0, 0}, {2, 2}}));
  EXPECT_EQ(common_lines({"a", "b"}, {"new", "a", "b"}), (Pairs{{0, 1}, {1, 2}}));
  EXPECT_EQ(common_lines({"a", "b", "c", "d"}, {"a", "c", "b", "d"}).size(), 3U);
  EXPECT_EQ(common_lines({}, {"a"}), Pairs{});
  EXPECT_EQ(common_lines({"a", "a"}, {"a"}), (Pairs{{0, 0}}));
}

TEST(CommonLines, OfLongTextsThatDifferAreTheirEndsAlone) {
  std::vector<std::string> before = {"first"};
  std::vector<std::string> after = {"first"};
  for (int i = 0; i < 5000; ++i) {
    before.push_back("b" + std::to_string(i));
    after.push_back("a" + std::to_string(i));
  }
  before.emplace_back("last");
  after.emplace_back("last");
  EXPECT_EQ(common_lines(before, after), (Pairs{{0, 0}, {5001, 5001}}));
}

}  // namespace
}  // namespace warpwise::lab
