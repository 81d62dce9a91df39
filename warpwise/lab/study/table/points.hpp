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
  ladders::Variables constants;  ///< those that an axis sets
};

/// Returns all combinations of the axes that are constants of this rung; a single one if none is.
std::vector<RungPoint> points_of(const Rung& rung, const Axes& axes);

/// Returns all combinations of the axes that set how points are run; the usual setting if none
/// does.
std::vector<Setting> settings_of(const Axes& axes);

/// Returns the block shapes of a rung: those of the axes, or its own first one. A shipped rung has
/// its own.
std::vector<emulator::Dim3> blocks_of(const Rung& rung, const Axes& axes);

}  // namespace warpwise::lab
