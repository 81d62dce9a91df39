#include "warpwise/live/ffmpeg/gpu_parts.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "warpwise/base/error.hpp"
#include "warpwise/gpu/device.hpp"

namespace warpwise::live::ffmpeg {
namespace {

// A part costs the time of some frames, in which its decoder has fewer than it could have.
constexpr int least_packets = 24;
// Packets are read before their frames are wanted, since a part begins after those before it.
constexpr std::size_t most_packets = 4096;
// Workers beyond the GPU's engines take over where one waits for the end of its part.
constexpr std::size_t more_workers = 2;

std::size_t frames_of_a_part(const AVCodecParameters& video, std::size_t parts) {
  const std::int64_t bytes = std::int64_t{video.width} * video.height * 3 / 2;
  const std::int64_t most = gpu::free_memory_bytes() / 8;
  return static_cast<std::size_t>(
      std::max<std::int64_t>(most / (bytes * static_cast<std::int64_t>(parts)), 4));
}

}  // namespace

GpuParts::GpuParts(const AVStream& video)
    : video_(video), device_(gpu::current_device()), starts_(*video.codecpar),
      most_workers_(gpu_engines(*video.codecpar) + more_workers),
      most_frames_(frames_of_a_part(*video.codecpar, 2 * most_workers_)) {}

GpuParts::~GpuParts() {
  {
    const std::scoped_lock lock(mutex_);
    is_stopped_ = true;
    changed_.notify_all();
  }
  for (std::thread& worker : workers_) worker.join();
}

void GpuParts::put(const AVPacket* packet) {
  const bool is_start = packet != nullptr && starts_.is_start(*packet);
  const std::scoped_lock lock(mutex_);
  changed_.notify_all();
  if (packet == nullptr) {
    has_ended_ = true;
    if (!parts_.empty()) parts_.back()->is_whole = true;
    return;
  }
  if (parts_.empty() || (is_start && parts_.back()->length >= least_packets)) begin_part();
  Part& part = *parts_.back();
  part.packets.push_back(new_packet());
  if (av_packet_ref(part.packets.back().get(), packet) < 0) throw std::bad_alloc();
  ++part.length;
  ++packets_;
}

void GpuParts::begin_part() {
  if (!parts_.empty()) parts_.back()->is_whole = true;
  parts_.push_back(std::make_shared<Part>());
  waiting_.push_back(parts_.back());
  if (idle_ < waiting_.size() && workers_.size() < most_workers_) start_worker();
}

void GpuParts::start_worker() {
  GpuDecoding& gpu = gpus_.emplace_back();
  workers_.emplace_back([this, &gpu] { work(gpu); });
}

// Returns true if engines would soon be idle without a further packet.
bool GpuParts::wants_packet() const {
  const auto left = static_cast<std::size_t>(
      std::ranges::count_if(parts_, [](const PartPointer& part) { return !part->is_decoded; }));
  return !has_ended_ && left <= most_workers_ && parts_.size() < 2 * most_workers_ &&
         packets_ < most_packets;
}

int GpuParts::take(AVFrame& frame) {
  av_frame_unref(&frame);
  std::unique_lock lock(mutex_);
  for (;;) {
    if (wants_packet()) return AVERROR(EAGAIN);
    if (parts_.empty()) return has_ended_ ? AVERROR_EOF : AVERROR(EAGAIN);
    Part& part = *parts_.front();
    if (!part.frames.empty()) {
      av_frame_move_ref(&frame, part.frames.front().get());
      part.frames.pop_front();
      changed_.notify_all();
      return 0;
    }
    if (part.is_decoded) {
      if (part.failure) std::rethrow_exception(part.failure);
      if (part.error < 0) {
        take_message(part.message);
        return part.error;
      }
      parts_.pop_front();
    } else {
      changed_.wait(lock);
    }
  }
}

void GpuParts::work(GpuDecoding& gpu) {
  Codec codec;
  while (const PartPointer part = next_part()) {
    try {
      forget_messages();
      gpu::set_device(device_);
      if (codec) {
        avcodec_flush_buffers(codec.get());
      } else {
        codec = gpu.open(video_);
      }
      decode(*codec, gpu, *part);
      part->message = complaint();
    } catch (...) {
      part->failure = std::current_exception();
    }
    const std::scoped_lock lock(mutex_);
    part->is_decoded = true;
    changed_.notify_all();
  }
}

GpuParts::PartPointer GpuParts::next_part() {
  std::unique_lock lock(mutex_);
  ++idle_;
  changed_.wait(lock, [&] { return is_stopped_ || !waiting_.empty(); });
  --idle_;
  if (is_stopped_) return nullptr;
  PartPointer part = std::move(waiting_.front());
  waiting_.pop_front();
  return part;
}

// Gives a part's frames until its end, or its first error. Frames in flight come before the error.
void GpuParts::decode(AVCodecContext& codec, GpuDecoding& gpu, Part& part) {
  const Frame frame = new_frame();
  int error = 0;
  while (error != AVERROR_EOF) {
    const Packet packet = next_packet(part);
    error = avcodec_send_packet(&codec, packet.get());
    if (error < 0 && error != AVERROR_EOF) {
      part.error = error;
      avcodec_send_packet(&codec, nullptr);
    }
    while ((error = avcodec_receive_frame(&codec, frame.get())) >= 0) {
      if (!give(part, gpu.own_copy(*frame))) return;
    }
    if (error == AVERROR(EAGAIN) || error == AVERROR_EOF) continue;
    part.error = error;
    return;
  }
}

// Returns the next packet of the part; null at its end.
Packet GpuParts::next_packet(Part& part) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return is_stopped_ || part.is_whole || !part.packets.empty(); });
  if (is_stopped_ || part.packets.empty()) return nullptr;
  Packet packet = std::move(part.packets.front());
  part.packets.pop_front();
  --packets_;
  changed_.notify_all();
  return packet;
}

// Keeps a frame for the reader, when there is room. Returns false if nobody wants it any more.
bool GpuParts::give(Part& part, Frame frame) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return is_stopped_ || part.frames.size() < most_frames_; });
  part.frames.push_back(std::move(frame));
  changed_.notify_all();
  return !is_stopped_;
}

}  // namespace warpwise::live::ffmpeg
