#include "warpwise/live/ffmpeg/gpu_parts.hpp"

extern "C" {
#include <libavutil/imgutils.h>
}

#include <algorithm>
#include <new>
#include <utility>

#include "warpwise/base/error.hpp"
#include "warpwise/gpu/device.hpp"

namespace warpwise::live::ffmpeg {
namespace {

// Fewest packets in a part, a section of the video that one decoder decodes alone. Shorter parts do
// not pay off, because push_out() decodes a part's first picture again at the part's end.
constexpr int least_packets = 48;
// Limits the packets that wait for a worker.
constexpr std::size_t most_packets = 4096;
// With three decoders, a process decodes about 1,660 frames of 1080p a second, and with nine only
// about 2,000. More decoders would take NVDEC engines from other processes, and each takes the
// driver 36 ms to make.
constexpr std::size_t most_workers = 3;

constexpr std::size_t most_parts = 2 * most_workers;

std::size_t frames_of_a_part(const AVCodecParameters& video) {
  const std::int64_t bytes = av_image_get_buffer_size(static_cast<AVPixelFormat>(video.format),
                                                      video.width, video.height, 1);
  const std::int64_t most = gpu::free_memory_bytes() / 8;
  return static_cast<std::size_t>(
      std::max<std::int64_t>(most / (bytes * std::int64_t{most_parts}), 4));
}

}  // namespace

GpuParts::GpuParts(const AVStream& video)
    : video_(video), device_(gpu::current_device()), starts_(*video.codecpar),
      most_frames_(frames_of_a_part(*video.codecpar)), most_workers_(most_workers) {}

GpuParts::~GpuParts() {
  {
    const std::scoped_lock lock(mutex_);
    is_stopped_ = true;
    has_part_.notify_all();
    for (const PartPointer& part : parts_) {
      part->has_packet.notify_all();
      part->has_room.notify_all();
    }
  }
  for (std::thread& worker : workers_) worker.join();
}

void GpuParts::put(const AVPacket* packet) {
  const bool is_start = packet != nullptr && starts_.is_start(*packet);
  const std::scoped_lock lock(mutex_);
  if (packet == nullptr) {
    has_ended_ = true;
    if (parts_.empty()) return;
    parts_.back()->is_whole = parts_.back()->is_last = true;
    parts_.back()->has_packet.notify_one();
    return;
  }
  if (parts_.empty() || (is_start && parts_.back()->length >= least_packets)) begin_part();
  Part& part = *parts_.back();
  part.packets.push_back(new_packet());
  if (av_packet_ref(part.packets.back().get(), packet) < 0) throw std::bad_alloc();
  ++part.length;
  ++packets_;
  part.has_packet.notify_one();
}

void GpuParts::begin_part() {
  if (!parts_.empty()) {
    parts_.back()->is_whole = true;
    parts_.back()->has_packet.notify_one();
  }
  parts_.push_back(std::make_shared<Part>());
  waiting_.push_back(parts_.back());
  has_part_.notify_one();
  if (needs_worker()) start_worker();
}

// Adds a worker. The first one is needed; further ones only make decoding faster. If a further
// thread or context cannot be made, no more are tried. The worker makes the driver's decoder
// itself, later.
void GpuParts::start_worker() {
  try {
    add_worker();
  } catch (const std::exception&) {
    if (workers_.empty()) throw;
    most_workers_ = workers_.size();
    if (gpus_.size() > workers_.size()) gpus_.pop_back();
  }
}

// Making a decoder takes the driver as long as decoding 25 frames. It pays off only in a long
// video: at least as many parts must have been decoded as there are decoders. It does not help if
// the GPU's engines are busy, perhaps for other programs. They count as busy if frames of the last
// part took over 1.5 times as long as the first part's.
bool GpuParts::needs_worker() const {
  constexpr double longest = 1.5;
  if (workers_.empty()) return true;
  return idle_ < waiting_.size() && workers_.size() < most_workers_ &&
         workers_.size() <= decoded_ && pace_ <= longest * first_pace_;
}

void GpuParts::add_worker() {
  gpu::set_device(device_);  // the reader's thread may have no current device yet
  GpuDecoding& gpu = gpus_.emplace_back();
  workers_.emplace_back([this, &gpu] { work(gpu); });
}

// Returns true if the decoding engines would soon be idle without a further packet.
bool GpuParts::wants_packet() const {
  const auto left = static_cast<std::size_t>(
      std::ranges::count_if(parts_, [](const PartPointer& part) { return !part->is_decoded; }));
  return !has_ended_ && left <= most_workers && parts_.size() < most_parts &&
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
      part.has_room.notify_one();
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
      has_frame_.wait(lock);
    }
  }
}

void GpuParts::work(GpuDecoding& gpu) {
  Worker worker{gpu};
  while (const PartPointer part = next_part()) {
    try {
      forget_messages();
      gpu::set_device(device_);
      if (!worker.codec) worker.codec = gpu.open(video_);
      decode(worker, *part);
      part->message = last_error_message();
    } catch (...) {
      part->failure = std::current_exception();
    }
    end(worker, *part);
  }
  const std::scoped_lock lock(decoders_);
  worker.codec.reset();
}

void GpuParts::end(Worker& worker, Part& part) {
  const std::scoped_lock lock(mutex_);
  part.is_decoded = true;
  ++decoded_;
  pace_ = worker.busy / std::max(part.given, 1);
  if (decoded_ == 1) first_pace_ = pace_;
  worker.busy = {};
  has_frame_.notify_one();
}

GpuParts::PartPointer GpuParts::next_part() {
  std::unique_lock lock(mutex_);
  ++idle_;
  has_part_.wait(lock, [&] { return is_stopped_ || !waiting_.empty(); });
  --idle_;
  if (is_stopped_) return nullptr;
  PartPointer part = std::move(waiting_.front());
  waiting_.pop_front();
  return part;
}

// Decodes a part until its end or first error. After an error it takes the frames still in flight.
void GpuParts::decode(Worker& worker, Part& part) {
  const Packet first = next_packet(part);
  if (!first) return;
  part.error = send(worker, first.get());
  while (part.error >= 0 && take_frames(worker, part)) {
    const Packet packet = next_packet(part);
    if (!packet && !part.is_last) return push_out(worker, part, *first);
    part.error = send(worker, packet.get());
  }
  if (part.error >= 0) return;
  const int error = part.error;
  send(worker, nullptr);
  take_frames(worker, part);
  part.error = error;
}

// Sends a packet. The time of a worker's first packet is not counted, because FFmpeg then makes the
// driver's decoder.
int GpuParts::send(Worker& worker, const AVPacket* packet) {
  if (worker.codec->hw_frames_ctx == nullptr) {
    const std::scoped_lock lock(decoders_);
    return avcodec_send_packet(worker.codec.get(), packet);
  }
  const auto start = std::chrono::steady_clock::now();
  const int error = avcodec_send_packet(worker.codec.get(), packet);
  worker.busy += std::chrono::steady_clock::now() - start;
  return error;
}

int GpuParts::receive(Worker& worker, AVFrame& frame) {
  const auto start = std::chrono::steady_clock::now();
  const int error = avcodec_receive_frame(worker.codec.get(), &frame);
  worker.busy += std::chrono::steady_clock::now() - start;
  return error;
}

// Makes the decoder return the frames that it holds back. Sends the part's first packet, without a
// time stamp, again and again until these frames are out, and drops the frames decoded from it.
// FFmpeg's flush would end the driver's decoder, and making a new one takes as long as decoding 25
// frames.
void GpuParts::push_out(Worker& worker, Part& part, AVPacket& first) {
  constexpr int most_held_back = 32;
  first.pts = first.dts = AV_NOPTS_VALUE;
  const int repeated_before = worker.repeated;
  for (int i = 0; i < most_held_back && part.given < part.length; ++i) {
    ++worker.repeated;
    part.error = send(worker, &first);
    if (part.error < 0 || !take_frames(worker, part)) return;
    if (worker.repeated <= repeated_before + i) return;  // a repeat came out, after all frames
  }
}

// Adds the decoder's finished frames to the part. Returns false at the decoder's end or error, and
// if the reader wants no more frames.
bool GpuParts::take_frames(Worker& worker, Part& part) {
  const Frame frame = new_frame();
  int error = 0;
  while ((error = receive(worker, *frame)) >= 0) {
    if (frame->pts == AV_NOPTS_VALUE && worker.repeated > 0) {
      --worker.repeated;
      continue;
    }
    if (part.given == 0) worker.repeated = 0;  // repeats of the previous part are out
    if (!queue_frame(part, worker.gpu.copy_to_pool(*frame))) return false;
  }
  if (error != AVERROR(EAGAIN) && error != AVERROR_EOF) part.error = error;
  return error == AVERROR(EAGAIN);
}

// Returns the next packet of the part; null at its end.
Packet GpuParts::next_packet(Part& part) {
  std::unique_lock lock(mutex_);
  part.has_packet.wait(lock, [&] { return is_stopped_ || part.is_whole || !part.packets.empty(); });
  if (is_stopped_ || part.packets.empty()) return nullptr;
  Packet packet = std::move(part.packets.front());
  part.packets.pop_front();
  --packets_;
  return packet;
}

// Keeps a frame for the reader, when there is room. Returns false if the reader has stopped.
bool GpuParts::queue_frame(Part& part, Frame frame) {
  std::unique_lock lock(mutex_);
  part.has_room.wait(lock, [&] { return is_stopped_ || part.frames.size() < most_frames_; });
  part.frames.push_back(std::move(frame));
  ++part.given;
  if (parts_.front().get() == &part) has_frame_.notify_one();
  return !is_stopped_;
}

}  // namespace warpwise::live::ffmpeg
