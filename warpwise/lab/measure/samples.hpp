#pragma once

#include <span>
#include <vector>

// Statistics of measured times.
namespace warpwise::lab {

/// Microseconds of one run.
struct Timing {
  double median_us = 0;
  double p5_us = 0;
  double p95_us = 0;
  int samples = 0;
  int dropped = 0;  ///< samples at a lowered clock
};

/// One measured run.
struct Sample {
  double us = 0;
  double clock_mhz = 0;  ///< of the SMs meanwhile; 0: not known
};

/// The samples without those at a clock more than 5 % below the median one: a card that was too hot
/// or short of power says nothing about the kernel. At least half of the samples are always kept.
std::vector<Sample> at_full_clock(std::span<const Sample> samples);

/// Median, 5th and 95th percentile of the samples at full clock. Without samples all is 0.
Timing summary_of(std::span<const Sample> samples);

/// The median of the known clocks; 0 when none is.
double median_clock_mhz(std::span<const Sample> samples);

/// Whether more samples would change little: their standard deviation is below 0.5 % of their mean,
/// or the second half of them moved their median by less than 0.2 %.
bool have_settled(std::span<const Sample> samples);

}  // namespace warpwise::lab
