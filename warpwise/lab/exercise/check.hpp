#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "warpwise/base/enum_names.hpp"
#include "warpwise/lab/compile/toolchain.hpp"
#include "warpwise/lab/exercise/exercise.hpp"

// Marks a student's kernel: its result at every size, faults, and gates on counts.
namespace warpwise::lab {

enum class MarkState : std::uint8_t { passed, failed, skipped };
constexpr auto enum_names(MarkState) {
  return std::to_array<EnumName<MarkState>>({{MarkState::passed, "passed"},
                                             {MarkState::failed, "failed"},
                                             {MarkState::skipped, "skipped"}});
}

/// One thing that is marked.
struct Mark {
  std::string name;  ///< "compiles", "checks", "result", or a figure's name
  MarkState state = MarkState::passed;
  std::string text;  ///< what was found, in plain words
  std::string hint;  ///< empty if it passed
};

/// All marks of a kernel, in the order in which they are mended.
struct Marks {
  std::vector<Mark> marks;
  std::string explain;  ///< options of `warpwise explain` for the size that failed first

  int passed() const;
  int all() const;  ///< number of marks that were not skipped
  /// Returns the first failed mark; null if there is none.
  const Mark* first_failed() const;
};

/// Bytes of each argument after a launch, or none for a scalar.
using Results = std::vector<std::vector<std::byte>>;

/// An exercise that is ready to mark kernels: its expected results are computed. Marking needs no
/// file any more.
class Checker {
 public:
  /// Runs the reference at all sizes.
  /// \throws Unsupported      there is no NVRTC; the message says how to get it
  /// \throws InvalidArgument, CompileError, IoError, OutOfMemory  the exercise itself is wrong
  explicit Checker(Exercise exercise);

  const Exercise& exercise() const { return exercise_; }
  /// Returns the compiler: "NVRTC 13.0 (PATH)". Other versions may count other instructions.
  const std::string& compiler() const { return compiler_; }

  /// Marks a kernel's source. Errors of the source are marks. It uses at most 1 GiB of emulated
  /// memory, and no file.
  /// \param time_on_gpu  returns the kernel's time as a multiple of the reference's; throws with
  ///                     the reason why there is none
  Marks check(const std::string& source, const std::function<double()>& time_on_gpu) const;

 private:
  Exercise exercise_;
  Toolchain toolchain_;
  emulator::PaceModel pace_;  // for Figure::block_cycles
  std::string compiler_;
  std::vector<Results> expected_;  // for each size
};

/// Times a student's file on this machine's GPU, as a multiple of the reference's time.
/// \throws NoCudaDevice, Error  with the reason
double time_ratio_on_gpu(const Exercise& exercise, const std::filesystem::path& file);

}  // namespace warpwise::lab
