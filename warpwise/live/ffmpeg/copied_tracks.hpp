#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "warpwise/live/ffmpeg/other_tracks.hpp"
#include "warpwise/live/ffmpeg/outputs.hpp"

namespace warpwise::live::ffmpeg {

/// Copies the sound, subtitles, chapters, attachments and tags of a source into an output.
class CopiedTracks {
 public:
  /// `check` gets each result of FFmpeg's functions, and throws for an error. `write_packet` writes
  /// a packet to the output. `others`, `file` and `output` must outlive this object.
  CopiedTracks(OtherTracks& others, const KnownOutput& file, bool has_chapters,
               AVFormatContext& output, std::function<void(int)> check,
               std::function<void(AVPacket&)> write_packet)
      : others_(others), file_(file), has_chapters_(has_chapters), output_(output),
        check_(std::move(check)), write_packet_(std::move(write_packet)) {}

  /// Adds the tags, the tracks and attachments that the container takes, and the chapters. Called
  /// before the output's header is written.
  void add();
  /// Writes the packets that begin before `before`, in microseconds from the source's start. Skips
  /// packets without a time, and packets that are earlier than their predecessor.
  void write(std::int64_t before);

 private:
  struct Track {
    int from;
    int to;
    PacketFilter filter;       // null if packets stay as they are
    int sample_bytes = 0;      // of all channels; 0 if pauses are not filled with silence
    std::int64_t samples = 0;  // end of the written samples; -1 before the first, if it may be late
    std::int64_t last_stamp = std::numeric_limits<std::int64_t>::min();  // in the track's time base
    std::int64_t last_written = std::numeric_limits<std::int64_t>::min();
  };
  int add(const OtherTracks::Track& track);
  PacketFilter filter_for(const OtherTracks::Track& track) const;
  void fill_pause(Track& copied, const AVPacket& next, AVRational time_base);
  void write_one(Track& copied, AVPacket& packet, AVRational time_base);

  OtherTracks& others_;
  const KnownOutput& file_;
  bool has_chapters_;
  AVFormatContext& output_;
  std::function<void(int)> check_;
  std::function<void(AVPacket&)> write_packet_;
  std::vector<Track> tracks_;
};

}  // namespace warpwise::live::ffmpeg
