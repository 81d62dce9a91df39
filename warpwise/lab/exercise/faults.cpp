#include "warpwise/lab/exercise/faults.hpp"

#include <fmt/format.h>

#include <vector>

#include "warpwise/lab/exercise/said.hpp"
#include "warpwise/lab/exercise/source.hpp"
#include "warpwise/lab/explain/explain.hpp"

namespace warpwise::lab {
namespace {

const char* hint_of(emulator::FaultKind kind) {
  using Kind = emulator::FaultKind;
  switch (kind) {
    case Kind::race:
    case Kind::lockstep:
    case Kind::order_dependent:
      return "Two threads use one word, and nothing orders them. Let all threads of the block wait "
             "with __syncthreads() between the two accesses.";
    case Kind::barrier:
    case Kind::deadlock:
      return "All threads of a block must reach each __syncthreads(): no return and no branch "
             "before it may leave some out.";
    case Kind::member_mask:
      return "The mask of a warp's operation must name the lanes that execute it, and no others: "
             "0xffffffff where all 32 do.";
    case Kind::uninitialised:
      return "A thread uses a word that no thread has written. Let the block write all words that "
             "it reads later.";
    case Kind::out_of_bounds:
      return "An index lies outside of its array. Compare it with the size before the access.";
    case Kind::misaligned:
      return "A vector of 4, 8 or 16 bytes must lie at a multiple of its size.";
    case Kind::budget:
    case Kind::livelock: return "A loop does not end: look at its condition.";
    case Kind::trap:
      return "Either the source calls __trap(), or the compiler found an access that is never "
             "right, such as one through a null pointer.";
    default: return "Read the message: it names the line and the thread.";
  }
}

}  // namespace

std::string at_line(int line) { return line > 0 ? said("{}, line {}: ", kernel_file, line) : ""; }

std::string fault_text(const Exercise& exercise, const ladders::Variables& size,
                       const emulator::Fault& fault) {
  if (fault.kind == emulator::FaultKind::budget)
    return said("the kernel did not end within {} warp instructions", exercise_budget);
  std::string message = fault.message;
  const std::vector<ArgumentSpec> specs = arguments_of(exercise, size);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const std::string name = fmt::format("argument {}, {}", i, specs[i].text);
    if (const std::size_t at = message.find(name); at != std::string::npos)
      message.replace(at, name.size(), exercise.arguments[i].name + "[],");
  }
  return with_own_name(said("{}{}, {} (block ({},{}), thread ({},{}))",
                            at_line(own_place(fault).line),
                            report::told(std::string(name_of(fault.kind))), message, fault.block.x,
                            fault.block.y, fault.thread.x, fault.thread.y));
}

std::vector<std::string> fault_hints(const Exercise& exercise, const emulator::Fault& fault) {
  // Only an array without a size, extern __shared__, can lie in shared memory of 0 bytes.
  const bool is_unsized = fault.message.find("of the block's 0 bytes") != std::string::npos;
  if (is_unsized)
    return {
        said("The launch gives no dynamic shared memory: declare the array with its size, and "
             "without extern.")};
  const bool has_own = fault.kind == emulator::FaultKind::race && !exercise.hints_race.empty();
  return has_own ? exercise.hints_race : std::vector<std::string>{said(hint_of(fault.kind))};
}

}  // namespace warpwise::lab
