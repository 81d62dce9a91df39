#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "warpwise/gpu/stream.hpp"
#include "warpwise/live/ffmpeg/libraries.hpp"
#include "warpwise/live/source.hpp"

// Decoding by the current GPU's own decoders, through FFmpeg. FFmpeg loads the driver's library.
namespace warpwise::live::ffmpeg {

/// Returns why the current GPU does not decode a video: "the GPU decodes no mjpeg". Empty if it
/// does. For Decode::automatic there are more reasons: frames that would go through the host, and
/// codecs whose decoders may differ.
std::string why_not_by_gpu(const AVStream& video, const SourceOptions& options);

/// The current GPU, as FFmpeg's decoders use it. It outlives its decoders and their frames.
class GpuDecoding {
 public:
  /// \throws IoError  FFmpeg has no CUDA.  \throws CudaError
  GpuDecoding();

  /// Makes a codec context whose frames lie in the GPU's memory. Whoever opens it chooses the
  /// threads.
  /// \throws std::bad_alloc
  Codec new_codec(AVCodecID id) const;

  /// Copies a frame to contiguous memory of the GPU, and returns when the copy is complete.
  /// \throws CudaError
  void copy(const AVFrame& frame, PixelFormat format, std::byte* to) const;

  /// Returns a copy of the frame in the host's memory. \throws IoError
  static Frame download(const AVFrame& frame);

 private:
  struct FreedReference {
    void operator()(AVBufferRef* reference) const { av_buffer_unref(&reference); }
  };

  gpu::Stream stream_;  // of the decoders' copies too
  std::unique_ptr<AVBufferRef, FreedReference> device_;
};

}  // namespace warpwise::live::ffmpeg
