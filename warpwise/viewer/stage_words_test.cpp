// Tests changes of a pipeline's text by the panel.
#include "warpwise/viewer/stage_words.hpp"

#include <gtest/gtest.h>

namespace warpwise::viewer {
namespace {

using Words = std::vector<std::vector<std::string>>;

TEST(StageWords, AreThoseBetweenBars) {
  EXPECT_EQ(words_of(""), Words{});
  EXPECT_EQ(words_of("  "), Words{});
  EXPECT_EQ(words_of(" sobel  norm=l2|rgb24 "), (Words{{"sobel", "norm=l2"}, {"rgb24"}}));
  EXPECT_EQ(words_of("sobel |"), (Words{{"sobel"}, {}}));
}

TEST(StageWords, AnOptionIsFoundByItsWholeName) {
  const std::vector<std::string> words = {"sobel", "rungs=x", "rung=y"};
  EXPECT_EQ(option_value(words, "rung"), "y");
  EXPECT_EQ(option_value(words, "border"), "");
}

TEST(StageWords, OptionsTakeThePlaceOfThoseOfTheirNames) {
  const std::string text = "ycbcr32 | sobel rung=a border=constant norm=l1 | sobel";
  EXPECT_EQ(with_options(text, 1, "border=replicate rung=b"),
            "ycbcr32 | sobel rung=b border=replicate norm=l1 | sobel");
  EXPECT_EQ(with_options(text, 1, "rung="), "ycbcr32 | sobel border=constant norm=l1 | sobel");
  EXPECT_EQ(with_options(text, 2, "rung=b"),
            "ycbcr32 | sobel rung=a border=constant norm=l1 | sobel rung=b");
}

TEST(StageWords, FlagsAreWordsWithoutAValue) {
  const std::string text = "threshold window=3 invert max=9";
  EXPECT_TRUE(has_flag(words_of(text)[0], "invert"));
  EXPECT_FALSE(has_flag(words_of(text)[0], "window"));
  EXPECT_FALSE(has_flag({"invert", "x=invert"}, "invert"));
  EXPECT_EQ(with_options(text, 0, "invert="), "threshold window=3 max=9");
  EXPECT_EQ(with_options(text, 0, "invert"), text);
  EXPECT_EQ(with_options("a b", 0, "invert"), "a b invert");
  EXPECT_EQ(with_options("match block=5 x", 0, with_former_removed("block", "block-size=7")),
            "match x block-size=7");
  EXPECT_EQ(with_former_removed("", "window=5"), "window=5");
  EXPECT_EQ(with_options(text, 0, "window=5"), "threshold window=5 invert max=9");
  EXPECT_EQ(with_options("a b=1 c b=2", 0, "b=3"), "a b=3 c");
  EXPECT_EQ(with_options("a | max window=3", 1, "max=4"), "a | max window=3 max=4");
}

}  // namespace
}  // namespace warpwise::viewer
