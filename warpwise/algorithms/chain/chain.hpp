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

/// What a Chain does at one step: convert(), sobel() or threshold().
using ChainStep = std::variant<ChainConvert, SobelOptions, ThresholdOptions>;

/// Which kernels a Chain launches on a GPU where its fused kernel could do the work: to compare
/// them.
enum class ChainKernels : std::uint8_t {
  fastest,   ///< the fused one where it was faster on an H200
  fused,     ///< the fused one always
  separate,  ///< the steps' own, one behind another
};

/// convert(), sobel() and threshold() one behind another, over an image: the same bytes as the
/// calls one by one, with what lies between them kept out of the way.
///
///     Chain edges({SobelOptions{}, ThresholdOptions{.window = 31, .offset = -8}});
///     edges.run(rgb, result);          // on the CPU
///     edges.run(rgb, result, stream);  // on a GPU, where the views lie there
///
/// What lies between two steps has the first type that the step before gives (sobel: the first of
/// sobel_dst_types()); `dst` is what the last step writes. Views of any size, pitch and alignment
/// that the steps take; `src` and `dst` have one size and must not overlap.
///
/// **CPU.** In parallel on the calling thread's oneTBB arena, each thread a strip of rows, which
/// goes through all steps in bands, whose results between the steps take about 2 MiB, more where a
/// window needs higher ones; an image with fewer rows for each thread than 16 times what the steps
/// need beside them goes through the steps as a whole. Returns when done. Memory for what lies
/// between is kept for the next run. Several threads may run one chain at a time.
///
/// **GPU.** Asynchronous on `stream`. One kernel, which moves 3 + 1 bytes a pixel and needs no
/// scratch, computes
///
///     rgb24 or bgr24 → [gray8 →] sobel → threshold
///
/// where the grey is OpenCV's (convert() in Convention::opencv without gray_is_luma, or sobel()'s
/// own), sobel() gives the magnitude of its defaults (L1, of Sobel's kernel) with any border, the
/// threshold is `mean` or `exact_mean` of a window up to max_fused_window, rows of both views start
/// at multiples of 8 bytes, and the width is a multiple of 8. It is used where it is faster, which
/// takes the more pixels the wider the window: for windows to 3 always, for 7 from about 9
/// megapixels on, for 31 from 37 (of all images of a call); is_fused() tells. All else launches the
/// steps' own kernels one behind another, with images between them that the first run takes from
/// the stream-ordered pool (gpu::Buffer) and the chain keeps: later runs of that size or a smaller
/// one on the same stream allocate nothing on the GPU, but for what threshold() takes for itself.
/// Such a chain runs on one stream at a time; a stream must be there until the chain has run on
/// another one, or is gone. A graph may be recorded of it after a run on images as large: while the
/// graph is launched, the chain must be there, run on no larger images, on no other stream than
/// before, and not at the same time.
///
/// Source: document A, rows A7 and A8, before document C, row C1.
class WARPWISE_EXPORT Chain {
 public:
  /// The widest window of the fused kernel: with wider ones fewer warps run at a time, for want of
  /// shared memory, and the separate kernels are faster.
  static constexpr std::int64_t max_fused_window = 31;

  /// \throws InvalidArgument  there is no step.
  explicit Chain(std::vector<ChainStep> steps, ChainKernels kernels = ChainKernels::fastest);
  ~Chain();
  Chain(Chain&& other) noexcept;
  Chain& operator=(Chain&& other) noexcept;

  const std::vector<ChainStep>& steps() const { return steps_; }

  /// \throws InvalidArgument  sizes differ, the views overlap, or a step does not take what the one
  ///                          before gives, by the step's own message: nothing was done then.
  void run(ConstHostView src, HostView dst);

  /// The same on a GPU. \throws InvalidArgument  as above, or a graph is recorded and no run was
  ///                                             on images as large.
  /// \throws NoCudaDevice  \throws CudaError  a failed launch, no memory.
  void run(ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream);

  /// The same of many images, src[i] to dst[i], of equal or mixed sizes: images that the fused
  /// kernel takes share its launches, 64 of them each, if it is faster for all of them together. No
  /// `dst` may overlap another view.
  /// \throws InvalidArgument  as above, or the spans differ in length.
  void run(std::span<const ConstDeviceView> src, std::span<const DeviceView> dst,
           gpu::StreamHandle stream);

  /// Whether run() on a GPU is one kernel for these views.
  bool is_fused(ConstDeviceView src, DeviceView dst) const;

 private:
  struct State;
  std::vector<ChainStep> steps_;
  std::unique_ptr<State> state_;
};

}  // namespace warpwise
