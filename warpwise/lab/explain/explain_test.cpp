// What `explain` reads; advice_test.cpp tests what it concludes, and tests/command/explain_test.py
// tests the whole command.
#include <gtest/gtest.h>

#include <bit>

#include "support/enum_names.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/lab/explain/argument_spec.hpp"
#include "warpwise/lab/explain/report.hpp"

namespace warpwise::lab {
namespace {

std::string refusal(const std::string& text) {
  try {
    parse_argument(text);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "not refused";
}

TEST(ArgumentSpec, NamesItsTypes) { EXPECT_TRUE(test::names_each_enumerator<ScalarType>()); }

TEST(ArgumentSpec, ReadsScalars) {
  EXPECT_EQ(parse_argument("i32:5").bits, 5U);
  EXPECT_EQ(parse_argument("i32:-1").bits, 0xffffffffU);
  EXPECT_EQ(parse_argument("i32:0xffffffff").bits, 0xffffffffU);
  EXPECT_EQ(parse_argument("u32:4294967295").bits, 0xffffffffU);
  EXPECT_EQ(parse_argument("i8:-128").bits, 0x80U);
  EXPECT_EQ(parse_argument("u64:18446744073709551615").bits, ~std::uint64_t{0});
  EXPECT_EQ(parse_argument("i64:-9223372036854775808").bits, std::uint64_t{1} << 63);
  EXPECT_EQ(parse_argument("f32:1.5").bits, std::bit_cast<std::uint32_t>(1.5F));
  EXPECT_EQ(parse_argument("f64:-2e10").bits, std::bit_cast<std::uint64_t>(-2e10));
  EXPECT_EQ(parse_argument("f16:1").bits, 0x3c00U);
  EXPECT_EQ(parse_argument("f32:inf").bits, 0x7f800000U);
}

TEST(ArgumentSpec, ReadsBuffersAndTextures) {
  const ArgumentSpec buffer = parse_argument("i32[1024]");
  EXPECT_EQ(buffer.kind, ArgumentSpec::Kind::buffer);
  EXPECT_EQ(buffer.fill, ArgumentSpec::Fill::zero);
  EXPECT_EQ(buffer.bytes(), 4096U);
  EXPECT_EQ(parse_argument("u8[3]:iota").fill, ArgumentSpec::Fill::iota);
  EXPECT_EQ(parse_argument("f64[3]:random").fill, ArgumentSpec::Fill::random);
  EXPECT_EQ(parse_argument("f32[3]:@a:b.npy").path, "a:b.npy");
  const ArgumentSpec texture = parse_argument("tex2d<u8>[640x480]:@file.png");
  EXPECT_EQ(texture.kind, ArgumentSpec::Kind::texture);
  EXPECT_EQ(texture.width, 640U);
  EXPECT_EQ(texture.height, 480U);
  EXPECT_EQ(texture.path, "file.png");
}

TEST(ArgumentSpec, RefusesTheRest) {
  for (const char* text : {"",
                           ":",
                           "5",
                           "i32",
                           "i32:",
                           "i32:5x",
                           "i32:2147483648",
                           "i32:-2147483649",
                           "u32:-1",
                           "u8:256",
                           "i8:0x100",
                           "f32:",
                           "f32:1.5f",
                           "int:5",
                           "f32[",
                           "f32[]",
                           "f32[0]",
                           "f32[-1]",
                           "f32[4",
                           "f32[4]x",
                           "f32[4]:",
                           "f32[4]:@",
                           "f32[4]:ones",
                           "f32[18446744073709551615]",
                           "f64[4611686018427387904]",
                           "tex2d<u8>",
                           "tex2d<u8>[4]",
                           "tex2d<u8>[0x4]",
                           "tex2d<f64>[4x4]",
                           "tex2d<>[4x4]",
                           "tex3d<u8>[4x4]",
                           "tex2d<u8>[4294967296x4294967296]",
                           " i32:5",
                           "i32: 5",
                           "i32:+5",
                           "tex2d[4x4]"}) {
    EXPECT_TRUE(refusal(text).starts_with("--arg '" + std::string(text) + "'")) << refusal(text);
  }
}

TEST(ArgumentSpec, ReadsDimensions) {
  EXPECT_EQ(parse_dimensions("--grid", "7"), (emulator::Dim3{7, 1, 1}));
  EXPECT_EQ(parse_dimensions("--grid", "7,8"), (emulator::Dim3{7, 8, 1}));
  EXPECT_EQ(parse_dimensions("--grid", "7,8,9"), (emulator::Dim3{7, 8, 9}));
  for (const char* text :
       {"", "0", "1,0", "1,", ",1", "1,2,3,4", "-1", "1x2", "4294967296", " 1"}) {
    EXPECT_THROW(parse_dimensions("--grid", text), InvalidArgument) << text;
  }
}

TEST(ArgumentSpec, ReadsListsAndDumps) {
  EXPECT_EQ(parse_compute_capabilities("1.3,2.0,9.0,2.0"),
            (std::vector<rules::ComputeCapability>{{1, 3}, {2, 0}, {9, 0}}));
  EXPECT_THROW(parse_compute_capabilities("9.0,"), InvalidArgument);
  EXPECT_THROW(parse_compute_capabilities("4.0"), InvalidArgument);
  EXPECT_EQ(parse_dump("12=a=b.npy").index, 12U);
  EXPECT_EQ(parse_dump("12=a=b.npy").path, "a=b.npy");
  for (const char* text : {"", "1", "=a.npy", "x=a.npy", "1=", "1=.npy", "1=a.png", "-1=a.npy"}) {
    EXPECT_THROW(parse_dump(text), InvalidArgument) << text;
  }
}

TEST(PtxOfKernel, LeavesTheOthersOut) {
  const std::string head = ".version 7.0\n.target sm_75\n.global .u32 g;\n";
  const std::string one =
      ".visible .entry one(\n.param .u64 p\n)\n{\n { // a } in a comment\n }\nret;\n}\n";
  const std::string two = ".weak .entry one_more()\n.maxntid 32\n{\nret;\n}";
  const std::string tail = "\n.file 1 \"a{.cu\"\n";
  const std::string ptx = head + one + two + tail;
  EXPECT_EQ(ptx_of_kernel(ptx, "one"), head + one + tail);
  EXPECT_EQ(ptx_of_kernel(ptx, "one_more"), head + one.substr(one.size() - 1) + two + tail);
  EXPECT_EQ(ptx_of_kernel(ptx, "none"), head + "\n" + tail);
  const std::string cut = ptx.substr(0, head.size() + 20);
  EXPECT_EQ(ptx_of_kernel(cut, "two"), cut);
  EXPECT_EQ(target_architecture(ptx), 75);
}

}  // namespace
}  // namespace warpwise::lab
