#include "warpwise/emulator/ptx/parser.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/support/message_of.hpp"
#include "warpwise/base/error.hpp"

namespace warpwise::ptx {
namespace {

using Kind = Operand::Kind;
using Strings = std::vector<std::string>;
using Bytes = std::vector<std::uint8_t>;

// The head has three lines, so a test's text begins on the fourth line.
const std::string head = ".version 9.0\n.target sm_75\n.address_size 64\n";

Module module(const std::string& text) { return parse(head + text); }

/// Returns a kernel with this body.
Function body(const std::string& text) {
  return module(".visible .entry kernel()\n{\n" + text + "\n}\n").functions.at(0);
}

/// Returns the only instruction of a kernel.
Instruction instruction(const std::string& text) {
  const Function function = body(text);
  EXPECT_EQ(function.instructions.size(), 1u) << text;
  return function.instructions.at(0);
}

Operand operand(const std::string& text) { return instruction("x " + text + ";").operands.at(0); }

Variable variable(const std::string& text) { return module(text).variables.at(0); }

const Function& function(const Module& from, const std::string& name) {
  for (const Function& each : from.functions) {
    if (each.name == name) return each;
  }
  throw InvalidArgument("no function " + name);
}

Strings names(const std::vector<Variable>& variables) {
  Strings result;
  for (const Variable& each : variables) result.push_back(each.name);
  return result;
}

std::string refusal(const std::string& text) {
  return test::message_of<InvalidArgument>([&] { parse(text); });
}

std::string refusal_of_body(const std::string& text) {
  return refusal(head + ".entry kernel() {\n" + text + "\n}");
}

/// Parses tests/ptx/NAME, which nvcc made from the .cu file beside it.
Module real(const std::string& name) {
  std::ifstream file(std::string(WARPWISE_PTX) + "/" + name);
  EXPECT_TRUE(file) << name;
  std::stringstream text;
  text << file.rdbuf();
  return parse(text.str());
}

TEST(Ptx, Header) {
  const Module result = parse(".version 8.7 .target sm_90a, debug .address_size 32");
  EXPECT_EQ(result.version, "8.7");
  EXPECT_EQ(result.target, "sm_90a");
  EXPECT_EQ(result.address_bytes, 4);
  EXPECT_EQ(parse(head + std::string("\0\0", 2)).target, "sm_75");
}

TEST(Ptx, InstructionsAreSplitAtDots) {
  const Instruction load = instruction("ld.global.nc.L1::no_allocate.v4.u32 {a, _, b, c}, [d];");
  EXPECT_EQ(load.opcode, "ld");
  EXPECT_EQ(load.modifiers, (Strings{"global", "nc", "L1::no_allocate", "v4", "u32"}));
  ASSERT_EQ(load.operands.size(), 2u);
  EXPECT_EQ(load.operands[0].kind, Kind::vector);
  EXPECT_EQ(load.operands[0].elements.at(1).kind, Kind::sink);
  EXPECT_EQ(load.ptx_line, 6);
  EXPECT_TRUE(load.guard.empty());
  EXPECT_EQ(instruction("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {a}, {b}, {c}, {d};")
                .modifiers.at(2),
            "m16n8k16");
  EXPECT_EQ(instruction("tex.2d.v4.f32.f32 {a}, [t, {x, y}];").modifiers.at(0), "2d");
  EXPECT_EQ(instruction("ret;").operands.size(), 0u);
}

TEST(Ptx, Guards) {
  EXPECT_EQ(instruction("@%p1 bra L;").guard, "%p1");
  EXPECT_FALSE(instruction("@%p1 bra L;").guard_negated);
  EXPECT_TRUE(instruction("@!%p1 bra L;").guard_negated);
}

TEST(Ptx, Names) {
  EXPECT_EQ(operand("%tid.x").name, "%tid.x");
  EXPECT_EQ(operand("%clock64").name, "%clock64");
  EXPECT_EQ(operand("%r1.b0").name, "%r1.b0");
  EXPECT_TRUE(operand("!%p1").negated);
  EXPECT_EQ(operand("sym+4").name, "sym");
  EXPECT_EQ(operand("sym+4").offset, 4);
  EXPECT_EQ(operand("sym-4").offset, -4);
  EXPECT_EQ(operand("_").kind, Kind::sink);
}

TEST(Ptx, Addresses) {
  const Operand negative = operand("[%rd1+-4]");
  EXPECT_EQ(negative.kind, Kind::address);
  EXPECT_EQ(negative.offset, -4);
  EXPECT_EQ(negative.elements.at(0).name, "%rd1");
  EXPECT_EQ(negative.elements.at(0).offset, 0);
  EXPECT_EQ(operand("[sym+0x10]").offset, 16);
  EXPECT_EQ(operand("[64]").elements.at(0).value, 64u);
  const Operand texture = operand("[tex, {%f1, %f2}]");
  ASSERT_EQ(texture.elements.size(), 2u);
  EXPECT_EQ(texture.elements[1].kind, Kind::vector);
  EXPECT_EQ(texture.elements[1].elements.at(1).name, "%f2");
}

TEST(Ptx, PairsAndNesting) {
  const Operand pair = operand("%p1|%p2");
  EXPECT_EQ(pair.kind, Kind::pair);
  EXPECT_EQ(pair.elements.at(1).name, "%p2");
  EXPECT_EQ(operand("_|%p2").elements.at(0).kind, Kind::sink);
  EXPECT_EQ(operand("{{a, b}, c}").elements.at(0).elements.at(1).name, "b");
}

TEST(Ptx, Integers) {
  EXPECT_EQ(operand("12").value, 12u);
  EXPECT_EQ(operand("-12").value, ~std::uint64_t{0} - 11);
  EXPECT_EQ(operand("0x1FU").value, 31u);
  EXPECT_EQ(operand("017").value, 15u);
  EXPECT_EQ(operand("0b101").value, 5u);
  EXPECT_EQ(operand("0").value, 0u);
  EXPECT_EQ(operand("18446744073709551615").value, ~std::uint64_t{0});
  EXPECT_EQ(operand("-9223372036854775808").value, std::uint64_t{1} << 63);
  EXPECT_EQ(operand("WARP_SZ").value, 32u);
  EXPECT_EQ(operand("5").kind, Kind::integer);
}

TEST(Ptx, FloatingPointNumbers) {
  EXPECT_EQ(operand("0f3F800000").kind, Kind::f32);
  EXPECT_EQ(operand("0f3F800000").value, 0x3f800000u);
  EXPECT_EQ(operand("-0f3F800000").value, 0xbf800000u);
  EXPECT_EQ(operand("0d3FF0000000000000").kind, Kind::f64);
  EXPECT_EQ(std::bit_cast<double>(operand("1.5").value), 1.5);
  EXPECT_EQ(std::bit_cast<double>(operand("-25e-1").value), -2.5);
  EXPECT_EQ(std::bit_cast<double>(operand("1.5e+2").value), 150);
}

TEST(Ptx, ConstantExpressions) {
  const auto value = [](const std::string& text) {
    return static_cast<std::int64_t>(operand("(" + text + ")").value);
  };
  EXPECT_EQ(value("1 + 2 * 3"), 7);
  EXPECT_EQ(value("(1 + 2) * 3"), 9);
  EXPECT_EQ(value("7 %3"), 1);
  EXPECT_EQ(value("-7 / 2"), -3);
  EXPECT_EQ(value("-7 % 3"), -1);
  EXPECT_EQ(value("10 - 4 - 3"), 3);
  EXPECT_EQ(value("1 << 4 | 3 & 6 ^ 1"), 19);
  EXPECT_EQ(value("-16 >> 2"), -4);
  EXPECT_EQ(value("1 << 64"), 0);
  EXPECT_EQ(value("0 >> 2"), 0);
  EXPECT_EQ(value("0 >> 64"), 0);
  EXPECT_EQ(value("-1 >> 64"), -1);
  EXPECT_EQ(value("~0 == -1"), 1);
  EXPECT_EQ(value("!3 || 2 > 1 && 1 != 1"), 0);
  EXPECT_EQ(value("-1 < 0"), 1);
  EXPECT_EQ(value("(3 > 3) + (3 < 3) + (3 >= 3) + (3 <= 3)"), 2);
  EXPECT_EQ(value("(.u64)-1 < 0"), 0);
  EXPECT_EQ(value("(.s64)2.75"), 2);
  EXPECT_EQ(value("1 >= 2 ? 3 : 2 <= 2 ? 4 : 5"), 4);
  EXPECT_EQ(value("-9223372036854775807 - 1 == (-9223372036854775807 - 1) / -1"), 1);
  EXPECT_EQ(value("WARP_SZ - 1"), 31);
  EXPECT_EQ(std::bit_cast<double>(operand("(1 + 0.5 * 3)").value), 2.5);
}

TEST(Ptx, Calls) {
  const Instruction call = instruction("call.uni (retval0), f, (a, 1, _);");
  ASSERT_EQ(call.operands.size(), 3u);
  EXPECT_EQ(call.operands[0].kind, Kind::list);
  EXPECT_EQ(call.operands[0].elements.at(0).name, "retval0");
  EXPECT_EQ(call.operands[1].name, "f");
  EXPECT_EQ(call.operands[2].elements.size(), 3u);
  EXPECT_EQ(instruction("call f;").operands.size(), 1u);
  EXPECT_TRUE(instruction("call f, ();").operands.at(1).elements.empty());
  const Function pointer = body(
      "p : .callprototype (.param .b32 _) _ (.param .b64 _) .noreturn; call (r), %rd1, (a), p;");
  EXPECT_EQ(pointer.instructions.at(0).operands.size(), 4u);
  EXPECT_TRUE(pointer.labels.empty());
}

TEST(Ptx, LabelsAndTargets) {
  const Function result = body(
      "a: ret; b: c: .pragma \"nounroll\"; ret; table: .branchtargets a, b;"
      "brx.idx %r1, table; end: ");
  ASSERT_EQ(result.labels.size(), 4u);
  EXPECT_EQ(result.labels[0].index, 0u);
  EXPECT_EQ(result.labels[1].index, 1u);
  EXPECT_EQ(result.labels[2].index, 1u);
  EXPECT_EQ(result.labels[3].name, "end");
  EXPECT_EQ(result.labels[3].index, 3u);
  ASSERT_EQ(result.branch_targets.size(), 1u);
  EXPECT_EQ(result.branch_targets[0].name, "table");
  EXPECT_EQ(result.branch_targets[0].targets, (Strings{"a", "b"}));
}

TEST(Ptx, Registers) {
  const Function result = body(".reg .pred p, q; .reg .b32 %r<3>; .reg .v4 .f32 %v;");
  EXPECT_EQ(names(result.variables), (Strings{"p", "q", "%r0", "%r1", "%r2", "%v"}));
  EXPECT_EQ(result.variables[2].space, "reg");
  EXPECT_EQ(result.variables[2].type, "b32");
  EXPECT_EQ(result.variables[2].bytes, 4u);
  EXPECT_EQ(result.variables[5].bytes, 16u);
}

TEST(Ptx, InnerScopesHaveNamesOfTheirOwn) {
  const Function result = body(
      ".reg .b32 t, u;\n"
      "{ .reg .b32 t; .reg .b32 %r<2>; bra l; mov.u32 t, %r1; @t add [t+4], {t, u}, t.x; l: }\n"
      "{ .reg .b32 t; l: bra l; { .reg .pred t; mov t, u; bra l; } not t, t; }\n"
      "mov t, u;");
  EXPECT_EQ(names(result.variables), (Strings{"t", "u", "t@1", "%r0@1", "%r1@1", "t@3", "t@2"}));
  ASSERT_EQ(result.labels.size(), 2u);
  EXPECT_EQ(result.labels[0].name, "l@1");
  EXPECT_EQ(result.labels[1].name, "l@3");
  const auto& code = result.instructions;
  EXPECT_EQ(code.at(0).operands.at(0).name, "l@1");
  EXPECT_EQ(code.at(1).operands.at(1).name, "%r1@1");
  EXPECT_EQ(code.at(2).guard, "t@1");
  EXPECT_EQ(code.at(2).operands.at(0).elements.at(0).name, "t@1");
  EXPECT_EQ(code.at(2).operands.at(1).elements.at(1).name, "u");
  EXPECT_EQ(code.at(2).operands.at(2).name, "t@1.x");
  EXPECT_EQ(code.at(3).operands.at(0).name, "l@3");
  EXPECT_EQ(code.at(4).operands.at(0).name, "t@2");
  EXPECT_EQ(code.at(5).operands.at(0).name, "l@3");
  EXPECT_EQ(code.at(6).operands.at(0).name, "t@3");
  EXPECT_EQ(code.at(7).operands.at(0).name, "t");
}

TEST(Ptx, Functions) {
  const Module result = module(
      ".extern .func (.param .b32 r) f (.param .align 8 .b8 a[24], .param .b64 b);\n"
      ".visible .func (.reg .b32 r) g (.reg .b32 x) .noreturn { ret; }\n"
      ".visible .entry k(.param .u64 .ptr .global .align 16 p, .param .f32 q)\n"
      ".maxntid 256, 1, 1 .minnctapersm 2 .maxnreg 64 .explicitcluster .reqnctapercluster 2, 1, 1\n"
      ".pragma \"nounroll\"; { ret; }\n"
      ".entry l .reqntid 32 { ret; }");
  const Function& f = function(result, "f");
  EXPECT_FALSE(f.is_entry || f.has_body);
  EXPECT_EQ(f.results.at(0).name, "r");
  EXPECT_EQ(f.parameters.at(0).bytes, 24u);
  EXPECT_EQ(f.parameters.at(0).alignment, 8u);
  EXPECT_TRUE(f.parameters.at(0).is_array);
  EXPECT_EQ(f.parameters.at(1).alignment, 8u);
  EXPECT_EQ(function(result, "g").parameters.at(0).space, "reg");
  EXPECT_EQ(function(result, "g").ptx_line, 5);
  const Function& k = function(result, "k");
  EXPECT_TRUE(k.is_entry && k.has_body);
  EXPECT_EQ(k.parameters.at(0).type, "u64");
  EXPECT_EQ(k.parameters.at(0).alignment, 8u);
  EXPECT_EQ(k.max_threads, (std::vector<int>{256, 1, 1}));
  EXPECT_EQ(function(result, "l").required_threads, (std::vector<int>{32}));
}

TEST(Ptx, ADeclaredFunctionAppearsOnce) {
  const Module result = module(
      ".func f(.param .b32 x); .func g(); .func f(.param .b32 y) { ret; } .func f(.param .b32 x);"
      ".visible .func h(); .alias h, f;");
  ASSERT_EQ(result.functions.size(), 3u);
  EXPECT_EQ(result.functions[0].name, "f");
  EXPECT_EQ(result.functions[0].parameters.at(0).name, "y");
  EXPECT_EQ(result.functions[2].name, "h");
  EXPECT_EQ(result.functions[2].instructions.size(), 1u);
}

TEST(Ptx, Variables) {
  const Variable shared = variable(".extern .shared .align 16 .b8 memory[];");
  EXPECT_EQ(shared.space, "shared");
  EXPECT_EQ(shared.alignment, 16u);
  EXPECT_EQ(shared.bytes, 0u);
  EXPECT_TRUE(shared.is_extern && shared.is_array);
  const Variable plain = variable(".visible .global .u32 x;");
  EXPECT_EQ(plain.bytes, 4u);
  EXPECT_EQ(plain.alignment, 4u);
  EXPECT_FALSE(plain.is_array);
  EXPECT_EQ(variable(".global .f64 x[4][8];").bytes, 256u);
  EXPECT_EQ(variable(".global .attribute(.managed) .b32 x;").name, "x");
  EXPECT_EQ(variable(".global .texref t;").type, "texref");
  const Module merged =
      module(".extern .global .b32 x; .global .b32 x = 1; .extern .global .b32 x;");
  ASSERT_EQ(merged.variables.size(), 1u);
  EXPECT_EQ(merged.variables[0].initial.size(), 4u);
}

TEST(Ptx, Initialisers) {
  EXPECT_EQ(variable(".global .u32 x = 258;").initial, (Bytes{2, 1, 0, 0}));
  EXPECT_EQ(variable(".global .s16 x = -2;").initial, (Bytes{0xfe, 0xff}));
  EXPECT_EQ(variable(".global .b8 x[4] = {1, (1 + 1)};").initial, (Bytes{1, 2}));
  EXPECT_EQ(variable(".const .f32 x[2] = {0f3F800000, 2};").initial,
            (Bytes{0, 0, 0x80, 0x3f, 0, 0, 0, 0x40}));
  EXPECT_EQ(variable(".const .f64 x = 1.0;").initial, (Bytes{0, 0, 0, 0, 0, 0, 0xf0, 0x3f}));
  EXPECT_EQ(variable(".const .v2 .u8 x[2] = {{1, 2}, {3, 4}};").initial, (Bytes{1, 2, 3, 4}));
  EXPECT_EQ(variable(".global .b8 x[2][3] = {{1}, {4, 5}};").initial, (Bytes{1, 0, 0, 4, 5}));
  EXPECT_EQ(variable(".global .b8 x[2][2] = {1, 2, 3};").initial, (Bytes{1, 2, 3}));
  const Variable open = variable(".global .b8 x[][2] = {{1, 2}, {3, 4}, {5}};");
  EXPECT_EQ(open.initial, (Bytes{1, 2, 3, 4, 5}));
  EXPECT_EQ(open.bytes, 6u);
}

TEST(Ptx, AddressesInInitialisers) {
  const Variable result = variable(".global .u64 x[4] = {7, a, b+4, generic(c)-8};");
  ASSERT_EQ(result.relocations.size(), 3u);
  EXPECT_EQ(result.initial.size(), 32u);
  EXPECT_EQ(result.relocations[0].offset, 8u);
  EXPECT_EQ(result.relocations[0].name, "a");
  EXPECT_FALSE(result.relocations[0].generic);
  EXPECT_EQ(result.relocations[0].bytes, 8);
  EXPECT_EQ(result.relocations[1].addend, 4);
  EXPECT_EQ(result.relocations[2].name, "c");
  EXPECT_EQ(result.relocations[2].addend, -8);
  EXPECT_TRUE(result.relocations[2].generic);
  const Variable bytes = variable(
      ".global .b8 x[6] = {9, 0xFF(generic(a)+4), 0xFF00(generic(a)+4), 0xFF0000(generic(a)+4),"
      " 0xFF000000(generic(a)+4), 8};");
  ASSERT_EQ(bytes.relocations.size(), 1u);
  EXPECT_EQ(bytes.relocations[0].offset, 1u);
  EXPECT_EQ(bytes.relocations[0].bytes, 4);
  EXPECT_EQ(bytes.relocations[0].addend, 4);
  EXPECT_EQ(bytes.initial, (Bytes{9, 0, 0, 0, 0, 8}));
  const Variable parts = variable(".global .u8 x[4] = {0xff00(a), 0xff0000(a), 7, 0xff(a)};");
  ASSERT_EQ(parts.relocations.size(), 2u);
  EXPECT_EQ(parts.relocations[0].first_byte, 1);
  EXPECT_EQ(parts.relocations[0].bytes, 2);
  EXPECT_EQ(parts.relocations[1].first_byte, 0);
  EXPECT_EQ(parts.relocations[1].offset, 3u);
  EXPECT_THROW(variable(".global .u8 x[1] = {0xff0(a)};"), InvalidArgument);
}

// nvcc writes escapes for bytes outside ASCII, for quotes and for backslashes.
TEST(Ptx, FilesWithEscapesInTheirNames) {
  const Module result =
      module(R"(.file 1 "j \303\274.cu" .file 2 "a\"b\\c\t\1d.cu" .file 3 "\\" .file 4 "x\q")"
             "\n.entry k() { ret; }");
  EXPECT_EQ(result.files, (Strings{"j \u00fc.cu",
                                   "a\"b\\c\t\x01"
                                   "d.cu",
                                   "\\", "xq"}));
}

TEST(Ptx, SourceLines) {
  const Module result = module(
      ".entry k() {\n mov a, b;\n .loc 7 0 1\n mov a, b;\n .loc 7 12 3\n mov a, b;\n .loc 7 0 3\n"
      " .loc 7 0 3\n mov a, b;\n .loc 9 3 1, function_name $L__info_string0+4, inlined_at 7 12 3\n"
      " mov a, b;\n}\n .entry l() { ret; }\n"
      ".file 9 \"b.cuh\", 12, 34\n.file 7 \"a.cu\"\n"
      ".section .debug_str {\n.b8 1\n$L__info_string0:\n.b8 1, 2, 3, 0\n.b8 97, 98, 0, 99 { } }");
  EXPECT_EQ(result.inlined_functions, (Strings{"ab"}));
  EXPECT_EQ(result.files, (Strings{"b.cuh", "a.cu"}));
  const Function& k = function(result, "k");
  EXPECT_EQ(k.source, (SourceLine{1, 12}));
  EXPECT_EQ(k.instructions.at(0).source, SourceLine{});
  EXPECT_EQ(k.instructions.at(1).source, SourceLine{});
  EXPECT_EQ(k.instructions.at(2).source, (SourceLine{1, 12}));
  EXPECT_EQ(k.instructions.at(3).source, (SourceLine{1, 12}));
  EXPECT_EQ(k.instructions.at(4).source, (SourceLine{0, 3, 0, 0}));
  EXPECT_EQ(result.callers, (std::vector<SourceLine>{{1, 12}}));
  EXPECT_EQ(function(result, "l").instructions.at(0).source, SourceLine{});
}

TEST(Ptx, Comments) {
  const Function result = body("// bra a;\n/* ret;\n ret; */ ret; // the end");
  ASSERT_EQ(result.instructions.size(), 1u);
  EXPECT_EQ(result.instructions[0].ptx_line, 8);
}

TEST(Ptx, ErrorsNameLineAndExpectation) {
  EXPECT_EQ(refusal(""), "PTX line 1: expected '.version', found the end of the text");
  EXPECT_EQ(refusal(head + "#define X"),
            "PTX line 4: expected a directive of the module, found '#'");
  EXPECT_EQ(refusal_of_body("ret"), "PTX line 6: expected an operand, found '}'");
  EXPECT_EQ(refusal_of_body("add a, b\nret;"), "PTX line 6: expected ',' or ';', found 'ret'");
  EXPECT_EQ(refusal_of_body("add a, [b;"), "PTX line 5: expected ',' or ']', found ';'");
  EXPECT_EQ(refusal_of_body(".reg .foo x;"),
            "PTX line 5: expected a type such as .b32, found '.foo'");
  EXPECT_EQ(refusal_of_body("add a, 0f3F8;"),
            "PTX line 5: expected 0f and 8 hexadecimal digits, found '0f3F8'");
  EXPECT_EQ(refusal_of_body("add a, 99999999999999999999;"),
            "PTX line 5: expected a number of at most 64 bits, found '99999999999999999999'");
  EXPECT_EQ(refusal_of_body("add a, (1 / 0);"), "PTX line 5: a division by zero");
  EXPECT_EQ(refusal_of_body("\xff;"),
            "PTX line 5: expected an instruction, a label or '}', found a "
            "byte of value 255");
  EXPECT_EQ(refusal_of_body("/* a"), "PTX line 5: a comment without an end");
  EXPECT_EQ(refusal_of_body(".pragma \"a\n\";"), "PTX line 5: a string without an end");
  EXPECT_EQ(refusal_of_body(".pragma \"a\\\";"), "PTX line 5: a string without an end");
}

TEST(Ptx, NamesAreDeclaredOnce) {
  EXPECT_EQ(refusal_of_body("a: ret; a: ret;"), "PTX line 5: 'a' is declared twice in one scope");
  EXPECT_EQ(refusal_of_body(".reg .b32 %r<4>; .reg .f32 %r2;"),
            "PTX line 5: '%r2' is declared twice in one scope");
  EXPECT_EQ(refusal(head + ".func f() { ret; }\n.func f() { ret; }"),
            "PTX line 5: function 'f' is defined twice");
  EXPECT_EQ(refusal(head + ".global .b32 x;\n.global .b32 x;"),
            "PTX line 5: variable 'x' is defined twice");
  EXPECT_EQ(refusal(head + ".global .b32 x;\n.func x() { ret; }"),
            "PTX line 5: function 'x' has the name of a variable");
  EXPECT_EQ(refusal(head + ".alias f, g;"), "PTX line 4: an alias of 'g', which is not defined");
}

TEST(Ptx, SizesAreBounded) {
  const auto starts = [](const std::string& text, const std::string& with) {
    EXPECT_EQ(text.substr(0, with.size()), with);
  };
  starts(refusal_of_body(".reg .b32 %r<4000000000>;"), "PTX line 5: more than 656");
  starts(refusal_of_body(".reg .b32 %r<60000>, %s<60000>;"), "PTX line 5: more than 656");
  starts(refusal(head + ".global .b64 x[4294967296][4294967296];"),
         "PTX line 4: 'x' has more than");
  starts(refusal(head + ".global .b8 x[2] = {1, 2, 3};"),
         "PTX line 4: more initial values than 'x'");
  starts(refusal(head + ".global .b8 x[2][2] = {{1, 2, 3}};"), "PTX line 4: more initial values");
  starts(refusal(head + ".global .b8 x[2][1000000000] = {{1}, {1}};"),
         "PTX line 4: more than 2684");
  const std::string deep(100000, '(');
  starts(refusal_of_body("add a, " + deep), "PTX line 5: nested more than 64 deep");
  starts(refusal_of_body("add a, " + std::string(100000, '-')), "PTX line 5: nested more than");
  starts(refusal_of_body("add a, " + std::string(100000, '[')), "PTX line 5: nested more than");
  starts(refusal_of_body(std::string(100000, '{')), "PTX line 5: nested more than 64 deep");
}

TEST(Ptx, DescriptionsOfTheSourceArePassedOver) {
  const Module result = parse(
      ".version 9.0\n.target sm_90\n.language \"C++\", 17\n.file 1 \"a.cu\"\n"
      ".entry k() {\n.loc 1 2 3\n.loc_intermediate 1 4 5, inlined_at 1 2 3\nret;\n}\n");
  ASSERT_EQ(result.functions.at(0).instructions.size(), 1u);
  EXPECT_EQ(result.functions[0].instructions[0].source.line, 2);
}

TEST(Ptx, AWeakDefinitionGivesWay) {
  const std::string weak = ".weak .func f() { ret; }\n.weak .global .u32 v = 1;\n";
  const std::string strong = ".visible .func f() { exit; }\n.visible .global .u32 v = 2;\n";
  for (const std::string& text : {weak + strong, strong + weak, weak + strong + weak}) {
    const Module both = module(text);
    ASSERT_EQ(both.functions.size(), 1u) << text;
    EXPECT_EQ(both.functions[0].instructions.at(0).opcode, "exit") << text;
    ASSERT_EQ(both.variables.size(), 1u) << text;
    EXPECT_FALSE(both.variables[0].is_weak) << text;
  }
  EXPECT_EQ(module(weak + weak).functions.size(), 1u);
  EXPECT_NE(refusal(head + strong + strong), "");
}

// numba gives each function a common variable, and links the same function twice.
TEST(Ptx, CommonVariablesAreOne) {
  const std::string small = ".common .global .align 4 .b8 v[4];\n";
  const std::string large = ".common .global .align 4 .b8 v[8];\n";
  for (const std::string& text : {small + large, large + small, large + large}) {
    const Module one = module(text);
    ASSERT_EQ(one.variables.size(), 1u) << text;
    EXPECT_EQ(one.variables[0].bytes, 8u) << text;
  }
  const Module defined = module(small + ".visible .global .align 4 .b8 v[4] = {1};\n" + large);
  EXPECT_FALSE(defined.variables.at(0).is_weak);
}

// Linkers also refuse weak variables of different sizes.
TEST(Ptx, WeakVariablesHaveOneSize) {
  const std::string small = ".weak .global .align 4 .b8 v[4] = {1};\n";
  const std::string large = ".weak .global .align 4 .b8 v[8] = {2};\n";
  EXPECT_EQ(module(small + small).variables.size(), 1u);
  EXPECT_NE(refusal(head + small + large).find("a weak variable 'v' of 8 bytes, which has 4"),
            std::string::npos);
  EXPECT_NE(refusal(head + large + small), "");
}

TEST(Ptx, InlineAssemblyHasTheLineOfItsCall) {
  const Module result = module(
      ".entry k() {\n.loc 1 2 3\n// begin inline asm\n.loc 1 2 3\nexit;\n.loc 1 3 3\nexit;\n"
      "// end inline asm\nexit;\n.loc 1 9 3\nret;\n}\n");
  std::vector<int> lines;
  for (const auto& each : result.functions.at(0).instructions) lines.push_back(each.source.line);
  EXPECT_EQ(lines, (std::vector<int>{2, 2, 2, 9}));
}

// A text that is cut anywhere, or in which any one byte is replaced, is parsed or refused. The
// parser never reads outside of it.
TEST(Ptx, DamagedTextIsRefusedOrParsed) {
  const std::string text =
      head +
      ".global .u64 x[2] = {a+4, generic(b)};\n.visible .entry k(.param .b32 p)\n"
      "{ .reg .b32 %r<4>; l: @!%r1 ld.v2.f32 {a, _}, [p+-4]; { t: bra t; } }\n";
  for (std::size_t i = 0; i < text.size(); ++i) {
    refusal(text.substr(0, i));
    for (const char byte : {'\0', '{', '(', '.', '"', '9', '/', '%', '\xff'}) {
      std::string damaged = text;
      damaged[i] = byte;
      refusal(damaged);
    }
  }
}

TEST(Ptx, RealPixels) {
  const Module result = real("pixels.ptx");
  EXPECT_EQ(result.version, "9.0");
  EXPECT_EQ(result.target, "sm_75");
  EXPECT_EQ(result.files, (Strings{"pixels.cu"}));
  ASSERT_EQ(names(result.variables), (Strings{"taps", "table", "places"}));
  EXPECT_EQ(result.variables[0].initial, (Bytes{0, 0, 128, 62, 0, 0, 0, 63, 0, 0, 128, 62}));
  EXPECT_EQ(result.variables[1].bytes, 16u);
  EXPECT_EQ(result.variables[1].initial.size(), 9u);
  ASSERT_EQ(result.variables[2].relocations.size(), 2u);
  EXPECT_EQ(result.variables[2].relocations[1].addend, 4);

  const Function& smooth = function(result, "smooth");
  EXPECT_TRUE(smooth.is_entry);
  EXPECT_EQ(smooth.max_threads, (std::vector<int>{64, 1, 1}));
  EXPECT_EQ(smooth.parameters.at(0).bytes, 24u);
  EXPECT_EQ(smooth.source, (SourceLine{0, 22}));
  EXPECT_EQ(smooth.instructions.size(), 46u);
  EXPECT_EQ(std::count_if(smooth.variables.begin(), smooth.variables.end(),
                          [](const Variable& each) { return each.space == "shared"; }),
            1);
  // A load in the inlined function has a line of that function, and names its caller.
  const auto load = std::find_if(
      smooth.instructions.begin(), smooth.instructions.end(), [](const Instruction& each) {
        return each.modifiers == Strings{"shared", "u8"} && each.opcode == "ld";
      });
  ASSERT_NE(load, smooth.instructions.end());
  EXPECT_EQ(load->source, (SourceLine{0, 18, 0, 0}));
}

TEST(Ptx, RealCalls) {
  const Module result = real("calls.ptx");
  ASSERT_EQ(result.functions.size(), 5u);
  EXPECT_TRUE(function(result, "_Z8one_morei").has_body);
  EXPECT_FALSE(function(result, "vprintf").has_body);
  const Function& call = function(result, "call");
  // Each of three calls declares param0. Each of two pieces of inline assembly declares `half`.
  for (const char* name : {"param0@1", "param0@2", "param0@5", "half@3", "half@4"}) {
    EXPECT_TRUE(std::any_of(call.variables.begin(), call.variables.end(),
                            [&](const Variable& each) { return each.name == name; }))
        << name;
  }
  Strings called;
  for (const Instruction& each : call.instructions) {
    if (each.opcode == "call") called.push_back(each.operands.at(1).name);
  }
  EXPECT_EQ(called, (Strings{"_Z7swapped4Pairi", "%rd10", "vprintf"}));
}

TEST(Ptx, RealDebugInformationIsPassedOver) {
  const Module result = real("debug.ptx");
  const Function& twice = function(result, "twice");
  EXPECT_EQ(twice.instructions.size(), 9u);
  EXPECT_EQ(twice.labels.back().name, "$L__func_end0");
  EXPECT_EQ(twice.labels.back().index, 9u);
  EXPECT_EQ(twice.instructions.back().source, (SourceLine{0, 3}));
}

}  // namespace
}  // namespace warpwise::ptx
