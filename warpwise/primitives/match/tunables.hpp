#pragma once

#include "warpwise/primitives/shared/tuning.hpp"

// Parameters of match's launch that `warpwise tune` may choose.
namespace warpwise::detail::match {

/// In the order of Measure.
inline constexpr std::string_view kinds[] = {"sad", "ssd", "ncc", "zncc"};
/// 0: products_pay() decides. There are no products for sad.
inline constexpr int kernel_choices[] = {0, 1, 2};
inline constexpr tuning::Tunable kernel_tunable{
    "match", "kernel", "0: chosen by a rule, 1: differences, 2: products", kinds, kernel_choices};

inline constexpr const tuning::Tunable* tunables[] = {&kernel_tunable};

}  // namespace warpwise::detail::match
