#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/stream.hpp"
#include "warpwise/live/ffmpeg/libraries.hpp"
#include "warpwise/live/source.hpp"

// Decoding by the current GPU's own decoders, through FFmpeg. FFmpeg loads the driver's library.
namespace warpwise::live::ffmpeg {

/// Returns why the current GPU does not decode a video: "the GPU decodes no mjpeg". Returns an
/// empty text if it does. For Decode::automatic there are more reasons: frames that would go
/// through the host, and codecs whose frames may differ from the CPU's.
std::string why_not_by_gpu(const AVStream& video, const SourceOptions& options);

/// Opens a codec for a video. \throws IoError  with FFmpeg's reason
void open_codec(AVCodecContext& codec, const AVStream& video);

/// The current GPU, as FFmpeg's decoders use it. It must outlive its decoders and their frames.
class GpuDecoding {
 public:
  /// \throws IoError  FFmpeg has no CUDA.  \throws CudaError
  GpuDecoding();

  /// Opens the video's decoder, whose frames lie in the GPU's memory.
  /// \throws IoError  with FFmpeg's reason.  \throws std::bad_alloc
  Codec open(const AVStream& video) const;

  /// Copies a frame to contiguous memory of the GPU, with the bytes that FrameCopy gives: nv12 for
  /// 4:2:0, ycbcr32 for 4:4:4, and DeepPlanes. `stream` describes the copies; its depth is the
  /// video's. Returns when the copy is complete. \throws CudaError
  void copy(const AVFrame& frame, const Stream& stream, std::byte* to) const;

  /// Copies a frame to the host's memory in the same way. \throws CudaError, std::bad_alloc
  void download(const AVFrame& frame, const Stream& stream, std::span<std::byte> to) const;

  /// Returns a copy of a frame in memory of its own, because a decoder has memory for only
  /// some frames. Only this object uses the memory of its copies again: a pool for several streams
  /// would make a decoder's stream wait for another stream.
  /// \throws CudaError, std::bad_alloc
  Frame own_copy(const AVFrame& frame);

 private:
  struct FreedReference {
    void operator()(AVBufferRef* reference) const { av_buffer_unref(&reference); }
    void operator()(AVBufferPool* pool) const { av_buffer_pool_uninit(&pool); }
  };
  AVBufferRef* memory_for(std::size_t bytes);

  int number_ = gpu::current_device();
  gpu::Stream stream_;  // used by the decoders' copies too
  std::unique_ptr<AVBufferRef, FreedReference> device_;
  std::unique_ptr<AVBufferPool, FreedReference> pool_;
  std::size_t pool_bytes_ = 0;  // size of the pool's buffers
};

}  // namespace warpwise::live::ffmpeg
