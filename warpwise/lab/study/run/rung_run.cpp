#include "warpwise/lab/study/run/rung_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/compile/kernel_name.hpp"
#include "warpwise/lab/study/run/rung_code.hpp"
#include "warpwise/lab/study/table/expression.hpp"

namespace warpwise::lab {
namespace {

using ladders::Launch;
using ladders::Operand;
using ladders::Problem;
using ladders::Variables;

emulator::Texture texture_of(const Operand& operand, TextureKind kind, std::uint64_t memory) {
  const ConstHostView view = operand.view();
  emulator::Texture texture;
  texture.data = memory;
  texture.channels = view.channels();
  texture.channel_bytes = size_of(view.type());
  const bool is_float = view.type() == ElementType::f32 || view.type() == ElementType::f16;
  texture.kind = is_float ? emulator::TexelKind::floating : emulator::TexelKind::unsigned_integer;
  const auto pixel_bytes = static_cast<std::uint64_t>(view.pixel_bytes());
  if (kind == TextureKind::linear) {
    texture.width = operand.memory().size() / pixel_bytes;
    return texture;
  }
  texture.data += static_cast<std::uint64_t>(operand.offset_bytes());
  texture.width = static_cast<std::uint64_t>(view.width());
  texture.height = static_cast<std::uint64_t>(view.height());
  texture.pitch_bytes = static_cast<std::uint64_t>(view.pitch_bytes());
  return texture;
}

// Evaluates an expression. \throws InvalidArgument  with the field's place in the table
std::int64_t expression_value(const Rung& rung, const char* field, const std::string& expression,
                              const Variables& variables) {
  try {
    return evaluate(expression, variables);
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(fmt::format("{}, \"{}\": {}", rung.place, field, error.what()));
  }
}

std::map<std::string, std::int64_t> constants_of(const Rung& rung, const Variables& variables) {
  std::map<std::string, std::int64_t> result;
  for (const auto& [name, expression] : rung.constants) {
    result[name] = expression_value(rung, "constants", expression, variables);
  }
  return result;
}

std::uint32_t dimension(const Rung& rung, const char* field, const std::string& expression,
                        const Variables& variables, std::int64_t most) {
  const std::int64_t value = expression_value(rung, field, expression, variables);
  if (value < 1 || value > most) {
    throw InvalidArgument(fmt::format("{}, \"{}\": \"{}\" is {}; 1 to {} is possible", rung.place,
                                      field, expression, value, most));
  }
  return static_cast<std::uint32_t>(value);
}

// Returns the number of blocks that an SM can hold. \throws Unsupported  an SM cannot hold a single
// block, and the launch would fail
int resident_blocks(const LoadedCode& code, const std::string& kernel, int threads,
                    std::uint64_t shared_bytes) {
  const int blocks = code.blocks_per_sm(kernel, threads, shared_bytes);
  if (blocks > 0) return blocks;
  const std::optional<int> registers = code.registers(kernel);
  throw Unsupported(fmt::format(
      "a block of {} threads{} and {} bytes of dynamic shared memory does not fit an SM", threads,
      registers ? fmt::format(" with {} registers each", *registers) : "", shared_bytes));
}

// Evaluates an expression that gives a number of bytes. \throws InvalidArgument  the value is
// negative; the message has the field's place in the table
std::int64_t bytes_of(const Rung& rung, const char* field, const std::string& expression,
                      const Variables& variables) {
  const std::int64_t bytes = expression_value(rung, field, expression, variables);
  if (bytes >= 0) return bytes;
  throw InvalidArgument(
      fmt::format("{}, \"{}\": \"{}\" is negative", rung.place, field, expression));
}

Launch launch_of(const Rung& rung, const LaunchRule& rule, Variables variables,
                 const emulator::Dim3& block, const LoadedCode& code, const std::string& kernel) {
  Launch launch;
  launch.kernel = kernel;
  const std::uint32_t shape[3] = {block.x, block.y, block.z};
  std::int64_t threads = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    if (rule.block.empty())
      launch.block[i] = shape[i];
    else if (i < rule.block.size()) {
      launch.block[i] = dimension(rung, "block", rule.block[i], variables, i == 2 ? 64 : 1024);
    }
    threads *= launch.block[i];
  }
  launch.shared_bytes =
      static_cast<std::uint64_t>(bytes_of(rung, "shared", rule.shared, variables));
  variables["blocks_per_sm"] =
      resident_blocks(code, kernel, static_cast<int>(threads), launch.shared_bytes);
  for (std::size_t i = 0; i < rule.grid.size(); ++i) {
    launch.grid[i] = dimension(rung, "grid", rule.grid[i], variables, i == 0 ? 0x7fffffff : 65535);
  }
  return launch;
}

Compilation compiled(const Executor& executor, const Rung& rung, const Variables& variables,
                     const emulator::Dim3& block) {
  const rules::ComputeCapability cc = executor.compute_capability();
  constexpr int oldest_architecture = 75;  // oldest one that compilers build for
  std::map<std::string, std::int64_t> constants;
  for (const auto& [name, expression] : rung.constants) constants[name] = variables.at(name);
  const std::int64_t cap = expression_value(rung, "max_registers", rung.max_registers, variables);
  constexpr std::int64_t most = 255;  // most registers of a thread since compute capability 3.5
  if (cap < 0 || cap > most) {
    throw InvalidArgument(fmt::format("{}, \"max_registers\": \"{}\" is {}; 0 to {} is possible",
                                      rung.place, rung.max_registers, cap, most));
  }
  return compile_rung(rung, constants, block,
                      std::max(10 * cc.major + cc.minor, oldest_architecture),
                      static_cast<int>(cap));
}

// Checks that the study's arguments have the sizes of the kernel's parameters. Otherwise the kernel
// would read shifted values, or beyond the end of the arguments. \throws InvalidArgument  the
// message has the sizes of both
void require_parameters(const Rung& rung, const std::string& ptx, const std::string& kernel,
                        const ListedProblem& listed) {
  std::vector<std::uint64_t> taken;
  try {
    taken = emulator::Program(ptx).kernel(kernel).parameter_bytes;
  } catch (const Unsupported&) {
    return;  // the emulator cannot read the kernel, but a GPU may run it
  }
  const std::vector<std::uint64_t> given = parameter_bytes_of(listed);
  if (taken == given) return;
  throw InvalidArgument(
      fmt::format("{}: the kernel {} takes {} parameters of {} bytes, but the study lists {} "
                  "arguments of {} bytes",
                  rung.place, plain_name(kernel), taken.size(), fmt::join(taken, ", "),
                  given.size(), fmt::join(given, ", ")));
}

// Returns one element as a floating-point number, so that elements of all types can be compared.
double element_of(ElementType type, const std::byte* row, std::int64_t x) {
  switch (type) {
    case ElementType::u8: return load<std::uint8_t>(row, x);
    case ElementType::u16: return load<std::uint16_t>(row, x);
    case ElementType::i16: return load<std::int16_t>(row, x);
    case ElementType::u32: return load<std::uint32_t>(row, x);
    case ElementType::i32: return load<std::int32_t>(row, x);
    case ElementType::f32: return static_cast<double>(load<float>(row, x));
    case ElementType::f16:
    case ElementType::bf16: break;
  }
  throw Unsupported("a ladder's output is of type " + std::string(name_of(type)));
}

// Result of comparing one output.
struct OutputComparison {
  std::int64_t wrong = 0;  // number of wrong pixels
  std::int64_t x = 0;      // position of the first wrong pixel
  std::int64_t y = 0;
  int channel = 0;
};

OutputComparison compare(const Operand& expected, ConstHostView got) {
  const ConstHostView want = expected.view();
  const auto bytes = static_cast<std::size_t>(want.pixel_bytes());
  const std::int64_t elements = want.width() * want.channels();
  OutputComparison result;
  for (std::int64_t y = 0; y < want.height(); ++y) {
    const std::byte* a = want.row(y);
    const std::byte* b = got.row(y);
    if (std::memcmp(a, b, static_cast<std::size_t>(want.row_bytes())) == 0) continue;
    for (std::int64_t x = 0; x < want.width(); ++x) {
      if (std::memcmp(a + x * want.pixel_bytes(), b + x * want.pixel_bytes(), bytes) == 0) continue;
      for (int c = 0; c < want.channels(); ++c) {
        const std::int64_t at = x * want.channels() + c;
        const auto size = static_cast<std::size_t>(size_of(want.type()));
        const auto byte = static_cast<std::size_t>(at) * size;
        if (std::memcmp(a + byte, b + byte, size) == 0) continue;
        if (!expected.tolerance.empty()) {
          const double w = element_of(want.type(), a, at);
          const double g = element_of(want.type(), b, at);
          const float tolerance = expected.tolerance[static_cast<std::size_t>(y * elements + at)];
          // A NaN is never within the tolerance.
          if (std::abs(w - g) <= static_cast<double>(tolerance)) continue;
        }
        if (result.wrong++ == 0) result = {1, x, y, c};
        break;
      }
    }
  }
  return result;
}

// Returns the offset of the first byte outside the pixels that no longer holds the sentinel,
// because a kernel wrote it. Returns nothing if all of them hold it.
std::optional<std::size_t> written_outside(const Operand& operand,
                                           std::span<const std::byte> memory) {
  const ConstHostView view = operand.view();
  const auto offset = static_cast<std::size_t>(operand.offset_bytes());
  const auto pitch = static_cast<std::size_t>(view.pitch_bytes());
  const auto row = static_cast<std::size_t>(view.row_bytes());
  const auto check = [&](std::size_t from, std::size_t to) -> std::optional<std::size_t> {
    for (std::size_t i = from; i < to; ++i) {
      if (memory[i] != Operand::sentinel) return i;
    }
    return std::nullopt;
  };
  if (const auto at = check(0, offset)) return at;
  for (std::size_t y = 0; y < static_cast<std::size_t>(view.height()); ++y) {
    const std::size_t begin = offset + y * pitch;
    if (const auto at = check(begin + row, begin + pitch)) return at;
  }
  return std::nullopt;
}

}  // namespace

Variables variables_of(const Executor& executor, const Rung& rung, const Problem& problem,
                       const emulator::Dim3& block) {
  Variables variables = problem.variables;
  for (const Operand& operand : problem.operands) {
    variables[operand.name() + "_pitch"] = operand.pitch_bytes();
    variables[operand.name() + "_offset"] = operand.offset_bytes();
  }
  variables["block_x"] = block.x;
  variables["block_y"] = block.y;
  variables["block_z"] = block.z;
  variables["multiprocessors"] = executor.multiprocessors();
  variables["max_shared_bytes"] = static_cast<std::int64_t>(executor.max_shared_bytes());
  const rules::ComputeCapability cc = executor.compute_capability();
  variables["max_linear_texels"] = rules::max_linear_texels(cc);
  variables["cc"] = 10 * cc.major + cc.minor;
  for (const auto& [name, value] : constants_of(rung, variables)) {
    if (variables.emplace(name, value).second) continue;
    throw InvalidArgument(fmt::format(
        "{}, \"constants\": \"{}\" has the name of a number that the problem has already",
        rung.place, name));
  }
  return variables;
}

std::string RungRun::why_skipped(const Executor& executor, const Rung& rung, const Problem& problem,
                                 const emulator::Dim3& block) {
  const Variables variables = variables_of(executor, rung, problem, block);
  for (const auto& [condition, reason] : rung.needs) {
    if (expression_value(rung, "needs", condition, variables) == 0) return reason;
  }
  return {};
}

RungRun::RungRun(Executor& executor, const StudyTable& table, const Rung& rung,
                 const Problem& problem, const emulator::Dim3& block)
    : RungRun(executor, table, rung, problem, block, {}) {}

RungRun::RungRun(Executor& executor, const StudyTable& table, const Rung& rung,
                 const Problem& problem, const emulator::Dim3& block,
                 std::vector<std::uint64_t> memory)
    : executor_(executor), memory_(std::move(memory)) {
  const std::string reason = why_skipped(executor, rung, problem, block);
  if (!reason.empty()) throw Unsupported(reason);
  const Variables variables = variables_of(executor, rung, problem, block);
  compilation_ = compiled(executor, rung, variables, block);
  code_ = executor.load(compilation_);

  if (memory_.empty()) upload(problem);
  place(problem, rung);
  const std::int64_t scratch_bytes = rung.shipped
                                         ? table.ladder->shipped_scratch_bytes(problem, placement_)
                                         : bytes_of(rung, "scratch", rung.scratch, variables);
  if (scratch_bytes > 0) {
    placement_.scratch = executor_.allocate(static_cast<std::uint64_t>(scratch_bytes), "scratch");
  }
  if (rung.shipped) {
    placement_.resident_blocks = [code = code_, ptx = compilation_.ptx](
                                     const std::string& kernel, int threads, std::uint64_t shared) {
      return resident_blocks(*code, kernel_in(ptx, kernel), threads, shared);
    };
    launches_ = table.ladder->shipped(problem, placement_);
    for (Launch& launch : launches_) launch.kernel = kernel_in(compilation_.ptx, launch.kernel);
    return;
  }
  const std::vector<std::byte> arguments = table.arguments(problem, placement_);
  for (const LaunchRule& rule : rung.launches) {
    const std::string kernel = kernel_in(compilation_.ptx, rule.kernel);
    if (table.ladder == nullptr) require_parameters(rung, compilation_.ptx, kernel, table.listed);
    launches_.push_back(launch_of(rung, rule, variables, block, *code_, kernel));
    launches_.back().arguments = arguments;
  }
}

void RungRun::upload(const Problem& problem) {
  executor_.clear();
  for (const Operand& operand : problem.operands) {
    memory_.push_back(executor_.allocate(operand.memory().size(), operand.name()));
    executor_.write(memory_.back(), operand.memory());
  }
}

void RungRun::place(const Problem& problem, const Rung& rung) {
  placement_.max_shared_bytes = static_cast<std::int64_t>(executor_.max_shared_bytes());
  placement_.multiprocessors = executor_.multiprocessors();
  for (std::size_t i = 0; i < problem.operands.size(); ++i) {
    const Operand& operand = problem.operands[i];
    placement_.address.push_back(memory_[i] + static_cast<std::uint64_t>(operand.offset_bytes()));
    const auto texture = rung.textures.find(operand.name());
    placement_.texture.push_back(
        texture == rung.textures.end()
            ? 0
            : executor_.create_texture(texture_of(operand, texture->second, memory_[i])));
  }
  // problem.operand() throws if a texture has the name of no operand.
  for (const auto& [name, kind] : rung.textures) problem.operand(name);
}

void RungRun::read_outputs(Problem& into) const {
  for (std::size_t i = 0; i < into.operands.size(); ++i) {
    if (into.operands[i].is_output()) executor_.read(memory_[i], into.operands[i].memory());
  }
}

std::string RungRun::first_difference(const Problem& expected) const {
  for (std::size_t i = 0; i < expected.operands.size(); ++i) {
    const Operand& operand = expected.operands[i];
    if (!operand.is_output()) continue;
    // The memory is left uninitialised, because the copy overwrites it and it may have a gigabyte.
    const std::size_t bytes = operand.memory().size();
    const auto owner = std::make_unique_for_overwrite<std::byte[]>(bytes);
    const std::span memory(owner.get(), bytes);
    executor_.read(memory_[i], memory);
    std::string difference = difference_of(operand, memory);
    if (!difference.empty()) return difference;
  }
  return {};
}

std::string difference_of(const Operand& expected, std::span<const std::byte> memory) {
  const ConstHostView want = expected.view();
  const ConstHostView got(memory.data() + expected.offset_bytes(), want.type(), want.width(),
                          want.height(), want.channels(), want.pitch_bytes());
  const OutputComparison result = compare(expected, got);
  if (result.wrong > 0) {
    const std::int64_t at = result.x * want.channels() + result.channel;
    return fmt::format(
        "{} at ({}, {}): expected {}, got {}; {} of {} pixels differ", expected.name(), result.x,
        result.y, element_of(want.type(), want.row(result.y), at),
        element_of(want.type(), got.row(result.y), at), result.wrong, want.width() * want.height());
  }
  if (const auto place = written_outside(expected, memory)) {
    return fmt::format("{}: byte {} of its memory, which belongs to no pixel, was written",
                       expected.name(), *place);
  }
  return {};
}

}  // namespace warpwise::lab
