#pragma once

#include <string>
#include <vector>

#include "warpwise/lab/report/collection.hpp"
#include "warpwise/lab/report/html.hpp"
#include "warpwise/lab/report/table.hpp"

// Every rung of every ladder in one picture: how fast it brings the bytes that it has to bring,
// against the work that it spends on them.
namespace warpwise::lab::report {

struct RoofPoint {
  std::string ladder;
  std::string rung;
  const RecordedRow* row = nullptr;  ///< of the largest size that it was timed at
  double work = 0;                   ///< warp instructions for 1000 bytes
  double gb_per_s = 0;
};

/// Of one GPU. A limit that the records do not give is 0.
struct Roofline {
  std::string device;
  double copy_gb_per_s = 0;
  double read_gb_per_s = 0;
  double instructions_per_s = 0;  ///< of warps, by all multiprocessors
  std::vector<RoofPoint> points;
};

/// One for each GPU that a whole ladder was timed on. Work is the emulator's count at the size that
/// the record names, taken to grow as the pixels do; bytes are each input once and each output
/// once.
std::vector<Roofline> rooflines_of(const std::vector<Recorded>& runs);

/// A point shows its name when it is pointed at or has the focus.
Html picture_of(const Roofline& roofline);
Table table_of(const Roofline& roofline);

}  // namespace warpwise::lab::report
