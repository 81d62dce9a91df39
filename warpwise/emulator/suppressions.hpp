#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/base/export.hpp"
#include "warpwise/emulator/emulator.hpp"

namespace warpwise::emulator {

/// A kind of fault at a place that is known and not to be reported, and why.
struct Suppression {
  std::optional<FaultKind> kind;  ///< none: any
  std::string file;               ///< the end of its path; empty: any
  int source_line = 0;            ///< 0: any
  std::string function;           ///< of a kernel, or inlined into one; empty: any
  bool in_program = false;        ///< of what the program itself did wrong, no kernel
  std::string reason;
  int line = 0;      ///< of the text
  std::string text;  ///< that line
};

/// What a text says is not to be reported: a line for each,
///
///     KIND [at FILE[:LINE]] [in FUNCTION] because REASON
///
/// KIND is a fault's, or `any`. FILE is a file's path or the end of one; a fault is at each line
/// that it was inlined at too. FUNCTION is a kernel, or a function that the compiler inlined: its
/// whole name with parameters, or without them, without template arguments, without namespaces;
/// `the program` is for faults in no kernel. At least one of the two places is given. Empty lines,
/// and those that begin with #, say nothing.
class WARPWISE_EXPORT Suppressions {
 public:
  Suppressions() = default;
  /// \throws InvalidArgument  with the line's number, and what it lacks
  explicit Suppressions(std::string_view text);

  /// The first one for a fault, an index into all(); nothing where it is to be reported.
  /// \param kernel  its name, mangled or not; empty for what the program itself did wrong
  std::optional<std::size_t> covering(std::string_view kernel, const Fault& fault) const;

  /// In their order.
  const std::vector<Suppression>& all() const { return all_; }

 private:
  std::vector<Suppression> all_;
};

}  // namespace warpwise::emulator
