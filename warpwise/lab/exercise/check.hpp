#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "warpwise/base/enum_names.hpp"
#include "warpwise/lab/compile/toolchain.hpp"
#include "warpwise/lab/exercise/exercise.hpp"

// Marks a student's kernel: its result at every size, its faults, and its gates (limits of counts).
namespace warpwise::lab {

enum class MarkState : std::uint8_t { passed, failed, skipped };
constexpr auto enum_names(MarkState) {
  return std::to_array<EnumName<MarkState>>({{MarkState::passed, "passed"},
                                             {MarkState::failed, "failed"},
                                             {MarkState::skipped, "skipped"}});
}

/// A mark for one property of a kernel.
struct Mark {
  std::string name;  ///< "compiles", "runs", "checks", "result", or a figure's name
  MarkState state = MarkState::passed;
  std::string text;                ///< what was found, in plain words
  std::string shown;               ///< the source line and its counts, or the sizes with a right
                                   ///< result; may be empty
  std::vector<std::string> hints;  ///< hints, given one after another; none if passed
};
/// Number of the marks that every exercise has. The marks of its gates follow.
inline constexpr std::size_t marks_before_gates = 4;

/// All marks of a kernel. A student mends failed ones in this order.
struct Marks {
  std::vector<Mark> marks;
  std::string explain;  ///< options of `warpwise explain` for a launch at the first failed size or,
                        ///< if none failed, at the first size; empty if the kernel did not run
  bool prints = false;  ///< the kernel printed text, which `warpwise explain` shows

  int passed() const;
  int all() const;  ///< number of marks that were not skipped
  /// Returns the first failed mark; null if there is none.
  const Mark* first_failed() const;
};

/// Marks kernels of one exercise. The exercise's reference is compiled in advance, so that marking
/// reads no further files.
class Checker {
 public:
  /// \throws Unsupported      there is no NVRTC; the message says how to get it
  /// \throws InvalidArgument, CompileError, IoError, OutOfMemory  the exercise itself is wrong
  explicit Checker(Exercise exercise);

  const Exercise& exercise() const { return exercise_; }
  /// Returns the compiler: "NVRTC 13.0 (PATH)". Other versions may give other counts.
  const std::string& compiler() const { return compiler_; }

  /// Marks a kernel's source. Errors of the source become failed marks. Marking reads no file, and
  /// uses at most 1 GiB of emulated memory. The inputs' values depend on the source, so results
  /// copied from another run are wrong.
  /// \param time_on_gpu  returns the kernel's time as a multiple of the reference's. If there is no
  ///                     time, it throws an error with the reason.
  /// \throws InvalidArgument  the exercise's reference has a fault
  Marks check(const std::string& source, const std::function<double()>& time_on_gpu) const;

 private:
  Exercise exercise_;
  Toolchain toolchain_;
  emulator::PaceModel pace_;  // model for Figure::block_cycles
  std::string compiler_;
  std::string reference_;  // PTX of the exercise's reference
};

/// Times a student's file on this machine's GPU, as a multiple of the reference's time.
/// \throws NoCudaDevice, Error  with the reason
double time_ratio_on_gpu(const Exercise& exercise, const std::filesystem::path& file);

}  // namespace warpwise::lab
