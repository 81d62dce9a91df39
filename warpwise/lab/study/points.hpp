#pragma once

#include <vector>

#include "warpwise/lab/study/study_table.hpp"

// The points that the axes of a study span.
namespace warpwise::lab {

/// `parameters` with the values of `others` in place of its own.
ladders::Variables merged(ladders::Variables parameters, const ladders::Variables& others);

/// All combinations of the axes that are parameters, each with the defaults of the others.
std::vector<ladders::Variables> parameters_of(const StudyTable& table, const Axes& axes);

/// A rung with constants as the axes set them.
struct RungPoint {
  Rung rung;
  ladders::Variables constants;  ///< those that an axis sets
};

/// All combinations of the axes that are constants of this rung: one where none is.
std::vector<RungPoint> points_of(const Rung& rung, const Axes& axes);

/// All combinations of the axes that say how points are run: the usual setting where none does.
std::vector<Setting> settings_of(const Axes& axes);

/// The block shapes of a rung: of the axes, or the first of its own. A shipped rung has its own.
std::vector<emulator::Dim3> blocks_of(const Rung& rung, const Axes& axes);

}  // namespace warpwise::lab
