#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "warpwise/lab/measure/executor.hpp"
#include "warpwise/lab/study/table/study_table.hpp"

// Runs a rung on an executor for a problem, and checks its result.
namespace warpwise::lab {

/// A rung (a kernel of a study) that is ready to run on a problem: compiled code, launches, and
/// operands in an executor's memory. Uploaded outputs are filled with Operand::sentinel, which
/// marks the bytes that no kernel has written.
class RungRun {
 public:
  /// Compiles the rung's code for this block shape, or takes it from the cache, and uploads the
  /// problem. Frees everything that the executor held before.
  /// \param block  block shape to use instead of the rung's default
  /// \throws CompileError, InvalidArgument, OutOfMemory  as compile_rung(), evaluate(), allocate()
  /// \throws Unsupported  the rung does not support this problem, a block does not fit an SM, or
  ///                      the executor does not support the kernel; the message says which
  RungRun(Executor& executor, const StudyTable& table, const Rung& rung,
          const ladders::Problem& problem, const emulator::Dim3& block);

  /// Uses operands that are already in memory. Uploads and frees nothing. \param memory  address of
  /// each operand's allocation
  RungRun(Executor& executor, const StudyTable& table, const Rung& rung,
          const ladders::Problem& problem, const emulator::Dim3& block,
          std::vector<std::uint64_t> memory);

  /// Returns why this rung cannot run this problem on this executor, or an empty text if it can.
  static std::string why_skipped(const Executor& executor, const Rung& rung,
                                 const ladders::Problem& problem, const emulator::Dim3& block);

  LoadedCode& code() const { return *code_; }
  const Compilation& compilation() const { return compilation_; }
  const std::vector<ladders::Launch>& launches() const { return launches_; }
  const ladders::Placement& placement() const { return placement_; }

  /// Runs the launches. \throws Error  as Executor::run()
  void run() { executor_.run(*code_, launches_); }

  /// Copies the outputs into `into`, which must be the problem that the run was made with.
  void read_outputs(ladders::Problem& into) const;

  /// Returns difference_of() for the first wrong output, or an empty text if all outputs are right.
  std::string first_difference(const ladders::Problem& expected) const;

 private:
  void upload(const ladders::Problem& problem);
  void place(const ladders::Problem& problem, const Rung& rung);

  Executor& executor_;
  Compilation compilation_;
  std::shared_ptr<LoadedCode> code_;
  ladders::Placement placement_;
  std::vector<std::uint64_t> memory_;  // start of each operand's allocation
  std::vector<ladders::Launch> launches_;
};

/// Describes how the memory of an output differs from the expected memory. The text has the first
/// wrong pixel, its expected and actual value, and the number of wrong pixels. If all pixels are
/// right, the text names a byte outside the pixels that was written. It is empty if there is no
/// difference.
std::string difference_of(const ladders::Operand& expected, std::span<const std::byte> memory);

/// Returns a copy of the problem with correct outputs, with which a rung's outputs are compared.
/// For a ladder's problem, the CPU computes them: `with` chooses plain loops or the library.
/// Otherwise the study's reference kernel computes them on the executor, with the rung's constants
/// and the block shape `block`.
/// \throws Error  as RungRun and run() do
ladders::Problem expected_of(Executor& executor, const StudyTable& table, const Rung& rung,
                             const ladders::Problem& problem, const emulator::Dim3& block,
                             ladders::Cpu with);

/// Returns the variables that a rung's expressions may use: those of the problem, its operands'
/// pitches and offsets, the block's shape, the executor's limits, and the rung's constants.
ladders::Variables variables_of(const Executor& executor, const Rung& rung,
                                const ladders::Problem& problem, const emulator::Dim3& block);

}  // namespace warpwise::lab
