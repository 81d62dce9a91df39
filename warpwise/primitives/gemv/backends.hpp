#pragma once

#include "warpwise/primitives/gemv/gemv.hpp"

// Backends of gemv(). It calls them once its arguments are checked.
namespace warpwise::detail::gemv {

/// The elements of a view of one row or one column, as a vector.
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

/// A small product of f32 operands. x and y are contiguous.
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

/// Computes a small product without building a GemvTask, which would take longer than the product.
void gemv_small_cpu(const SmallGemv& product, bool transpose);

/// Computes gemv() on the CPU. Views are passed by reference: reading a copy would wait until its
/// stores have reached the cache, which is measurable in the smallest products.
void gemv_cpu(const ConstHostView& a, const ConstHostView& x, const HostView& y,
              const GemvOptions& options);
void gemv_cuda(ConstDeviceView a, ConstDeviceView x, DeviceView y, const GemvOptions& options,
               gpu::StreamHandle stream);

}  // namespace warpwise::detail::gemv
