#include "warpwise/emulator/checks.hpp"

#include <gtest/gtest.h>

#include "support/enum_names.hpp"
#include "warpwise/base/error.hpp"

namespace warpwise::emulator {
namespace checks_tests {

TEST(Checks, AreReadAndWrittenAsLists) {
  EXPECT_TRUE(test::names_each_enumerator<Check>());
  EXPECT_EQ(parse_checks("none"), Checks());
  EXPECT_EQ(parse_checks("all"), Checks::all());
  EXPECT_FALSE(Checks::all().has(Check::equal_writes));
  EXPECT_FALSE(Checks::all().has(Check::strict));
  Checks more = Checks::all();
  more.add(Check::equal_writes);
  EXPECT_EQ(parse_checks("all,equal_writes"), more);
  EXPECT_EQ(parse_checks(to_string(more)), more);
  EXPECT_EQ(parse_checks("races"), Checks{Check::races});
  EXPECT_EQ(parse_checks("sync,memory,sync"), (Checks{Check::memory, Check::sync}));
  for (const Checks each : {Checks(), Checks::all(), Checks{Check::init, Check::runtime}})
    EXPECT_EQ(parse_checks(to_string(each)), each);
  EXPECT_EQ(to_string(Checks{Check::sync, Check::memory}), "memory,sync");
}

TEST(Checks, NameWhatIsNone) {
  for (const char* const list : {"", "rces", "races,", ",races", "none,init", "Races"})
    EXPECT_THROW(parse_checks(list), InvalidArgument) << list;
  try {
    parse_checks("memory,rces");
    ADD_FAILURE();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("'rces'"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("memory, races, init"), std::string::npos);
  }
}

}  // namespace checks_tests
}  // namespace warpwise::emulator
