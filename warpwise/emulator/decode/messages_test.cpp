// Messages of refused code name its place: the PTX line, and the source line if the PTX has it.

#include <gtest/gtest.h>

#include <utility>

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
  // The PTX defines only .file 1, so `.loc 2` names no file.
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

// ptxas also refuses the code of the following tests.
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

TEST(Messages, AnEmptyVector) {
  for (const std::string code :
       {"mov.b32 %r1, {};", "mov.b32 {}, %r1;", "ld.global.v2.u32 {}, [%l];",
        "st.global.f64 [%l], {};", "red.shared.dec.u32 [%r1], {};"}) {
    const std::string message = refusal(code);
    EXPECT_EQ(message.substr(0, 11), "PTX line 9:") << code;
    EXPECT_NE(message.find("an empty vector, {}"), std::string::npos) << code << "\n" << message;
  }
}

TEST(Messages, OperandsThatDoNotFitTheInstruction) {
  const std::string parameter = ".param .b64 first";
  const auto expect = [&](const std::string& code, const std::string& name,
                          const std::string& why) {
    EXPECT_EQ(refusal(code, {}, parameter), "PTX line 9: '" + name + "' " + why);
  };
  expect("ld.param.pred %p, [first];", "ld.param.pred", "has a type that memory does not hold");
  expect("set.eq.f16.f32;", "set.eq.f16.f32", "has too few operands");
  const std::string length = "has a vector of another length than it states";
  expect("ld.global.v2.u32 {%r1, %r2, %r3}, [%l];", "ld.global.v2.u32", length);
  expect("st.global.v4.u32 [%l], {%r1, %r2};", "st.global.v4.u32", length);
  expect("ld.global.v2.u32 %r1, [%l];", "ld.global.v2.u32", length);
  const std::string number = "has too few or too many operands";
  expect("atom.global.cas.b32 %r1, [%l], %r2;", "atom.global.cas.b32", number);
  expect("atom.global.add.u32 %r1, [%l], %r2, %r3;", "atom.global.add.u32", number);
  expect("red.global.add.u32 [%l], %r2, %r3;", "red.global.add.u32", number);
  expect(".reg .b128 %q; atom.global.cas.b128 %q, [%l], %q;", "atom.global.cas.b128", number);
  expect("atom.global.exch.b128 _, [%l], 5;", "atom.global.exch.b128",
         "has registers that do not fit its type");
  const std::string barrier = "is neither a barrier nor a barrier with a reduction";
  expect("bar.popc.u32 %r1, 0, %p;", "bar.popc.u32", barrier);
  expect("bar.red.u32 %r1, 0, %p;", "bar.red.u32", barrier);
  EXPECT_EQ(refusal("set %r1, %r2, %r3;").substr(0, 12), "PTX line 9: ");
}

// ptxas refuses these vectors too, for sm_90.
TEST(Messages, VectorsThatNoAtomicTakes) {
  const auto expect = [](const std::string& name, const std::string& operands,
                         const std::string& why) {
    EXPECT_EQ(refusal(".reg .b16 %h<9>;\n" + name + " " + operands + ";"),
              "PTX line 10: '" + name + "' " + why);
  };
  const std::string two = "[%l], {%r1, %r2}";
  const std::string eight = "[%l], {%r1, %r2, %r3, %r1, %r2, %r3, %r1, %r2}";
  const std::string length = "has a vector of another length than it states";
  expect("red.global.add.f32", two, length);
  expect("red.global.add.v4.f32", two, length);
  expect("red.global.add.v2.f32", "[%l], %r1", length);
  expect("atom.global.add.v2.f32", "{%r1, %r2, %r3}, [%l], {%r1, %r2, %r3}", length);
  expect("red.global.add.v2.u32", two, "takes no vector");
  expect("atom.global.exch.v2.b32", "{%r1, %r2}, " + two, "takes no vector");
  const std::string four = "takes a vector of at most 4 elements of its type";
  expect("red.global.add.v8.f32", eight, four);
  expect("red.global.max.noftz.v8.bf16x2", eight, four);
  expect("red.shared.add.v2.f32", "[%r3], {%r1, %r2}", "takes a vector only in global memory");
  expect("red.global.min.noftz.f16", "[%l], %h1",
         "needs a vector, as PTX has no single minimum or maximum of its type");
}

TEST(Messages, ACallOfASystemFunctionWithOtherArguments) {
  const auto why = [](const std::string& passed, const std::string& taken, const std::string& has) {
    return passed + " and takes " + taken + "; the function has " + has;
  };
  const std::pair<std::string, std::string> calls[] = {
      {"vprintf, ()", why("0 arguments to 'vprintf'", "0 results", "2 parameters and 1 result")},
      {"(%r1), vprintf, (%l)",
       why("1 argument to 'vprintf'", "1 result", "2 parameters and 1 result")},
      {"malloc, (%l)", why("1 argument to 'malloc'", "0 results", "1 parameter and 1 result")},
      {"(%r1), free, (%l)", why("1 argument to 'free'", "1 result", "1 parameter and 0 results")},
      {"__cudaCDP2GetLastError",
       why("0 arguments to '__cudaCDP2GetLastError'", "0 results", "0 parameters and 1 result")}};
  for (const auto& [call, message] : calls) {
    const std::size_t begin = call.find_first_of("vmf_");
    const std::string name = call.substr(begin, call.find(',', begin) - begin);
    EXPECT_EQ(refusal("call " + call + ";", ".extern .func " + name + " ();"),
              "PTX line 9: 'call' passes " + message);
  }
}

}  // namespace messages_tests
}  // namespace warpwise
