#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "warpwise/base/export.hpp"
#include "warpwise/base/view.hpp"
#include "warpwise/gpu/handles.hpp"
#include "warpwise/primitives/convert/convert.hpp"
#include "warpwise/primitives/sobel/sobel.hpp"
#include "warpwise/primitives/threshold/threshold.hpp"

namespace warpwise {

/// A step of a Chain that calls convert(). Both formats have one plane; yuyv and uyvy, which share
/// chroma between two pixels, are views of 2 channels and of even width.
struct ChainConvert {
  PixelFormat from = PixelFormat::rgb24;
  PixelFormat to = PixelFormat::gray8;
  ConvertOptions options = {};
};

/// One step of a Chain: a call of convert(), sobel() or threshold().
using ChainStep = std::variant<ChainConvert, SobelOptions, ThresholdOptions>;

/// Choice of GPU kernels for work that a Chain's fused kernel can do. All but `fastest` serve
/// comparisons.
enum class ChainKernels : std::uint8_t {
  fastest,   ///< the fused kernel where it was faster on an H200
  fused,     ///< always the fused kernel
  separate,  ///< all steps' own kernels, one after another
};

/// Runs convert(), sobel() and threshold() one after another over an image. The result equals the
/// single calls' result, byte for byte; the chain manages the images between them.
///
/// sobel() and convert() read the colours of `src` in the view's order(), if it has one; a step's
/// result has the order of its format. A convert() whose format contradicts the order of its image
/// is refused.
///
///     Chain edges({SobelOptions{}, ThresholdOptions{.window = 31, .offset = -8}});
///     edges.run(rgb, result);          // on the CPU
///     edges.run(rgb, result, stream);  // on a GPU, with views of its memory
///
/// The image between two steps has the first type that the earlier step can write (sobel: the first
/// of sobel_dst_types()). The last step writes `dst`. Views may have any size, pitch and alignment
/// that the steps take. `src` and `dst` have one size and must not overlap.
///
/// **CPU.** Runs in parallel on the calling thread's oneTBB arena and returns when done.
/// - Each thread takes a strip of rows through all steps, band by band. A band's results between
///   the steps take about 2 MiB, or more if a window needs higher bands.
/// - The halo of a chain is the number of rows above and below that its steps read. If a thread
///   would have fewer rows than 16 halos, or the image is small, each step runs over the whole
///   image.
/// - Memory for the results between the steps is kept for the next run.
/// - Several threads may run one chain at the same time.
///
/// **GPU.** Asynchronous on `stream`. One fused kernel, which moves 3 + 1 bytes a pixel and needs
/// no scratch, computes
///
///     rgb24 or bgr24 → [gray8 →] sobel → threshold
///
/// under these conditions:
/// - The grey is OpenCV's: convert() in Convention::opencv without gray_is_luma, or sobel()'s own.
/// - sobel() gives its default magnitude (L1, Sobel's kernel), with any border.
/// - The threshold is `mean` or `exact_mean`, with a window up to max_fused_window.
/// - The rows of both views start at multiples of 8 bytes, and the width is a multiple of 8.
/// - With ChainKernels::fastest: the kernel is faster than the separate ones. This depends on the
///   window and on the pixels of all images of a call. For windows up to 3 it is always faster, for
///   7 from about 9 megapixels on, for 31 from 37 megapixels on. is_fused() tells
///   whether it is used.
///
/// Everything else launches the steps' own kernels one after another. Except with
/// ChainKernels::separate, sobel() computes OpenCV's grey itself instead of convert(). The first
/// run takes the images between the steps from the stream-ordered pool (gpu::Buffer), and the chain
/// keeps them. Later runs of that size or a smaller one on the same stream allocate nothing on the
/// GPU, except what threshold() takes for itself. For a chain that keeps images:
/// - It runs on one stream at a time. The stream must exist until the chain is destroyed or has run
///   on another stream.
/// - A graph may be recorded of it after a run on images at least as large. While the graph is in
///   use, the chain must exist. It must not run on larger images, on another stream than before,
///   or at the same time as the graph.
///
/// Source: docs/sources.md, document A, rows A7 and A8, followed by document C, row C1.
class WARPWISE_EXPORT Chain {
 public:
  /// The widest window of the fused kernel. With wider ones the separate kernels are faster: shared
  /// memory limits the number of resident warps.
  static constexpr std::int64_t max_fused_window = 31;

  /// \throws InvalidArgument  `steps` is empty.
  explicit Chain(std::vector<ChainStep> steps, ChainKernels kernels = ChainKernels::fastest);
  ~Chain();
  /// `other` has no steps afterwards. Its calls throw InvalidArgument until a chain is assigned to
  /// it.
  Chain(Chain&& other) noexcept;
  Chain& operator=(Chain&& other) noexcept;

  const std::vector<ChainStep>& steps() const { return steps_; }

  /// Runs the chain on the CPU.
  /// \throws InvalidArgument  sizes differ, the views overlap, or a step does not accept the result
  ///                          of the step before (with that step's message). Nothing has run then.
  void run(ConstHostView src, HostView dst);

  /// Runs the chain on many images on the CPU, one after another, src[i] to dst[i], of equal or
  /// mixed sizes. No `dst` may overlap another view.
  /// \throws InvalidArgument  as for one image, two views overlap, or the spans differ in length.
  ///                          Nothing has run then.
  void run(std::span<const ConstHostView> src, std::span<const HostView> dst);

  /// Runs the chain on a GPU.
  /// \throws InvalidArgument  as on the CPU, or a graph is being recorded and no earlier run was on
  ///                          images as large.
  /// \throws NoCudaDevice  \throws CudaError  a failed launch, no memory.
  void run(ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream);

  /// Runs the chain on many images on a GPU, src[i] to dst[i], of equal or mixed sizes. Images that
  /// the fused kernel can process share its launches, up to 64 in each, if it is faster for all of
  /// them together. No `dst` may overlap another view.
  /// \throws InvalidArgument  as for one image, two views overlap, or the spans differ in length.
  /// \throws NoCudaDevice  \throws CudaError  a failed launch, no memory.
  void run(std::span<const ConstDeviceView> src, std::span<const DeviceView> dst,
           gpu::StreamHandle stream);

  /// Returns true if run() on a GPU launches the fused kernel for these views.
  bool is_fused(ConstDeviceView src, DeviceView dst) const;

 private:
  struct State;
  std::vector<ChainStep> steps_;
  std::unique_ptr<State> state_;
};

}  // namespace warpwise
