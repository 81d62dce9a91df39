// Extended precision: operations that read or write the carry. lanes_baseline.cpp and
// lanes_avx2.cpp include this after lanes_table-inl.hpp.

template <class T, bool subtract>
void add_with_carry(Warp& warp, const Operation& op) {
  const auto* a = source<T>(warp, op.a);
  const auto* b = source<T>(warp, op.b);
  const auto flags = flags_of<CarryFlags>(op);
  alignas(64) T out[warp_lanes];
  Mask carries = 0;
  for (int i = 0; i < warp_lanes; ++i) {
    const T in = flags.reads != 0 ? (warp.carry >> i & 1) : 0;
    bool carry = false;
    if constexpr (subtract) {
      const T first = a[i] - b[i];
      out[i] = first - in;
      carry = a[i] < b[i] || first < in;
    } else {
      const T first = a[i] + b[i];
      out[i] = first + in;
      carry = first < a[i] || out[i] < first;
    }
    carries |= static_cast<Mask>(carry) << i;
  }
  put(warp, op.dst, out);
  if (flags.writes != 0) warp.carry = (warp.carry & ~warp.active) | (carries & warp.active);
}

template <class T, bool high>
void multiply_add_with_carry(Warp& warp, const Operation& op) {
  const auto* a = source<Storage<T>>(warp, op.a);
  const auto* b = source<Storage<T>>(warp, op.b);
  const auto* c = source<Storage<T>>(warp, op.c);
  const auto flags = flags_of<CarryFlags>(op);
  alignas(64) Storage<T> out[warp_lanes];
  Mask carries = 0;
  for (int i = 0; i < warp_lanes; ++i) {
    using U = Storage<T>;
    const T x = from_storage<T>(a[i]);
    const T y = from_storage<T>(b[i]);
    const U product = static_cast<U>(high ? multiply_high(x, y) : multiply_low(x, y));
    const U first = product + c[i];
    out[i] = first + (flags.reads != 0 ? (warp.carry >> i & 1) : 0);
    carries |= static_cast<Mask>(first < product || out[i] < first) << i;
  }
  put(warp, op.dst, out);
  if (flags.writes != 0) warp.carry = (warp.carry & ~warp.active) | (carries & warp.active);
}
