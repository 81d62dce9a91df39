#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "warpwise/lab/study/table/suggestion.hpp"

namespace warpwise::lab {
namespace {

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

}  // namespace
}  // namespace warpwise::lab
