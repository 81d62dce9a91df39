extern "C" {
#include <libavdevice/avdevice.h>
}

#include <cmath>
#include <string_view>
#include <tuple>
#include <vector>

#include "warpwise/base/error.hpp"
#include "warpwise/live/ffmpeg/decoded_source.hpp"
#include "warpwise/live/ffmpeg/sources.hpp"
#include "warpwise/live/video_module.hpp"

namespace warpwise::live::ffmpeg {
namespace {

class CameraSource final : public DecodedSource {
 public:
  using DecodedSource::DecodedSource;

  bool is_live() const override { return true; }
};

struct FormatName {
  std::string_view ours;
  const char* of_ffmpeg;
};
constexpr FormatName format_names[] = {
    {"yuyv", "yuyv422"}, {"uyvy", "uyvy422"}, {"i420", "yuv420p"},
    {"nv12", "nv12"},    {"nv21", "nv21"},    {"gray8", "gray"},
    {"rgb24", "rgb24"},  {"bgr24", "bgr24"},  {"mjpeg", "mjpeg"}};

const char* input_format(std::string_view name) {
  for (const FormatName& each : format_names) {
    if (each.ours == name) return each.of_ffmpeg;
  }
  return nullptr;
}

// Returns true if the rates differ by less than 0.05 %. Drivers round frame times to 100 ns.
bool equal(const Rate& a, const Rate& b) {
  return std::abs(a.per_second() - b.per_second()) < 5e-4 * b.per_second();
}

bool has_what_was_asked(const CameraMode& mode, const SourceOptions& options) {
  return input_format(mode.format) != nullptr &&
         (!options.format || mode.format == name_of(*options.format)) &&
         (!options.width || (mode.width == *options.width && mode.height == *options.height)) &&
         (!options.rate || equal(mode.rate, *options.rate));
}

// Returns the best mode that matches the options: the fastest, then the largest, then an
// uncompressed one.
const CameraMode* best_of(const std::vector<CameraMode>& modes, const SourceOptions& options) {
  const auto worth = [](const CameraMode& mode) {
    return std::tuple(mode.rate.per_second(), mode.width * mode.height, mode.format != "mjpeg");
  };
  const CameraMode* best = nullptr;
  for (const CameraMode& mode : modes) {
    if (!has_what_was_asked(mode, options)) continue;
    if (best == nullptr || worth(mode) > worth(*best)) best = &mode;
  }
  return best;
}

std::string text_of(const SourceOptions& options) {
  std::string text;
  if (options.format) text += " " + std::string(name_of(*options.format));
  if (options.width) text += " " + size_text(*options.width, *options.height);
  if (options.rate) text += " at " + options.rate->text() + " fps";
  return text;
}

// Lists modes: "yuyv 640x480 at 30, 15 fps; mjpeg 1280x720 at 30 fps".
std::string text_of(const std::vector<CameraMode>& modes) {
  std::string text;
  const CameraMode* last = nullptr;
  for (const CameraMode& mode : modes) {
    const bool is_another_rate = last != nullptr && last->format == mode.format &&
                                 last->width == mode.width && last->height == mode.height;
    if (is_another_rate) {
      text += ", " + mode.rate.text();
    } else {
      text += (last == nullptr ? "" : " fps; ") + mode.format + " " +
              size_text(mode.width, mode.height) + " at " + mode.rate.text();
    }
    last = &mode;
  }
  return text + " fps";
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  const std::vector<CameraMode> modes = camera_modes(path);
  throw IoError("cannot read " + path + ": " + why +
                (modes.empty() ? "" : "; it gives " + text_of(modes)));
}

// Returns options for FFmpeg; the camera keeps all other settings. A size that is not listed is
// passed on too, because a camera with a range of sizes lists only the smallest and the largest.
Dictionary asked_of(const std::vector<CameraMode>& modes, const SourceOptions& options) {
  const CameraMode* best = best_of(modes, options);
  CameraMode mode;
  if (best != nullptr) {
    mode = *best;
  } else {
    if (options.format) mode.format = name_of(*options.format);
    mode.width = options.width.value_or(0);
    mode.height = options.height.value_or(0);
    mode.rate = options.rate.value_or(Rate{});
  }
  Dictionary asked;
  const char* format = input_format(mode.format);
  if (format != nullptr) asked.set("input_format", format);
  if (mode.width > 0) asked.set("video_size", size_text(mode.width, mode.height));
  if (mode.rate.is_known()) {
    asked.set("framerate",
              std::to_string(mode.rate.numerator) + "/" + std::to_string(mode.rate.denominator));
  }
  return asked;
}

OpenInput open(const std::string& path, const SourceOptions& options) {
  avdevice_register_all();
  const AVInputFormat* cameras = av_find_input_format("video4linux2");
  if (cameras == nullptr) throw IoError("this FFmpeg was built without cameras (video4linux2)");
  const bool asks = options.format || options.width || options.rate;
  Dictionary asked = asks ? asked_of(camera_modes(path), options) : Dictionary();
  AVFormatContext* input = nullptr;
  const int error = avformat_open_input(&input, path.c_str(), cameras, asked.get());
  Input opened(input);
  if (error < 0) refuse(path, reason_of(error));
  return {nullptr, std::move(opened)};
}

bool is_what_was_asked(const Stream& given, const SourceOptions& options) {
  return (!options.format || given.shape.format == *options.format) &&
         (!options.width ||
          (given.shape.width == *options.width && given.shape.height == *options.height)) &&
         (!options.rate || equal(given.rate, *options.rate));
}

}  // namespace

// Checks the mode after opening, because a driver may choose another mode than requested.
std::unique_ptr<Source> open_camera(const std::string& path, const SourceOptions& options) {
  forget_messages();
  SourceOptions of_camera = options;
  of_camera.rate.reset();
  of_camera.decode = Decode::cpu;
  auto camera = std::make_unique<CameraSource>(
      std::make_unique<Decoder>(open(path, options), path, Damage::skip, of_camera), of_camera);
  if (!is_what_was_asked(camera->stream(), options)) {
    refuse(path, "it does not give" + text_of(options));
  }
  return camera;
}

}  // namespace warpwise::live::ffmpeg
