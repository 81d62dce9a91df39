// Tests the comparison of a rung's result with the expected result.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/measure/emulator_executor.hpp"
#include "warpwise/lab/study/run/rung_code.hpp"
#include "warpwise/lab/study/run/rung_run.hpp"
#include "warpwise/lab/study/run/rungs_testing.hpp"
#include "warpwise/lab/study/show/messages_testing.hpp"
#include "warpwise/lab/study/table/study_table.hpp"

namespace warpwise::lab {
namespace {

using ladders::Layout;
using ladders::Problem;

class Comparison : public Rungs {
 protected:
  struct Done {
    StudyTable table;
    Problem expected;
    std::unique_ptr<EmulatorExecutor> executor;
    std::unique_ptr<RungRun> run;

    std::string difference() const { return run->first_difference(expected); }
    template <class T>
    void set(std::size_t operand, std::int64_t byte, T value) const {
      const auto bytes = ladders::bytes_of(value);
      executor->write(run->placement().address[operand] + static_cast<std::uint64_t>(byte), bytes);
    }
  };

  static std::unique_ptr<Done> done(const char* ladder, const char* rung, const Size& size,
                                    Layout layout) {
    auto result = std::make_unique<Done>();
    result->table = find_study(ladder);
    const StudyTable& table = result->table;
    Problem problem =
        table.ladder->problem(size.width, size.height, table.ladder->parameters(), layout);
    result->expected = problem;
    table.ladder->compute(result->expected, ladders::Cpu::reference);
    result->executor =
        std::make_unique<EmulatorExecutor>(std::vector<rules::ComputeCapability>{{9, 0}}, false);
    const Rung& chosen = table.rung(rung);
    result->run =
        std::make_unique<RungRun>(*result->executor, table, chosen, problem, chosen.blocks.front());
    result->run->run();
    return result;
  }
};

TEST_F(Comparison, FindsTheFirstWrongPixel) {
  const auto done = Comparison::done("copy", "scalar", {40, 1}, {3, 5});
  EXPECT_EQ(done->difference(), "");
  const auto right = load<std::int32_t>(done->expected.operand("src").view().row(0), 7);
  done->set(1, 4 * 7, right ^ 1);
  done->set(1, 4 * 39, 0);
  const std::string said = done->difference();
  expect_words(said, {"dst at (7, 0)", "expected " + std::to_string(right),
                      "got " + std::to_string(right ^ 1), "2 of 40 pixels"});
}

TEST_F(Comparison, FindsWhatWasWrittenBesideThePixels) {
  auto done = Comparison::done("copy", "scalar", {40, 1}, {3, 5});
  done->set(1, -1, std::byte{0});
  expect_words(done->difference(), {"dst: byte 11 ", "belongs to no pixel"});
  done = Comparison::done("copy", "scalar", {40, 1}, {3, 5});
  done->set(1, 4 * 45 - 1, std::byte{1});
  expect_words(done->difference(), {"dst: byte 191 ", "belongs to no pixel"});
  // If the last pixel still holds the sentinel, the kernel did not write it.
  done = Comparison::done("copy", "scalar", {40, 1}, {3, 5});
  done->set(1, 4 * 39, 0xa5a5a5a5U);
  expect_words(done->difference(), {"dst at (39, 0)", "1 of 40"});
}

TEST_F(Comparison, OfAnOutputBetweenOtherRows) {
  const auto done = Comparison::done("sobel", "global_plain", {20, 4}, {3, 5});
  const ladders::Operand& output = done->expected.operands.back();
  ASSERT_TRUE(output.is_output());
  ASSERT_EQ(done->difference(), "");
  const std::int64_t pixel = output.view().pixel_bytes();
  done->set(done->expected.operands.size() - 1, output.pitch_bytes() + 21 * pixel, std::byte{0});
  expect_words(done->difference(), {"belongs to no pixel"});
}

TEST_F(Comparison, WithinATolerance) {
  const auto done = Comparison::done("gemv", "warp_per_row", {64, 5}, {});
  ASSERT_EQ(done->difference(), "");
  ladders::Operand& y = done->expected.operands.back();
  ASSERT_FALSE(y.tolerance.empty());
  const auto at = [&](float value) {
    done->set(done->expected.operands.size() - 1, 4 * 2, value);
    return done->difference();
  };
  const auto elements = y.view();
  const std::int64_t row = elements.height() > 1 ? 2 : 0;
  const std::int64_t column = elements.height() > 1 ? 0 : 2;
  ASSERT_EQ(elements.pixel_bytes(), 4);
  y.tolerance.assign(y.tolerance.size(), 0.5F);
  store(y.view().row(row), column, 1.0F);
  const std::string place = "at (" + std::to_string(column) + ", " + std::to_string(row) + ")";
  EXPECT_EQ(at(1.5F), "");
  EXPECT_EQ(at(0.5F), "");
  expect_words(at(1.625F), {place, "expected 1,", "got 1.625"});
  expect_words(at(NAN), {place, "got nan"});
  expect_words(at(INFINITY), {place, "got inf"});
  store(y.view().row(row), column, static_cast<float>(NAN));
  expect_words(at(1.0F), {"expected nan, got 1"});
  EXPECT_EQ(at(static_cast<float>(NAN)), "");
  store(y.view().row(row), column, static_cast<float>(INFINITY));
  EXPECT_EQ(at(INFINITY), "");
  expect_words(at(-INFINITY), {"expected inf, got -inf"});
  // Without a tolerance, the bits have to be equal.
  y.tolerance.clear();
  const Problem exact = done->expected;
  store(y.view().row(row), column, 0.0F);
  EXPECT_NE(at(-0.0F), "");
}

}  // namespace
}  // namespace warpwise::lab
