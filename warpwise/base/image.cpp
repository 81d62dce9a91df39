#include "warpwise/base/image.hpp"

#include <new>

namespace warpwise {
namespace {
// Size of an x86-64 cache line, and of an AVX-512 register.
constexpr std::int64_t row_alignment = 64;

std::int64_t padded_pitch(ElementType type, std::int64_t width, std::int64_t height, int channels) {
  static constexpr std::byte anywhere{};
  const std::int64_t row = detail::validate_view(&anywhere, type, width, height, channels, 0);
  return checked_add(row, row_alignment - 1) / row_alignment * row_alignment;
}
}  // namespace

void Image::Free::operator()(std::byte* data) const {
  ::operator delete(data, std::align_val_t{row_alignment});
}

Image::Image(ElementType type, std::int64_t width, std::int64_t height, int channels)
    : width_(width), height_(height), pitch_bytes_(padded_pitch(type, width, height, channels)),
      channels_(channels), type_(type) {
  const auto bytes = static_cast<std::size_t>(checked_mul(pitch_bytes_, height));
  data_.reset(static_cast<std::byte*>(::operator new(bytes, std::align_val_t{row_alignment})));
}

}  // namespace warpwise
