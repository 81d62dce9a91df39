#pragma once

#include "warpwise/algorithms/jpeg/arguments.hpp"

// Kernels that decode a baseline JPEG file, from its entropy-coded data to pixels. The arithmetic
// is that of libjpeg-turbo's "islow" transform, its "fancy" upsampling and its conversion to RGB.
//
// A Huffman decoder that starts at any bit usually soon reads the same codes as one from the start.
// Each thread decodes a sequence from a guessed state, then from the state at the end of the one
// before it, until no state changes. decode_kernel() verifies the states in the final decoding.
namespace warpwise::kernels::jpeg {

/// Position of the next code: its first bit, the 8x8 block in its unit, and the coefficient.
struct State {
  std::uint32_t bit;
  std::uint32_t block;
  std::uint32_t coefficient;

  __device__ std::uint64_t packed() const {
    return std::uint64_t{bit} << 16 | block << 8 | coefficient;
  }
  static __device__ State of(std::uint64_t packed) {
    return {static_cast<std::uint32_t>(packed >> 16), static_cast<std::uint32_t>(packed >> 8 & 255),
            static_cast<std::uint32_t>(packed & 255)};
  }
};

/// Reads bits: 32 at a time, from any bit on.
class Bits {
 public:
  __device__ Bits(const std::uint32_t* words, std::uint32_t bit)
      : words_(words), word_(bit >> 5), high_(load(word_)), low_(load(word_ + 1)),
        next_(load(word_ + 2)) {}

  __device__ std::uint32_t from(std::uint32_t bit) const {
    return __funnelshift_l(low_, high_, bit & 31);
  }
  /// Moves on to bit `bit`, which is less than 32 bits further.
  __device__ void move_to(std::uint32_t bit) {
    if (bit >> 5 == word_) return;
    ++word_;
    high_ = low_;
    low_ = next_;
    next_ = load(word_ + 2);
  }

 private:
  __device__ std::uint32_t load(std::uint32_t word) const {
    return __byte_perm(__ldg(words_ + word), 0, 0x0123);
  }

  const std::uint32_t* words_;
  std::uint32_t word_;
  std::uint32_t high_;
  std::uint32_t low_;
  std::uint32_t next_;  // loaded early, to hide the latency
};

struct Code {
  std::uint32_t length;  ///< 0: there is no such code
  std::uint32_t symbol;
};

__device__ inline Code code_at(const Codes& codes, std::uint32_t bits) {
  const std::uint32_t found = codes.of_start[bits >> (32 - lookup_bits)];
  if (found != 0) return {found >> 8, found & 255};
  const std::uint32_t start = bits >> 16;
  for (int length = lookup_bits + 1; length <= longest_code; ++length) {
    if (start >= codes.limit[length]) continue;
    const auto place =
        static_cast<std::int32_t>(start >> (longest_code - length)) + codes.offset[length];
    return {static_cast<std::uint32_t>(length), codes.symbol[place & 255]};
  }
  return {0, 0};
}

/// Returns the value that the topmost `size` bits of `bits` encode; `size` is 0 to 15.
__device__ inline std::int32_t value_of(std::uint32_t bits, std::uint32_t size) {
  if (size == 0) return 0;
  const auto value = static_cast<std::int32_t>(bits >> (32 - size));
  return value < 1 << (size - 1) ? value - (1 << size) + 1 : value;
}

__device__ inline std::uint32_t component_of(const Arguments& args, std::uint32_t block) {
  const std::uint32_t luma = args.across * args.down;
  return block < luma ? 0 : block - luma + 1;
}

__device__ inline std::uint32_t blocks_of_unit(const Arguments& args) {
  return args.across * args.down + args.components - 1;
}

/// Copies the tables to shared memory, by all threads of a thread block.
__device__ inline const Tables& shared_tables(const Arguments& args) {
  __shared__ Tables tables;
  static_assert(sizeof(Tables) % 4 == 0);
  const auto* from = reinterpret_cast<const std::uint32_t*>(args.tables);
  auto* to = reinterpret_cast<std::uint32_t*>(&tables);
  for (unsigned i = threadIdx.x; i < sizeof(Tables) / 4; i += blockDim.x) to[i] = from[i];
  __syncthreads();
  return tables;
}

/// Decodes from `state` to the first code that begins at `end` or behind. Calls take(component,
/// coefficient, value) for each value, and ends() at each end of an 8x8 block; ends() returns
/// whether to go on. Returns false after anything that no encoder writes.
template <class Take, class Ends>
__device__ bool decode(const Arguments& args, const Tables& tables, State& state, std::uint32_t end,
                       Take take, Ends ends) {
  Bits bits(args.words, state.bit);
  const std::uint32_t blocks = blocks_of_unit(args);
  bool is_right = true;
  while (state.bit < end) {
    const std::uint32_t component = component_of(args, state.block);
    const bool is_first = state.coefficient == 0;
    const Codes& codes = tables.codes[args.codes_of >> (4 * component + (is_first ? 0 : 16)) & 15];
    const std::uint32_t ahead = bits.from(state.bit);
    const Code code = code_at(codes, ahead);
    const std::uint32_t size = code.symbol & 15;
    const std::uint32_t run = code.symbol >> 4;
    is_right = is_right && code.length != 0 && size <= 11 && !(is_first && run != 0);
    const std::int32_t value = value_of(ahead << code.length, size);
    state.bit += max(code.length + size, 1);
    bits.move_to(state.bit);
    if (is_first) {
      take(component, 0, value);
      state.coefficient = 1;
    } else if (size != 0) {
      state.coefficient += run;
      if (state.coefficient < 64) take(component, state.coefficient, value);
      ++state.coefficient;
    } else {
      state.coefficient = run == 15 ? state.coefficient + 16 : 64;
    }
    if (state.coefficient < 64) continue;
    is_right = is_right && state.coefficient == 64;
    state.coefficient = 0;
    state.block = state.block + 1 == blocks ? 0 : state.block + 1;
    if (!ends()) break;
  }
  return is_right;
}

/// Finds the state at the end of each sequence. The first launch begins with guesses, each further
/// launch with the states that the thread blocks found in the launch before.
template <bool is_first_launch>
__global__ void __launch_bounds__(sequences_of_block) settle_kernel(const Arguments args) {
  if constexpr (!is_first_launch) {
    if (__syncthreads_or(static_cast<int>(*args.failed)) != 0) return;
  }
  const Tables& tables = shared_tables(args);
  __shared__ std::uint64_t left_of[sequences_of_block];
  const std::uint32_t i = blockIdx.x * sequences_of_block + threadIdx.x;
  const bool is_there = i < args.sequence_count;
  const Sequence sequence = is_there ? args.sequences[i] : Sequence{};
  const bool is_known = is_there && args.segments[sequence.segment].first_sequence == i;
  Sums sums{};
  std::uint64_t entered = 0;
  std::uint64_t left = 0;
  bool is_new = false;
  const auto run = [&] {
    State state = State::of(entered);
    sums = {};
    decode(
        args, tables, state, sequence.end,
        [&](std::uint32_t component, std::uint32_t coefficient, std::int32_t value) {
          if (coefficient == 0) sums.dc[component] += value;
        },
        [&] { return ++sums.blocks != 0; });
    left = state.packed();
    is_new = true;
  };
  if (is_there) {
    if constexpr (is_first_launch) {
      entered = State{sequence.begin, 0, 0}.packed();
      run();
    } else {
      entered = args.entered[i];
      left = args.left[i];
    }
  }
  left_of[threadIdx.x] = left;
  for (int round = 0;; ++round) {
    if (!is_first_launch && round == most_rounds) {
      *args.failed = 1;
      return;
    }
    __syncthreads();
    std::uint64_t right = entered;
    if (is_there && !is_known) {
      if (threadIdx.x > 0) {
        right = left_of[threadIdx.x - 1];
      } else if constexpr (!is_first_launch) {
        right = args.before[blockIdx.x - 1];
      }
    }
    const bool changes = right != entered;
    if (__syncthreads_or(changes) == 0) break;
    if (!changes) continue;
    entered = right;
    run();
    left_of[threadIdx.x] = left;
  }
  if (is_there && is_new) {
    args.entered[i] = entered;
    args.left[i] = left;
    args.sums[i] = sums;
  }
  if (is_there && (threadIdx.x + 1 == sequences_of_block || i + 1 == args.sequence_count)) {
    args.after[blockIdx.x] = left;
  }
}

__device__ inline Sums operator+(const Sums& a, const Sums& b) {
  return {a.blocks + b.blocks, {a.dc[0] + b.dc[0], a.dc[1] + b.dc[1], a.dc[2] + b.dc[2]}};
}

/// Returns the sum of the values of all threads up to this one.
__device__ inline Sums sum_to_this_thread(Sums own) {
  __shared__ Sums of_thread[sequences_of_block];
  for (unsigned distance = 1; distance < sequences_of_block; distance *= 2) {
    of_thread[threadIdx.x] = own;
    __syncthreads();
    if (threadIdx.x >= distance) own = own + of_thread[threadIdx.x - distance];
    __syncthreads();
  }
  return own;
}

/// Computes the sums over the sequences of each thread block.
__global__ void __launch_bounds__(sequences_of_block) group_kernel(const Arguments args) {
  const std::uint32_t i = blockIdx.x * sequences_of_block + threadIdx.x;
  const Sums sum = sum_to_this_thread(i < args.sequence_count ? args.sums[i] : Sums{});
  if (threadIdx.x + 1 == sequences_of_block) args.group_sums[blockIdx.x] = sum;
}

/// Computes for each sequence the sums over all sequences before it.
__global__ void __launch_bounds__(sequences_of_block) sum_kernel(const Arguments args) {
  __shared__ Sums of_groups;
  Sums groups{};
  for (std::uint32_t i = threadIdx.x; i < blockIdx.x; i += sequences_of_block) {
    groups = groups + args.group_sums[i];
  }
  groups = sum_to_this_thread(groups);
  if (threadIdx.x + 1 == sequences_of_block) of_groups = groups;
  __syncthreads();
  const std::uint32_t i = blockIdx.x * sequences_of_block + threadIdx.x;
  const Sums own = i < args.sequence_count ? args.sums[i] : Sums{};
  const Sums minus_own{0U - own.blocks, {-own.dc[0], -own.dc[1], -own.dc[2]}};
  const Sums before = of_groups + sum_to_this_thread(own) + minus_own;
  if (i < args.sequence_count) args.sums_before[i] = before;
}

/// Decodes each sequence from its state, and writes the coefficients. Verifies that the states
/// follow from each other, and that each segment has its blocks and no further bits.
__global__ void __launch_bounds__(sequences_of_block) decode_kernel(const Arguments args) {
  const Tables& tables = shared_tables(args);
  const std::uint32_t i = blockIdx.x * sequences_of_block + threadIdx.x;
  if (i >= args.sequence_count) return;
  const Sequence sequence = args.sequences[i];
  const Segment segment = args.segments[sequence.segment];
  const Sums first = args.sums_before[segment.first_sequence];
  const Sums own = args.sums_before[i];
  std::uint32_t block = segment.first_block + own.blocks - first.blocks;
  std::int32_t dc[3];
  for (int c = 0; c < 3; ++c) {
    dc[c] = static_cast<std::int32_t>(static_cast<std::uint32_t>(own.dc[c]) -
                                      static_cast<std::uint32_t>(first.dc[c]));
  }
  State state = State::of(args.entered[i]);
  bool is_right = block <= segment.end_block;
  bool is_complete = block == segment.end_block;
  if (!is_complete && is_right) {
    is_right = decode(
        args, tables, state, sequence.end,
        [&](std::uint32_t component, std::uint32_t coefficient, std::int32_t value) {
          if (coefficient == 0) value = dc[component] += value;
          if (component == 0 || args.has_colour) {
            args.coefficients[std::uint64_t{block} * 64 + tables.place[coefficient]] =
                static_cast<std::int16_t>(value);
          }
        },
        [&] {
          is_complete = ++block == segment.end_block;
          return !is_complete;
        });
  }
  const bool is_last =
      i + 1 == args.sequence_count || args.sequences[i + 1].segment != sequence.segment;
  if (is_last) {
    is_right = is_right && is_complete && state.bit <= sequence.end && sequence.end - state.bit < 8;
  } else {
    is_right = is_right && args.entered[i + 1] == state.packed();
  }
  if (!is_right) *args.failed = 1;
}

/// Computes one dimension of the inverse transform of the 8 values at `v`, times 2^-shift.
/// The sums wrap like libjpeg-turbo's.
__device__ inline void transform(std::int32_t* v, int shift) {
  // Loeffler, Ligtenberg and Moschytz 1989, figure 1; constants are times 2^13.
  const std::int32_t round = 1 << (shift - 1);
  const std::int32_t e = (v[2] + v[6]) * 4433;
  const std::int32_t even2 = e - v[6] * 15137;
  const std::int32_t even3 = e + v[2] * 6270;
  const std::int32_t even0 = (v[0] + v[4]) * 8192 + round;
  const std::int32_t even1 = (v[0] - v[4]) * 8192 + round;
  const std::int32_t z5 = (v[7] + v[3] + v[5] + v[1]) * 9633;
  const std::int32_t z1 = (v[7] + v[1]) * -7373;
  const std::int32_t z2 = (v[5] + v[3]) * -20995;
  const std::int32_t z3 = (v[7] + v[3]) * -16069 + z5;
  const std::int32_t z4 = (v[5] + v[1]) * -3196 + z5;
  const std::int32_t odd0 = v[7] * 2446 + z1 + z3;
  const std::int32_t odd1 = v[5] * 16819 + z2 + z4;
  const std::int32_t odd2 = v[3] * 25172 + z2 + z3;
  const std::int32_t odd3 = v[1] * 12299 + z1 + z4;
  v[0] = even0 + even3 + odd3 >> shift;
  v[7] = even0 + even3 - odd3 >> shift;
  v[1] = even1 + even2 + odd2 >> shift;
  v[6] = even1 + even2 - odd2 >> shift;
  v[2] = even1 - even2 + odd1 >> shift;
  v[5] = even1 - even2 - odd1 >> shift;
  v[3] = even0 - even3 + odd0 >> shift;
  v[4] = even0 - even3 - odd0 >> shift;
}

/// Returns true if all 8 values are within `most` of 0.
__device__ inline bool are_within(const std::int32_t* v, std::int32_t most) {
  bool are = true;
  for (int n = 0; n < 8; ++n) are = are && v[n] <= most && v[n] >= -most;
  return are;
}

/// Computes samples from coefficients. Sets args.failed for numbers that no encoder reaches: there
/// libjpeg-turbo's results depend on the CPU's instructions.
__global__ void __launch_bounds__(transform_threads) transform_kernel(const Arguments args) {
  constexpr unsigned blocks_at_once = transform_threads / 8;
  __shared__ std::int32_t between[blocks_at_once][8][9];
  const unsigned lane = threadIdx.x % 8;
  auto& own = between[threadIdx.x / 8];
  const std::uint32_t index = blockIdx.x * blocks_at_once + threadIdx.x / 8;
  const std::uint32_t unit = index / blocks_of_unit(args);
  const std::uint32_t in_unit = index % blocks_of_unit(args);
  const std::uint32_t component = component_of(args, in_unit);
  const bool is_there = index < args.block_count && (component == 0 || args.has_colour);
  std::int32_t v[8];
  bool is_right = true;
  if (is_there) {
    const std::int16_t* coefficients = args.coefficients + std::uint64_t{index} * 64;
    const std::uint16_t* quantisation = args.tables->quantisation[component];
    for (unsigned n = 0; n < 8; ++n) {
      v[n] = coefficients[n * 8 + lane] * quantisation[n * 8 + lane];
    }
    is_right = are_within(v, 8191);
    transform(v, 11);
    is_right = is_right && are_within(v, 16383);
    for (unsigned n = 0; n < 8; ++n) own[n][lane] = v[n];
  }
  __syncthreads();
  if (!is_there) return;
  for (unsigned n = 0; n < 8; ++n) v[n] = own[lane][n];
  transform(v, 18);
  is_right = is_right && are_within(v, 511);
  std::uint32_t row[2] = {};
  for (int n = 0; n < 8; ++n) {
    row[n / 4] |= static_cast<std::uint32_t>(min(max(v[n] + 128, 0), 255)) << 8 * (n % 4);
  }
  const std::uint32_t across = component == 0 ? args.across : 1;
  const std::uint32_t down = component == 0 ? args.down : 1;
  const std::uint32_t place = component == 0 ? in_unit : 0;
  const std::uint32_t x = unit % args.units_in_row * across + place % across;
  const std::uint32_t y = unit / args.units_in_row * down + place / across;
  const Plane& plane = args.planes[component];
  auto* to = plane.samples + (std::uint64_t{y} * 8 + lane) * plane.pitch + x * 8;
  *reinterpret_cast<uint2*>(to) = {row[0], row[1]};
  if (!is_right) *args.failed = 1;
}

/// Returns a pixel's chroma, interpolated; a sample is at the centre of the pixels that share it.
__device__ inline std::int32_t chroma_at(const Arguments& args, const Plane& plane, std::uint32_t x,
                                         std::uint32_t y) {
  const std::uint32_t column = args.across == 2 ? x / 2 : x;
  const std::uint32_t row = args.down == 2 ? y / 2 : y;
  const std::uint8_t* near = plane.samples + std::uint64_t{row} * plane.pitch;
  if (!args.has_linear) return near[column];
  std::uint32_t beside = column;
  if (args.across == 2) {
    beside = x % 2 == 0 ? column - min(column, 1) : min(column + 1, plane.width - 1);
  }
  if (args.down == 1) {
    if (args.across == 1) return near[column];
    return 3 * near[column] + near[beside] + 1 + static_cast<std::int32_t>(x % 2) >> 2;
  }
  const std::uint32_t other = y % 2 == 0 ? row - min(row, 1) : min(row + 1, plane.height - 1);
  const std::uint8_t* far = plane.samples + std::uint64_t{other} * plane.pitch;
  const std::int32_t here = 3 * near[column] + far[column];
  if (args.across == 1) return here + 1 + static_cast<std::int32_t>(y % 2) >> 2;
  return 3 * here + 3 * near[beside] + far[beside] + 8 - static_cast<std::int32_t>(x % 2) >> 4;
}

__device__ inline std::uint8_t clamped(std::int32_t value) {
  return static_cast<std::uint8_t>(min(max(value, 0), 255));
}

/// Computes the pixels from the samples. A thread computes one pixel of every gridDim.y-th row.
__global__ void pixels_kernel(const Arguments args) {
  const Plane& luma = args.planes[0];
  const std::uint32_t x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= luma.width) return;
  for (std::uint32_t y = blockIdx.y; y < luma.height; y += gridDim.y) {
    const std::int32_t grey = luma.samples[std::uint64_t{y} * luma.pitch + x];
    const std::uint64_t pixel = std::uint64_t{y} * luma.width + x;
    if (!args.has_colour) {
      args.pixels[pixel] = static_cast<std::uint8_t>(grey);
      continue;
    }
    // The factors are 1.402, 0.34414, 0.71414 and 1.772, times 2^16.
    const std::int32_t blue = chroma_at(args, args.planes[1], x, y) - 128;
    const std::int32_t red = chroma_at(args, args.planes[2], x, y) - 128;
    std::uint8_t* to = args.pixels + 3 * pixel;
    to[0] = clamped(grey + (91881 * red + 32768 >> 16));
    to[1] = clamped(grey + (-22554 * blue - 46802 * red + 32768 >> 16));
    to[2] = clamped(grey + (116130 * blue + 32768 >> 16));
  }
}

}  // namespace warpwise::kernels::jpeg
