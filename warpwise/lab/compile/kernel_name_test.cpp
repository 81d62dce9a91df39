#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/compile/kernel_name.hpp"
#include "warpwise/lab/study/show/messages_testing.hpp"

namespace warpwise::lab {
namespace {

TEST(KernelName, IsFoundByItsLastPart) {
  const std::string ptx =
      ".visible .entry copy(\n.visible .entry _Z9transposeILi32EEvPfPKf(\n"
      ".weak .entry _ZN8warpwise7kernels4gemvIiEEvPT_(\n.entry _Z1ki\n(\n.entry _Z1kf(";
  EXPECT_EQ(kernel_in(ptx, "copy"), "copy");
  EXPECT_EQ(kernel_in(ptx, "transpose"), "_Z9transposeILi32EEvPfPKf");
  EXPECT_EQ(kernel_in(ptx, "transpose<32>"), "_Z9transposeILi32EEvPfPKf");
  EXPECT_EQ(kernel_in(ptx, "_Z9transposeILi32EEvPfPKf"), "_Z9transposeILi32EEvPfPKf");
  EXPECT_EQ(kernel_in(ptx, "gemv"), "_ZN8warpwise7kernels4gemvIiEEvPT_");
  EXPECT_EQ(kernel_in(ptx, "_Z1kf"), "_Z1kf");
  expect_words(message_of<InvalidArgument>([&] { kernel_in(ptx, "k"); }),
               {"more than one", "\"k\""});
  expect_words(message_of<InvalidArgument>([&] { kernel_in(ptx, "trans"); }),
               {"is no kernel \"trans\"", "copy", "transpose<32>", "gemv"});
  expect_words(message_of<InvalidArgument>([&] { kernel_in("", "k"); }), {"is no kernel \"k\""});
  expect_words(message_of<InvalidArgument>([&] { kernel_in(ptx, ""); }), {"is no kernel \"\""});
  EXPECT_EQ(plain_name("_ZN12_GLOBAL__N_11kEi"), "(anonymous namespace)::k");
  EXPECT_EQ(plain_name("plain"), "plain");
}

// Kernels of a module "sums" under numba's names: add twice, made.<locals>.inner, and a lambda.
TEST(KernelName, IsFoundByItsNameInPython) {
  const std::string add = "_ZN4sums3addB2v1B4cw5AE5ArrayIfLi2E1C7mutable7alignedEx";
  const std::string other = "_ZN4sums3addB2v2B4cw5AExd";
  const std::string inner = "_ZN4sums4made12_3clocals_3e5innerB2v3B4cw5AEx";
  const std::string lambda = "_ZN4sums12_3clambda_3eB2v4B4cw5AEx";
  std::string ptx;
  for (const std::string& each : {add, inner, lambda}) ptx += ".entry " + each + "(\n";
  for (const char* name : {"add", "sums.add", "add(float32[:, ::1], int64)"})
    EXPECT_EQ(kernel_in(ptx, name), add) << name;
  EXPECT_EQ(kernel_in(ptx, "inner"), inner);
  EXPECT_EQ(kernel_in(ptx, "<lambda>"), lambda);
  EXPECT_EQ(plain_name(inner), "sums.made.<locals>.inner");
  EXPECT_EQ(selecting_name(ptx + ".entry " + other + "(", other), "sums.add(int64, float64)");
  EXPECT_EQ(parameter_types(add), (std::vector<std::string>{"float32[:, ::1]", "int64"}));
}

TEST(KernelName, HasTheTypesOfItsParameters) {
  using Types = std::vector<std::string>;
  EXPECT_EQ(parameter_types("_Z9transposeILi32EEvPfPKf"), (Types{"float*", "float const*"}));
  EXPECT_EQ(parameter_types("_Z1kPFiifE4PairIiS1_IfcEE3Box"),
            (Types{"int (*)(int, float)", "Pair<int, Pair<float, char> >", "Box"}));
  EXPECT_EQ(parameter_types("_Z1kv"), (Types{}));
  EXPECT_EQ(parameter_types("plain"), (Types{}));
}

TEST(KernelName, ParametersTellKernelsOfOneNameApart) {
  const std::string ptx =
      ".entry _Z4overPi(\n.entry _Z4overPif(\n.entry _ZN2ns4overEPKc(\n.entry other(";
  EXPECT_EQ(kernel_in(ptx, "over(int*)"), "_Z4overPi");
  EXPECT_EQ(kernel_in(ptx, "over(int*,float)"), "_Z4overPif");
  EXPECT_EQ(kernel_in(ptx, "over(int *, float)"), "_Z4overPif");
  EXPECT_EQ(kernel_in(ptx, "over(char const*)"), "_ZN2ns4overEPKc");
  EXPECT_EQ(kernel_in(ptx, "ns::over"), "_ZN2ns4overEPKc");
  EXPECT_EQ(message_of<InvalidArgument>([&] { kernel_in(ptx, "over"); }),
            "there is more than one kernel \"over\"; there are: over(int*), over(int*, float), "
            "ns::over");
  expect_words(message_of<InvalidArgument>([&] { kernel_in(ptx, "scale"); }),
               {"no kernel \"scale\"", "there are: over(int*), "});
  expect_words(message_of<InvalidArgument>([&] { kernel_in("", "k"); }), {"none at all"});
  EXPECT_EQ(kernel_in(".entry _Z5scaleIfLi4EEvPf(", "scale<float,4>"), "_Z5scaleIfLi4EEvPf");
}

}  // namespace
}  // namespace warpwise::lab
