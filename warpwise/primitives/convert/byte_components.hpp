#pragma once

#include "warpwise/base/frame.hpp"
#include "warpwise/base/samples.hpp"
#include "warpwise/primitives/convert/deep_backends.hpp"
#include "warpwise/primitives/convert/plan.hpp"

// The components of frames of bytes, for kernels that write one component at a time.
namespace warpwise::detail::convert {

/// Returns the kernel's arguments for one component of `frame`. They hold the place of its samples,
/// their numbers of columns and rows, and the columns and rows of pixels that share a sample. The
/// caller sets the members src, last_x, last_y and rule.
template <Memory memory>
kernels::convert::ByteArguments component_of(const BasicFrame<memory, Access::read_write>& frame,
                                             int component) {
  const PixelFormat format = frame.format();
  const Samples samples = samples_of(format, component);
  const bool is_shared = component > 0 && is_subsampled(format);
  kernels::convert::ByteArguments made{};
  made.dst = {reinterpret_cast<unsigned char*>(frame.plane(samples.plane).data) + samples.first,
              frame.plane(samples.plane).pitch_bytes, samples.step};
  made.across = is_shared ? 2 : 1;
  made.down = is_shared && plane_count(format) > 1 ? 2 : 1;
  made.columns = (frame.width() + made.across - 1) / made.across;
  made.rows = (frame.height() + made.down - 1) / made.down;
  return made;
}

/// Returns true if rows end with an unused byte of luma: yuyv and uyvy of odd width.
template <Memory memory, Access access>
bool has_unused_luma(const BasicFrame<memory, access>& frame) {
  const bool is_packed = frame.format() == PixelFormat::yuyv || frame.format() == PixelFormat::uyvy;
  return is_packed && frame.width() % 2 == 1;
}

/// Writes the unused bytes of a frame on the host, with the values that share_chroma() states.
void fill_unused(HostFrame frame);

/// Launches one kernel for each component of a frame on a GPU. It also writes the frame's unused
/// bytes. `component(i)` returns the arguments of component i.
template <class Component>
void bytes_on_gpu(const DeviceFrame& frame, int components, const Component& component,
                  gpu::StreamHandle stream) {
  for (int i = 0; i < components; ++i) {
    kernels::convert::ByteArguments each = component(i);
    if (i == 0 && has_unused_luma(frame)) ++each.columns;  // writes the last sample twice
    bytes_cuda(each, stream);
  }
  if (frame.format() != PixelFormat::ycbcr32) return;
  kernels::convert::ByteArguments unused = component_of(frame, 3);
  unused.rule = kernels::convert::ByteRule::unused;
  unused.across = unused.down = 1;
  bytes_cuda(unused, stream);
}

}  // namespace warpwise::detail::convert
