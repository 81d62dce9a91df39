#pragma once

#include <string>
#include <vector>

#include "warpwise/lab/report/html/html.hpp"
#include "warpwise/lab/report/html/table.hpp"
#include "warpwise/lab/report/records/collection.hpp"

// Draws every rung of every ladder in one picture. The picture shows the rate of a rung's required
// bytes over its warp instructions for each byte.
namespace warpwise::lab::report {

struct RoofPoint {
  std::string ladder;
  std::string rung;
  const RecordedRow* row = nullptr;  ///< row of the largest size that was timed
  double work = 0;                   ///< warp instructions per 1000 bytes
  double gb_per_s = 0;
};

/// Roofline of one GPU. A limit that the records do not give is 0.
struct Roofline {
  std::string device;
  double copy_gb_per_s = 0;
  double read_gb_per_s = 0;
  double instructions_per_s = 0;  ///< warp instructions, by all multiprocessors
  std::vector<RoofPoint> points;
};

/// Returns a roofline for each GPU on which a whole ladder was timed. Work is the emulator's count
/// at the size that the record names, scaled in proportion to the pixels. The bytes count each
/// input and each output once.
std::vector<Roofline> rooflines_of(const std::vector<Recorded>& runs);

/// Draws the picture. A point shows its name while the pointer is on it or it has the focus.
Html picture_of(const Roofline& roofline);
Table table_of(const Roofline& roofline);

}  // namespace warpwise::lab::report
