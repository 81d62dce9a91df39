// Tests the figures that compare a row of a run with the step before it, with the first row, and
// with the document.
#include "warpwise/lab/study/show/row_comparison.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "warpwise/lab/study/table/study_table.hpp"

namespace warpwise::lab {
namespace {

// Returns a row of a run on a GPU with this cold time in µs.
RungRow timed(const char* rung, double us, const Size& size,
              const emulator::Dim3& block = {32, 8, 1}) {
  RungRow row;
  row.rung = rung;
  row.size = size;
  row.block = block;
  row.cold = Timing{us, us, us, 10, 0};
  return row;
}

class Compared : public ::testing::Test {
 protected:
  Compared() { run_.on_gpu = true; }

  const RungRow& add(RungRow row) {
    set_comparison_figures(table_, run_, row);
    return run_.rows.emplace_back(std::move(row));
  }

  StudyTable table_ = find_study("sobel");
  StudyRun run_;
};

TEST_F(Compared, WithTheStepThatTheyCameFrom) {
  const Size size = table_.size;
  EXPECT_EQ(add(timed("global_plain", 200, size)).speedup_over_step_before, std::nullopt);
  const RungRow constants = add(timed("global_constant_filter", 100, size));
  EXPECT_EQ(constants.step_before, "global_plain");
  EXPECT_EQ(constants.speedup_over_step_before, 2);
  // A row with another block shape is compared with the first block shape of the step before it.
  EXPECT_EQ(add(timed("global_constant_filter", 400, size, {16, 16, 1})).speedup_over_step_before,
            0.5);
  EXPECT_EQ(add(timed("global_fewer_conditions", 50, size)).speedup_over_step_before, 2);
  // A branch begins with this rung, so there is no step before it.
  const RungRow method = add(timed("method_i", 80, size));
  EXPECT_EQ(method.step_before, "");
  EXPECT_EQ(method.speedup_over_step_before, std::nullopt);
  EXPECT_EQ(method.speedup_over_first, 2.5);
  add(timed("method_i_fixed", 79, size));
  EXPECT_EQ(add(timed("method_ii", 40, size)).step_before, "method_i");
  // The step before this rung was not run, so there is no speed-up over it.
  EXPECT_EQ(add(timed("shared_unrolled", 40, size)).speedup_over_step_before, std::nullopt);
  RungRow skipped = timed("texture_plain", 1, size);
  skipped.cold.reset();
  skipped.skipped = "for a reason";
  add(skipped);
  EXPECT_EQ(add(timed("texture_constant_filter", 40, size)).speedup_over_step_before, std::nullopt);
  // Rows of another size are not compared with the rows above.
  EXPECT_EQ(add(timed("global_constant_filter", 1, {64, 48})).speedup_over_step_before,
            std::nullopt);
}

TEST_F(Compared, WithTheDocumentOverTheSameRung) {
  const RungRow first = add(timed("shared_plain", 188, table_.size, {128, 2, 1}));
  EXPECT_EQ(first.speedup_over_first, 1);
  EXPECT_EQ(first.document_speedup_over_first, 1);
  const RungRow global = add(timed("global_plain", 226, table_.size));
  EXPECT_EQ(global.document.time_us, 29612);
  EXPECT_DOUBLE_EQ(*global.document_speedup_over_first, 16354.0 / 29612);
  EXPECT_EQ(global.speedup_over_first, 188.0 / 226);
  // The document has no time for the first rung of this run.
  run_.rows.clear();
  add(timed("known_filter", 50, table_.size));
  const RungRow other = add(timed("global_plain", 226, table_.size));
  EXPECT_EQ(other.document.time_us, 29612);
  EXPECT_EQ(other.document_speedup_over_first, std::nullopt);
}

TEST_F(Compared, WithTheDocumentWhereItsFiguresBelong) {
  const auto time = [&](const Size& size, const emulator::Dim3& block = {32, 8, 1}) {
    return add(timed("global_plain", 226, size, block)).document.time_us;
  };
  EXPECT_EQ(time(table_.size), 29612);
  EXPECT_EQ(time({16384, 12288}), std::nullopt);
  EXPECT_EQ(time(table_.emulator_size), std::nullopt);
  EXPECT_EQ(time(table_.size, {16, 16, 1}), std::nullopt);
  RungRow row = timed("global_plain", 226, table_.size);
  row.parameters["of_an_experiment"] = 3;
  EXPECT_EQ(add(row).document.time_us, std::nullopt);
  // In the emulator, the rows of the emulator's size get the document's time.
  run_.on_gpu = false;
  EXPECT_EQ(time(table_.emulator_size), 29612);
  EXPECT_EQ(time({64, 48}), std::nullopt);
}

TEST_F(Compared, WithTheDocumentsOwnSpeedups) {
  table_ = find_study("match");
  const auto match = [&](const char* rung, double us) {
    RungRow row = timed(rung, us, table_.size);
    row.block = table_.rung(rung).blocks.front();
    row.parameters = table_.ladder->parameters();
    return add(row);
  };
  EXPECT_EQ(match("block_per_thread", 60000).document_speedup_over_first, 1);
  EXPECT_EQ(match("unrolled", 3000).document_speedup_over_first, 27);
  run_.rows.clear();
  match("shared", 4000);
  EXPECT_EQ(match("unrolled", 3000).document_speedup_over_first, std::nullopt)
      << "27 speed-up over the first rung, which was not run";
}

}  // namespace
}  // namespace warpwise::lab
