#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/stream.hpp"
#include "warpwise/live/ffmpeg/libraries.hpp"
#include "warpwise/live/source.hpp"

// Decoding with the current GPU's video decoders by FFmpeg, which loads the driver's library.
namespace warpwise::live::ffmpeg {

/// Returns why the current GPU does not decode a video: "the GPU decodes no mjpeg". Returns an
/// empty text if it does. Decode::automatic adds two reasons. Frames that have to be turned are
/// turned on the host. Frames of a kind that no test has compared may differ from the CPU's.
std::string why_not_by_gpu(const AVStream& video, const SourceOptions& options);

/// Opens a codec for a video. \throws IoError  with FFmpeg's reason
void open_codec(AVCodecContext& codec, const AVStream& video);

/// Lets FFmpeg's decoders use the current GPU. Must outlive its decoders and their frames.
class GpuDecoding {
 public:
  /// \throws IoError  FFmpeg has no CUDA.  \throws CudaError
  GpuDecoding();

  /// Opens a decoder for the video. Its frames lie in the GPU's memory.
  /// \throws IoError  with FFmpeg's reason.  \throws std::bad_alloc
  Codec open(const AVStream& video) const;

  /// Copies a frame to contiguous memory of the GPU. The result is nv12 for 4:2:0, ycbcr32 for
  /// 4:4:4, or DeepPlanes for more than 8 bits. FrameCopy gives the same bytes. `stream` has the
  /// result's shape, and the video's depth. Returns when the copy is complete. \throws CudaError
  void copy(const AVFrame& frame, const Stream& stream, std::byte* to) const;

  /// Copies a frame to the host's memory with copy()'s bytes. \throws CudaError, std::bad_alloc
  void download(const AVFrame& frame, const Stream& stream, std::span<std::byte> to) const;

  /// Returns a copy of a frame in separate memory, because a decoder has memory for only a few
  /// frames. The memory comes from this object's own pool: a pool shared by several streams would
  /// make one decoder's stream wait for another's.
  /// \throws CudaError, std::bad_alloc
  Frame copy_to_pool(const AVFrame& frame);

 private:
  struct FreedReference {
    void operator()(AVBufferRef* reference) const { av_buffer_unref(&reference); }
    void operator()(AVBufferPool* pool) const { av_buffer_pool_uninit(&pool); }
  };
  AVBufferRef* memory_for(std::size_t bytes);

  int number_ = gpu::current_device();
  gpu::Stream stream_;  // FFmpeg's decoders copy on it too
  std::unique_ptr<AVBufferRef, FreedReference> device_;
  std::unique_ptr<AVBufferPool, FreedReference> pool_;
  std::size_t pool_bytes_ = 0;  // size of the pool's buffers
};

}  // namespace warpwise::live::ffmpeg
