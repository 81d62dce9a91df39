#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/base/enum_names.hpp"
#include "warpwise/base/export.hpp"

namespace warpwise::emulator {

/// Differences between the emulator and a GPU. Everything else is exact.
enum class Modelled : std::uint8_t {
  approximation,   ///< functions for which NVIDIA documents an error bound, not the bits
  matrix_sum,      ///< sums of floats inside a matrix instruction
  contraction,     ///< a product and a sum that machine code may fuse, rounding once
  texture_filter,  ///< weights of texels
  order,           ///< order of threads that do not wait for each other
  placement,       ///< values of %smid, %nsmid, %warpid, %nwarpid and %gridid
  clock,           ///< cycles and nanoseconds
  asynchrony,      ///< asynchronous copies, done here when they are issued
};
/// Returns the names for name_of() and value_named(): "approximation", …
constexpr auto enum_names(Modelled) {
  return std::to_array<EnumName<Modelled>>({{Modelled::approximation, "approximation"},
                                            {Modelled::matrix_sum, "matrix_sum"},
                                            {Modelled::contraction, "contraction"},
                                            {Modelled::texture_filter, "texture_filter"},
                                            {Modelled::order, "order"},
                                            {Modelled::placement, "placement"},
                                            {Modelled::clock, "clock"},
                                            {Modelled::asynchrony, "asynchrony"}});
}

/// Describes the difference in a phrase, for a report: "approximate functions: their last bits …".
WARPWISE_EXPORT std::string_view meaning_of(Modelled what);

struct ModelledUse;

/// Merges a launch's list of inexact behaviours into `all`. Each kind of Modelled has at most one
/// entry there. The entries are in the order of Modelled.
WARPWISE_EXPORT void add_uses(std::vector<ModelledUse>& all, const std::vector<ModelledUse>& more);

/// Says how far the values of an inexact behaviour may have spread: "may have reached a branch".
/// For asynchronous copies, says that the copied data is exact.
WARPWISE_EXPORT std::string reach_of(const ModelledUse& use);

/// Returns one line, without a line end. It lists the meaning and the reach of each inexact
/// behaviour. For an empty list it says that every result is exact if no threads race.
WARPWISE_EXPORT std::string fidelity_line(const std::vector<ModelledUse>& all);

}  // namespace warpwise::emulator
