#pragma once

#include "warpwise/primitives/shared/tuning.hpp"

// find's launch parameters that `warpwise tune` chooses.
namespace warpwise::detail::find {

/// In the order of Measure.
inline constexpr std::string_view kinds[] = {"sad", "ssd", "ncc", "zncc"};
/// by_rule is the rule of transforms_pay. sad has neither products nor transforms.
enum : int { by_rule, by_products, by_transforms };
inline constexpr int kernel_choices[] = {by_rule, by_products, by_transforms};
inline constexpr tuning::Tunable kernel_tunable{
    "find", "kernel", "0: chosen by a rule, 1: matrix products, 2: transforms", kinds,
    kernel_choices};

inline constexpr const tuning::Tunable* tunables[] = {&kernel_tunable};

}  // namespace warpwise::detail::find
