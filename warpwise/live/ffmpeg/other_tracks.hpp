#pragma once

#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "warpwise/live/ffmpeg/libraries.hpp"
#include "warpwise/live/ffmpeg/tags.hpp"
#include "warpwise/live/source.hpp"

namespace warpwise::live::ffmpeg {

/// The sound, subtitles, chapters, attachments, tags and HDR metadata of a source. The source's
/// reader puts packets in, and the writer of another file takes them out.
class OtherTracks final : public Companions {
 public:
  struct Track {
    int number;  ///< index in the source
    std::unique_ptr<AVCodecParameters, void (*)(AVCodecParameters*)> codec;
    AVRational time_base;
    Dictionary names;  ///< language and title; of an attachment its file's name and type
    int disposition;
    std::int64_t start;  ///< time of its first packet in microseconds; AV_NOPTS_VALUE if unknown

    bool is_sound() const { return codec->codec_type == AVMEDIA_TYPE_AUDIO; }
    /// Describes the track: "sound (aac)".
    std::string text() const;
  };
  struct Chapter {
    std::int64_t id;
    std::int64_t start;  ///< start time in microseconds
    std::int64_t end;
    Dictionary names;
  };

  /// A step back in time by this many seconds or more means that another recording was joined to
  /// the file. Rounded or damaged times of one recording step back by less.
  static constexpr double step_back_of_a_join = 0.1;

  /// `video` is the index of the track whose frames are read.
  OtherTracks(const AVFormatContext& input, int video);

  const std::vector<Track>& tracks() const { return tracks_; }
  const std::vector<Chapter>& chapters() const { return chapters_; }
  /// Returns title, artist and other tags of the file.
  const Dictionary& tags() const { return tags_; }
  /// Returns the attached files, such as fonts.
  const std::vector<Track>& attachments() const { return attachments_; }
  /// Describes the attached files: "2 attachments"; empty if there are none.
  std::string attachments_text() const;
  /// Lists the parts that no sink copies: "the cover picture", "2 data tracks".
  const std::vector<std::string>& never_copied() const { return never_copied_; }
  /// Returns the HDR metadata of the video.
  const std::vector<HdrMetadata>& hdr_metadata() const { return hdr_metadata_; }
  void set_hdr_metadata(std::vector<HdrMetadata> metadata) { hdr_metadata_ = std::move(metadata); }
  bool is_empty() const { return parts().empty() && tags_.get() == nullptr; }
  /// Returns true for sound that begins after the source, by more than a rounding of times.
  bool is_late(const Track& track) const;
  bool has(int number) const;
  /// Requires has(number).
  const Track& track(int number) const;

  /// Sets the time of the first frame, in microseconds of the source's clock. Call it before the
  /// writer begins.
  void set_first_frame(std::int64_t time) { first_frame_ = time; }
  /// Returns the time of the first frame, in microseconds from the source's start. The start is
  /// time zero of all tracks, because sound may begin before the frames.
  std::int64_t delay_of_frames() const { return first_frame_ - start(); }
  std::vector<std::string> parts() const override;
  /// Sets end_of_frames(). Called after set_first_frame().
  void end_at(double seconds) override;
  /// Returns the end of the frames that are written, in microseconds of the source's clock; the
  /// greatest time if unknown.
  std::int64_t end_of_frames() const { return end_of_frames_; }
  /// Returns the source's start, in microseconds of the source's clock.
  std::int64_t start() const { return start_.value_or(first_frame_); }

  /// Stores a packet. Drops the first packets of a recording that are not later than the track's
  /// last packet of the recording before.
  void put(const AVPacket& packet);
  /// Records the time of a packet of the video. In a file of joined recordings, these times decide
  /// by how much the other tracks' times are shifted.
  void record_video_time(const AVPacket& packet, AVRational time_base);
  /// Returns the end of the video that was read, in microseconds from the source's start.
  std::int64_t end_of_video() const;
  /// Returns the pause, in microseconds, between the end of a recording's video and the next
  /// recording. The earlier recording's sound, if it is longer than its video, plays in the pause.
  /// `join` is 0 for the pause before the second recording, 1 before the third, and so on.
  std::int64_t pause_before(std::size_t join) const;
  /// Returns true if `other` has tracks of the same numbers, codecs, sample rates and time bases.
  bool is_like(const OtherTracks& other) const;
  /// Continues with a new connection to the source, which counts time anew. Its time `start`
  /// becomes `at` in the tracks so far. Both are in microseconds.
  void continue_after_reconnection(std::int64_t start, std::int64_t at);
  /// Records that no further packet comes from the source.
  void end();
  bool has_ended() const;
  /// Takes the next packet if it begins before `before`, in microseconds from the source's start;
  /// returns null otherwise.
  Packet take(std::int64_t before);

 private:
  // The recording and the time of a track's last packet.
  struct Clock {
    std::size_t recording = 0;
    std::optional<std::int64_t> last;  // in microseconds, as in the file
  };
  // The shifted decoding times of a track's packets, in the track's time base.
  struct Span {
    std::int64_t latest = std::numeric_limits<std::int64_t>::min();
    std::int64_t before = std::numeric_limits<std::int64_t>::min();  // latest of earlier recordings
    std::size_t recording = 0;
  };
  struct Recording {
    std::int64_t start;      // shifted start, after the earlier video and sound, in microseconds
    std::int64_t shift;      // added to the recording's times, in microseconds
    std::int64_t pause = 0;  // between the earlier video and this recording, in microseconds
  };
  std::int64_t shift_of(Clock& clock, const AVPacket& packet, AVRational unit);
  std::int64_t pause_for_sound() const;

  std::vector<Track> tracks_;
  std::vector<Chapter> chapters_;
  std::vector<Track> attachments_;
  std::vector<std::string> never_copied_;
  std::vector<HdrMetadata> hdr_metadata_;
  Dictionary tags_;
  std::optional<std::int64_t> start_;
  std::int64_t first_frame_ = 0;
  std::int64_t end_of_frames_ = std::numeric_limits<std::int64_t>::max();
  mutable std::mutex mutex_;
  std::deque<Packet> packets_;
  bool has_ended_ = false;
  std::map<int, Clock> clocks_;  // key: the track's number
  std::map<int, Span> spans_;    // key: the track's number
  Clock video_clock_;
  std::int64_t video_end_ = 0;  // end of the shifted video, in microseconds
  std::int64_t sound_end_ = 0;
  std::int64_t frame_ = 0;            // length of the video's last packet, in microseconds
  std::vector<std::int64_t> pauses_;  // pause before each recording of the video, in microseconds
  std::vector<Recording> recordings_ = {{0, 0}};
};

}  // namespace warpwise::live::ffmpeg
