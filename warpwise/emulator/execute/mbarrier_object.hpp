#pragma once

// Internal to the emulator: the layout that the emulator gives an mbarrier's 64 bits. PTX leaves
// the layout open.

#include <cstdint>
#include <string>

#include "warpwise/base/counted.hpp"

namespace warpwise::emulator {

/// Fields from the low bits up:
///
/// - 20 bits: arrivals that the phase still waits for
/// - 20 bits: arrivals that the next phase waits for
/// - 21 bits, signed: bytes that the phase still waits for
/// - 1 bit: the phase's parity
struct MbarrierObject {
  std::uint64_t bits = 0;

  static constexpr std::uint64_t count_mask = (1U << 20) - 1;
  static constexpr std::uint64_t bytes_mask = (1U << 21) - 1;
  /// PTX's limits of arrivals, and of bytes that are missing or have come too early.
  static constexpr std::int64_t most_arrivals = (1 << 20) - 1;
  static constexpr std::int64_t most_bytes = (1 << 20) - 1;
  static constexpr int expected_at = 20;
  static constexpr int bytes_at = 40;
  static constexpr int phase_at = 61;

  static MbarrierObject of(std::uint32_t count) {
    return {(count & count_mask) | (count & count_mask) << expected_at};
  }
  std::uint32_t pending() const { return static_cast<std::uint32_t>(bits & count_mask); }
  std::uint64_t phase() const { return bits >> phase_at & 1; }

  /// Returns the number of missing bytes; negative if more have come than were expected.
  std::int64_t bytes() const {
    const auto low = static_cast<std::int64_t>(bits >> bytes_at & bytes_mask);
    return low > most_bytes ? low - static_cast<std::int64_t>(bytes_mask) - 1 : low;
  }

  /// Return false and change nothing beyond a limit: expect() and complete() check PTX's limit of
  /// bytes, arrive() checks that at most pending() threads arrive.
  bool expect(std::uint32_t bytes) { return add_bytes(std::int64_t{bytes}); }
  bool complete(std::uint32_t bytes) {
    if (!add_bytes(-std::int64_t{bytes})) return false;
    finish_phase();
    return true;
  }
  /// \param drops  true: later phases do not wait for the threads either
  bool arrive(std::uint32_t count, bool drops) {
    if (count > pending()) return false;
    bits -= count;
    if (drops) bits -= std::uint64_t{count} << expected_at;
    finish_phase();
    return true;
  }

 private:
  bool add_bytes(std::int64_t added) {
    const std::int64_t sum = bytes() + added;
    if (sum > most_bytes || sum < -most_bytes) return false;
    bits = (bits & ~(bytes_mask << bytes_at)) | (static_cast<std::uint64_t>(sum) & bytes_mask)
                                                    << bytes_at;
    return true;
  }
  void finish_phase() {
    if (pending() != 0 || (bits >> bytes_at & bytes_mask) != 0) return;
    bits |= bits >> expected_at & count_mask;
    bits ^= std::uint64_t{1} << phase_at;
  }
};

/// Describes the bytes that an mbarrier still waits for: "expects 16 bytes", "has received 1 byte
/// more than expected".
inline std::string pending_text(const MbarrierObject& object) {
  const std::int64_t waits_for = object.bytes();
  const auto bytes = [](std::int64_t count) {
    return counted(static_cast<std::uint64_t>(count), "byte");
  };
  return waits_for < 0 ? "has received " + bytes(-waits_for) + " more than expected"
                       : "expects " + bytes(waits_for);
}

/// Return the message of the fault if expect() or complete() fails.
inline std::string too_many_expected(std::uint32_t bytes, const MbarrierObject& object) {
  return "expect-tx of " + counted(bytes, "byte") + " at an mbarrier that already " +
         pending_text(object) + ": PTX allows at most " +
         std::to_string(MbarrierObject::most_bytes) + " in all";
}
inline std::string too_many_come(std::uint32_t bytes, const MbarrierObject& object) {
  return "complete-tx of " + counted(bytes, "byte") + " at an mbarrier that " +
         pending_text(object) + ": PTX allows at most " +
         std::to_string(MbarrierObject::most_bytes) + " more than expected";
}

}  // namespace warpwise::emulator
