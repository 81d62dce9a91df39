#include "warpwise/live/ffmpeg/deinterlacer.hpp"

#include <new>

namespace warpwise::live::ffmpeg {

void Deinterlacer::open(const AVFrame& first) {
  graph_.emplace(first, time_base_,
                 std::vector<FilterGraph::Filter>{{"bwdif", "mode=send_frame:deint=interlaced"}},
                 "deinterlace");
}

void Deinterlacer::put(const AVFrame* frame) {
  if (frame == nullptr) {
    if (graph_) graph_->put(nullptr);
    return;
  }
  Frame copy = new_frame();
  if (av_frame_ref(copy.get(), frame) < 0) throw std::bad_alloc();
  copy->pts = frame->best_effort_timestamp;
  if (!graph_) open(*copy);
  if (graph_->takes(*copy)) return graph_->put(copy.get());
  other_ = std::move(copy);
  graph_->put(nullptr);
}

bool Deinterlacer::take(AVFrame& frame) {
  av_frame_unref(&frame);
  if (!graph_) return false;
  if (graph_->take(frame)) return true;
  if (!other_ || !graph_->has_ended()) return false;
  const Frame first = std::move(other_);
  open(*first);
  graph_->put(first.get());
  return graph_->take(frame);
}

}  // namespace warpwise::live::ffmpeg
