#pragma once

#include <span>
#include <vector>

// Computes statistics of measured times.
namespace warpwise::lab {

/// Microseconds of one run.
struct Timing {
  double median_us = 0;
  double p5_us = 0;
  double p95_us = 0;
  int samples = 0;
  int dropped = 0;  ///< number of samples left out, because of a lowered clock
};

/// One measured run.
struct Sample {
  double us = 0;
  double clock_mhz = 0;  ///< SM clock during the run; 0: not known
};

/// Drops the samples whose clock is more than 5 % below the median clock, and returns the others. A
/// sample of a card that is too hot or short of power says nothing about the kernel. At least half
/// of the samples are always kept.
std::vector<Sample> at_full_clock(std::span<const Sample> samples);

/// Returns the median, 5th and 95th percentile of the samples at full clock; all 0 without samples.
Timing summary_of(std::span<const Sample> samples);

/// Returns the median of the known clocks; 0 if none is known.
double median_clock_mhz(std::span<const Sample> samples);

/// Returns true if more samples would change little. Either their standard deviation is below 0.5 %
/// of their mean, or the second half of the samples moved the median by less than 0.2 %.
bool have_settled(std::span<const Sample> samples);

}  // namespace warpwise::lab
