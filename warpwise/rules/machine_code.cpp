#include "warpwise/rules/machine_code.hpp"

#include <map>
#include <string>

namespace warpwise::rules {
namespace {

using Costs = std::map<std::string, MachineCode, std::less<>>;

const Costs& costs() {
  static const Costs instructions = {
      // The machine code converts the divisor to float, and its reciprocal back to an integer. Then
      // come integer instructions. A repeated divisor needs only these.
      {"div.u32",
       {{.all = 18, .integer = 15, .special = 1, .conversion = 2}, {.all = 9, .integer = 9}}},
      {"div.s32",
       {{.all = 26, .integer = 23, .special = 1, .conversion = 2}, {.all = 12, .integer = 12}}},
      {"rem.u32",
       {{.all = 17, .integer = 14, .special = 1, .conversion = 2}, {.all = 8, .integer = 8}}},
      {"rem.s32",
       {{.all = 23, .integer = 20, .special = 1, .conversion = 2}, {.all = 10, .integer = 10}}},
      // Divisions of 64-bit integers are subroutines.
      {"div.u64",
       {{.all = 68, .integer = 62, .special = 1, .conversion = 2},
        {.all = 68, .integer = 62, .special = 1, .conversion = 2}}},
      {"div.s64",
       {{.all = 84, .integer = 78, .special = 1, .conversion = 2},
        {.all = 84, .integer = 78, .special = 1, .conversion = 2}}},
      {"rem.u64",
       {{.all = 68, .integer = 62, .special = 1, .conversion = 2},
        {.all = 68, .integer = 62, .special = 1, .conversion = 2}}},
      {"rem.s64",
       {{.all = 84, .integer = 78, .special = 1, .conversion = 2},
        {.all = 84, .integer = 78, .special = 1, .conversion = 2}}},
      {"div.rn.f32",
       {{.all = 11, .integer = 1, .float32 = 6, .special = 1},
        {.all = 11, .integer = 1, .float32 = 6, .special = 1}}},
      {"div.full.f32",
       {{.all = 8, .float32 = 7, .special = 1}, {.all = 3, .float32 = 2, .special = 1}}},
      {"div.approx.f32",
       {{.all = 5, .float32 = 4, .special = 1}, {.all = 2, .float32 = 1, .special = 1}}},
      {"rcp.rn.f32",
       {{.all = 10, .integer = 3, .float32 = 3, .special = 1},
        {.all = 10, .integer = 3, .float32 = 3, .special = 1}}},
      {"sqrt.rn.f32",
       {{.all = 10, .integer = 2, .float32 = 4, .special = 1},
        {.all = 10, .integer = 2, .float32 = 4, .special = 1}}},
      {"sqrt.approx.f32",
       {{.all = 4, .float32 = 3, .special = 1}, {.all = 4, .float32 = 3, .special = 1}}},
      {"rsqrt.approx.f32",
       {{.all = 4, .float32 = 3, .special = 1}, {.all = 4, .float32 = 3, .special = 1}}},
      {"lg2.approx.f32",
       {{.all = 4, .float32 = 3, .special = 1}, {.all = 4, .float32 = 3, .special = 1}}},
      {"sin.approx.f32",
       {{.all = 2, .float32 = 1, .special = 1}, {.all = 2, .float32 = 1, .special = 1}}},
      {"cos.approx.f32",
       {{.all = 2, .float32 = 1, .special = 1}, {.all = 2, .float32 = 1, .special = 1}}},
      {"div.rn.f64",
       {{.all = 19, .integer = 3, .float64 = 10, .special = 1},
        {.all = 19, .integer = 3, .float64 = 10, .special = 1}}},
      {"rcp.rn.f64",
       {{.all = 14, .integer = 4, .float64 = 5, .special = 1},
        {.all = 14, .integer = 4, .float64 = 5, .special = 1}}},
      {"sqrt.rn.f64",
       {{.all = 23, .integer = 8, .float64 = 8, .special = 1},
        {.all = 23, .integer = 8, .float64 = 8, .special = 1}}},
      {"mul.lo.u64", {{.all = 4, .integer = 4}, {.all = 4, .integer = 4}}},
      {"mul.lo.s64", {{.all = 4, .integer = 4}, {.all = 4, .integer = 4}}},
      {"mad.lo.u64", {{.all = 4, .integer = 4}, {.all = 4, .integer = 4}}},
      {"mad.lo.s64", {{.all = 4, .integer = 4}, {.all = 4, .integer = 4}}},
      {"mul.hi.u64", {{.all = 7, .integer = 7}, {.all = 7, .integer = 7}}},
      {"add.u64", {{.all = 1.5, .integer = 1.5}, {.all = 1.5, .integer = 1.5}}},
      {"add.s64", {{.all = 1.5, .integer = 1.5}, {.all = 1.5, .integer = 1.5}}},
      {"shl.b64", {{.all = 2, .integer = 2}, {.all = 2, .integer = 2}}},
      {"min.u64", {{.all = 4, .integer = 4}, {.all = 4, .integer = 4}}},
      {"cvt.f64.f32", {{.all = 1, .conversion64 = 1}, {.all = 1, .conversion64 = 1}}},
      {"cvt.rn.f32.f64", {{.all = 1, .conversion64 = 1}, {.all = 1, .conversion64 = 1}}},
      {"cvt.rn.f64.s32", {{.all = 1, .conversion64 = 1}, {.all = 1, .conversion64 = 1}}},
      {"cvt.rn.f64.u32", {{.all = 1, .conversion64 = 1}, {.all = 1, .conversion64 = 1}}},
      {"cvt.rzi.s32.f64", {{.all = 1, .conversion64 = 1}, {.all = 1, .conversion64 = 1}}},
      {"cvt.rzi.u32.f64", {{.all = 1, .conversion64 = 1}, {.all = 1, .conversion64 = 1}}},
  };
  return instructions;
}

// Returns the floating-point operations of each PTX instruction that becomes several machine
// instructions.
const std::map<std::string, FloatOperations, std::less<>>& operations_of_many() {
  static const std::map<std::string, FloatOperations, std::less<>> operations = {
      {"div.rn.f32", {.float32 = 10}},
      {"div.full.f32", {.float32 = 1}},
      {"div.approx.f32", {.float32 = 1}},
      {"rcp.rn.f32", {.float32 = 5}},
      {"rcp.approx.f32", {.float32 = 2}},
      {"sqrt.rn.f32", {.float32 = 6}},
      {"sin.approx.f32", {.float32 = 1}},
      {"cos.approx.f32", {.float32 = 1}},
      {"div.full.ftz.f32", {.float32 = 1}},
      {"div.approx.ftz.f32", {.float32 = 1}},
      {"sin.approx.ftz.f32", {.float32 = 1}},
      {"cos.approx.ftz.f32", {.float32 = 1}},
      {"div.rn.f64", {.float32 = 2, .float64 = 15}},
      {"rcp.rn.f64", {.float64 = 10}},
      {"sqrt.rn.f64", {.float64 = 13}},
      {"rsqrt.approx.f64", {.float64 = 8}},
  };
  return operations;
}

}  // namespace

FloatOperations float_operations(std::string_view ptx) {
  // Flushing subnormal numbers changes the operands, not the number of operations.
  if (const std::size_t flush = ptx.find(".rn.ftz."); flush != std::string_view::npos)
    return float_operations(std::string(ptx.substr(0, flush + 3)).append(ptx.substr(flush + 7)));
  const auto many = operations_of_many().find(ptx);
  if (many != operations_of_many().end()) return many->second;
  const std::string_view opcode = ptx.substr(0, ptx.find('.'));
  const std::string_view type = ptx.substr(ptx.rfind('.') + 1);
  const std::uint64_t each = opcode == "fma" || opcode == "mad"                      ? 2
                             : opcode == "add" || opcode == "sub" || opcode == "mul" ? 1
                                                                                     : 0;
  return {.float32 = type == "f32"     ? each
                     : type == "f32x2" ? 2 * each
                                       : 0,
          .float64 = type == "f64" ? each : 0};
}

const MachineCode* machine_code(std::string_view ptx) {
  const auto found = costs().find(ptx);
  return found == costs().end() ? nullptr : &found->second;
}

}  // namespace warpwise::rules
