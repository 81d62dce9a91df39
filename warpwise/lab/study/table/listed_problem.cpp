#include "warpwise/lab/study/table/listed_problem.hpp"

#include <fmt/format.h>

#include <cstring>
#include <limits>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/study/table/expression.hpp"

namespace warpwise::lab {
namespace {

using ladders::Operand;
using ladders::Problem;

// Fills all elements with 0 or, if `counting`, element i with i cut to the element's type.
void fill_with(HostView view, bool counting) {
  const std::int64_t elements = view.width();
  std::byte* const row = view.row(0);
  for (std::int64_t i = 0; i < elements; ++i) {
    const std::int64_t value = counting ? i : 0;
    switch (view.type()) {
      case ElementType::u8: store(row, i, static_cast<std::uint8_t>(value)); break;
      case ElementType::u16: store(row, i, static_cast<std::uint16_t>(value)); break;
      case ElementType::i16: store(row, i, static_cast<std::int16_t>(value)); break;
      case ElementType::u32: store(row, i, static_cast<std::uint32_t>(value)); break;
      case ElementType::i32: store(row, i, static_cast<std::int32_t>(value)); break;
      case ElementType::f32: store(row, i, static_cast<float>(value)); break;
      case ElementType::f16:
      case ElementType::bf16: throw Unsupported("a study's buffers hold no 16-bit floats");
    }
  }
}

// Evaluates an argument's expression. \throws InvalidArgument  the message has the argument's name
std::int64_t argument_value(const ListedArgument& argument, const ladders::Variables& variables) {
  try {
    return evaluate(argument.value, variables);
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(fmt::format("argument \"{}\": {}", argument.name, error.what()));
  }
}

Operand operand_of(const ListedArgument& argument, const ladders::Variables& variables,
                   ladders::Layout layout) {
  const std::int64_t elements = argument_value(argument, variables);
  if (elements < 1) {
    throw InvalidArgument(
        fmt::format("argument \"{}\" has {} elements by \"{}\"; at least 1 is "
                    "needed",
                    argument.name, elements, argument.value));
  }
  if (argument.kind == ArgumentKind::output) {
    return Operand::output(argument.name, argument.element_type, elements, 1, 1, layout);
  }
  Operand operand = Operand::input(argument.name, argument.element_type, elements, 1, 1, layout);
  if (argument.filling != Filling::random) {
    fill_with(operand.view(), argument.filling == Filling::iota);
  }
  return operand;
}

bool is_buffer(const ListedArgument& argument) {
  return argument.kind == ArgumentKind::input || argument.kind == ArgumentKind::output;
}

std::size_t bytes_of(const ListedArgument& argument) {
  if (argument.kind != ArgumentKind::scalar) return 8;
  const bool wide =
      argument.number_type == NumberType::i64 || argument.number_type == NumberType::u64;
  return wide ? 8 : 4;
}

template <class T>
std::uint64_t checked_bits(const ListedArgument& argument, std::int64_t value) {
  const bool fits =
      std::is_unsigned_v<T>
          ? value >= 0 && static_cast<std::uint64_t>(value) <= std::numeric_limits<T>::max()
          : value >= static_cast<std::int64_t>(std::numeric_limits<T>::min()) &&
                value <= static_cast<std::int64_t>(std::numeric_limits<T>::max());
  if (!fits) {
    throw InvalidArgument(
        fmt::format("argument \"{}\" is {}, which does not fit its type", argument.name, value));
  }
  return static_cast<std::uint64_t>(value);
}

// Returns a scalar in the low bytes of a word. A GPU is little-endian, so these bytes come first in
// the parameter block.
std::uint64_t scalar_bits(const ListedArgument& argument, std::int64_t value) {
  switch (argument.number_type) {
    case NumberType::i32: return checked_bits<std::int32_t>(argument, value);
    case NumberType::u32: return checked_bits<std::uint32_t>(argument, value);
    case NumberType::i64: return checked_bits<std::int64_t>(argument, value);
    case NumberType::u64: return checked_bits<std::uint64_t>(argument, value);
    case NumberType::f32: {
      const auto number = static_cast<float>(value);
      std::uint32_t bits = 0;
      std::memcpy(&bits, &number, sizeof bits);
      return bits;
    }
  }
  __builtin_unreachable();
}

std::size_t index_of(const Problem& problem, const std::string& name) {
  std::size_t i = 0;
  while (problem.operands[i].name() != name) ++i;
  return i;
}

}  // namespace

Problem problem_of(const ListedProblem& listed, const ladders::Variables& variables,
                   ladders::Layout layout) {
  Problem problem;
  problem.variables = variables;
  problem.roof = listed.roof;
  problem.pixels = variables.at("width") * variables.at("height");
  for (const ListedArgument& each : listed.arguments) {
    if (!is_buffer(each)) continue;
    problem.operands.push_back(operand_of(each, variables, layout));
    problem.bytes += problem.operands.back().view().row_bytes();
  }
  return problem;
}

std::vector<std::byte> arguments_of(const ListedProblem& listed, const Problem& problem,
                                    const ladders::Placement& placement) {
  std::vector<std::byte> block;
  for (const ListedArgument& each : listed.arguments) {
    std::uint64_t bits = 0;
    switch (each.kind) {
      case ArgumentKind::input:
      case ArgumentKind::output: bits = placement.address[index_of(problem, each.name)]; break;
      case ArgumentKind::texture: bits = placement.texture[index_of(problem, each.name)]; break;
      case ArgumentKind::scratch: bits = placement.scratch; break;
      case ArgumentKind::scalar:
        bits = scalar_bits(each, argument_value(each, problem.variables));
        break;
    }
    // A parameter's offset has to be a multiple of the parameter's size.
    const std::size_t size = bytes_of(each);
    block.resize((block.size() + size - 1) / size * size);
    const std::vector<std::byte> word = ladders::bytes_of(bits);
    block.insert(block.end(), word.begin(), word.begin() + static_cast<std::ptrdiff_t>(size));
  }
  return block;
}

std::vector<std::uint64_t> parameter_bytes_of(const ListedProblem& listed) {
  std::vector<std::uint64_t> result;
  for (const ListedArgument& each : listed.arguments) result.push_back(bytes_of(each));
  return result;
}

}  // namespace warpwise::lab
