#pragma once

// Internal to the emulator: what an mbarrier's 64 bits mean here. PTX leaves that open.

#include <cstdint>

namespace warpwise::emulator {

/// From the low bits: 20 of arrivals that the phase still waits for, 20 of those that the next one
/// waits for, 21 of bytes that are still to come (a signed number), the phase's parity.
struct MbarrierObject {
  std::uint64_t bits = 0;

  static constexpr std::uint64_t count_mask = (1U << 20) - 1;
  static constexpr std::uint64_t bytes_mask = (1U << 21) - 1;
  static constexpr int expected_at = 20;
  static constexpr int bytes_at = 40;
  static constexpr int phase_at = 61;

  static MbarrierObject of(std::uint32_t count) {
    return {(count & count_mask) | (count & count_mask) << expected_at};
  }
  std::uint32_t pending() const { return static_cast<std::uint32_t>(bits & count_mask); }
  std::uint64_t phase() const { return bits >> phase_at & 1; }

  void expect(std::uint32_t bytes) { add_bytes(bytes); }
  void complete(std::uint32_t bytes) {
    add_bytes(~std::uint64_t{bytes} + 1);
    finish_phase();
  }
  /// \param drops  the threads do not take part in the next phases either
  bool arrive(std::uint32_t count, bool drops) {
    if (count > pending()) return false;
    bits -= count;
    if (drops) bits -= std::uint64_t{count} << expected_at;
    finish_phase();
    return true;
  }

 private:
  void add_bytes(std::uint64_t bytes) {
    const std::uint64_t sum = (bits >> bytes_at & bytes_mask) + bytes;
    bits = (bits & ~(bytes_mask << bytes_at)) | (sum & bytes_mask) << bytes_at;
  }
  void finish_phase() {
    if (pending() != 0 || (bits >> bytes_at & bytes_mask) != 0) return;
    bits |= bits >> expected_at & count_mask;
    bits ^= std::uint64_t{1} << phase_at;
  }
};

}  // namespace warpwise::emulator
