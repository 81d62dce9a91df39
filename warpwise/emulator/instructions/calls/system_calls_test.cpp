// printf: its output, and the bounded cost of hostile formats.

#include <gtest/gtest.h>

#include "emulator/emulated.hpp"

namespace warpwise {
namespace system_calls_tests {

using emulator::FaultKind;
using emulator::LaunchResult;
using test::Emulated;

/// Returns a kernel in which every thread prints `format` `times` times, with the integers `first`
/// and 65. The double 2.5 follows at the next multiple of 8, for formats that need one.
std::string printing_ptx(const std::string& format, int times = 1, int first = 7) {
  std::string bytes;
  for (const char c : format) bytes += std::to_string(static_cast<int>(c)) + ", ";
  return ".version 8.4\n.target sm_90\n.address_size 64\n"
         ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
         ".global .align 1 .b8 text[" +
         std::to_string(format.size() + 1) + "] = {" + bytes +
         "0};\n"
         ".visible .entry prints()\n{\n.reg .pred %p;\n.reg .b32 %r<4>;\n.reg .b64 %l<4>;\n"
         ".local .align 8 .b8 arguments[16];\n"
         "mov.u64 %l1, arguments;\ncvta.local.u64 %l1, %l1;\nmov.u64 %l2, text;\n"
         "cvta.global.u64 %l2, %l2;\nmov.u32 %r1, " +
         std::to_string(first) +
         ";\nst.local.u32 [arguments], %r1;\n"
         "mov.u32 %r1, 65;\nst.local.u32 [arguments+4], %r1;\nmov.f64 %l3, "
         "0d4004000000000000;\nst.local.f64 [arguments+8], %l3;\nmov.u32 %r3, 0;\nAGAIN:\n{\n"
         ".param .b64 p0;\nst.param.b64 [p0], %l2;\n.param .b64 p1;\nst.param.b64 [p1], %l1;\n"
         ".param .b32 q0;\ncall.uni (q0), vprintf, (p0, p1);\nld.param.b32 %r2, [q0];\n}\n"
         "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p, %r3, " +
         std::to_string(times) + ";\n@%p bra AGAIN;\nret;\n}\n";
}

LaunchResult print(const std::string& format, std::uint32_t threads = 1, int times = 1,
                   int first = 7) {
  Emulated emulated(printing_ptx(format, times, first));
  return emulated.launch("prints", {1}, {threads});
}

TEST(Print, AResultMayBeDropped) {
  std::string text = printing_ptx("hello");
  const auto replace = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  replace("(.param .b32 r) vprintf", "vprintf");
  replace("(q0), vprintf", "vprintf");
  replace("ld.param.b32 %r2, [q0];", "");
  Emulated emulated(text);
  const LaunchResult result = emulated.launch("prints", {1}, {1});
  EXPECT_TRUE(result.faults.empty());
  EXPECT_EQ(result.printed, "hello");
}

TEST(Print, ReturnsTheNumberOfItsArguments) {
  const auto returned = [](const std::string& format, bool has_format = true) {
    std::string text = printing_ptx(format);
    const auto replace = [&](const std::string& from, const std::string& to) {
      text.replace(text.find(from), from.size(), to);
    };
    replace("prints()", "prints(.param .u64 out)");
    replace("\nret;", "\nld.param.u64 %l2, [out];\nst.global.u32 [%l2], %r2;\nret;");
    if (!has_format) replace("st.param.b64 [p0], %l2;", "st.param.b64 [p0], 0;");
    Emulated emulated(text);
    const auto out = emulated.buffer(std::vector<std::int32_t>(1));
    EXPECT_TRUE(emulated.launch("prints", {1}, {1}, out).faults.empty());
    return emulated.read<std::int32_t>(out, 1).front();
  };
  EXPECT_EQ(returned("hello"), 0);
  EXPECT_EQ(returned("%d %d%%"), 2);
  EXPECT_EQ(returned("%*d"), 2);
  EXPECT_EQ(returned("", false), -1);
}

TEST(Print, FieldsAndPrecisions) {
  EXPECT_EQ(print("%5d|%-3d|").printed, "    7|65 |");
  EXPECT_EQ(print("%05d|%+d").printed, "00007|+65");
  EXPECT_EQ(print("%*d").printed, "     65");
  EXPECT_EQ(print("%.*d").printed, "0000065");
  EXPECT_EQ(print("%x %c%%").printed, "7 A%");
  EXPECT_EQ(print("%600d").printed, std::string(599, ' ') + "7");
}

// A negative precision counts as missing, as in C, although its argument is read. A negative width
// aligns to the left.
TEST(Print, ANegativePrecisionIsNone) {
  const auto with_negative = [](const char* format) { return print(format, 1, 1, -1).printed; };
  EXPECT_EQ(print("%.*f", 1, 1, 1).printed, "2.5");
  EXPECT_EQ(with_negative("%.*f"), "2.500000");
  EXPECT_EQ(with_negative("%.*e"), "2.500000e+00");
  EXPECT_EQ(with_negative("%.*d"), "65");
  EXPECT_EQ(with_negative("%5.*d|"), "   65|");
  EXPECT_EQ(print("%*d|", 1, 1, -5).printed, "65   |");
}

TEST(Print, WideFieldsAreBounded) {
  for (const char* format :
       {"%999999999d", "%.999999999d", "%99999999999999999999d", "%0999999999x"}) {
    EXPECT_EQ(print(format, 32).printed.size(), 32U * 4096) << format;
  }
  // The format takes the width from an argument, and digits follow the asterisk.
  EXPECT_LT(print("%*999999d", 32).printed.size(), 32U * 4096);
}

TEST(Print, ALaunchPrintsAMebibyteAtMostAndSaysSo) {
  const std::string said = print("%4000d", 32, 100).printed;
  const std::string note = "\n(the kernel printed more than 1048576 bytes; the rest is left out)\n";
  EXPECT_EQ(said.size(), (std::size_t{1} << 20) + note.size());
  EXPECT_EQ(said.substr(said.size() - note.size()), note);
}

TEST(Print, ItsBytesAreChargedToTheBudget) {
  Emulated emulated(printing_ptx("%1000d", 100));
  emulated.options.budget = 10'000;
  const LaunchResult result = emulated.launch("prints", {1}, {1});
  ASSERT_EQ(result.faults.size(), 1U);
  EXPECT_EQ(result.faults.front().kind, FaultKind::budget);
}

// Each lane reads its arguments, also after the last text that is kept.
TEST(Print, LanesWithoutTextAreChargedToTheBudget) {
  Emulated emulated(printing_ptx("%1000d", 20'000));
  emulated.options.budget = 1'500'000;
  const LaunchResult result = emulated.launch("prints", {1}, {32});
  ASSERT_EQ(result.faults.size(), 1U);
  EXPECT_EQ(result.faults.front().kind, FaultKind::budget);
}

}  // namespace system_calls_tests
}  // namespace warpwise
