// Tests that the results of a problem's bands together equal the result of the whole problem.
#include "warpwise/lab/study/show/bands.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/study/run/rung_run.hpp"
#include "warpwise/lab/study/show/messages_testing.hpp"

namespace warpwise::lab {
namespace {

using ladders::Division;
using ladders::Ladder;
using ladders::Problem;

TEST(Bands, HaveEveryUnitOnce) {
  for (const std::int64_t units : {1, 2, 7, 16, 33, 1024}) {
    for (const std::int64_t halo : {0, 1, 5, 100}) {
      for (int count = 1; count <= std::min<std::int64_t>(units, 16); ++count) {
        const std::vector<Band> bands = bands_of({units, 1, halo}, count);
        ASSERT_EQ(bands.size(), static_cast<std::size_t>(count));
        std::int64_t next = 0;
        for (const Band& each : bands) {
          EXPECT_EQ(each.first, next);
          EXPECT_GE(each.units, units / count);
          EXPECT_LE(each.units, units / count + 1);
          next += each.units;
          // The halo above and the halo below a band end at the problem's border.
          EXPECT_EQ(each.above, std::min(halo, each.first));
          EXPECT_EQ(each.below, std::min(halo, units - next));
        }
        EXPECT_EQ(next, units);
      }
    }
  }
}

TEST(Bands, AreNoMoreThanUnits) {
  expect_words(message_of<Unsupported>([] { bands_of({3, 32, 1}, 4); }), {"4 chunks", "3 units"});
}

TEST(Bands, OfRowsThatAreNoWholeUnits) {
  const StudyTable match = find_study("match");
  const Problem problem = match.problem({96, 70}, match.parameters(), {});
  expect_words(message_of<Unsupported>(
                   [&] { band_problems(*match.ladder, problem, match.parameters(), 2); }),
               {"70 rows", "32"});
  EXPECT_EQ(band_problems(*match.ladder, problem, match.parameters(), 1).size(), 1U);
}

// Computes a problem in bands on the CPU, as a run with transfers does on a GPU. Each band gets
// only the bytes of the operands that its slices name.
Problem computed_by_bands(const Ladder& ladder, const Problem& whole,
                          const ladders::Variables& parameters, int count) {
  Problem result = whole;
  for (BandProblem& band : band_problems(ladder, whole, parameters, count)) {
    for (std::size_t i = 0; i < band.slices.size(); ++i) {
      ladders::Operand& operand = band.problem.operands[i];
      const BandProblem::Slice& slice = band.slices[i];
      if (operand.is_output()) continue;
      EXPECT_EQ(slice.bytes, static_cast<std::int64_t>(operand.memory().size()));
      std::memcpy(operand.memory().data() + slice.in_band,
                  whole.operands[i].memory().data() + slice.in_whole,
                  static_cast<std::size_t>(slice.bytes));
    }
    ladder.compute(band.problem, ladders::Cpu::reference);
    for (std::size_t i = 0; i < band.slices.size(); ++i) {
      const BandProblem::Slice& slice = band.slices[i];
      if (!whole.operands[i].is_output()) continue;
      std::memcpy(result.operands[i].memory().data() + slice.in_whole,
                  band.problem.operands[i].memory().data() + slice.in_band,
                  static_cast<std::size_t>(slice.bytes));
    }
  }
  return result;
}

TEST(Bands, GiveTheResultOfTheWhole) {
  for (const Ladder* ladder : ladders::all()) {
    const bool is_match = ladder->name() == "match";
    const std::int64_t width = is_match ? 160 : 41;
    const std::int64_t height = is_match ? 224 : 70;
    const ladders::Variables parameters = ladder->parameters();
    const Problem whole = ladder->problem(width, height, parameters, {});
    Problem expected = whole;
    ladder->compute(expected, ladders::Cpu::reference);
    const std::int64_t units = ladder->division(whole).units;
    for (const int count : {1, 2, 3, 7}) {
      // The problem of find has one result for all rows, so it cannot be divided.
      if (count > units) {
        EXPECT_EQ(units, 1) << ladder->name();
        EXPECT_THROW(computed_by_bands(*ladder, whole, parameters, count), Unsupported);
        continue;
      }
      const Problem got = computed_by_bands(*ladder, whole, parameters, count);
      for (std::size_t i = 0; i < whole.operands.size(); ++i) {
        if (!whole.operands[i].is_output()) continue;
        EXPECT_EQ(difference_of(expected.operands[i], got.operands[i].memory()), "")
            << ladder->name() << " in " << count << " bands";
      }
    }
  }
}

}  // namespace
}  // namespace warpwise::lab
