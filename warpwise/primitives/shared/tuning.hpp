#pragma once

#include <bit>
#include <compare>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warpwise/base/export.hpp"

// Numbers of a launch that change its time but never its bytes, and the user's file of those that
// `warpwise tune` found to be faster: docs/tuning.md. For the library itself, that command and
// tests.
namespace warpwise::tuning {

/// A number of a launch. Every choice gives the same bytes for every call.
struct Tunable {
  std::string_view primitive;
  std::string_view name;
  std::string_view meaning;
  std::span<const std::string_view> kinds;  ///< of calls that may prefer different values
  std::span<const int> choices;             ///< the first is the built-in value
};

/// Kinds of a tunable with only one kind of calls.
inline constexpr std::string_view one_kind[] = {"any"};

/// Returns 2^n for a size class n, which covers from 2^n up to four times as many elements; 0 for
/// none.
constexpr int size_class(std::int64_t elements) {
  return elements <= 0 ? 0 : (std::bit_width(static_cast<std::uint64_t>(elements)) - 1) / 2 * 2;
}

/// Key by which values are chosen.
struct Key {
  const Tunable* tunable;
  int kind;  ///< index in the tunable's kinds
  int size;  ///< a size class
  friend auto operator<=>(const Key&, const Key&) = default;
};

struct Setting {
  Key key;
  int value;
};

/// Returns the value of a tunable for a call of this kind with so many elements: from the user's
/// file for the current device, or the built-in one. Takes nanoseconds and no lock, except for a
/// device's first call, which reads that file. No content of the file makes it fail.
int chosen(const Tunable& tunable, int kind, std::int64_t elements) noexcept;

/// While a Trial exists, calls of its thread prefer its settings to those of the user's file, and
/// their requests are recorded. A thread may have only one at a time.
class WARPWISE_EXPORT Trial {
 public:
  explicit Trial(std::vector<Setting> settings = {});
  ~Trial();
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  /// Returns the keys that were asked for, with the values taken: each key once, in the order of
  /// the first calls.
  std::span<const Setting> asked() const { return asked_; }

 private:
  friend int chosen(const Tunable&, int, std::int64_t) noexcept;
  int taken(const Key& key, int value);

  std::vector<Setting> settings_;
  std::vector<Setting> asked_;
};

/// Identity of a GPU in the file.
struct Gpu {
  std::string name;
  std::string compute_capability;  ///< "9.0"
  int multiprocessors = 0;
  int driver = 0;  ///< the CUDA version of the driver, 13000 for 13.0
  friend bool operator==(const Gpu&, const Gpu&) = default;
};

/// Returns the current device. \throws NoCudaDevice
WARPWISE_EXPORT Gpu current_gpu();

/// Returns all tunables; those of a primitive are in its own order.
WARPWISE_EXPORT std::span<const Tunable* const> tunables();

/// Returns sixteen digits that change with the sources of a primitive's kernels and launches, and
/// with the compiler. Empty for an unknown name.
WARPWISE_EXPORT std::string_view source_hash(std::string_view primitive);

/// Returns the settings for the current device that are not built in. \throws NoCudaDevice
WARPWISE_EXPORT std::vector<Setting> in_effect();

/// Makes every device's next call read the file again.
WARPWISE_EXPORT void reload();

}  // namespace warpwise::tuning
