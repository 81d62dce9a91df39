// Tests the inputs of `explain`. advice_test.cpp tests its conclusions, and
// tests/command/explain_test.py the whole command.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <span>

#include "support/enum_names.hpp"
#include "tests/support/message_of.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/lab/explain/kernel/parameter_members.hpp"
#include "warpwise/lab/explain/launch/argument_spec.hpp"
#include "warpwise/lab/explain/launch/arguments.hpp"
#include "warpwise/lab/explain/launch/scanned.hpp"
#include "warpwise/lab/explain/show/report.hpp"

namespace warpwise::lab {
namespace {

std::string refusal(const std::string& text) {
  return test::message_of<InvalidArgument>([&] { parse_argument(text); });
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
  EXPECT_EQ(parse_argument("f16:65504").bits, 0x7bffU);
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

TEST(ArgumentSpec, ReadsRangesOfRandomValues) {
  const ArgumentSpec spec = parse_argument("i32[64]:random:-3..4");
  ASSERT_TRUE(spec.range.has_value());
  EXPECT_EQ(spec.fill, ArgumentSpec::Fill::random);
  EXPECT_EQ(spec.range->least, -3);
  EXPECT_EQ(spec.range->most, 4);
  EXPECT_EQ(parse_argument("f32[2]:random:-0.5..1e3").range->most, 1000);
  EXPECT_FALSE(parse_argument("i32[64]:random").range.has_value());
  for (const char* text :
       {"i32[4]:random:", "i32[4]:random:5", "i32[4]:random:5..4", "u8[4]:random:0..256",
        "u8[4]:random:-1..4", "i32[4]:random:0..1.5", "f32[4]:random:1..1", "f32[4]:random:0..inf",
        "f32[4]:random:nan..1", "u64[4]:random:0..18446744073709551615"})
    EXPECT_NE(refusal(text), "") << text;
}

TEST(ArgumentSpec, RefusesFloatsBeyondTheTypesRange) {
  EXPECT_NE(refusal("f32:1e39").find("beyond the range of f32, -3.4028e+38 to 3.4028e+38"),
            std::string::npos)
      << refusal("f32:1e39");
  EXPECT_NE(refusal("f16:-70000").find("beyond the range of f16, -65504 to 65504"),
            std::string::npos);
  EXPECT_NE(refusal("f64:1e999").find("beyond the range of f64"), std::string::npos);
  EXPECT_NE(refusal("f32[4]:random:0..1e39").find("beyond the range of f32"), std::string::npos);
  EXPECT_NE(refusal("f32:").find("is no number"), std::string::npos);
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

TEST(ArgumentSpec, StructuresAreLaidOutAsCppDoes) {
  struct Inner {
    std::uint8_t flag;
    double scale;
  };
  struct Outer {
    float* values;
    std::int32_t count;
    Inner inner;
    std::int16_t last;
  };
  const ArgumentSpec outer = parse_argument("{f32[8]:iota, i32:5, { u8:1 , f64:2.5}, i16:-1}");
  EXPECT_EQ(outer.kind, ArgumentSpec::Kind::structure);
  EXPECT_EQ(extent_of(outer).bytes, sizeof(Outer));
  EXPECT_EQ(extent_of(outer).alignment, alignof(Outer));
  EXPECT_EQ(offsets_of(outer),
            (std::vector<std::uint64_t>{offsetof(Outer, values), offsetof(Outer, count),
                                        offsetof(Outer, inner), offsetof(Outer, last)}));
  const ArgumentSpec pointer = parse_argument("&{f32[4], &u32:7}");
  EXPECT_EQ(pointer.kind, ArgumentSpec::Kind::pointer);
  EXPECT_EQ(extent_of(pointer).bytes, 8U);
  EXPECT_EQ(extent_of(pointer.members[0]).bytes, 16U);
}

TEST(ArgumentSpec, RefusesWhatIsNoStructure) {
  for (const char* text : {"{", "{}", "{i32:5", "{i32:5,}", "{i32:5}}", "{i32:5} ", "&", "& ",
                           "{i32:x}", "{{i32:5}", "{i32:5},{i32:5}", "{,}", "{i32:1, &{f32[0]}}"}) {
    const std::string whole = "--arg '" + std::string(text) + "'";
    EXPECT_TRUE(refusal(text).starts_with(whole)) << refusal(text);
    EXPECT_EQ(refusal(text).rfind("--arg"), 0U) << refusal(text);
  }
  EXPECT_NE(refusal("{i32:1, f32:x}").find("f32:x}': 'f32:x': 'x' is no number"), std::string::npos)
      << refusal("{i32:1, f32:x}");
  EXPECT_NE(refusal(std::string(100, '&') + "i32:5").find("too deep"), std::string::npos);
}

TEST(Arguments, StructuresAndNestedPointers) {
  // nested(operands): operands.rows[1][tid] += operands.inner->add
  emulator::Program program(R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry nested(.param .align 8 .b8 operands[16])
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<7>;
  ld.param.u64 %rd1, [operands];
  ld.param.u64 %rd2, [operands+8];
  ld.global.u64 %rd3, [%rd1+8];
  ld.global.u32 %r1, [%rd2+4];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd4, %r2, 4;
  add.s64 %rd5, %rd3, %rd4;
  ld.global.u32 %r3, [%rd5];
  add.s32 %r3, %r3, %r1;
  st.global.u32 [%rd5], %r3;
  ret;
})");
  emulator::Device device;
  const emulator::KernelInfo& kernel = program.kernel("nested");
  const Arguments arguments(device, kernel,
                            {parse_argument("{&{i32[2], i32[4]:iota}, &{f32:1, i32:100}}")}, {});
  const auto result = program.launch(device, "nested", {1}, {4}, 0, arguments.parameters(), {});
  ASSERT_TRUE(result.faults.empty()) << result.faults[0].message;
  // The kernel's data are the two rows, without the structures.
  EXPECT_EQ(arguments.bytes().all, 8U + 16U);
  emulator::Address rows = 0;
  std::memcpy(&rows, arguments.parameters().data(), sizeof rows);
  emulator::Address row = 0;
  device.read(rows + 8, std::as_writable_bytes(std::span(&row, 1)));
  std::int32_t values[4] = {};
  device.read(row, std::as_writable_bytes(std::span(values)));
  EXPECT_EQ(values[3], 103);
  // The number behind & and both rows may have changed.
  std::vector<std::size_t> sizes;
  for (const Arguments::Writable& each : arguments.writable()) sizes.push_back(each.bytes.size());
  EXPECT_EQ(sizes, (std::vector<std::size_t>{8, 16, 4, 4}));
  EXPECT_EQ(arguments.writable()[1].bytes[12], std::byte{103});
  EXPECT_THROW(arguments.memory(), Unsupported) << "for a GPU";
  EXPECT_THROW(Arguments(device, kernel, {parse_argument("{i32[2]}")}, {}), InvalidArgument);
  EXPECT_THROW(Arguments(device, kernel, {parse_argument("i32[2]")}, {}), InvalidArgument);
}

emulator::KernelInfo kernel_taking(const std::string& parameters) {
  emulator::Program program(".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(" +
                            parameters + ")\n{\n  ret;\n}\n");
  return program.kernel("k");
}

std::string refusal_of(const emulator::KernelInfo& kernel, const std::vector<std::string>& texts) {
  std::vector<ArgumentSpec> specs;
  for (const std::string& text : texts) specs.push_back(parse_argument(text));
  emulator::Device device;
  return test::message_of<InvalidArgument>(
      [&] { const Arguments arguments(device, kernel, specs, {}); });
}

TEST(Arguments, RandomValuesLieInTheirRange) {
  const auto values = [](const std::string& text, auto one) {
    emulator::KernelInfo kernel;
    kernel.name = "k";
    kernel.parameter_bytes = {8};
    kernel.parameter_offsets = {0};
    kernel.parameter_types = {"u64"};
    emulator::Device device;
    const std::vector<std::byte> bytes =
        Arguments(device, kernel, {parse_argument(text)}, {}).bytes_of(0);
    std::vector<decltype(one)> result(bytes.size() / sizeof(one));
    std::memcpy(result.data(), bytes.data(), bytes.size());
    return result;
  };
  const std::vector<int> integers = values("i32[1000]:random:-3..4", 0);
  for (int value = -3; value <= 4; ++value)
    EXPECT_GT(std::ranges::count(integers, value), 80) << value;  // 125 are expected
  EXPECT_EQ(std::ranges::count_if(integers, [](int value) { return value < -3 || value > 4; }), 0);
  const std::vector<float> floats = values("f32[1000]:random:-2..6", 0.0F);
  EXPECT_GE(std::ranges::min(floats), -2);
  EXPECT_LT(std::ranges::min(floats), -1.9F);
  EXPECT_LT(std::ranges::max(floats), 6);
  EXPECT_GT(std::ranges::max(floats), 5.9F);
  // Between these ends lie few floats: half of the values would be rounded up to the upper end.
  const std::vector<float> near = values("f32[1000]:random:16777216..16777218", 0.0F);
  EXPECT_EQ(std::ranges::max(near), 16777216);
  const std::vector<std::uint16_t> halves =
      values("f16[1000]:random:1..1.0009765625", std::uint16_t{0});
  EXPECT_EQ(std::ranges::max(halves), 0x3c00);
}

TEST(Arguments, ElementsMustBeThoseThatTheParameterPointsTo) {
  const auto given = [](const std::string& name, const std::string& text) {
    emulator::KernelInfo kernel;
    kernel.name = name;
    kernel.parameter_bytes = {8};
    kernel.parameter_offsets = {0};
    kernel.parameter_types = {"u64"};
    emulator::Device device;
    try {
      const Arguments arguments(device, kernel, {parse_argument(text)}, {});
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string("taken");
  };
  EXPECT_EQ(given("_Z1kPKf", "f64[8]:random"),
            "argument 0 of the kernel (counted from 0) is float const*, and 'f64[8]:random' has "
            "elements of another "
            "type: write f32[8]:random");
  EXPECT_NE(given("_Z1kPi", "f32[8]"), "taken");
  for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{
           {"_Z1kPf", "f32[8]"},          // float*
           {"_Z1kPj", "i32[8]"},          // unsigned*
           {"_Z1kP6float4", "f32[8]"},    // float4*
           {"_Z1kPv", "f64[8]"},          // void*
           {"_Z1kPh", "f32[8]"},          // unsigned char*: any bytes
           {"_Z1kPf", "u8[32]"},          // bytes fit any pointer
           {"_Z1kP8Particle", "f32[8]"},  // a structure
           {"plain_name", "f64[8]"}})
    EXPECT_EQ(given(name, text), "taken") << name;
}

TEST(Arguments, AStructureIsForAStructureAlone) {
  const std::string six = "{i32:1,i32:2,i32:3,i32:4,i32:5,i32:6}";
  const auto both = kernel_taking(".param .u64 p, .param .u32 n");
  EXPECT_EQ(
      refusal_of(both, {"i32[4]", six}),
      "argument 1 of the kernel (counted from 0) is an integer of 32 bits, not '" + six + "'");
  EXPECT_EQ(
      refusal_of(both, {"{i32[4]}", "i32:1"}),
      "argument 0 of the kernel (counted from 0) is a pointer, a texture or a 64-bit integer, not "
      "'{i32[4]}'");
  const auto middle = kernel_taking(".param .u64 p, .param .f32 f, .param .u32 n");
  EXPECT_NE(refusal_of(middle, {"i32[4]", six, "i32:1"}), "");
  EXPECT_NE(refusal_of(middle, {"i32[4]", "{f32:1}", "i32:1"}), "");
  const auto only = kernel_taking(".param .u32 n");
  for (const std::string& text : {six, std::string("{i32:1}"), std::string("{f32:1.5}")})
    EXPECT_NE(refusal_of(only, {text}), "") << text;
  EXPECT_EQ(refusal_of(kernel_taking(".param .align 4 .b8 s[4]"), {"{i32:1}"}), "");
}

TEST(Arguments, AStructureNeedsEachMemberThatTheKernelReads) {
  const std::string ptx =
      ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(\n\t.param .align 8 .b8 "
      "k_param_0[16]\n)\n{\n.reg .b32 %r<3>;\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, "
      "[k_param_0];\nld.param.v2.u32 {%r1, %r2}, [k_param_0+8];\nret;\n}\n";
  emulator::Program program(ptx);
  const auto refused = [&](const std::string& text) {
    return test::message_of<InvalidArgument>(
        [&] { require_members(program.kernel("k"), ptx, {parse_argument(text)}); });
  };
  EXPECT_EQ(refused("{f32[4], i32:1, i32:2}"), "");
  EXPECT_EQ(refused("{f32[4], {i32:1, i32:2}}"), "");
  EXPECT_EQ(
      refused("{f32[4], i32:1}"),
      "argument 0 of the kernel (counted from 0) lacks a member: the kernel reads one at byte "
      "12 of the structure, where '{f32[4], i32:1}' has none");
}

TEST(Arguments, AnotherSizeSaysWhatAStructureIsMadeOf) {
  const std::string refused =
      refusal_of(kernel_taking(".param .align 4 .b8 s[8]"), {"{f32:1, i32:2, i32:3}"});
  EXPECT_NE(refused.find("a structure of 8 bytes, not of 12"), std::string::npos) << refused;
  for (const char* words : {"an array", "float4", "a pointer"})
    EXPECT_NE(refused.find(words), std::string::npos) << refused;
}

TEST(Arguments, RandomBuffersOfAStructureDiffer) {
  emulator::Device device;
  const Arguments arguments(
      device, kernel_taking(".param .align 8 .b8 s[16], .param .u64 p"),
      {parse_argument("{u32[4]:random, u32[4]:random}"), parse_argument("u32[4]:random")}, {});
  const std::vector<Arguments::Memory> memory = arguments.memory();
  ASSERT_EQ(memory.size(), 3U);
  EXPECT_NE(memory[0].bytes, memory[1].bytes);
  EXPECT_NE(memory[0].bytes, memory[2].bytes);
  EXPECT_NE(memory[1].bytes, memory[2].bytes);
}

// An emulator's address is not valid on a GPU.
TEST(Arguments, PointersToNumbersAreNotForAGpu) {
  const auto kernel = kernel_taking(".param .u64 p, .param .u64 q");
  for (const char* text : {"&{i32:5}", "&i32:5", "&&i32:5", "&{i32[2]}"}) {
    emulator::Device device;
    const Arguments arguments(device, kernel, {parse_argument("i32[4]"), parse_argument(text)}, {});
    EXPECT_THROW(arguments.memory(), Unsupported) << text;
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
  EXPECT_EQ(parse_compute_capabilities("9"), (std::vector<rules::ComputeCapability>{{9, 0}}));
  EXPECT_THROW(parse_compute_capabilities("9.0,"), InvalidArgument);
  EXPECT_THROW(parse_compute_capabilities("4.0"), InvalidArgument);
  EXPECT_EQ(parse_dump("12=a=b.npy").index, 12U);
  EXPECT_EQ(parse_dump("12=a=b.npy").path, "a=b.npy");
  for (const char* text : {"", "1", "=a.npy", "x=a.npy", "1=", "1=.npy", "1=a.png", "-1=a.npy"}) {
    EXPECT_THROW(parse_dump(text), InvalidArgument) << text;
  }
}

// A sample has whole clusters: here one of eight blocks.
TEST(Explanation, OfASampleSaysHowManyBlocksRan) {
  Explanation explanation;
  explanation.request.grid = {64, 1, 1};
  explanation.request.sample = BlockSample{.blocks = 5};
  explanation.launch.blocks = 8;
  const std::string text = explanation.counted();
  EXPECT_NE(text.find("a sample: 8 of 64 blocks ran"), std::string::npos) << text;
  EXPECT_NE(text.find("multiplied by 8;"), std::string::npos) << text;
}

using Tile = std::array<std::uint64_t, 2>;

TEST(Scanned, TilesOfASource) {
  const auto tile = [](const std::string& before, const std::string& extents) {
    return tile_in(before + "__global__ void k(int* p) { __shared__ float t" + extents + "; }",
                   "k");
  };
  EXPECT_EQ(tile("", "[8][32]"), (Tile{32, 8}));
  EXPECT_EQ(tile("#define T 32\n", "[T] [T + 1]"), (Tile{32, 32}));
  EXPECT_EQ(tile("constexpr int rows = 4, columns=64;\n", "[ rows ][columns]"), (Tile{64, 4}));
  EXPECT_EQ(tile("int T = 12345678901;", "[T][T]"), (Tile{0, 0}));
  EXPECT_EQ(tile("", "[8]"), (Tile{0, 0}));
  EXPECT_EQ(tile_in("__shared__ float t[8][8];", "k"), (Tile{0, 0}));
}

TEST(Scanned, TexelsAndConstants) {
  EXPECT_EQ(texels_in("x = tex2D< unsigned char >( image, i, j);", "image"), "u8");
  EXPECT_EQ(texels_in("tex1Dfetch<int>(other, i); tex2D<int>(image2);", "image"), "f32");
  EXPECT_TRUE(points_to_constants("float const *"));
  EXPECT_FALSE(points_to_constants("constant*"));
  EXPECT_FALSE(points_to_constants("float* const"));
  EXPECT_EQ(without("const float* const_p", "const"), " float* const_p");
}

TEST(Scanned, DynamicSharedMemoryOfAKernel) {
  const std::string ptx =
      "// .extern .shared\n.extern .shared .align 16 .b8 tile[];\n.shared .b8 own[4];\n"
      ".entry k() { }";
  EXPECT_TRUE(uses_dynamic_shared(ptx, "mov.u32 %r1, tile;"));
  EXPECT_TRUE(uses_dynamic_shared(ptx, "ld.shared.u32 %r1, [tile+4];"));
  EXPECT_FALSE(uses_dynamic_shared(ptx, "mov.u32 %r1, tiles;\nmov.u32 %r2, own;"));
  EXPECT_FALSE(uses_dynamic_shared(".entry k() {}\n" + ptx, "mov.u32 %r1, tile;"));
}

// With std::regex these texts overflow the stack.
TEST(Scanned, LongTexts) {
  const std::string longs(1 << 20, 'x');
  EXPECT_FALSE(uses_dynamic_shared("// .extern .shared " + longs, longs));
  EXPECT_TRUE(uses_dynamic_shared(".extern .shared .b8 " + longs + "[];", "[" + longs + "]"));
  EXPECT_EQ(texels_in("tex<" + longs, "t"), "f32");
  EXPECT_FALSE(points_to_constants("const " + longs));
  const std::string blanks(1 << 20, ' ');
  EXPECT_EQ(tile_in("#define T" + blanks + "8\nvoid k(__shared__ int t[T][T];", "k"), (Tile{8, 8}));
}

TEST(Scanned, CoordinatesOfCooperativeGroupsAreNotTheKernels) {
  const std::string body = "mov.u32 %r1, %tid.z;\nmov.u32 %r2, %tid.y;\n";
  const std::string include = "#include <cooperative_groups.h>\n";
  const std::string flat = "__global__ void flat(int* o) { o[grid.thread_rank()] = 1; }\n";
  const std::string deep = "__global__ void deep(int* o) { o[threadIdx.z] = blockIdx.y; }\n";
  EXPECT_TRUE(uses_coordinate(body, flat, "flat", "tid.z")) << "by a function of its own";
  EXPECT_FALSE(uses_coordinate(body, include + flat + deep, "n::flat<3>", "tid.z"));
  EXPECT_TRUE(uses_coordinate(body, include + flat + deep, "deep", "tid.z"));
  EXPECT_FALSE(uses_coordinate(body, include + flat + deep, "deep", "tid.y"));
  EXPECT_FALSE(uses_coordinate(body, deep, "deep", "ctaid.y")) << "not in the PTX";
}

TEST(Scanned, CodeHasNoCommentsAndNoQuotes) {
  const std::vector<std::string> lines = {
      "a // b", "c /* d", "e", "f */ g", "h(\"// \\\" i\")", "1'000 + '\"' + j", "k /* l */ m"};
  EXPECT_EQ(code_in(lines),
            (std::vector<std::string>{"a ", "c  ", " ", "  g", "h( )", "1'000 +   + j", "k   m"}));
}

TEST(PtxOfKernel, LeavesTheOthersOut) {
  const std::string head = ".version 7.0\n.target sm_75\n.global .u32 g;\n";
  const std::string one =
      ".visible .entry one(\n.param .u64 p\n)\n{\n { // a } in a comment\n }\nret;\n}\n";
  const std::string two = ".weak .entry one_more()\n.maxntid 32\n{\nret;\n}";
  const std::string tail = "\n.file 1 \"a{.cu\"\n";
  const std::string ptx = head + one + two + tail;
  // The lines keep their numbers.
  const auto lines = [](const std::string& of) {
    return std::string(static_cast<std::size_t>(std::ranges::count(of, '\n')), '\n');
  };
  EXPECT_EQ(ptx_of_kernel(ptx, "one"), head + one + lines(two) + tail);
  EXPECT_EQ(ptx_of_kernel(ptx, "one_more"), head + lines(one) + two + tail);
  EXPECT_EQ(ptx_of_kernel(ptx, "none"), head + lines(one + two) + tail);
  const std::string cut = ptx.substr(0, head.size() + 20);
  EXPECT_EQ(ptx_of_kernel(cut, "two"), cut);
  EXPECT_EQ(target_architecture(ptx), 75);
}

}  // namespace
}  // namespace warpwise::lab
