// Messages of refused code name its place: the PTX line, and the source line if the PTX has it.

#include <gtest/gtest.h>

#include "emulator/emulated.hpp"
#include "tests/support/message_of.hpp"
#include "warpwise/base/error.hpp"

namespace warpwise {
namespace messages_tests {

/// Returns the message for a kernel `hand` with this body, which begins on line 9 of the PTX.
std::string refusal(const std::string& body, const std::string& before = {},
                    const std::string& parameters = {}) {
  const std::string ptx = ".version 8.4\n.target sm_90\n.address_size 64\n.file 1 \"hand.cu\"\n" +
                          before + "\n.visible .entry hand(" + parameters +
                          ")\n{\n.reg .b32 %r<4>; .reg .pred %p; .reg .b64 "
                          "%l;\n" +
                          body + "\nret;\n}\n";
  return test::message_of<Error>([&] {
    test::Emulated emulated(ptx);
    emulated.launch("hand", {1}, {1});
  });
}

TEST(Messages, NameThePlace) {
  const std::string at = "hand.cu:7 (PTX line 10)";
  const std::string source = ".loc 1 7 0\n";
  EXPECT_EQ(refusal(source + "foo.s32 %r1, %r2;"), at + ": the emulator does not run 'foo.s32'");
  EXPECT_EQ(refusal("foo.s32 %r1, %r2;"), "PTX line 9: the emulator does not run 'foo.s32'");
  // The text has only .file 1.
  EXPECT_EQ(refusal(".loc 2 7 0\nfoo.s32 %r1, %r2;"),
            "PTX line 10: the emulator does not run 'foo.s32'");
  EXPECT_EQ(refusal(source + "add.s32 %r1, %r2, %r9;"),
            at + ": 'add.s32' uses '%r9', which is not declared");
  EXPECT_EQ(refusal(source + "bra NOWHERE;"),
            at + ": function 'hand' branches to 'NOWHERE', which is no label of it");
  EXPECT_EQ(refusal(source + "call nothing;"),
            at + ": 'call' calls 'nothing', which is not declared");
  EXPECT_EQ(refusal(source + "elect.sync %r1, -1;"), at + ": 'elect.sync' has one result too few");
  EXPECT_EQ(refusal("", ".global .u64 pointer = other;").substr(0, 11), "PTX line 5:");
}

// ptxas also refuses the code of the next two tests.
TEST(Messages, AParameterWithoutASize) {
  EXPECT_EQ(refusal("", {}, ".param .u32 first, .param .b8 last[]"),
            "kernel 'hand': its parameter 'last' has no size");
}

TEST(Messages, AStoreToAParameterOfTheKernel) {
  const std::string why = " writes a parameter of the kernel, which is only read";
  for (const std::string name : {"st.param.u32", "st.u32", "red.add.u32"}) {
    EXPECT_EQ(refusal(name + " [first], %r1;", {}, ".param .u32 first"),
              "PTX line 9: '" + name + "'" + why);
  }
}

}  // namespace messages_tests
}  // namespace warpwise
