#include "warpwise/live/ffmpeg/deinterlacer.hpp"

extern "C" {
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
}

#include <new>

#include "warpwise/base/error.hpp"
#include "warpwise/live/ffmpeg/pixels.hpp"

namespace warpwise::live::ffmpeg {
namespace {

AVFilterContext* add(AVFilterGraph& graph, const char* filter, const char* arguments) {
  AVFilterContext* added = nullptr;
  const int error = avfilter_graph_create_filter(&added, avfilter_get_by_name(filter), filter,
                                                 arguments, nullptr, &graph);
  if (error < 0) throw IoError("FFmpeg's filter " + std::string(filter) + ": " + reason_of(error));
  return added;
}

std::string text_of(const AVFrame& frame, AVRational time_base) {
  return "video_size=" + std::to_string(frame.width) + "x" + std::to_string(frame.height) +
         ":pix_fmt=" + std::to_string(frame.format) +
         ":time_base=" + std::to_string(time_base.num) + "/" + std::to_string(time_base.den);
}

}  // namespace

void Deinterlacer::FreedGraph::operator()(AVFilterGraph* graph) const {
  avfilter_graph_free(&graph);
}

void Deinterlacer::open(const AVFrame& first) {
  graph_.reset(avfilter_graph_alloc());
  if (!graph_) throw std::bad_alloc();
  // An automatic conversion would change samples.
  avfilter_graph_set_auto_convert(graph_.get(), AVFILTER_AUTO_CONVERT_NONE);
  kind_of_all_ = text_of(first, time_base_);
  in_ = add(*graph_, "buffer", kind_of_all_.c_str());
  AVFilterContext* filter = add(*graph_, "bwdif", "mode=send_frame:deint=interlaced");
  out_ = add(*graph_, "buffersink", nullptr);
  int error = avfilter_link(in_, 0, filter, 0);
  if (error >= 0) error = avfilter_link(filter, 0, out_, 0);
  if (error >= 0) error = avfilter_graph_config(graph_.get(), nullptr);
  if (error < 0) {
    throw IoError("FFmpeg's filter bwdif does not deinterlace frames of " +
                  name_of_pixels(first.format) + " and " + std::to_string(first.width) + "x" +
                  std::to_string(first.height));
  }
}

void Deinterlacer::pass(AVFrame* frame) {
  const int error = av_buffersrc_add_frame(in_, frame);
  if (error < 0) throw IoError("FFmpeg's filter bwdif: " + reason_of(error));
}

void Deinterlacer::put(const AVFrame* frame) {
  if (frame == nullptr) {
    if (graph_) pass(nullptr);
    return;
  }
  Frame copy = new_frame();
  if (av_frame_ref(copy.get(), frame) < 0) throw std::bad_alloc();
  copy->pts = frame->best_effort_timestamp;
  if (!graph_) open(*copy);
  if (text_of(*copy, time_base_) == kind_of_all_) return pass(copy.get());
  other_ = std::move(copy);
  pass(nullptr);
}

bool Deinterlacer::take(AVFrame& frame) {
  av_frame_unref(&frame);
  if (!graph_) return false;
  int error = av_buffersink_get_frame(out_, &frame);
  if (error == AVERROR_EOF && other_) {
    const Frame first = std::move(other_);
    open(*first);
    pass(first.get());
    error = av_buffersink_get_frame(out_, &frame);
  }
  if (error == AVERROR(EAGAIN) || error == AVERROR_EOF) return false;
  if (error < 0) throw IoError("FFmpeg's filter bwdif: " + reason_of(error));
  if (frame.pts != AV_NOPTS_VALUE) {
    frame.pts = av_rescale_q(frame.pts, av_buffersink_get_time_base(out_), time_base_);
  }
  frame.best_effort_timestamp = frame.pts;
  return true;
}

}  // namespace warpwise::live::ffmpeg
