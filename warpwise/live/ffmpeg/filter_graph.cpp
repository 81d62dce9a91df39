#include "warpwise/live/ffmpeg/filter_graph.hpp"

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

std::string kind_of(const AVFrame& frame, AVRational time_base) {
  return "video_size=" + std::to_string(frame.width) + "x" + std::to_string(frame.height) +
         ":pix_fmt=" + std::to_string(frame.format) +
         ":time_base=" + std::to_string(time_base.num) + "/" + std::to_string(time_base.den);
}

}  // namespace

void FilterGraph::Freed::operator()(AVFilterGraph* graph) const { avfilter_graph_free(&graph); }

FilterGraph::FilterGraph(const AVFrame& like, AVRational time_base,
                         const std::vector<Filter>& filters, const std::string& verb)
    : time_base_(time_base), name_(filters.front().name), kind_(kind_of(like, time_base)),
      graph_(avfilter_graph_alloc()) {
  if (!graph_) throw std::bad_alloc();
  // Forbids automatic conversions, because they would change samples.
  avfilter_graph_set_auto_convert(graph_.get(), AVFILTER_AUTO_CONVERT_NONE);
  in_ = add(*graph_, "buffer", kind_.c_str());
  AVFilterContext* last = in_;
  int error = 0;
  const auto link = [&](AVFilterContext* next) {
    if (error >= 0) error = avfilter_link(last, 0, next, 0);
    last = next;
  };
  for (const Filter& each : filters) link(add(*graph_, each.name, each.arguments.c_str()));
  out_ = add(*graph_, "buffersink", nullptr);
  link(out_);
  if (error >= 0) error = avfilter_graph_config(graph_.get(), nullptr);
  if (error >= 0) return;
  throw IoError("FFmpeg's filter " + name_ + " does not " + verb + " frames of " +
                name_of_pixels(like.format) + " and " + std::to_string(like.width) + "x" +
                std::to_string(like.height));
}

bool FilterGraph::takes(const AVFrame& frame) const { return kind_of(frame, time_base_) == kind_; }

void FilterGraph::put(AVFrame* frame) {
  const int error = av_buffersrc_add_frame(in_, frame);
  if (error < 0) throw IoError("FFmpeg's filter " + name_ + ": " + reason_of(error));
}

bool FilterGraph::take(AVFrame& frame) {
  av_frame_unref(&frame);
  const int error = av_buffersink_get_frame(out_, &frame);
  has_ended_ = error == AVERROR_EOF;
  if (error == AVERROR(EAGAIN) || has_ended_) return false;
  if (error < 0) throw IoError("FFmpeg's filter " + name_ + ": " + reason_of(error));
  if (frame.pts != AV_NOPTS_VALUE) {
    frame.pts = av_rescale_q(frame.pts, av_buffersink_get_time_base(out_), time_base_);
  }
  frame.best_effort_timestamp = frame.pts;
  return true;
}

}  // namespace warpwise::live::ffmpeg
