#pragma once

#include "warpwise/primitives/gemv/gemv.hpp"

// Backends of gemv(). It calls them once its arguments are checked.
namespace warpwise::detail::gemv {

/// A view of one row or one column, as the vector of its elements.
template <class View>
struct VectorOf {
  typename View::Byte* data;
  std::int64_t size;
  std::int64_t stride_bytes;

  explicit VectorOf(const View& view)
      : data(view.data()), size(view.height() == 1 ? view.width() : view.height()),
        stride_bytes(view.height() == 1 ? view.pixel_bytes() : view.pitch_bytes()) {}

  typename View::Byte* at(std::int64_t i) const { return data + i * stride_bytes; }
};

/// A product of floats whose vectors have no gaps.
struct SmallGemv {
  const std::byte* a;
  std::int64_t pitch_bytes;
  std::int64_t columns;  ///< number of columns: at most 8; transposed, at most small_columns
  std::int64_t rows;     ///< at most small_rows
  const std::byte* x;
  std::byte* y;
  float alpha;  ///< not 0
  float beta;
};
inline constexpr std::int64_t small_columns = 32;
inline constexpr std::int64_t small_rows = 32;

/// Computes a small product. Such products take less time than a GemvTask.
void gemv_small_cpu(const SmallGemv& product, bool transpose);

/// Takes views by reference: a copy waits until its parts have reached the cache, which is
/// measurable in the smallest products.
void gemv_cpu(const ConstHostView& a, const ConstHostView& x, const HostView& y,
              const GemvOptions& options);
void gemv_cuda(ConstDeviceView a, ConstDeviceView x, DeviceView y, const GemvOptions& options,
               gpu::StreamHandle stream);

}  // namespace warpwise::detail::gemv
