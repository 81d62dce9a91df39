#pragma once

#include <memory>
#include <string>

#include "warpwise/live/ffmpeg/decoder.hpp"
#include "warpwise/live/source.hpp"

namespace warpwise::live::ffmpeg {

/// Formats a size: "640x480".
std::string size_text(std::int64_t width, std::int64_t height);

/// A source of the frames of a decoder.
class DecodedSource : public Source {
 public:
  /// Decodes the first frame; all others must be like it.
  /// \throws IoError  there is none, or of a kind that is not read.
  DecodedSource(std::unique_ptr<Decoder> decoder, const SourceOptions& options);

  bool next(std::span<std::byte> pixels) final;

 protected:
  const AVStream& video() const { return decoder_->stream(); }

 private:
  // Takes the decoder only after the first frame was decoded.
  DecodedSource(std::unique_ptr<Decoder>&& decoder, const AVFrame& first,
                const SourceOptions& options);
  void require_like_the_first(const AVFrame& frame) const;

  std::unique_ptr<Decoder> decoder_;
  const AVFrame* first_;  // null after it was returned
  int pixels_;            // an AVPixelFormat, the same for all frames
};

}  // namespace warpwise::live::ffmpeg
