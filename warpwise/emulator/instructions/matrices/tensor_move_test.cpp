// ldmatrix and stmatrix, their passes and their faults.

#include <gtest/gtest.h>

#include "warpwise/emulator/instructions/matrices/tensor_testing.hpp"

namespace warpwise::emulator {
namespace {

std::vector<std::byte> counted_memory() {
  std::vector<std::byte> memory(shared_bytes);
  for (std::size_t i = 0; i < memory.size() / 2; ++i) {
    const auto value = static_cast<std::uint16_t>(i * 7 + 1);
    std::memcpy(memory.data() + 2 * i, &value, sizeof(value));
  }
  return memory;
}

std::uint16_t half_word(const std::vector<std::byte>& memory, std::size_t byte) {
  std::uint16_t value = 0;
  std::memcpy(&value, memory.data() + byte, sizeof(value));
  return value;
}

/// Returns scattered addresses of rows, in %p0 of each lane.
std::array<In, 32> scattered_rows() {
  std::array<In, 32> in{};
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    in[lane][0] = (lane * 11 + 5) % 64 * 48 % 4080 / 16 * 16;
  return in;
}

TEST(Tensor, TransposesAMatrix) {
  std::array<In, 32> in{};
  const auto element = [](std::uint32_t row, std::uint32_t column) { return 1 + row * 8 + column; };
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    in[lane][0] = element(lane / 4, lane % 4 * 2) | element(lane / 4, lane % 4 * 2 + 1) << 16;
  const Outcome outcome = run("movmatrix.sync.aligned.m8n8.trans.b16 %d0, %p0;", in);
  ASSERT_TRUE(outcome.result.faults.empty());
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(outcome.lanes[lane][0],
              element(lane % 4 * 2, lane / 4) | element(lane % 4 * 2 + 1, lane / 4) << 16);
  }
}

TEST(Tensor, LoadsMatrices) {
  const std::vector<std::byte> memory = counted_memory();
  const std::array<In, 32> in = scattered_rows();
  for (const int count : {1, 2, 4}) {
    for (const bool transposed : {false, true}) {
      for (const std::string space : {".shared", ".shared::cta"}) {
        const std::string number = ".x" + std::to_string(count);
        // CUTLASS states the number first.
        const std::string shape = space == ".shared" ? ".m8n8" + number : number + ".m8n8";
        const Outcome outcome = run("ldmatrix.sync.aligned" + shape + (transposed ? ".trans" : "") +
                                        space + ".b16 " + registers("%d", 0, count) + ", [%p0+16];",
                                    in, memory);
        ASSERT_TRUE(outcome.result.faults.empty());
        for (std::size_t lane = 0; lane < 32; ++lane) {
          for (std::size_t m = 0; m < 4; ++m) {
            for (std::size_t e = 0; e < 2; ++e) {
              const std::size_t row = transposed ? lane % 4 * 2 + e : lane / 4;
              const std::size_t column = transposed ? lane / 4 : lane % 4 * 2 + e;
              const std::uint32_t got = outcome.lanes[lane][m] >> (16 * e) & 0xffff;
              const std::size_t at = in[8 * m + row][0] + 16 + 2 * column;
              ASSERT_EQ(got, m < static_cast<std::size_t>(count) ? half_word(memory, at) : 0)
                  << lane << " " << m;
            }
          }
        }
      }
    }
  }
}

TEST(Tensor, StoresMatrices) {
  const std::array<In, 32> rows = scattered_rows();
  for (const int count : {1, 2, 4}) {
    for (const std::string transposed : {"", ".trans"}) {
      std::array<In, 32> in = rows;
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        for (std::uint32_t m = 0; m < 4; ++m)
          in[lane][1 + m] = (lane * 8 + 2 * m + 1) | (lane * 8 + 2 * m + 2) << 16;
        in[lane][0] = lane * 16 + 512;
      }
      const std::string shape =
          ".sync.aligned.m8n8.x" + std::to_string(count) + transposed + ".shared.b16 ";
      const Outcome outcome =
          run("stmatrix" + shape + "[%p0], " + registers("%p", 1, count) + ";\nldmatrix" + shape +
                  registers("%d", 0, count) + ", [%p0];",
              in);
      for (std::size_t lane = 0; lane < 32; ++lane) {
        for (std::size_t m = 0; m < static_cast<std::size_t>(count); ++m) {
          ASSERT_EQ(outcome.lanes[lane][m], in[lane][1 + m]);
          // Lane 4 r + c / 2 holds row r and column c; if transposed, row c and column r.
          const std::size_t row = transposed.empty() ? lane / 4 : lane % 4 * 2;
          const std::size_t column = transposed.empty() ? lane % 4 * 2 : lane / 4;
          ASSERT_EQ(half_word(outcome.memory, 512 + (8 * m + row) * 16 + 2 * column),
                    in[lane][1 + m] & 0xffff);
        }
      }
      // Nothing is written beyond the last matrix.
      ASSERT_EQ(half_word(outcome.memory, 512 + static_cast<std::size_t>(count) * 128), 0);
    }
  }
}

TEST(Tensor, CountsThePassesOfMatrices) {
  const std::string load = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%d0, %d1, %d2, %d3}, [%p0];";
  const PassCounts before = run("", {}).result.memory[0].shared_load;
  const auto passes = [&](std::uint32_t pitch) {
    std::array<In, 32> in{};
    for (std::uint32_t lane = 0; lane < 32; ++lane) in[lane][0] = lane % 8 * pitch + lane / 8 * 16;
    const PassCounts counts = run(load, in).result.memory[0].shared_load;
    EXPECT_EQ(counts.requests - before.requests, 1u);
    EXPECT_EQ(counts.ideal_passes - before.ideal_passes, 4u);
    return counts.passes - before.passes;
  };
  EXPECT_EQ(passes(16 + 64), 4u);  // rows of a matrix in different banks
  EXPECT_EQ(passes(128), 32u);     // all rows in the same four banks
}

TEST(Tensor, FaultsOfMatrixRows) {
  const std::string load = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%d0}, [%p0];";
  std::array<In, 32> in{};
  for (std::uint32_t lane = 0; lane < 32; ++lane) in[lane][0] = lane * 16;
  in[3][0] = 4090 / 16 * 16 + 16;
  in[5][0] = 8;
  in[9][0] = 12345;  // an x1 load reads no address from lane 9
  const Outcome outcome = run(load, in, counted_memory());
  ASSERT_EQ(outcome.result.faults.size(), 2u);
  for (const Fault& fault : outcome.result.faults) {
    EXPECT_EQ(fault.count, 1u);
    EXPECT_EQ(fault.thread.x, fault.kind == FaultKind::misaligned ? 5u : 3u);
  }
  EXPECT_EQ(outcome.lanes[12][0], 0u);
  EXPECT_NE(outcome.lanes[16][0], 0u);
}

}  // namespace
}  // namespace warpwise::emulator
