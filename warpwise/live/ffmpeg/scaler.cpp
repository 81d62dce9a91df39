#include "warpwise/live/ffmpeg/scaler.hpp"

#include <new>

#include "warpwise/base/error.hpp"
#include "warpwise/live/ffmpeg/pixels.hpp"

namespace warpwise::live::ffmpeg {
namespace {

// Returns matrix and range as arguments of the filter: ":in_color_matrix=bt601:in_range=limited".
std::string text_of(const char* end, const Colours& colours) {
  return ":" + std::string(end) + "_color_matrix=" + std::string(name_of(colours.matrix.value)) +
         ":" + end + "_range=" + std::string(name_of(colours.range.value));
}

}  // namespace

// Sets flags that make the result the same on CPUs with different instructions.
Scaler::Scaler(const AVFrame& target, const Colours& colours)
    : target_("w=" + std::to_string(target.width) + ":h=" + std::to_string(target.height) +
              ":flags=bicubic+accurate_rnd+full_chroma_int+bitexact" + text_of("out", colours)),
      pixels_("pix_fmts=" + name_of_pixels(target.format)) {}

const AVFrame& Scaler::operator()(const AVFrame& frame, const Colours& colours) {
  const std::string from = text_of("in", colours);
  if (!graph_ || !graph_->takes(frame) || from != from_) {
    const std::vector<FilterGraph::Filter> filters = {{"scale", target_ + from},
                                                      {"format", pixels_}};
    graph_.emplace(frame, AVRational{1, AV_TIME_BASE}, filters, "scale");
    from_ = from;
  }
  Frame copy = new_frame();
  if (av_frame_ref(copy.get(), &frame) < 0) throw std::bad_alloc();
  graph_->put(copy.get());
  if (!graph_->take(*scaled_)) throw IoError("FFmpeg's filter scale gives no frame");
  return *scaled_;
}

}  // namespace warpwise::live::ffmpeg
