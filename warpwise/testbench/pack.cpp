#include "warpwise/testbench/pack.hpp"

#include <string>
#include <string_view>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/arguments.hpp"
#include "warpwise/lab/compile/kernel_name.hpp"

namespace warpwise::testbench {
namespace {

std::string_view to_text(ArgumentKind kind) {
  switch (kind) {
    case ArgumentKind::integer: return "an integer or an address";
    case ArgumentKind::floating: return "a floating-point number";
    case ArgumentKind::structure: return "a structure";
  }
  return "";
}

// Compares an argument's kind with its parameter's type in PTX, such as .f32, .u32 or .s32. Any
// kind fits .b8, .b32 …, the types of structures and of parameters that a compiler leaves untyped.
bool is_of_kind(ArgumentKind kind, std::string_view type) {
  if (type.starts_with('f')) return kind == ArgumentKind::floating;
  if (type.starts_with('u') || type.starts_with('s')) return kind == ArgumentKind::integer;
  return true;
}

std::string what_to_pass(std::string_view type) {
  if (type == "f32") return ": pass a float, such as 2.0F";
  if (type == "f64") return ": pass a double, such as 2.0";
  if (type == "u32" || type == "s32") return ": pass an int, such as 2";
  if (type == "u64" || type == "s64")
    return ": pass a Buffer, a Texture, or an integer of 8 bytes, such as std::int64_t{2}";
  return "";
}

}  // namespace

std::vector<std::byte> packed(const emulator::KernelInfo& kernel,
                              std::span<const Argument> arguments) {
  const std::string name = "kernel " + lab::plain_name(kernel.name);
  const std::size_t count = kernel.parameter_bytes.size();
  if (arguments.size() != count) {
    throw InvalidArgument(name + " takes " + std::to_string(count) + " arguments, not " +
                          std::to_string(arguments.size()));
  }
  std::vector<std::span<const std::byte>> bytes;
  for (std::size_t i = 0; i < count; ++i) {
    const Argument& argument = arguments[i];
    const std::string& type = kernel.parameter_types[i];
    if (argument.bytes.size() != kernel.parameter_bytes[i] || !is_of_kind(argument.kind, type)) {
      throw InvalidArgument("argument " + std::to_string(i) + " (from 0) of " + name + " is " +
                            std::string(to_text(argument.kind)) + " of " +
                            std::to_string(argument.bytes.size()) + " bytes, its parameter ." +
                            type + " of " + std::to_string(kernel.parameter_bytes[i]) +
                            what_to_pass(type));
    }
    bytes.push_back(argument.bytes);
  }
  return emulator::pack_arguments(kernel, bytes);
}

}  // namespace warpwise::testbench
