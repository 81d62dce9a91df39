#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "warpwise/lab/explain/advice/advice.hpp"
#include "warpwise/lab/predict/launch_prediction.hpp"

// The findings from which advice is made.
namespace warpwise::lab {

/// A gain below this is not worth a change.
inline constexpr double worth_a_change = 1.05;

/// Least ratio of a count to its ideal that advice mentions.
inline constexpr double worth_saying = 1.2;

/// Phrase in the texts of findings. It explains a request to readers who do not know the word.
inline constexpr const char* each_request =
    "for each request of a warp (32 threads that run as one)";

/// Rule that is cited by notes on code that did not run in a launch.
inline constexpr const char* counts_rule =
    "counts cover only the code that ran (docs/slow-kernel.md, The kernel)";

/// Sentence on double precision that name_line() adapts to the line.
inline constexpr const char* constant_is_double =
    "A constant without f is a double: write 0.5f, not 0.5.";

/// A count that each line has. A finding on the whole kernel names the line with the highest count.
enum class LineCost {
  none,
  divisions,
  doubles,
  accesses,
  loaded_bytes,
  shared_loads,
  atomics,
  barriers
};

/// Something that a kernel could do better, or that it waits for.
struct Finding {
  double cost = 0;  ///< rough number of one SM's issue slots that a change would save
  Advice advice;
  std::optional<Change> change;   ///< savings of the change; nothing if no model covers them
  std::string place = {};         ///< the finding's line, if there is one
  bool in_library = false;        ///< the line belongs to a library, not to the program
  LineCost by = LineCost::none;   ///< count by which name_line() chooses the finding's line
  bool always = false;            ///< listed even beyond the first three, because it is certain
  bool covers_all_loads = false;  ///< covers all loads of its line: no advice on reuse follows
};

/// Returns the findings from each line's counts. \param cc  index of the counts' compute capability
std::vector<Finding> line_findings(const Explanation& explanation, std::size_t cc);

/// Returns the kernel's accesses to shared memory. The first call parses the PTX.
using SharedAccesses = std::function<const std::vector<SharedAccess>&()>;

/// Returns the finding on the bank conflicts of a line's loads, or of its stores, if any. If the
/// line accesses several arrays, names the one with conflicts only if the PTX shows which it is.
std::optional<Finding> bank_conflict(const Explanation& explanation,
                                     const emulator::LineCounts& line, std::size_t cc,
                                     bool is_store, const SharedAccesses& accesses);

/// Returns "Line 9", or "Line 9 of kernel.cuh" if that is not the given file. For line 0, says that
/// the PTX has no line numbers.
std::string line_name(const Explanation& explanation, const emulator::LineCounts& line);

/// Returns "Line 9 (out[i] = in[i];)" for a line of the given file, or "Line 9 of kernel.cuh (…)".
std::string place_of(const Explanation& explanation, const emulator::LineCounts& line);

/// Finds the line with the highest count Finding::by and sets the finding's place. Puts the line
/// before the finding's text if no other line has the same count. Returns false if the finding does
/// not suit the line.
/// \param cc  index of the counts' compute capability
bool name_line(const Explanation& explanation, std::size_t cc, Finding& finding);

/// Returns the findings from the launch's shape and the kernel's resources.
std::vector<Finding> launch_findings(const Explanation& explanation, std::size_t cc);

/// Returns the finding on asynchronous copies that a loop begins and waits for at once, if any.
std::optional<Finding> early_wait(const Explanation& explanation);

/// Returns true if a launch gives an SM less than a quarter of the blocks that the SM can hold.
bool leaves_sms_empty(const LaunchPrediction& prediction);

/// Returns true if a launch has fewer threads than a warp. The model cannot tell the gain of a
/// change from so few threads.
bool is_too_small(const Explanation& explanation);

/// Returns a note if at most a tenth of the threads go on after an early return. The counts then
/// say little about the kernel.
std::optional<Advice> early_leavers(const Explanation& explanation);

/// Returns notes that precede the findings: on threads that return early, on SMs with few blocks or
/// none, and on atomics that never ran.
std::vector<Advice> launch_notes(const Explanation& explanation);

/// Returns a note on the first access that never ran and whose index is loaded from memory, if any.
std::optional<Advice> unexecuted_access_note(const Explanation& explanation);

/// Returns the findings on the bottleneck of a kernel that fills the prediction's GPU. Adds
/// findings on other resources whose time is long enough to be worth a change. Applies add_gain()
/// to every finding.
std::vector<Finding> resource_findings(const LaunchPrediction& prediction);

/// Returns the advice for a kernel that no change would make much faster.
Advice nothing_rules(const LaunchPrediction& prediction);

/// Computes the gain of a finding and adds it to the text.
void add_gain(const LaunchPrediction& prediction, Finding& finding);

}  // namespace warpwise::lab
