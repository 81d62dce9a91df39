#pragma once

#include <vector>

#include "warpwise/lab/study/table/study_table.hpp"

// Computes the points that the axes of a study span.
namespace warpwise::lab {

/// Returns `parameters` and `others` together. If a name is in both, the value of `others` counts.
ladders::Variables merged(ladders::Variables parameters, const ladders::Variables& others);

/// Returns all combinations of values of the axes that are parameters. Parameters without an axis
/// have their defaults.
std::vector<ladders::Variables> parameters_of(const StudyTable& table, const Axes& axes);

/// A rung with the constants that the axes set.
struct RungPoint {
  Rung rung;
  ladders::Variables constants;  ///< constants that an axis sets
};

/// Returns all combinations of values of the axes that are constants of this rung. Without such an
/// axis there is one point.
std::vector<RungPoint> points_of(const Rung& rung, const Axes& axes);

/// Returns all combinations of values of the axes that set members of Setting. Without such an axis
/// there is only the default setting.
std::vector<Setting> settings_of(const Axes& axes);

/// Returns the block shapes to run a rung with. The axes choose them. Without an axis of blocks,
/// the result is the rung's first shape. A shipped rung always keeps its first shape.
std::vector<emulator::Dim3> blocks_of(const Rung& rung, const Axes& axes);

}  // namespace warpwise::lab
