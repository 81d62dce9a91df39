#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "warpwise/lab/measure/executor.hpp"
#include "warpwise/lab/study/study_table.hpp"

// A rung on an executor: its launches for a problem, and whether its result is right.
namespace warpwise::lab {

/// The operands of a problem in an executor's memory, the outputs filled with the sentinel, and the
/// launches of a rung on them.
class RungRun {
 public:
  /// Compiles, or takes from the cache, what the rung needs at this block shape, and uploads the
  /// problem. What the executor held before is freed.
  /// \param block  in place of the rung's default
  /// \throws CompileError, InvalidArgument, OutOfMemory  as compile_rung(), evaluate(), allocate()
  /// \throws Unsupported  with the reason: the rung is not for this problem, a block does not fit
  ///         an SM, or the executor does not run such kernels
  RungRun(Executor& executor, const StudyTable& table, const Rung& rung,
          const ladders::Problem& problem, const emulator::Dim3& block);

  /// The same with operands that lie in memory already, beside whatever else the executor holds:
  /// nothing is uploaded or freed.
  /// \param memory  where each operand's allocation starts
  RungRun(Executor& executor, const StudyTable& table, const Rung& rung,
          const ladders::Problem& problem, const emulator::Dim3& block,
          std::vector<std::uint64_t> memory);

  /// Why this rung does not run this problem here; empty when it does.
  static std::string why_skipped(const Executor& executor, const Rung& rung,
                                 const ladders::Problem& problem, const emulator::Dim3& block);

  LoadedCode& code() const { return *code_; }
  const Compilation& compilation() const { return compilation_; }
  const std::vector<ladders::Launch>& launches() const { return launches_; }
  const ladders::Placement& placement() const { return placement_; }

  /// Runs the launches. \throws Error  as Executor::run()
  void run() { executor_.run(*code_, launches_); }

  /// Takes the outputs as they are now into `into`, the problem that it was made with.
  void read_outputs(ladders::Problem& into) const;

  /// The first difference_of() an output; empty when all is right.
  std::string first_difference(const ladders::Problem& expected) const;

 private:
  void upload(const ladders::Problem& problem);
  void place(const ladders::Problem& problem, const Rung& rung);

  Executor& executor_;
  Compilation compilation_;
  std::shared_ptr<LoadedCode> code_;
  ladders::Placement placement_;
  std::vector<std::uint64_t> memory_;  // of each operand, where its allocation starts
  std::vector<ladders::Launch> launches_;
};

/// How the memory of an output differs from what is expected: the first pixel that does, what was
/// expected there and what is there, and how many differ; or a byte outside of the pixels that was
/// written. Empty when all is right.
std::string difference_of(const ladders::Operand& expected, std::span<const std::byte> memory);

/// The problem with the outputs that a rung has to give. Of a ladder the CPU computes them, `with`
/// its plain loops or the library; another study's reference kernel does on the executor, compiled
/// with the rung's constants and launched with its block shape.
/// \throws Error  as RungRun and run() do
ladders::Problem expected_of(Executor& executor, const StudyTable& table, const Rung& rung,
                             const ladders::Problem& problem, const emulator::Dim3& block,
                             ladders::Cpu with);

/// What expressions of a rung may use: the problem's variables, its operands' pitches and offsets,
/// the block's shape, the executor's limits, and the rung's constants.
ladders::Variables variables_of(const Executor& executor, const Rung& rung,
                                const ladders::Problem& problem, const emulator::Dim3& block);

}  // namespace warpwise::lab
