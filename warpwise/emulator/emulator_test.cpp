// Runs the kernels of tests/emulator/kernels and compares each with plain loops.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "emulator/kernel_test.hpp"

namespace warpwise {
namespace emulator_tests {

/// Returns the index of column x and row y in a row-major array of this width.
std::size_t place(int x, int y, int width) {
  return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
         static_cast<std::size_t>(x);
}

using emulator::Address;
using emulator::Dim3;
using emulator::LaunchResult;
using test::blocks_for;
using test::Emulated;
using test::Kernels;
using test::Mode;
using test::random_integers;

INSTANTIATE_TEST_SUITE_P(Modes, Kernels,
                         testing::Values(Mode{false, 1}, Mode{true, 1}, Mode{false, 2},
                                         Mode{true, 2}),
                         [](const auto& mode) {
                           return std::string(mode.param.count ? "counted" : "uncounted") +
                                  std::to_string(mode.param.threads);
                         });

constexpr std::size_t awkward_counts[] = {1, 31, 32, 33, 255, 257, 1000};

TEST_P(Kernels, VectorAdd) {
  Emulated emulated = load("vector_add");
  for (const std::size_t count : awkward_counts) {
    for (const std::uint32_t block : {1U, 32U, 96U, 100U, 1024U}) {
      const auto a = test::random_floats(count, 1);
      const auto b = test::random_floats(count, 2);
      const Address c = emulated.buffer(std::vector<float>(count + 1, 77));
      run(emulated, "vector_add", {blocks_for(count, block)}, {block}, emulated.buffer(a),
          emulated.buffer(b), c, static_cast<int>(count));
      std::vector<float> expected(count + 1, 77);
      for (std::size_t i = 0; i < count; ++i) expected[i] = a[i] + b[i];
      EXPECT_EQ(emulated.read<float>(c, count + 1), expected);
    }
  }
}

TEST_P(Kernels, VectorAddWide) {
  Emulated emulated = load("vector_add");
  for (const std::size_t count : {1, 33, 1000}) {
    const auto a = test::random_floats(4 * count, 1);
    const auto b = test::random_floats(4 * count, 2);
    const Address c = emulated.buffer(std::vector<float>(4 * count));
    run(emulated, "vector_add_wide", {3}, {40}, emulated.buffer(a), emulated.buffer(b), c,
        static_cast<int>(count));
    std::vector<float> expected(4 * count);
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = a[i] + b[i];
    EXPECT_EQ(emulated.read<float>(c, expected.size()), expected);
  }
}

TEST_P(Kernels, Transposes) {
  Emulated emulated = load("transpose");
  for (const auto& [width, height] : {std::pair{1, 1}, {31, 33}, {64, 32}, {100, 7}, {33, 65}}) {
    const auto count = place(0, height, width);
    std::vector<float> from(count);
    std::iota(from.begin(), from.end(), 1.0F);
    std::vector<float> expected(count);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        expected[place(y, x, height)] = from[place(x, y, width)];
      }
    }
    for (const char* kernel : {"transpose_naive", "transpose_tiled", "transpose_padded"}) {
      const Address to = emulated.buffer(std::vector<float>(count));
      const Dim3 grid{static_cast<std::uint32_t>((width + 31) / 32),
                      static_cast<std::uint32_t>((height + 31) / 32)};
      run(emulated, kernel, grid, {32, 8}, emulated.buffer(from), to, width, height);
      EXPECT_EQ(emulated.read<float>(to, count), expected)
          << kernel << " " << width << "x" << height;
    }
  }
}

TEST_P(Kernels, ReduceSum) {
  Emulated emulated = load("reduction");
  for (const std::size_t count : awkward_counts) {
    for (const std::uint32_t block : {32U, 64U, 256U, 1024U}) {
      const std::vector<int> from = random_integers(count, 3);
      const std::uint32_t blocks = 3;
      const Address sums = emulated.buffer(std::vector<int>(blocks));
      run(emulated, "reduce_sum", {blocks}, {block}, emulated.buffer(from), sums,
          static_cast<int>(count));
      const std::vector<int> of_blocks = emulated.read<int>(sums, blocks);
      EXPECT_EQ(std::accumulate(of_blocks.begin(), of_blocks.end(), 0),
                std::accumulate(from.begin(), from.end(), 0));
    }
  }
}

TEST_P(Kernels, ReduceMaximum) {
  Emulated emulated = load("reduction");
  for (const std::size_t count : awkward_counts) {
    const auto from = test::random_floats(count, 4);
    const std::uint32_t blocks = blocks_for(count, 256);
    const Address maxima = emulated.buffer(std::vector<float>(blocks));
    run(emulated, "reduce_maximum", {blocks}, {256}, emulated.buffer(from), maxima,
        static_cast<int>(count));
    const std::vector<float> found = emulated.read<float>(maxima, blocks);
    EXPECT_EQ(*std::max_element(found.begin(), found.end()),
              *std::max_element(from.begin(), from.end()));
  }
}

TEST_P(Kernels, Scans) {
  Emulated emulated = load("scan");
  for (const char* kernel : {"scan_shared", "scan_warps"}) {
    for (const std::uint32_t block : {32U, 64U, 1024U}) {
      for (const std::size_t count : {std::size_t{1}, std::size_t{31}, std::size_t{block}}) {
        const auto from = test::random_words(count, 5);
        const Address to = emulated.buffer(std::vector<std::uint32_t>(count));
        run(emulated, kernel, {1}, {block}, emulated.buffer(from), to, static_cast<int>(count));
        std::vector<std::uint32_t> expected(count);
        std::partial_sum(from.begin(), from.end(), expected.begin());
        EXPECT_EQ(emulated.read<std::uint32_t>(to, count), expected) << kernel << " " << block;
      }
    }
  }
}

TEST_P(Kernels, Histograms) {
  Emulated emulated = load("histogram");
  for (const char* kernel : {"histogram_global", "histogram_shared"}) {
    for (const std::size_t count : awkward_counts) {
      std::vector<std::uint8_t> from(count);
      std::vector<std::uint32_t> expected(256);
      const auto words = test::random_words(count, 6);
      for (std::size_t i = 0; i < count; ++i)
        ++expected[from[i] = static_cast<std::uint8_t>(words[i])];
      const Address counts = emulated.buffer(std::vector<std::uint32_t>(256));
      run(emulated, kernel, {3}, {70}, emulated.buffer(from), counts, static_cast<int>(count));
      EXPECT_EQ(emulated.read<std::uint32_t>(counts, 256), expected) << kernel;
    }
  }
}

TEST_P(Kernels, Convolutions) {
  Emulated emulated = load("convolution");
  static constexpr float taps[] = {0.0078125F, 0.03125F,  0.109375F, 0.21875F,  0.265625F,
                                   0.21875F,   0.109375F, 0.03125F,  0.0078125F};
  for (const auto& [width, height] : {std::pair{1, 1}, {33, 5}, {300, 12}}) {
    const auto from = test::random_floats(place(0, height, width), 7);
    const auto at = [&](int x, int y) {
      return from[place(std::clamp(x, 0, width - 1), std::clamp(y, 0, height - 1), width)];
    };
    std::vector<float> rows(from.size());
    std::vector<float> columns(from.size());
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        float row = 0;
        float column = 0;
        for (int tap = 0; tap < 9; ++tap) {
          row = std::fma(taps[tap], at(x + tap - 4, y), row);
          column = std::fma(taps[tap], at(x, y + tap - 4), column);
        }
        rows[place(x, y, width)] = row;
        columns[place(x, y, width)] = column;
      }
    }
    const Dim3 grid{blocks_for(static_cast<std::size_t>(width), 128),
                    static_cast<std::uint32_t>(height)};
    const Address source = emulated.buffer(from);
    const Address to = emulated.buffer(std::vector<float>(from.size()));
    run(emulated, "convolve_rows", grid, {128}, source, to, width);
    EXPECT_EQ(emulated.read<float>(to, from.size()), rows);
    run(emulated, "convolve_columns", grid, {128}, source, to, width, height);
    EXPECT_EQ(emulated.read<float>(to, from.size()), columns);
  }
}

template <class T>
std::vector<T> product(const std::vector<T>& a, const std::vector<T>& b, std::size_t size) {
  std::vector<T> c(size * size);
  for (std::size_t y = 0; y < size; ++y) {
    for (std::size_t x = 0; x < size; ++x) {
      T sum = 0;
      for (std::size_t i = 0; i < size; ++i) sum = std::fma(a[y * size + i], b[i * size + x], sum);
      c[y * size + x] = sum;
    }
  }
  return c;
}

TEST_P(Kernels, MatrixMultiply) {
  Emulated emulated = load("matrix_multiply");
  for (const std::size_t size : {1, 16, 33}) {
    const auto a = test::random_floats(size * size, 8);
    const auto b = test::random_floats(size * size, 9);
    const Address c = emulated.buffer(std::vector<float>(size * size));
    const std::uint32_t tiles = blocks_for(size, 16);
    run(emulated, "matrix_multiply", {tiles, tiles}, {16, 16}, emulated.buffer(a),
        emulated.buffer(b), c, static_cast<int>(size));
    EXPECT_EQ(emulated.read<float>(c, size * size), product(a, b, size));

    const std::vector<double> da(a.begin(), a.end());
    const std::vector<double> db(b.begin(), b.end());
    const Address dc = emulated.buffer(std::vector<double>(size * size));
    run(emulated, "matrix_multiply_double", {blocks_for(size, 7), blocks_for(size, 5)}, {7, 5},
        emulated.buffer(da), emulated.buffer(db), dc, static_cast<int>(size));
    EXPECT_EQ(emulated.read<double>(dc, size * size), product(da, db, size));
  }
}

TEST_P(Kernels, NBody) {
  Emulated emulated = load("n_body");
  for (const std::size_t count : {1, 130}) {
    const auto bodies = test::random_floats(4 * count, 10, 0, 1);
    const Address to = emulated.buffer(std::vector<float>(3 * count));
    run(emulated, "n_body", {blocks_for(count, 128)}, {128}, emulated.buffer(bodies), to,
        static_cast<int>(count));
    const auto found = emulated.read<float>(to, 3 * count);
    for (std::size_t i = 0; i < count; ++i) {
      double expected[3] = {0, 0, 0};
      for (std::size_t k = 0; k < count; ++k) {
        double d[3];
        double square = 0.01;
        for (std::size_t c = 0; c < 3; ++c) {
          d[c] = double{bodies[4 * k + c]} - bodies[4 * i + c];
          square += d[c] * d[c];
        }
        for (int c = 0; c < 3; ++c)
          expected[c] += d[c] * bodies[4 * k + 3] / (square * std::sqrt(square));
      }
      // Sums of 130 terms of at most 100 each, in single precision.
      for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(found[3 * i + c], expected[c], 2e-2);
    }
  }
}

TEST_P(Kernels, Mandelbrot) {
  Emulated emulated = load("mandelbrot");
  const int width = 53;
  const int height = 21;
  const Address to = emulated.buffer(std::vector<std::uint16_t>(width * height));
  for (const Dim3 block : {Dim3{32, 1}, Dim3{8, 8}, Dim3{7, 3}}) {
    run(emulated, "mandelbrot", {(width + block.x - 1) / block.x, (height + block.y - 1) / block.y},
        block, to, width, height, -2.0F, -1.25F, 0.05F, 100);
    const auto steps = emulated.read<std::uint16_t>(to, width * height);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const float real = -2.0F + static_cast<float>(x) * 0.05F;
        const float imaginary = -1.25F + static_cast<float>(y) * 0.05F;
        float a = 0;
        float b = 0;
        int step = 0;
        for (; step < 100 && a * a + b * b <= 4.0F; ++step) {
          const float next = a * a - b * b + real;
          b = 2 * a * b + imaginary;
          a = next;
        }
        ASSERT_EQ(steps[place(x, y, width)], step) << x << " " << y;
      }
    }
  }
}

TEST_P(Kernels, BitonicSort) {
  Emulated emulated = load("bitonic_sort");
  for (const std::uint32_t block : {1U, 33U, 256U, 512U}) {
    std::vector<int> values = random_integers(1024, 11);
    const Address at = emulated.buffer(values);
    run(emulated, "bitonic_sort", {2}, {block}, at);
    std::sort(values.begin(), values.begin() + 512);
    std::sort(values.begin() + 512, values.end());
    EXPECT_EQ(emulated.read<int>(at, 1024), values) << block;
  }
}

TEST_P(Kernels, LocalMemory) {
  Emulated emulated = load("local_memory");
  for (const std::size_t count : {std::size_t{1}, std::size_t{100}}) {
    std::vector<int> values = random_integers(8 * count, 12);
    const Address to = emulated.buffer(std::vector<int>(8 * count));
    run(emulated, "local_sort", {2}, {50}, emulated.buffer(values), to, static_cast<int>(count));
    for (std::size_t i = 0; i < count; ++i) {
      std::sort(values.begin() + static_cast<std::ptrdiff_t>(8 * i),
                values.begin() + static_cast<std::ptrdiff_t>(8 * i + 8));
    }
    EXPECT_EQ(emulated.read<int>(to, 8 * count), values);
  }
}

TEST_P(Kernels, SwitchTable) {
  Emulated emulated = load("local_memory");
  const std::size_t count = 1000;
  const std::vector<int> from = random_integers(count, 13, 0, 100000);
  std::vector<int> expected = random_integers(count, 14);
  const Address to = emulated.buffer(expected);
  run(emulated, "switch_table", {blocks_for(count, 96)}, {96}, emulated.buffer(from), to,
      static_cast<int>(count));
  for (std::size_t i = 0; i < count; ++i) {
    const int x = from[i];
    int& y = expected[i];
    switch (x & 7) {
      case 0: y = x * 3; break;
      case 1: y = std::popcount(static_cast<unsigned>(x)); break;
      case 2: y = x / 7; break;
      case 3: y = from[(i + 1) % count]; break;
      case 4: y = x ^ 0x55; break;
      case 5: y = static_cast<int>(std::sqrt(static_cast<float>(x))); break;
      case 6: y += x; break;
      default: y = -x; break;
    }
  }
  EXPECT_EQ(emulated.read<int>(to, count), expected);
}

TEST_P(Kernels, DynamicShared) {
  Emulated emulated = load("dynamic_shared");
  for (const std::uint32_t block : {1U, 33U, 1000U}) {
    const std::vector<int> from = random_integers(2 * block, 15);
    const Address to = emulated.buffer(std::vector<int>(2 * block));
    const Address parities = emulated.buffer(std::vector<std::int16_t>(2 * block));
    emulated.dynamic_shared_bytes = block * 6;
    run(emulated, "reverse_dynamic", {2}, {block}, emulated.buffer(from), to, parities);
    const auto values = emulated.read<int>(to, 2 * block);
    const auto small = emulated.read<std::int16_t>(parities, 2 * block);
    for (std::size_t i = 0; i < from.size(); ++i) {
      const int expected = from[i / block * block + block - 1 - i % block];
      ASSERT_EQ(values[i], expected);
      ASSERT_EQ(small[i], expected & 1);
    }
  }
}

TEST_P(Kernels, SpinLock) {
  Emulated emulated = load("spin_lock");
  for (const auto& [grid, block] : {std::pair{1U, 32U}, {1U, 100U}, {3U, 40U}}) {
    const Address lock = emulated.buffer(std::vector<int>(1));
    const Address counter = emulated.buffer(std::vector<int>(1));
    run(emulated, "spin_lock", {grid}, {block}, lock, counter, 3);
    EXPECT_EQ(emulated.read<int>(counter, 1)[0], static_cast<int>(3 * grid * block));
    EXPECT_EQ(emulated.read<int>(lock, 1)[0], 0);
  }
}

TEST_P(Kernels, CopyAsync) {
  Emulated emulated = load("copy_async");
  for (const int steps : {1, 2, 7}) {
    const auto from = random_integers(static_cast<std::size_t>(steps) * 256, 16);
    const Address to = emulated.buffer(std::vector<int>(256));
    run(emulated, "copy_async", {1}, {64}, emulated.buffer(from), to, steps);
    std::vector<int> expected(256);
    for (std::size_t i = 0; i < from.size(); ++i) expected[(i % 256 + 252) % 256] += from[i];
    EXPECT_EQ(emulated.read<int>(to, 256), expected);
  }
}

TEST_P(Kernels, Groups) {
  Emulated emulated = load("groups");
  const auto from = random_integers(3 * 96, 17);
  const Address sums = emulated.buffer(std::vector<int>(from.size() / 4));
  const Address of_blocks = emulated.buffer(std::vector<int>(3));
  run(emulated, "group_sums", {3}, {96}, emulated.buffer(from), sums, of_blocks);
  std::vector<int> expected(from.size() / 4);
  std::vector<int> blocks(3);
  for (std::size_t i = 0; i < from.size(); i += 8) {
    const auto begin = from.begin() + static_cast<std::ptrdiff_t>(i);
    expected[i / 4] = std::accumulate(begin, begin + 8, 0);
    expected[i / 4 + 1] = *std::max_element(begin, begin + 8);
    blocks[i / 96] += expected[i / 4];
  }
  EXPECT_EQ(emulated.read<int>(sums, expected.size()), expected);
  EXPECT_EQ(emulated.read<int>(of_blocks, 3), blocks);
}

TEST_P(Kernels, Print) {
  Emulated emulated = load("print");
  const LaunchResult result =
      run(emulated, "print", {1}, {4}, emulated.buffer(std::vector<int>{0, 5, -1, 255}), 1.5);
  EXPECT_EQ(result.printed,
            "scale 1.500, text x %\n"
            "1: 5 00000005 1099511627777\n"
            "3: 255 000000ff 1099511627779\n");
}

TEST_P(Kernels, Atomics) {
  Emulated emulated = load("atomics");
  const std::uint32_t threads = 3 * 100;
  const Address results = emulated.buffer(std::vector<int>(6));
  const Address words = emulated.buffer(std::vector<std::uint32_t>{~0U, 0, 0, 0, 0, 100, 0});
  const Address sums = emulated.buffer(std::vector<float>(1));
  const Address wide = emulated.buffer(std::vector<std::uint64_t>(4));
  const Address returned = emulated.buffer(std::vector<std::uint64_t>(1));
  run(emulated, "atomics", {3}, {100}, results, words, sums, wide, returned);
  const int all = static_cast<int>(threads * (threads - 1) / 2);
  EXPECT_EQ(emulated.read<int>(results, 6), (std::vector<int>{all, -all, -299, 299, 7, 5}));
  std::uint32_t toggled = 0;
  for (std::uint32_t i = 0; i < threads; ++i) toggled ^= 1U << i % 32;
  // inc wraps from 9 to 0; dec starts at 0, which wraps to 9.
  EXPECT_EQ(emulated.read<std::uint32_t>(words, 7),
            (std::vector<std::uint32_t>{0, ~0U, toggled, threads % 10, (10 - threads % 10) % 10, 0,
                                        299}));
  EXPECT_EQ(emulated.read<float>(sums, 1)[0], 150);
  EXPECT_EQ(emulated.read<std::uint64_t>(wide, 4),
            (std::vector<std::uint64_t>{900, std::uint64_t{299} << 33, 6, 8}));
}

TEST_P(Kernels, AtomicsOfDoubles) {
  Emulated emulated = load("atomics");
  std::vector<double> from(100);
  std::iota(from.begin(), from.end(), 0.25);
  const Address sum = emulated.buffer(std::vector<double>{10});
  run(emulated, "atomics_double", {1}, {100}, sum, emulated.buffer(from));
  EXPECT_EQ(emulated.read<double>(sum, 1)[0], 10 + std::accumulate(from.begin(), from.end(), 0.0));
}

TEST_P(Kernels, WarpVotes) {
  Emulated emulated = load("warp");
  const std::size_t count = 2 * 96;
  const std::vector<int> from = random_integers(count, 18, -50, 120);
  const Address to = emulated.buffer(std::vector<std::uint32_t>(8 * count));
  run(emulated, "warp_votes", {2}, {96}, emulated.buffer(from), to);
  const auto found = emulated.read<std::uint32_t>(to, 8 * count);
  for (std::size_t i = 0; i < count; ++i) {
    const int* warp = from.data() + i / 32 * 32;
    const auto lane = static_cast<unsigned>(i % 32);
    std::uint32_t expected[8] = {0, 0, 1, 0, ~0U, 0, 0, 0};
    for (unsigned k = 0; k < 32; ++k) {
      expected[0] |= static_cast<std::uint32_t>(warp[k] > 0) << k;
      expected[1] |= warp[k] > 100 ? 1U : 0U;
      expected[2] &= warp[k] < 100 ? 1U : 0U;
      expected[3] |= static_cast<std::uint32_t>(warp[k] % 4 == warp[lane] % 4) << k;
    }
    expected[4] = ~0U + 1;  // all lanes match: the mask, plus 1
    expected[5] = lane % 2 == 0 ? expected[0] & 0x55555555U : 0xaaaaaaaaU;
    expected[6] = static_cast<std::uint32_t>(std::popcount(expected[0] & ((1U << lane) - 1)));
    expected[7] = static_cast<std::uint32_t>(warp[(lane & 24) | (lane / 8)]);
    for (std::size_t r = 0; r < 8; ++r)
      ASSERT_EQ(found[8 * i + r], expected[r]) << "result " << r << " of " << i;
  }
}

TEST_P(Kernels, WarpReduce) {
  Emulated emulated = load("warp_80");
  const std::size_t count = 96;
  const std::vector<int> from = random_integers(count, 19);
  const Address to = emulated.buffer(std::vector<std::uint32_t>(6 * count));
  run(emulated, "warp_reduce", {1}, {96}, emulated.buffer(from), to);
  const auto found = emulated.read<std::uint32_t>(to, 6 * count);
  for (std::size_t i = 0; i < count; ++i) {
    const int* warp = from.data() + i / 32 * 32;
    int sum = 0;
    std::uint32_t all[3] = {~0U, 0, 0};
    std::uint32_t largest = 0;
    for (int k = 0; k < 32; ++k) {
      const auto word = static_cast<std::uint32_t>(warp[k]);
      sum += warp[k];
      largest = std::max(largest, word);
      all[0] &= word;
      all[1] |= word;
      all[2] ^= word;
    }
    EXPECT_EQ(found[6 * i], static_cast<std::uint32_t>(sum));
    EXPECT_EQ(found[6 * i + 1], static_cast<std::uint32_t>(*std::min_element(warp, warp + 32)));
    EXPECT_EQ(found[6 * i + 2], largest);
    for (std::size_t r = 0; r < 3; ++r) EXPECT_EQ(found[6 * i + 3 + r], all[r]);
  }
}

}  // namespace emulator_tests
}  // namespace warpwise
