#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "warpwise/algorithms/jpeg/scan.hpp"
#include "warpwise/base/export.hpp"
#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/handles.hpp"

namespace warpwise::jpeg {

/// The pixels that a decoder makes.
enum class Pixels : std::uint8_t {
  rgb24,  ///< for a file with three components
  gray8   ///< Y alone
};

/// Decodes JPEG files on the current GPU. Keeps page-locked memory between files. Only one
/// thread at a time may use it.
class WARPWISE_EXPORT Decoder {
 public:
  /// Decodes to `to` in the GPU's memory, row by row without gaps, and returns when all pixels are
  /// there. They equal those of libjpeg-turbo's decoder with its default settings. Returns false,
  /// and leaves arbitrary pixels, if the data deviate from what encoders write: libjpeg-turbo then
  /// has to decode them.
  /// \throws CudaError  \throws InvalidArgument  rgb24 of one component
  bool decode(const Scan& scan, Pixels pixels, std::byte* to, gpu::StreamHandle stream);

 private:
  std::byte* staging(std::size_t bytes);

  std::optional<gpu::HostBuffer> staging_;
};

}  // namespace warpwise::jpeg
