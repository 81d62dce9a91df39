#pragma once

#include "warpwise/primitives/shared/tuning.hpp"

// Parameters of gemv's launch that `warpwise tune` may choose.
namespace warpwise::detail::gemv {

inline constexpr std::string_view kinds[] = {"f32", "16-bit"};
inline constexpr int row_percent_choices[] = {100, 50, 200, 400};
inline constexpr tuning::Tunable row_percent_tunable{
    "gemv", "row_percent", "turns of a block of rows, as a percentage of the rule's number", kinds,
    row_percent_choices};
/// 0: by the times that gemv_columns_launch estimates.
inline constexpr int column_launch_choices[] = {0, 1, 2};
inline constexpr tuning::Tunable column_launches_tunable{
    "gemv", "column_launches", "launches of a transposed product; 0: chosen by a rule", kinds,
    column_launch_choices};

inline constexpr const tuning::Tunable* tunables[] = {&row_percent_tunable,
                                                      &column_launches_tunable};

/// One value of each tunable.
struct Tuning {
  int row_percent = row_percent_choices[0];
  int column_launches = column_launch_choices[0];
};

}  // namespace warpwise::detail::gemv
