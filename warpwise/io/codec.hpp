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

// Code shared by decoders and encoders of image files: size limits, errors, the order of channels.
namespace warpwise::io {

/// Limits of an image's size, equal to OpenCV's. Builds for fuzzing save time with fewer pixels.
inline constexpr std::uint64_t most_image_columns = 1 << 20;  ///< also the limit of rows
#ifdef WARPWISE_FUZZES
inline constexpr std::uint64_t most_image_pixels = 1 << 16;
#else
inline constexpr std::uint64_t most_image_pixels = 1 << 30;
#endif

/// Refuses a size of 0 or beyond the limits. Call it before allocating memory for a header's size.
/// \throws IoError
void require_readable_size(std::uint64_t width, std::uint64_t height, const std::string& name);

/// Throws this error: "cannot read a.png: the PNG image is damaged or cut short (CRC error)".
/// \throws IoError  always
[[noreturn]] void refuse_damaged(const std::string& name, std::string_view format,
                                 std::string_view library_says);

/// Turns a picture upright by its Exif orientation. An orientation of 6 needs a quarter turn right.
Picture upright(Picture picture);

/// Returns row `y` of a picture of 1, 3 or 4 channels in the order R G B A. The span refers to the
/// picture's bytes. For bgr24 and bgra32 it refers to a reordered copy of the row in `buffer`.
std::span<const std::byte> row_in_rgb_order(const Picture& picture, std::int64_t y,
                                            std::vector<std::byte>& buffer);

/// Leaves a C library by longjmp() from the error handler that it calls, because this handler must
/// not return. The handler writes `message` and calls leave().
class ErrorExit {
 public:
  /// Runs `steps` and returns true, or false if they ended in leave(). Objects with a destructor
  /// must live outside `steps`, because leave() skips destructors.
  template <class Steps>
  [[nodiscard]] bool run_guarded(const Steps& steps) {
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
