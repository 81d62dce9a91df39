// Operations on two halves or four bytes of a word. lanes_baseline.cpp and lanes_avx2.cpp include
// this after lanes_numbers-inl.hpp.

/// Runs PTX's SIMD video instructions (vadd2, vadd4, ...).
template <int parts, class Op>
void packed(Warp& warp, const Operation& op) {
  constexpr int bits = 32 / parts;
  constexpr std::uint32_t kept = (1U << bits) - 1;
  const auto* a = source<std::uint32_t>(warp, op.a);
  const auto* b = source<std::uint32_t>(warp, op.b);
  const auto* c = source<std::uint32_t>(warp, op.c);
  const auto flags = flags_of<PackedFlags>(op);
  const auto element = [](std::uint32_t word, int k, bool is_signed) {
    const std::uint32_t raw = word >> (k * bits) & kept;
    return is_signed ? static_cast<std::int32_t>(raw << (32 - bits)) >> (32 - bits)
                     : static_cast<std::int32_t>(raw);
  };
  const bool d_signed = flags.d_signed != 0;
  const std::int32_t low = d_signed ? -(1 << (bits - 1)) : 0;
  const std::int32_t high = d_signed ? (1 << (bits - 1)) - 1 : static_cast<std::int32_t>(kept);
  const bool saturate = flags.saturate != 0;
  const bool accumulate = flags.accumulate != 0;
  alignas(64) std::uint32_t out[warp_lanes];
  for (int i = 0; i < warp_lanes; ++i) {
    std::uint32_t result = accumulate ? c[i] : 0;
    std::uint32_t word = 0;
    for (int k = 0; k < parts; ++k) {
      std::int32_t r = Op{}(element(a[i], k, flags.a_signed != 0),
                            element(b[i], k, flags.b_signed != 0), flags.comparison);
      if (saturate) r = r < low ? low : r > high ? high : r;
      word |= (static_cast<std::uint32_t>(r) & kept) << (k * bits);
      if (accumulate) result += static_cast<std::uint32_t>(r);
    }
    out[i] = accumulate ? result : word;
  }
  put(warp, op.dst, out);
}

/// Runs vabsdiff4.u32.u32.u32, with or without .add: the core of the SAD kernels.
template <bool accumulate>
void absolute_differences(Warp& warp, const Operation& op) {
  const auto* a = source<std::uint32_t>(warp, op.a);
  const auto* b = source<std::uint32_t>(warp, op.b);
  const auto* c = source<std::uint32_t>(warp, op.c);
  alignas(64) std::uint32_t out[warp_lanes];
  for (int i = 0; i < warp_lanes; ++i) {
    std::uint32_t result = accumulate ? c[i] : 0;
    for (int k = 0; k < 4; ++k) {
      const std::int32_t x = static_cast<std::int32_t>(a[i] >> (8 * k) & 0xff) -
                             static_cast<std::int32_t>(b[i] >> (8 * k) & 0xff);
      const auto difference = static_cast<std::uint32_t>(x < 0 ? -x : x);
      result = accumulate ? result + difference : result | difference << (8 * k);
    }
    out[i] = result;
  }
  put(warp, op.dst, out);
}

/// Computes permute_bytes() for lanes with the same selectors, which replicate no sign: the
/// compiler makes vectors of the loop over the lanes.
inline void permute_alike(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t selectors,
                          std::uint32_t* out) {
  for (int k = 0; k < 4; ++k) {
    const std::uint32_t selector = selectors >> (4 * k) & 7;
    const std::uint32_t* from = selector < 4 ? a : b;
    const std::uint32_t shift = 8 * (selector & 3);
    for (int i = 0; i < warp_lanes; ++i) {
      const std::uint32_t byte = (from[i] >> shift & 0xff) << (8 * k);
      out[i] = k == 0 ? byte : out[i] | byte;
    }
  }
}

/// Runs prmt.
inline void permute(Warp& warp, const Operation& op) {
  const auto* a = source<std::uint32_t>(warp, op.a);
  const auto* b = source<std::uint32_t>(warp, op.b);
  const auto* c = source<std::uint32_t>(warp, op.c);
  const PermuteMode mode = flags_of<PermuteFlags>(op).mode;
  alignas(64) std::uint32_t out[warp_lanes];
  std::uint32_t differing = 0;
  for (int i = 0; i < warp_lanes; ++i) differing |= c[i] ^ c[0];
  const std::uint32_t selectors = permutation_of(mode, c[0]);
  constexpr std::uint32_t signs = 0x8888;
  if (differing == 0 && (selectors & signs) == 0) {
    permute_alike(a, b, selectors, out);
  } else {
    for (int i = 0; i < warp_lanes; ++i)
      out[i] = permute_bytes(a[i], b[i], permutation_of(mode, c[i]));
  }
  put(warp, op.dst, out);
}
