#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "warpwise/live/ffmpeg/gpu_decoding.hpp"
#include "warpwise/live/ffmpeg/part_starts.hpp"

namespace warpwise::live::ffmpeg {

/// Decodes a file's video with up to three of the GPU's decoders at a time, because a single
/// decoder is bound by the rate of its engine (NVDEC). Each decoder gets a part of the video that
/// needs no frame of another part. Frames wait in the GPU's memory until they are taken in order.
class GpuParts {
 public:
  /// `video` must outlive this object. Uses the current GPU.
  explicit GpuParts(const AVStream& video);
  ~GpuParts();
  GpuParts(const GpuParts&) = delete;
  GpuParts& operator=(const GpuParts&) = delete;

  /// Passes the next packet; null after the last one. \throws IoError, CudaError, std::bad_alloc
  void put(const AVPacket* packet);
  /// Takes the next frame in the order of display, with its memory. Returns 0, or FFmpeg's code of
  /// an error: AVERROR(EAGAIN) if put() must be called first, AVERROR_EOF after the last frame.
  /// \throws IoError, CudaError, …
  int take(AVFrame& frame);

 private:
  struct Part {
    std::deque<Packet> packets;
    int length = 0;           // number of packets so far
    bool is_whole = false;    // no further packet comes
    bool is_last = false;     // no further part comes
    bool is_decoded = false;  // no further frame comes
    std::deque<Frame> frames;
    int given = 0;  // number of frames so far
    int error = 0;
    std::string message;  // FFmpeg's message for the error
    std::exception_ptr failure;
    std::condition_variable has_packet;  // there is a packet, or no further packet comes
    std::condition_variable has_room;    // there is room for a frame
  };
  using Seconds = std::chrono::duration<double>;
  struct Worker {
    GpuDecoding& gpu;
    Codec codec = {};
    int repeated = 0;   // repeated pictures in the decoder, whose frames are dropped
    Seconds busy = {};  // time in the decoder for the frames of this part
  };
  using PartPointer = std::shared_ptr<Part>;

  bool wants_packet() const;
  bool needs_worker() const;
  void begin_part();
  void start_worker();
  void add_worker();
  // Called on a worker's thread.
  void work(GpuDecoding& gpu);
  PartPointer next_part();
  void decode(Worker& worker, Part& part);
  int send(Worker& worker, const AVPacket* packet);
  int receive(Worker& worker, AVFrame& frame);
  void end(Worker& worker, Part& part);
  void push_out(Worker& worker, Part& part, AVPacket& first);
  bool take_frames(Worker& worker, Part& part);
  Packet next_packet(Part& part);
  bool queue_frame(Part& part, Frame frame);

  const AVStream& video_;
  int device_;
  PartStarts starts_;
  std::size_t most_frames_;       // maximum number of decoded frames of a part that wait for take()
  std::deque<GpuDecoding> gpus_;  // one for each worker; must outlive all frames

  std::mutex decoders_;               // held while the driver makes or ends a decoder
  std::mutex mutex_;                  // protects all members below
  std::condition_variable has_part_;  // a part waits for a worker
  // wakes the reader: there is a frame, or the first part has ended
  std::condition_variable has_frame_;
  std::deque<PartPointer> parts_;    // in the order of the video; the first one's frames are next
  std::deque<PartPointer> waiting_;  // parts that no worker has
  std::size_t idle_ = 0;             // workers without a part
  std::size_t packets_ = 0;          // packets that no worker has
  std::size_t decoded_ = 0;          // number of decoded parts
  Seconds first_pace_ = {};          // mean decoding time of a frame in the first part
  Seconds pace_ = {};                // mean decoding time of a frame in the part decoded last
  bool has_ended_ = false;           // the last packet was put
  bool is_stopped_ = false;
  std::vector<std::thread> workers_;
  std::size_t most_workers_;
};

}  // namespace warpwise::live::ffmpeg
