#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "warpwise/live/ffmpeg/libraries.hpp"

// The kinds of files and of peers in the network that are written.
namespace warpwise::live::ffmpeg {

enum class Kind { h264, mjpeg, ffv1, prores };

struct KnownOutput {
  std::string_view name;  ///< a file's extension, or an address's scheme
  Kind kind;
  const char* container;
  const char* encoder;
  /// True if frames must be sent at their times, because the peer would lose packets sent at once.
  bool is_paced = false;

  bool is_mp4() const { return name == ".mp4"; }
  /// Returns true for .mp4 and .mov. Both can store an orientation for players. Their length is the
  /// sum of their packets' durations.
  bool is_quicktime() const { return is_mp4() || kind == Kind::prores; }
  /// Returns true if all frames of 8 bits become 4:2:0.
  bool stores_420() const { return kind == Kind::h264 || kind == Kind::mjpeg; }
  /// Returns true if FFmpeg writes HDR metadata into the container.
  bool stores_hdr_metadata() const { return is_mp4() || kind == Kind::ffv1; }
  /// Returns true if files, such as fonts, can be attached.
  bool holds_attachments() const { return name == ".mkv"; }
  /// Returns true if the container stores samples of PCM one after another, without times.
  bool stores_pcm_without_times() const { return !keeps_late_start() || name == ".mov"; }
  /// Returns true if the container stores the time of a track's first packet.
  bool keeps_late_start() const { return kind != Kind::mjpeg; }
  /// Returns true if a copied track begins at its time. Silence precedes PCM that begins late.
  bool keeps_late_start_of(const AVCodecParameters& track) const;
  /// Returns true if FFmpeg's muxer for the container opens the connection itself.
  bool opens_itself() const;
  /// Returns true if the container stores a codec's headers once, at its start.
  bool has_global_headers() const;
  /// Returns true if FFmpeg can write the track (sound or subtitles) into the container.
  bool takes(const AVCodecParameters& track) const;
};

/// Returns true for sound that is stored sample by sample without compression, such as G.711.
bool is_pcm(AVCodecID codec);

/// \throws InvalidArgument  the file's name has no known extension
const KnownOutput& file_output(const std::string& path);

/// Returns the kind of output to a peer. \param address  as in is_address()
/// \throws InvalidArgument  the address is of no known kind, lacks a port that it needs, or has the
///                          extension of another kind of file
const KnownOutput& peer_output(const std::string& address);

/// Encoder of .mp4 files for frames of more than 8 bits: HEVC, which programs that play phones'
/// videos can decode. Few programs play H.264 of 10 bits.
inline constexpr const char* deep_encoder = "libx265";
inline constexpr int most_bits_of_quicktime = 10;
inline constexpr std::int64_t least_side_of_hevc = 64;  // with less, x265 3.5 corrupts memory

/// Finds an output's encoder for frames of 8 bits. \throws IoError  this FFmpeg lacks the encoder
const AVCodec& encoder_of(const KnownOutput& output, const std::string& name);

/// Sets quality, speed and distance of key frames. The encoder's size and rate must be set already.
void set_quality(AVCodecContext& codec, const KnownOutput& output, Dictionary& options);

}  // namespace warpwise::live::ffmpeg
