#pragma once

#include <array>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/io/picture.hpp"

// What the modules for PNG, JPEG, TIFF and WebP share.
namespace warpwise::io {

/// OpenCV's own limits. The fuzzer, which would spend its time on large pictures, has smaller ones.
inline constexpr std::uint64_t most_image_columns = 1 << 20;  ///< and rows
#ifdef WARPWISE_FUZZES
inline constexpr std::uint64_t most_image_pixels = 1 << 16;
#else
inline constexpr std::uint64_t most_image_pixels = 1 << 30;
#endif

/// Refuses a size beyond these limits, which a header may claim: asked before anything is
/// allocated.
/// \throws IoError
void require_readable_size(std::uint64_t width, std::uint64_t height, const std::string& name);

/// \throws IoError  "cannot read a.png: the PNG image is damaged or cut short (CRC error)"
[[noreturn]] void refuse_damaged(const std::string& name, std::string_view format,
                                 std::string_view library_says);

/// A picture whose file says how it was held: Exif's orientation, 1 to 8. 6, for example, is turned
/// a quarter to the right. Any other number leaves it as it is.
Picture upright(Picture picture, int orientation);

/// Row `y` of a picture of 1, 3 or 4 channels in the order R G B A: its own bytes, or, of a bgr24
/// or bgra32 picture, a copy in `buffer`.
std::span<const std::byte> row_in_rgb_order(const Picture& picture, std::int64_t y,
                                            std::vector<std::byte>& buffer);

/// The way out of C libraries that must not return from their error handler: it writes `message`
/// and calls leave().
class ErrorExit {
 public:
  /// Runs `steps` and returns true; false if they ended in leave(). What has a destructor must lie
  /// outside of `steps`, because leave() passes destructors by.
  template <class Steps>
  [[nodiscard]] bool completes(const Steps& steps) {
    if (setjmp(place_) != 0) return false;
    steps();
    return true;
  }
  [[noreturn]] void leave() { std::longjmp(place_, 1); }

  std::array<char, 256> message{};

 private:
  std::jmp_buf place_{};
};

}  // namespace warpwise::io
