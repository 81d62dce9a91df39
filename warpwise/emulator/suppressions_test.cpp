#include "warpwise/emulator/suppressions.hpp"

#include <gtest/gtest.h>

#include "tests/support/message_of.hpp"
#include "warpwise/base/error.hpp"

namespace warpwise::emulator {
namespace suppressions_tests {

Fault fault(FaultKind kind = FaultKind::race) {
  Fault result;
  result.kind = kind;
  result.file = "/home/me/src/device/sum.cuh";
  result.line = 12;
  result.called_from = {{"/home/me/src/kernels.cu", 40}};
  result.functions = {"_ZN4math3addIfEEvPT_i"};  // void math::add<float>(float*, int)
  return result;
}

constexpr const char* kernel = "_ZN3app6reduceIiLi256EEEvPKT_PS1_";

bool is_covered(const std::string& what, const Fault& by = fault(), const char* in = kernel) {
  return Suppressions(what + " because it is so").covering(in, by).has_value();
}

TEST(Suppressions, ReadALineEach) {
  const Suppressions read(
      "# what is known\n\n  race at src/a.cu:12 in f(int, int)   because  it is because of this "
      "\r\n"
      "any in the program because x");
  ASSERT_EQ(read.all().size(), 2U);
  const Suppression& first = read.all().front();
  EXPECT_EQ(first.kind, FaultKind::race);
  EXPECT_EQ(first.file, "src/a.cu");
  EXPECT_EQ(first.source_line, 12);
  EXPECT_EQ(first.function, "f(int, int)");
  EXPECT_EQ(first.reason, "it is because of this");
  EXPECT_EQ(first.line, 3);
  EXPECT_FALSE(first.in_program);
  EXPECT_FALSE(read.all().back().kind);
  EXPECT_TRUE(read.all().back().in_program);
  EXPECT_TRUE(Suppressions("").all().empty());
}

TEST(Suppressions, KindsAreNamed) {
  EXPECT_TRUE(is_covered("race in reduce"));
  EXPECT_TRUE(is_covered("any in reduce"));
  EXPECT_FALSE(is_covered("misaligned in reduce"));
  for (const FaultKind kind : all_values<FaultKind>())
    EXPECT_TRUE(is_covered(std::string(name_of(kind)) + " in reduce", fault(kind)));
}

TEST(Suppressions, FilesByTheEndOfTheirPath) {
  for (const char* at : {"sum.cuh", "device/sum.cuh", "/home/me/src/device/sum.cuh", "/sum.cuh",
                         "sum.cuh:12", "kernels.cu", "src/kernels.cu:40"})
    EXPECT_TRUE(is_covered(std::string("race at ") + at)) << at;
  for (const char* at : {"um.cuh", "sum.cu", "device", "src/sum.cuh", "sum.cuh:13", "kernels.cu:12",
                         "/other/home/me/src/device/sum.cuh"})
    EXPECT_FALSE(is_covered(std::string("race at ") + at)) << at;
  Fault nowhere = fault();
  nowhere.file.clear();
  nowhere.called_from.clear();
  EXPECT_FALSE(is_covered("race at sum.cuh", nowhere));
}

TEST(Suppressions, FunctionsByEachOfTheirNames) {
  for (const char* in :
       {"reduce", "app::reduce", "reduce<int, 256>", "app::reduce<int, 256>", kernel,
        "void app::reduce<int, 256>(int const*, int*)", "add", "math::add<float>"})
    EXPECT_TRUE(is_covered(std::string("race in ") + in)) << in;
  for (const char* in : {"educe", "app", "reduce<int>", "reduce()", "other", "the program"})
    EXPECT_FALSE(is_covered(std::string("race in ") + in)) << in;
  // void app::reduce<std::vector<int> >(std::vector<int>)
  const char* const nested = "_ZN3app6reduceISt6vectorIiSaIiEEEEvT_";
  for (const char* in : {"reduce", "app::reduce"})
    EXPECT_TRUE(is_covered(std::string("race in ") + in, fault(), nested)) << in;
  EXPECT_FALSE(is_covered("race in reduce<std::vector<int", fault(), nested));
  // numba's function of Python: sums.made.<locals>.total(float32[::1])
  const char* const python =
      "_ZN4sums4made12_3clocals_3e5totalB2v1B4cw5AE5ArrayIfLi1E1C7mutable7alignedE";
  for (const char* in :
       {"total", "sums.made.<locals>.total", "sums.made.<locals>.total(float32[::1])"})
    EXPECT_TRUE(is_covered(std::string("race in ") + in, fault(), python)) << in;
  for (const char* in : {"sums", "made", "sums.made"})
    EXPECT_FALSE(is_covered(std::string("race in ") + in, fault(), python)) << in;
  EXPECT_TRUE(is_covered("race in plain", fault(), "plain"));
  EXPECT_TRUE(is_covered("race in hidden", fault(), "_ZN12_GLOBAL__N_16hiddenEPi"));
  EXPECT_TRUE(is_covered("race in the program", fault(), ""));
}

TEST(Suppressions, BothPlacesHaveToFit) {
  EXPECT_TRUE(is_covered("race at sum.cuh:12 in reduce"));
  EXPECT_FALSE(is_covered("race at sum.cuh:13 in reduce"));
  EXPECT_FALSE(is_covered("race at sum.cuh:12 in other"));
  EXPECT_EQ(Suppressions("race in other because a\nrace in reduce because b\nany in add because c")
                .covering(kernel, fault()),
            1U);
}

std::string refusal(const std::string& text) {
  return test::message_of<InvalidArgument>([&] { const Suppressions read("# a line\n" + text); });
}

TEST(Suppressions, RefusalsNameTheLine) {
  for (const auto& [text, why] : std::vector<std::pair<std::string, std::string>>{
           {"race in f", "it gives no reason"},
           {"race in f because", "it gives no reason"},
           {"race in f because  ", "it gives no reason"},
           {"because x", "it gives no reason"},
           {"races in f because x",
            "'races' is no kind of fault; the kinds are any, out_of_bounds, "},
           {"race because x", "it names no place"},
           {"race in because x", "it names no function"},
           {"race f because x", "it names no place"},
           {"race at because x", "it names no place"},
           {"race at f.cu in because x", "it names no function"},
           {"race at f.cu:0 because x", "'0' is no line's number"},
           {"race at f.cu:1x because x", "'1x' is no line's number"},
           {"race at :3 because x", "it names no file"}}) {
    const std::string said = refusal(text);
    EXPECT_TRUE(said.starts_with("line 2, '")) << text << said;
    EXPECT_NE(said.find(why), std::string::npos) << text << said;
    EXPECT_NE(said.find("KIND [at FILE[:LINE]] [in FUNCTION] because REASON"), std::string::npos);
  }
}

}  // namespace suppressions_tests
}  // namespace warpwise::emulator
