#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "warpwise/algorithms/jpeg/decoder.hpp"
#include "warpwise/gpu/handles.hpp"
#include "warpwise/io/picture.hpp"

namespace warpwise::live {

/// Decodes JPEG files on the current GPU, to the bytes that io::decode_jpeg() gives. Only one
/// thread at a time may use an object.
class JpegOnGpu {
 public:
  /// Takes a file, which must outlive decode(), and returns the shape of its pixels. Returns
  /// nullopt if the CPU has to decode the file: it is progressive, unusual or has to be turned.
  std::optional<io::PictureShape> begin(std::span<const std::byte> file, bool luma,
                                        bool autorotate);

  /// Decodes begin()'s file to the GPU's memory, and returns when all pixels are there. Returns
  /// false if the CPU has to decode the file. \throws CudaError
  bool decode(std::byte* pixels, gpu::StreamHandle stream);

 private:
  jpeg::Decoder decoder_;
  std::optional<jpeg::Scan> scan_;
  jpeg::Pixels pixels_{};
};

}  // namespace warpwise::live
