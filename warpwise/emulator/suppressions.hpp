#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/base/export.hpp"
#include "warpwise/emulator/emulator.hpp"

namespace warpwise::emulator {

/// A known fault that is not reported: its kind, its place and the reason.
struct Suppression {
  std::optional<FaultKind> kind;  ///< empty: any
  std::string file;               ///< the end of the source file's path; empty: any
  int source_line = 0;            ///< 0: any
  std::string function;           ///< a kernel, or a function inlined into one; empty: any
  bool in_program = false;        ///< a fault of the program itself, not of a kernel
  std::string reason;
  int line = 0;      ///< number of the suppression's line in the parsed text
  std::string text;  ///< the suppression's line
};

/// Parses a text with one suppression a line:
///
///     KIND [at FILE[:LINE]] [in FUNCTION] because REASON
///
/// - KIND is a kind of fault, or `any`.
/// - FILE is a path or its end. It also matches lines where the compiler inlined the fault's line.
/// - FUNCTION is a kernel or an inlined function. Its name may be whole, or lack parameters,
///   template arguments or namespaces. `the program` matches faults outside kernels.
///
/// At least one of FILE and FUNCTION is required. Empty lines and lines that begin with # are
/// ignored.
class WARPWISE_EXPORT Suppressions {
 public:
  Suppressions() = default;
  /// \throws InvalidArgument  with the line's number and the missing part
  explicit Suppressions(std::string_view text);

  /// Returns the index in all() of the first suppression that matches; nothing if none does.
  /// \param kernel  its name, mangled or not; empty for a fault of the program itself
  std::optional<std::size_t> covering(std::string_view kernel, const Fault& fault) const;

  /// Returns all suppressions in the order of the text.
  const std::vector<Suppression>& all() const { return all_; }

 private:
  std::vector<Suppression> all_;
};

}  // namespace warpwise::emulator
