// Tests classes of the module with input that is hard to make as files: the limit on bytes read
// from a joined file, errors of a filter, and times of tracks of which only one steps back.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "warpwise/base/error.hpp"
#include "warpwise/live/ffmpeg/deinterlacer.hpp"
#include "warpwise/live/ffmpeg/other_tracks.hpp"
#include "warpwise/live/ffmpeg/part_starts.hpp"
#include "warpwise/live/ffmpeg/transport_stream.hpp"

namespace warpwise::live::ffmpeg {
namespace {

constexpr std::int64_t cell_bytes = 188;

// A transport stream of 1 GiB. A cell is a transport packet of 188 bytes. The first cell begins a
// packet of track 256, whose second cell is at `next`. All others are empty cells of track 8191.
class FilledStream {
 public:
  explicit FilledStream(std::int64_t next) : next_(next) {
    constexpr int buffer_bytes = 1 << 15;
    auto* buffer = static_cast<unsigned char*>(av_malloc(buffer_bytes));
    io_ = avio_alloc_context(buffer, buffer_bytes, 0, this, read, nullptr, seek);
  }
  ~FilledStream() {
    av_freep(&io_->buffer);
    avio_context_free(&io_);
  }
  FilledStream(const FilledStream&) = delete;
  FilledStream& operator=(const FilledStream&) = delete;

  AVIOContext& io() { return *io_; }
  std::int64_t bytes_read() const { return bytes_read_; }

 private:
  static constexpr std::int64_t size = std::int64_t{1} << 30;

  unsigned char byte_at(std::int64_t place) const {
    const std::int64_t cell = place / cell_bytes;
    const bool is_ours = cell == 0 || cell == next_;
    const std::array<int, 4> header = {0x47, is_ours ? 0x41 : 0x1f, is_ours ? 0x00 : 0xff,
                                       cell == next_ ? 0x11 : 0x10};
    const auto at = static_cast<std::size_t>(place % cell_bytes);
    return at < header.size() ? static_cast<unsigned char>(header[at]) : 0xff;
  }
  static int read(void* opaque, std::uint8_t* to, int bytes) {
    auto& self = *static_cast<FilledStream*>(opaque);
    for (int i = 0; i < bytes; ++i) to[i] = self.byte_at(self.at_ + i);
    self.at_ += bytes;
    self.bytes_read_ += bytes;
    return bytes;
  }
  static std::int64_t seek(void* opaque, std::int64_t to, int whence) {
    if (whence == AVSEEK_SIZE) return size;
    return static_cast<FilledStream*>(opaque)->at_ = to;
  }

  std::int64_t next_;
  AVIOContext* io_;
  std::int64_t at_ = 0;
  std::int64_t bytes_read_ = 0;
};

TEST(TransportStream, TheLookAtAJoinEndsAfter16MiB) {
  constexpr std::int64_t most = std::int64_t{1} << 24;
  FilledStream stream(std::numeric_limits<std::int64_t>::max());
  EXPECT_FALSE(is_whole_in_transport_stream(stream.io(), 0));
  EXPECT_GT(stream.bytes_read(), most / 2);
  EXPECT_LT(stream.bytes_read(), most + (1 << 20));
  EXPECT_EQ(avio_tell(&stream.io()), 0);
}

TEST(TransportStream, ANegativePlaceReadsNothing) {
  FilledStream stream(1);
  EXPECT_FALSE(is_whole_in_transport_stream(stream.io(), -1));
  EXPECT_EQ(stream.bytes_read(), 0);
}

Frame frame_of(AVPixelFormat pixels, int width, int height) {
  Frame frame = new_frame();
  frame->format = pixels;
  frame->width = width;
  frame->height = height;
  frame->interlaced_frame = 1;
  if (av_frame_get_buffer(frame.get(), 0) < 0) throw std::bad_alloc();
  return frame;
}

std::string refusal(Deinterlacer& deinterlacer, const AVFrame* frame) {
  try {
    deinterlacer.put(frame);
  } catch (const IoError& error) {
    return error.what();
  }
  return {};
}

TEST(DeinterlacerErrors, NameTheFrames) {
  keep_messages();
  const Frame small = frame_of(AV_PIX_FMT_YUV420P, 2, 2);
  Deinterlacer first({1, 25});
  EXPECT_EQ(refusal(first, small.get()),
            "FFmpeg's filter bwdif does not deinterlace frames of yuv420p and 2x2");
  const Frame packed = frame_of(AV_PIX_FMT_YUYV422, 64, 48);
  Deinterlacer second({1, 25});
  EXPECT_EQ(refusal(second, packed.get()),
            "FFmpeg's filter bwdif does not deinterlace frames of yuyv422 and 64x48");
}

TEST(DeinterlacerErrors, AFrameBehindTheEndIsOne) {
  const Frame frame = frame_of(AV_PIX_FMT_YUV420P, 64, 48);
  Deinterlacer deinterlacer({1, 25});
  Frame out = new_frame();
  EXPECT_EQ(refusal(deinterlacer, frame.get()), "");
  deinterlacer.put(nullptr);
  while (deinterlacer.take(*out)) continue;
  EXPECT_NE(refusal(deinterlacer, frame.get()).find("FFmpeg's filter bwdif: "), std::string::npos);
}

TEST(DeinterlacerErrors, AnEndWithoutFramesIsNone) {
  Deinterlacer deinterlacer({1, 25});
  Frame out = new_frame();
  deinterlacer.put(nullptr);
  EXPECT_FALSE(deinterlacer.take(*out));
}

// A source with a video and a track of sound. Their times are in milliseconds.
class Clocks : public testing::Test {
 protected:
  Clocks() : input_(avformat_alloc_context(), avformat_free_context) {
    for (const AVMediaType type : {AVMEDIA_TYPE_VIDEO, AVMEDIA_TYPE_AUDIO}) {
      AVStream* stream = avformat_new_stream(input_.get(), nullptr);
      stream->codecpar->codec_type = type;
      stream->codecpar->codec_id = type == AVMEDIA_TYPE_VIDEO ? AV_CODEC_ID_H264 : AV_CODEC_ID_AAC;
      stream->time_base = {1, 1000};
    }
    input_->start_time = 0;
    tracks_.emplace(*input_, 0);
  }

  Packet packet(int track, std::int64_t time) {
    Packet packet = new_packet();
    if (av_new_packet(packet.get(), 1) < 0) throw std::bad_alloc();
    packet->stream_index = track;
    packet->pts = packet->dts = time;
    packet->duration = 1000;
    return packet;
  }
  void record_video_time(std::int64_t time) {
    tracks_->record_video_time(*packet(0, time), {1, 1000});
  }
  // Returns the time that OtherTracks gives a packet of sound whose time in the file is `time`.
  std::int64_t sound_at(std::int64_t time) {
    tracks_->put(*packet(1, time));
    return tracks_->take(std::numeric_limits<std::int64_t>::max())->pts;
  }

  std::unique_ptr<AVFormatContext, void (*)(AVFormatContext*)> input_;
  std::optional<OtherTracks> tracks_;
};

TEST_F(Clocks, SoundThatJumpsAloneFollowsTheVideoSoFar) {
  for (const std::int64_t time : {0, 1000, 2000}) {
    record_video_time(time);
    EXPECT_EQ(sound_at(time), time);
  }
  EXPECT_EQ(sound_at(0), 3000);  // after three seconds of video
  EXPECT_EQ(sound_at(1000), 4000);
}

TEST_F(Clocks, SoundWithEqualTimesStaysButNotAtAJoin) {
  const auto has_sound_at = [&](std::int64_t time) {
    tracks_->put(*packet(1, time));
    return tracks_->take(std::numeric_limits<std::int64_t>::max()) != nullptr;
  };
  record_video_time(0);
  record_video_time(1000);
  EXPECT_TRUE(has_sound_at(1950));
  EXPECT_TRUE(has_sound_at(1950));
  record_video_time(0);               // a second recording begins at 3 s, when the sound has ended
  EXPECT_FALSE(has_sound_at(-1050));  // at 1.95 s too
  EXPECT_TRUE(has_sound_at(-1049));
}

TEST_F(Clocks, TheVideoDoesNotFollowAJumpOfSoundLongAgo) {
  record_video_time(0);
  sound_at(5000);
  sound_at(0);  // only the sound steps back
  for (std::int64_t time = 1000; time <= 20'000; time += 1000) record_video_time(time);
  record_video_time(0);            // a second recording of the video begins at 21 s
  sound_at(9000);                  // still in the recording that the sound's step back began
  EXPECT_EQ(sound_at(0), 21'000);  // now the sound is in the video's second recording
  EXPECT_EQ(sound_at(1000), 22'000);
}

TEST_F(Clocks, AStepBackOfLessThanATenthOfASecondIsNoJump) {
  record_video_time(5000);
  EXPECT_EQ(sound_at(5000), 5000);
  EXPECT_EQ(sound_at(4910), 4910);
  EXPECT_EQ(sound_at(4810), 6000);  // a step back of 0.1 s: begins after six seconds of video
}

// First bytes of H.264's NAL units.
constexpr std::uint8_t slice = 0x41;
constexpr std::uint8_t idr = 0x65;
constexpr std::uint8_t sps = 0x67;
constexpr std::uint8_t pps = 0x68;

using Units = std::vector<std::vector<std::uint8_t>>;

class PartStartsOf : public testing::Test {
 protected:
  PartStartsOf()
      : video_(avcodec_parameters_alloc(), [](auto* each) { avcodec_parameters_free(&each); }) {
    video_->codec_id = AV_CODEC_ID_H264;
  }

  // Stores parameters like an .mp4 file, in which a length of `bytes` bytes precedes each NAL unit.
  void store_lengths_of(int bytes) {
    video_->extradata_size = 7;
    video_->extradata = static_cast<std::uint8_t*>(av_mallocz(7 + AV_INPUT_BUFFER_PADDING_SIZE));
    video_->extradata[0] = 1;
    video_->extradata[4] = static_cast<std::uint8_t>(0xfc | (bytes - 1));
    length_bytes_ = bytes;
  }
  void begin() { starts_.emplace(*video_); }

  bool is_start(const Units& units, bool is_key = true, std::int64_t time = 0) {
    std::vector<std::uint8_t> bytes;
    for (const auto& unit : units) {
      for (int i = length_bytes_ - 1; i >= 0; --i) {
        bytes.push_back(static_cast<std::uint8_t>(unit.size() >> 8 * i));
      }
      if (length_bytes_ == 0) bytes.insert(bytes.end(), {0, 0, 0, 1});
      bytes.insert(bytes.end(), unit.begin(), unit.end());
    }
    const Packet packet = new_packet();
    if (av_new_packet(packet.get(), static_cast<int>(bytes.size())) < 0) throw std::bad_alloc();
    std::ranges::copy(bytes, packet->data);
    packet->pts = time;
    if (is_key) packet->flags |= AV_PKT_FLAG_KEY;
    return starts_->is_start(*packet);
  }

  std::unique_ptr<AVCodecParameters, void (*)(AVCodecParameters*)> video_;
  int length_bytes_ = 0;
  std::optional<PartStarts> starts_;
};

TEST_F(PartStartsOf, AFileWithAnIndexAreItsIdrPictures) {
  for (const int bytes : {1, 2, 4}) {
    if (video_->extradata == nullptr) store_lengths_of(bytes);
    video_->extradata[4] = static_cast<std::uint8_t>(0xfc | (bytes - 1));
    length_bytes_ = bytes;
    begin();
    EXPECT_TRUE(is_start({{idr, 1}}));
    EXPECT_TRUE(is_start({{6, 0}, {idr, 1}, {idr, 2}})) << "a message, and two slices";
    EXPECT_FALSE(is_start({{slice, idr, idr}}, false));
    EXPECT_FALSE(is_start({{slice, 0, 0, 1, idr}})) << "a key frame after which frames look back";
    EXPECT_FALSE(is_start({{idr, 1}}, false)) << "the index does not say so";
    EXPECT_TRUE(is_start({{idr, 1}}));
  }
}

TEST_F(PartStartsOf, ATransportStreamNeedTheParametersToo) {
  begin();
  EXPECT_FALSE(is_start({{idr, 1}})) << "without parameters";
  EXPECT_TRUE(is_start({{sps, 1, 2}, {pps, 3}, {idr, 1}}));
  EXPECT_FALSE(is_start({{slice, 1}}, false));
  EXPECT_TRUE(is_start({{sps, 1, 2}, {pps, 3}, {idr, 1}}));
}

TEST_F(PartStartsOf, NothingIsFoundAfterParametersChange) {
  begin();
  EXPECT_TRUE(is_start({{sps, 1}, {pps, 3}, {idr, 1}}));
  EXPECT_FALSE(is_start({{pps, 4}, {slice, 1}}, false));
  EXPECT_FALSE(is_start({{sps, 1}, {pps, 3}, {idr, 1}}));
}

TEST_F(PartStartsOf, NothingIsFoundAfterAPacketWithoutATime) {
  store_lengths_of(4);
  begin();
  EXPECT_TRUE(is_start({{idr, 1}}));
  EXPECT_FALSE(is_start({{slice, 1}}, false, AV_NOPTS_VALUE));
  EXPECT_FALSE(is_start({{idr, 1}}));
}

TEST_F(PartStartsOf, DataThatEndInsideAUnitAreNone) {
  store_lengths_of(4);
  begin();
  EXPECT_FALSE(is_start({}));
  length_bytes_ = 1;
  EXPECT_FALSE(is_start({{idr}}));
}

TEST_F(PartStartsOf, VideosOfOtherCodecsAreKeyFrames) {
  video_->codec_id = AV_CODEC_ID_VP9;
  begin();
  EXPECT_TRUE(is_start({{1}}));
  EXPECT_FALSE(is_start({{1}}, false));
  video_->codec_id = AV_CODEC_ID_AV1;
  begin();
  EXPECT_FALSE(is_start({{1}}));
}

}  // namespace
}  // namespace warpwise::live::ffmpeg
