#pragma once

// Internal to the race check: loops over touches (race_shadow.hpp) of consecutive words. They are
// compiled for the baseline and, on x86, for AVX2 too.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "warpwise/emulator/observe/race_shadow.hpp"

namespace warpwise::emulator {

/// A set of consecutive words, a bit for each.
using WordSet = std::uint64_t;
constexpr std::size_t most_words = 64;

/// Touches of consecutive words by neighbouring lanes in one instruction.
struct TouchRun {
  /// Touch of the lane at the first byte of the first word. The run may begin after that byte.
  std::uint64_t base = 0;
  std::uint64_t place = 0;  ///< index in the run of the word that at(0) is for
  int left = 0;             ///< 2^left lanes touch each word
  int right = 0;            ///< each lane touches 2^right words

  std::uint64_t at(std::uint64_t i) const {
    return base + ((place + i) << left >> right << Touch::lane_at);
  }
};

/// Touches from `first` up to but not including `end`, such as those of one epoch.
struct TouchRange {
  std::uint64_t first = 0;
  std::uint64_t end = 0;

  static TouchRange of_epoch(Epoch epoch) {
    return {Touch::epoch_part(epoch), Touch::epoch_part(epoch + 1)};
  }
};

/// Loops over touches of consecutive words. They access groups of four words, so the arrays need
/// ShadowPage::spare more words than they use. Only fill() changes spare words.
struct TouchLoops {
  /// Sets `count` touches of a run, and up to three more.
  void (*fill)(std::uint64_t* now, const TouchRun& run, std::size_t count);
  /// Return those of `words` whose old touch is in a range. repeated() also requires that the new
  /// touch has the same lanes and bytes, and that the old one stands for no other lanes.
  WordSet (*in_range)(const std::uint64_t* old, WordSet words, const TouchRange& range);
  WordSet (*repeated)(const std::uint64_t* old, const std::uint64_t* now, WordSet words,
                      const TouchRange& range);
  /// Change those of `words` whose old touch is in a range, and return them. merge() does merged()
  /// for touches of one epoch. add_others() leaves out strong touches.
  WordSet (*replace)(std::uint64_t* old, const std::uint64_t* now, WordSet words,
                     const TouchRange& range);
  WordSet (*merge)(std::uint64_t* old, const std::uint64_t* now, WordSet words,
                   const TouchRange& range);
  WordSet (*add_others)(std::uint64_t* old, WordSet words, const TouchRange& range);
};
extern const TouchLoops touch_loops;

/// The touches of a run. They are made only when they are needed, because reads often keep none.
class RunTouches {
 public:
  /// The instruction touches the bytes from `begin` up to but not including `end`.
  RunTouches(const TouchRun& run, std::size_t count, std::uint64_t begin, std::uint64_t end)
      : run_(run), count_(count), begin_(begin), end_(end) {}

  const std::uint64_t* all() {
    if (!is_made_) make();
    return touches_.data();
  }

 private:
  [[gnu::noinline]] void make() {
    is_made_ = true;
    touch_loops.fill(touches_.data(), run_, count_);
    if (const std::uint64_t before = begin_ & 3; before != 0) {
      // The base counts lanes from the word's first byte on, which lies before the run.
      touches_[0] += before >> (2 - run_.left) << Touch::lane_at;
      touches_[0] &= ~Touch::mask_part((1U << before) - 1);
    }
    if ((end_ & 3) != 0) touches_[count_ - 1] &= ~Touch::mask_part(15U << (end_ & 3) & 15);
    name_one_lane(touches_[0]);
    name_one_lane(touches_[count_ - 1]);
  }

  /// Gives a touch by one lane the layout that touches of single lanes have, so that they merge.
  void name_one_lane(std::uint64_t& touch) const {
    if (std::popcount(Touch{touch}.mask()) == 4 >> run_.left) touch &= ~Touch::layout_bits;
  }

  const TouchRun& run_;
  std::size_t count_;
  std::uint64_t begin_;
  std::uint64_t end_;
  bool is_made_ = false;
  std::array<std::uint64_t, most_words + ShadowPage::spare> touches_;
};

}  // namespace warpwise::emulator
