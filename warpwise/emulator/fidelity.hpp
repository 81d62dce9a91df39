#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/base/enum_names.hpp"
#include "warpwise/base/export.hpp"

namespace warpwise::emulator {

/// What the emulator does otherwise than a GPU may: everything else is exact.
enum class Modelled : std::uint8_t {
  approximation,   ///< functions of which NVIDIA documents an error, not the bits
  matrix_sum,      ///< sums of floats inside a matrix instruction
  contraction,     ///< a product and a sum that machine code may round once
  texture_filter,  ///< weighted texels
  order,           ///< of threads that do not wait for each other
  placement,       ///< numbers of multiprocessors, warps and grids
  clock,           ///< cycles and nanoseconds
  asynchrony,      ///< copies that take place where they are issued
};
/// For name_of() and value_named(): "approximation", …
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

/// A phrase that says what it is, for a report: "approximate functions, whose last bits …".
WARPWISE_EXPORT std::string_view meaning_of(Modelled what);

struct ModelledUse;

/// Adds what one launch said to what others did: each kind once, in their order.
WARPWISE_EXPORT void add_uses(std::vector<ModelledUse>& all, const std::vector<ModelledUse>& more);

/// "may have reached a branch".
WARPWISE_EXPORT std::string reach_of(const ModelledUse& use);

/// One line, without its end: that all was exact, or the kinds that were not and what they may have
/// reached.
WARPWISE_EXPORT std::string fidelity_line(const std::vector<ModelledUse>& all);

}  // namespace warpwise::emulator
