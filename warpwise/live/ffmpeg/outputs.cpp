#include "warpwise/live/ffmpeg/outputs.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "warpwise/base/error.hpp"
#include "warpwise/io/picture_file.hpp"
#include "warpwise/live/ffmpeg/address.hpp"
#include "warpwise/live/video_module.hpp"

namespace warpwise::live::ffmpeg {
namespace {

constexpr KnownOutput known_files[] = {{".mp4", Kind::h264, "mp4", "libx264"},
                                       {".avi", Kind::mjpeg, "avi", "mjpeg"},
                                       {".mkv", Kind::ffv1, "matroska", "ffv1"},
                                       {".mov", Kind::prores, "mov", "prores_ks"}};
constexpr KnownOutput known_peers[] = {{"http://", Kind::h264, "mpegts", "libx264"},
                                       {"https://", Kind::h264, "mpegts", "libx264"},
                                       {"tcp://", Kind::h264, "mpegts", "libx264"},
                                       {"udp://", Kind::h264, "mpegts", "libx264", true},
                                       {"rtp://", Kind::h264, "rtp_mpegts", "libx264", true},
                                       {"rtsp://", Kind::h264, "rtsp", "libx264", true}};

const AVOutputFormat& format_of(const KnownOutput& output) {
  const AVOutputFormat* format = av_guess_format(output.container, nullptr, nullptr);
  if (format != nullptr) return *format;
  throw IoError("this FFmpeg was built without its container " + std::string(output.container));
}

// Returns the distance of key frames, in frames. A truncated file loses all frames after its last
// key frame, and a peer that joins late waits for the next one.
int frames_of(double seconds, AVRational rate) {
  return static_cast<int>(std::clamp(seconds * av_q2d(rate), 1.0, 600.0));
}

// Returns true if FFmpeg writes a header of a file whose only track this is. The header is written
// to memory. FFmpeg's own answer names codecs whose header it refuses, such as Opus in .mov files.
bool has_header(const AVOutputFormat& format, const AVCodecParameters& track) {
  AVFormatContext* allocated = nullptr;
  if (avformat_alloc_output_context2(&allocated, &format, nullptr, nullptr) < 0) return false;
  const std::unique_ptr<AVFormatContext, void (*)(AVFormatContext*)> output(allocated,
                                                                            avformat_free_context);
  output->strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL;
  AVStream* stream = avformat_new_stream(output.get(), nullptr);
  if (stream == nullptr || avcodec_parameters_copy(stream->codecpar, &track) < 0) return false;
  stream->time_base = {1, std::max(1, track.sample_rate)};
  if (avio_open_dyn_buf(&output->pb) < 0) return false;
  const bool is_written = avformat_write_header(output.get(), nullptr) >= 0;
  std::uint8_t* bytes = nullptr;
  avio_close_dyn_buf(std::exchange(output->pb, nullptr), &bytes);
  av_free(bytes);
  forget_messages();
  return is_written;
}

// FFmpeg writes further sounds into .avi files, but the file then has no times that programs read.
bool is_sound_of_avi(AVCodecID codec) {
  constexpr AVCodecID coded[] = {AV_CODEC_ID_AAC, AV_CODEC_ID_MP2, AV_CODEC_ID_MP3,
                                 AV_CODEC_ID_AC3};
  return is_pcm(codec) || std::ranges::find(coded, codec) != std::end(coded);
}

}  // namespace

bool is_pcm(AVCodecID codec) {
  return codec >= AV_CODEC_ID_FIRST_AUDIO && codec < AV_CODEC_ID_ADPCM_IMA_QT;
}

bool KnownOutput::opens_itself() const { return (format_of(*this).flags & AVFMT_NOFILE) != 0; }

bool KnownOutput::has_global_headers() const {
  return (format_of(*this).flags & AVFMT_GLOBALHEADER) != 0;
}

// FFmpeg's network muxers give no answer for sound, so the codecs that they take are listed here.
// The rtsp muxer takes AAC only if its headers are known before the packets. FFmpeg's answer for
// .mkv lacks the sounds of .wav files, which its muxer writes.
bool KnownOutput::takes(const AVCodecParameters& track) const {
  constexpr AVCodecID sounds_of_peers[] = {AV_CODEC_ID_AAC, AV_CODEC_ID_MP2, AV_CODEC_ID_MP3,
                                           AV_CODEC_ID_AC3, AV_CODEC_ID_OPUS};
  const AVCodecID codec = track.codec_id;
  if (is_address(name)) {
    const bool lacks_headers =
        codec == AV_CODEC_ID_AAC && has_global_headers() && track.extradata_size == 0;
    return std::ranges::find(sounds_of_peers, codec) != std::end(sounds_of_peers) && !lacks_headers;
  }
  const bool is_sound = track.codec_type == AVMEDIA_TYPE_AUDIO;
  if (kind == Kind::mjpeg && is_sound && !is_sound_of_avi(codec)) return false;
  const AVCodecTag* const sounds_of_wav[] = {avformat_get_riff_audio_tags(), nullptr};
  const bool has_blocks = is_pcm(codec) || track.block_align > 0;  // decoders of .wav need them
  const bool is_of_wav = is_sound && has_blocks && av_codec_get_tag(sounds_of_wav, codec) != 0;
  const AVOutputFormat& format = format_of(*this);
  const bool is_known = (kind == Kind::ffv1 && is_of_wav) ||
                        avformat_query_codec(&format, codec, FF_COMPLIANCE_NORMAL) == 1;
  return is_known && has_header(format, track);
}

bool KnownOutput::keeps_late_start_of(const AVCodecParameters& track) const {
  return keeps_late_start() || is_pcm(track.codec_id);
}

const KnownOutput& file_output(const std::string& path) {
  for (const KnownOutput& each : known_files) {
    if (io::extension_of(path) == each.name) return each;
  }
  throw InvalidArgument(path + " does not end with .mp4, .avi, .mkv or .mov");
}

const KnownOutput& peer_output(const std::string& address) {
  const std::string extension = io::extension_of(address);
  const bool is_file = std::ranges::find(video_extensions, extension) != video_extensions.end();
  if (is_file && address.starts_with("http")) {
    throw InvalidArgument("peers take only MPEG-TS with H.264, no " + extension +
                          " file; name an address that ends with .ts");
  }
  const auto* const found = std::ranges::find_if(
      known_peers, [&](const KnownOutput& each) { return address.starts_with(each.name); });
  if (found == std::end(known_peers))
    throw InvalidArgument(without_password(address + " is no address of a peer", address));
  require_port(address);
  return *found;
}

const AVCodec& encoder_of(const KnownOutput& output, const std::string& name) {
  const AVCodec* encoder = avcodec_find_encoder_by_name(output.encoder);
  if (encoder != nullptr) return *encoder;
  throw IoError("cannot write " + name + ": this FFmpeg was built without its encoder, " +
                output.encoder);
}

void set_quality(AVCodecContext& codec, const KnownOutput& output, Dictionary& options) {
  if (codec.codec_id == AV_CODEC_ID_HEVC) {
    codec.max_b_frames = 0;  // with B frames, FFmpeg 5.1 cannot write a file of one or two frames
    codec.codec_tag = MKTAG('h', 'v', 'c', '1');  // the tag of .mp4 that Apple's programs read
    options.set("x265-params", "log-level=none");
  }
  if (output.kind == Kind::h264) {
    if (output.has_global_headers()) codec.flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    codec.gop_size = frames_of(is_address(output.name) ? 1 : 2, codec.framerate);
    options.set("preset", "veryfast");
    options.set("crf", "18");
    // Without this tune, the encoder holds 40 frames before it returns the first one.
    if (is_address(output.name)) options.set("tune", "zerolatency");
  }
  if (output.kind == Kind::mjpeg) {
    codec.flags |= AV_CODEC_FLAG_QSCALE;
    codec.global_quality = 2 * FF_QP2LAMBDA;  // second best; the best doubles the file's size
  }
  if (output.kind == Kind::prores) {
    codec.gop_size = 1;
    options.set("vendor", "apl0");  // without it, some programs of Apple refuse the file
  }
  if (output.kind == Kind::ffv1) {
    codec.gop_size = 1;
    // Version 3 splits frames into slices with a checksum each. For small frames FFmpeg makes empty
    // slices and loses others, so they use version 1.
    const bool is_small = std::min(codec.width, codec.height) < 32;
    codec.level = is_small ? 1 : 3;
    if (!is_small) options.set("slicecrc", "1");
  }
}

}  // namespace warpwise::live::ffmpeg
