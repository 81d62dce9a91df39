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

/// A picture that was read. Either `page` or `on_gpu` is set.
struct ReadPicture {
  io::PictureShape shape;
  std::optional<io::Page> page;
  std::optional<gpu::Buffer> on_gpu;
};

/// Reads picture files in their order. While the caller uses one file, threads read the next files.
/// There are at most as many threads as oneTBB may use, and the pictures read ahead take about 1
/// GiB at most. Only one thread at a time may use an object.
class ReadAhead {
 public:
  /// Uses only `luma` and `autorotate` of the options.
  ReadAhead(std::vector<std::string> paths, const SourceOptions& options);

  /// Returns true if the current GPU decodes the first file. \throws IoError
  bool begins_on_gpu() const;
  /// Lets the current GPU decode the JPEG files that no thread has begun and that it can decode.
  void decode_on_gpu();

  /// Returns the next picture as it is stored; nullopt after the last one.
  /// \throws IoError, CudaError  the file cannot be read
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
  std::optional<int> device_;  // number of the GPU that decodes; nullopt if the CPU decodes
  std::size_t begun_ = 0;
  std::size_t bytes_ = 0;  // size of the last picture
  std::mutex mutex_;       // protects free_
  std::vector<std::unique_ptr<Decoder>> free_;
  // The last member, so that its threads end before other members are destroyed.
  std::deque<std::future<ReadPicture>> reading_;
};

}  // namespace warpwise::live
