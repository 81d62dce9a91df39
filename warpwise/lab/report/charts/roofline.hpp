#pragma once

#include <string>
#include <vector>

#include "warpwise/lab/report/html/html.hpp"
#include "warpwise/lab/report/html/table.hpp"
#include "warpwise/lab/report/records/collection.hpp"

// Draws all rungs (optimisation steps) of all ladders in one picture. The horizontal axis is a
// rung's warp instructions per byte, the vertical axis its rate of required bytes.
namespace warpwise::lab::report {

struct RoofPoint {
  std::string ladder;
  std::string rung;
  const RecordedRow* row = nullptr;  ///< row of the largest size that was timed
  double work = 0;                   ///< warp instructions per 1000 bytes
  double gb_per_s = 0;
};

/// Roofline of one GPU. A limit is 0 if the records do not give it.
struct Roofline {
  std::string device;
  double copy_gb_per_s = 0;
  double read_gb_per_s = 0;
  double instructions_per_s = 0;  ///< warp instructions per second of all multiprocessors
  std::vector<RoofPoint> points;
};

/// Returns a roofline for each GPU on which a whole ladder was timed. A point's work is the
/// emulator's count at one size, scaled in proportion to the pixels. Its bytes include each input
/// and each output once.
std::vector<Roofline> rooflines_of(const std::vector<Recorded>& runs);

/// Draws the picture. A point shows its name while the pointer is on it or the point has the focus.
Html picture_of(const Roofline& roofline);
Table table_of(const Roofline& roofline);

}  // namespace warpwise::lab::report
