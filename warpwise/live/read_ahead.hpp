#pragma once

#include <cstddef>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/stream.hpp"
#include "warpwise/io/picture_file.hpp"
#include "warpwise/live/jpeg_on_gpu.hpp"
#include "warpwise/live/source.hpp"

namespace warpwise::live {

/// A picture that was read: in the host's memory, or in the GPU's.
struct ReadPicture {
  io::PictureShape shape;
  std::optional<io::Page> page;
  std::optional<gpu::Buffer> on_gpu;
};

/// Reads picture files in their order. Threads read the next files while the caller uses one: as
/// many as oneTBB may have, and as pictures fit 1 GiB. Used by one thread at a time.
class ReadAhead {
 public:
  /// Takes `luma` and `autorotate` of the options.
  ReadAhead(std::vector<std::string> paths, const SourceOptions& options);

  /// Returns true if the current GPU decodes the first file. \throws IoError
  bool begins_on_gpu() const;
  /// Has the current GPU decode what it can of the files that no thread has begun.
  void decode_on_gpu();

  /// Returns the next picture as it is stored; nullopt after the last one.
  /// \throws IoError, CudaError  what this file's reading threw
  std::optional<ReadPicture> next();

 private:
  // A decoder for one picture at a time.
  struct Decoder {
    JpegOnGpu jpeg;
    gpu::Stream stream;
  };

  void begin(const std::string& path);
  ReadPicture read(const std::string& path);
  std::optional<ReadPicture> decoded_on_gpu(std::span<const std::byte> file);

  std::vector<std::string> paths_;
  bool luma_;
  bool autorotate_;
  std::optional<int> device_;  // of the GPU that decodes
  std::size_t begun_ = 0;
  std::size_t bytes_ = 0;  // of a picture
  std::mutex mutex_;       // of the next member
  std::vector<std::unique_ptr<Decoder>> free_;
  std::deque<std::future<ReadPicture>> reading_;  // the last member: its threads end first
};

}  // namespace warpwise::live
