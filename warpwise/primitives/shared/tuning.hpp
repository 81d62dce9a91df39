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

// Numbers of a launch that change its time and never its bytes, and the user's file of those that
// `warpwise tune` found faster: docs/tuning.md. For the library itself, that command and tests.
namespace warpwise::tuning {

/// One such number. Every choice gives the same bytes for every call.
struct Tunable {
  std::string_view primitive;
  std::string_view name;
  std::string_view meaning;
  std::span<const std::string_view> kinds;  ///< of calls, which differ in what they like
  std::span<const int> choices;             ///< the first is built in
};

/// Of a tunable for which all calls are of one kind.
inline constexpr std::string_view one_kind[] = {"any"};

/// 2^n of a size class n: from so many elements up to four times as many. 0 for none.
constexpr int size_class(std::int64_t elements) {
  return elements <= 0 ? 0 : (std::bit_width(static_cast<std::uint64_t>(elements)) - 1) / 2 * 2;
}

/// What a value is chosen for.
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

/// What a call of this kind and so many elements takes for a tunable: what the current device's
/// part of the user's file says, or what is built in. Nanoseconds, without a lock, but for a
/// device's first call, which reads that file. Nothing in the file makes it fail.
int chosen(const Tunable& tunable, int kind, std::int64_t elements) noexcept;

/// While one lives, calls of its thread take its settings before those of the user's file, and what
/// they ask for is noted. One at a time in a thread.
class WARPWISE_EXPORT Trial {
 public:
  explicit Trial(std::vector<Setting> settings = {});
  ~Trial();
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  /// What was asked for, and taken: each key once, in the order of the first calls.
  std::span<const Setting> asked() const { return asked_; }

 private:
  friend int chosen(const Tunable&, int, std::int64_t) noexcept;
  int taken(const Key& key, int value);

  std::vector<Setting> settings_;
  std::vector<Setting> asked_;
};

/// A GPU as the file knows it.
struct Gpu {
  std::string name;
  std::string compute_capability;  ///< "9.0"
  int multiprocessors = 0;
  int driver = 0;  ///< the CUDA version of the driver, 13000 for 13.0
  friend bool operator==(const Gpu&, const Gpu&) = default;
};

/// The current device. \throws NoCudaDevice
WARPWISE_EXPORT Gpu current_gpu();

/// All tunables, those of a primitive in its order.
WARPWISE_EXPORT std::span<const Tunable* const> tunables();

/// Sixteen digits that change with the sources of a primitive's kernels and of their launches, and
/// with the compiler. Empty for an unknown name.
WARPWISE_EXPORT std::string_view source_hash(std::string_view primitive);

/// What calls on the current device take that is not built in. \throws NoCudaDevice
WARPWISE_EXPORT std::vector<Setting> in_effect();

/// Has every device's next call read the file again.
WARPWISE_EXPORT void reload();

}  // namespace warpwise::tuning
