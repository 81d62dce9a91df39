#pragma once

#include <vector>

#include "warpwise/lab/study/table/study_table.hpp"

// Computes the points that the axes of a study span.
namespace warpwise::lab {

/// Returns `parameters` with the values of `others` in place of its own.
ladders::Variables merged(ladders::Variables parameters, const ladders::Variables& others);

/// Returns all combinations of the axes that are parameters, with the defaults of the other
/// parameters.
std::vector<ladders::Variables> parameters_of(const StudyTable& table, const Axes& axes);

/// A rung with the constants that the axes set.
struct RungPoint {
  Rung rung;
  ladders::Variables constants;  ///< constants that an axis sets
};

/// Returns all combinations of the axes that are constants of this rung; one point without axes.
std::vector<RungPoint> points_of(const Rung& rung, const Axes& axes);

/// Returns all combinations of the axes that set members of Setting; the default Setting without
/// such an axis.
std::vector<Setting> settings_of(const Axes& axes);

/// Returns the block shapes to run a rung with: those that the axes choose, or its first shape.
/// A shipped rung always keeps its first shape.
std::vector<emulator::Dim3> blocks_of(const Rung& rung, const Axes& axes);

}  // namespace warpwise::lab
