#pragma once

#include <string>

#include "warpwise/base/standard.hpp"

namespace warpwise::testbench {

/// Result of an expectation, for any test framework:
///
///     const Outcome coalesced = launch.expect_sectors_per_request(4);
///     if (!coalesced) std::puts(coalesced.text.c_str());
///
/// GoogleTest's EXPECT_TRUE(launch.expect_sectors_per_request(4)) shows the text by itself.
struct Outcome {
  bool holds = true;
  bool skipped = false;   ///< the expectation was not checked and counts as met; `text` says why
  std::string text = {};  ///< count found and limit, with a line for each failing source line

  explicit operator bool() const { return holds; }

  /// Converts to GoogleTest's testing::AssertionResult. This file needs no header of GoogleTest.
  template <class Result>
    requires requires(const Result& result) { result.failure_message(); }
  operator Result() const {
    return Result(holds) << text;
  }
};

}  // namespace warpwise::testbench
