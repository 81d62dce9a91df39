#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "warpwise/base/enum_names.hpp"
#include "warpwise/lab/explain/kernel/address_form.hpp"

// Names the reason why the addresses of neighbouring threads lie far apart.
namespace warpwise::lab {

struct Explanation;

/// Reasons why a warp's addresses scatter.
enum class AccessPattern {
  swapped_indices,
  transpose,
  row_per_thread,
  piece_per_thread,
  structures,
  stride,
  loaded_index,
  computed_index
};
/// Returns the values' names for name_of() and value_named().
constexpr auto enum_names(AccessPattern) {
  return std::to_array<EnumName<AccessPattern>>(
      {{AccessPattern::swapped_indices, "swapped indices"},
       {AccessPattern::transpose, "transpose"},
       {AccessPattern::row_per_thread, "row per thread"},
       {AccessPattern::piece_per_thread, "piece per thread"},
       {AccessPattern::structures, "array of structures"},
       {AccessPattern::stride, "stride"},
       {AccessPattern::loaded_index, "loaded index"},
       {AccessPattern::computed_index, "computed index"}});
}

/// The reason for a line's scattered accesses, in words.
struct ScatteredAccess {
  AccessPattern pattern;
  std::string cause;         ///< one sentence
  std::string cure;          ///< at most three sentences
  bool example_fits = true;  ///< the pattern's example shows this cure
};

/// Returns the kernel's accesses to global memory; none if its PTX cannot be parsed.
std::vector<GlobalAccess> accesses_of(const Explanation& explanation);

/// Returns the kernel's accesses to shared memory; none if its PTX cannot be parsed.
std::vector<SharedAccess> shared_accesses_of(const Explanation& explanation);

/// Returns the indices of the parameters whose elements a kernel writes, also by atomics; none if
/// the PTX cannot be parsed.
std::set<std::size_t> written_by(const Explanation& explanation);

/// Returns the reason why a line's loads, or its stores, scatter. If several of its accesses have
/// reasons, AccessPattern::row_per_thread comes first, then the reason of the first access. Returns
/// nothing if the kernel's addresses show no reason.
std::optional<ScatteredAccess> scattered_at(const Explanation& explanation,
                                            const std::vector<GlobalAccess>& accesses,
                                            const std::string& file, int line, bool is_store);

}  // namespace warpwise::lab
