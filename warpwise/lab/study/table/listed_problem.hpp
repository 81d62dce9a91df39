#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "warpwise/base/enum_names.hpp"
#include "warpwise/primitives/shared/ladder.hpp"

// A problem whose buffers and numbers a table lists, in the order of the kernel's parameters.
namespace warpwise::lab {

enum class ArgumentKind : std::uint8_t {
  input,    ///< a pointer to a buffer that is filled before the kernel runs
  output,   ///< a pointer to a buffer that is compared with the reference kernel's output
  scratch,  ///< a pointer to undefined memory; the kernel's field "scratch" gives its bytes
  texture,  ///< the texture object of an input, or 0 if the kernel uses no texture
  scalar,   ///< a number
};
/// Names of the kinds, which are keys in a table: {"input": "src"} is an input called src.
constexpr auto enum_names(ArgumentKind) {
  return std::to_array<EnumName<ArgumentKind>>({{ArgumentKind::input, "input"},
                                                {ArgumentKind::output, "output"},
                                                {ArgumentKind::scratch, "scratch"},
                                                {ArgumentKind::texture, "texture"},
                                                {ArgumentKind::scalar, "scalar"}});
}

enum class Filling : std::uint8_t { random, iota, zero };
constexpr auto enum_names(Filling) {
  return std::to_array<EnumName<Filling>>(
      {{Filling::random, "random"}, {Filling::iota, "iota"}, {Filling::zero, "zero"}});
}

enum class NumberType : std::uint8_t { i32, u32, i64, u64, f32 };
constexpr auto enum_names(NumberType) {
  return std::to_array<EnumName<NumberType>>({{NumberType::i32, "i32"},
                                              {NumberType::u32, "u32"},
                                              {NumberType::i64, "i64"},
                                              {NumberType::u64, "u64"},
                                              {NumberType::f32, "f32"}});
}

struct ListedArgument {
  ArgumentKind kind = ArgumentKind::scalar;
  std::string name;                             ///< name; for a texture, the name of its input
  ElementType element_type = ElementType::u32;  ///< type of a buffer's elements
  NumberType number_type = NumberType::i32;
  std::string value = "0";            ///< expression: a buffer's number of elements, or the scalar
  Filling filling = Filling::random;  ///< contents of an input
};

struct ListedProblem {
  ladders::Variables parameters;  ///< parameters with their default values
  std::vector<ListedArgument> arguments;
  ladders::Roof roof = ladders::Roof::copy;
};

/// Makes the problem and fills its buffers. `layout` gives the padding after each buffer, and the
/// number of elements between the start of the allocation and the buffer.
/// \param variables  values of width, height and all parameters
/// \throws InvalidArgument  an expression cannot be evaluated, or a buffer has no element
/// \throws OutOfMemory      as Operand
ladders::Problem problem_of(const ListedProblem& listed, const ladders::Variables& variables,
                            ladders::Layout layout);

/// Returns the bytes of all arguments as the problem's kernels take them. \throws InvalidArgument
/// a number does not fit its type
std::vector<std::byte> arguments_of(const ListedProblem& listed, const ladders::Problem& problem,
                                    const ladders::Placement& placement);

/// Returns the size in bytes of each parameter of the problem's kernels, in order.
std::vector<std::uint64_t> parameter_bytes_of(const ListedProblem& listed);

}  // namespace warpwise::lab
