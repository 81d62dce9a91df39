#pragma once

#include <string>
#include <vector>

#include "warpwise/lab/report/html/html.hpp"
#include "warpwise/lab/report/html/table.hpp"
#include "warpwise/lab/report/records/collection.hpp"

// Draws every rung of every ladder in one picture: the rate at which the rung moves its required
// bytes, over its work for each byte.
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
/// at the size that the record names, scaled in proportion to the pixels. Bytes are each input once
/// and each output once.
std::vector<Roofline> rooflines_of(const std::vector<Recorded>& runs);

/// A point shows its name when it is pointed at or has the focus.
Html picture_of(const Roofline& roofline);
Table table_of(const Roofline& roofline);

}  // namespace warpwise::lab::report
