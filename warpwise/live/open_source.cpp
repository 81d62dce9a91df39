#include <filesystem>

#include "warpwise/base/error.hpp"
#include "warpwise/io/input_file.hpp"
#include "warpwise/io/output_file.hpp"
#include "warpwise/io/picture_file.hpp"
#include "warpwise/io/truncation.hpp"
#include "warpwise/live/scene_module.hpp"
#include "warpwise/live/sources.hpp"
#include "warpwise/live/video_module.hpp"

namespace warpwise::live {
namespace {

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Returns "/dev/video0" for "/dev/video0" itself, "camera:0", and links to it (/dev/v4l/by-id).
// Returns an empty text for any other name.
std::string camera_path(const std::string& name) {
  constexpr std::string_view device = "/dev/video";
  if (name.starts_with(device)) return name;
  std::error_code ignored;
  if (std::filesystem::is_symlink(name, ignored)) {
    const std::filesystem::path folder = std::filesystem::path(name).parent_path();
    const std::string behind =
        (folder / std::filesystem::read_symlink(name, ignored)).lexically_normal().string();
    if (behind.starts_with(device)) return behind;
  }
  if (!name.starts_with("camera:")) return {};
  const std::string number = name.substr(7);
  if (!is_digits(number)) {
    throw InvalidArgument(name + " is no camera: camera:0 is /dev/video0");
  }
  return "/dev/video" + number;
}

// Returns true for a folder, a shell pattern, or a single picture.
bool is_of_pictures(const std::string& name) {
  std::error_code ignored;
  const std::string extension = io::extension_of(name);
  const bool is_picture = io::is_readable_extension(extension) && extension != ".y4m";
  if (is_picture || std::filesystem::is_directory(name, ignored)) return true;
  return name.find_first_of("*?[") != std::string::npos && !std::filesystem::exists(name, ignored);
}

// Returns true for an animated PNG. FFmpeg reads all its frames, the PNG module only the first.
bool is_animated_png(const std::string& name) {
  std::error_code ignored;
  if (io::extension_of(name) != ".png" && io::extension_of(name) != ".apng") return false;
  if (!std::filesystem::is_regular_file(name, ignored)) return false;
  io::InputFile file(name);
  constexpr std::size_t most_before_the_pixels = 1 << 20;
  return io::is_animated_png(file.peek(most_before_the_pixels));
}

bool takes_format_and_size(const std::string& name) {
  return name.starts_with("test:") || name.starts_with("scene:") ||
         io::extension_of(name) == ".raw";
}

std::unique_ptr<Source> open_scene(const std::string& name, const SourceOptions& options) {
  if (name == "scene:") return scene_source(options);
  throw InvalidArgument(
      name + " is no source: nothing may follow scene:, whose options are --size and --fps");
}

void require_options(const std::string& name, const SourceOptions& options) {
  if (!options.format && !options.width) return;
  throw InvalidArgument(name +
                        " describes its own frames; a format and a size are for cameras, test:, "
                        "scene: and .raw files");
}

void require_no_page(const std::string& name, const SourceOptions& options) {
  if (!options.page) return;
  throw InvalidArgument(name + " has no pages; --page is for a TIFF or WebP file");
}

void require_no_video_options(const std::string& name, const SourceOptions& options) {
  if (!options.is_for_videos()) return;
  throw InvalidArgument(name +
                        " is not read as a video; --track, --deinterlace, --rescale and "
                        "--decode gpu are for videos");
}

std::unique_ptr<Source> open_video(const std::string& name, const SourceOptions& options) {
  require_no_page(name, options);
  return video_module().open_file(name, options);
}

}  // namespace

std::unique_ptr<Source> open_source(const std::string& name, const SourceOptions& options) {
  if (options.deep_format && (name == "-" || io::extension_of(name) != ".raw")) {
    throw InvalidArgument(name + " does not give frames of " +
                          std::string(options.deep_format->name) +
                          "; only .raw files and pipe: do");
  }
  if (options.reconnect_seconds > 0 && !is_address(name)) {
    throw InvalidArgument(name + " is not a network address; --reconnect is for those");
  }
  if (is_address(name)) {
    require_options(name, options);
    require_no_page(name, options);
    return video_module().open_address(name, options);
  }
  if (is_other_address(name)) {  // prints only the scheme, as the name may hold a password
    const std::string scheme = name.substr(0, name.find("://") + 3);
    throw InvalidArgument(
        scheme + " is not read: rtsp, rtp, udp, tcp, http and https are; 'ffmpeg -i " + scheme +
        "… -c copy -f mpegts udp://127.0.0.1:5000' passes it on to " + "udp://127.0.0.1:5000");
  }
  const std::string camera = camera_path(name);
  if (!camera.empty()) {
    require_no_page(name, options);
    if (options.decode == Decode::gpu) {
      throw InvalidArgument("the CPU decodes the frames of a camera; --decode gpu is for videos");
    }
    return video_module().open_camera(camera, options);
  }
  if (name == "-" || !takes_format_and_size(name)) require_options(name, options);
  if (takes_format_and_size(name) || name.starts_with("pipe:")) {
    require_no_page(name, options);
    require_no_video_options(name, options);
  }
  if (name.starts_with("test:")) return pattern_source(name.substr(5), options);
  if (name.starts_with("scene:")) return open_scene(name, options);
  if (name.starts_with("pipe:")) return pipe_source(name.substr(5), options);
  if (is_animated_png(name)) return open_video(name, options);
  if (is_of_pictures(name)) {
    require_no_video_options(name, options);
    return picture_source(name, options);
  }
  if (name != "-" && io::extension_of(name) == ".raw") return raw_source(name, options);
  std::unique_ptr<Source> y4m = y4m_source(name, options);
  if (y4m) {
    require_no_page(name, options);
    require_no_video_options(name, options);
    return y4m;
  }
  // FFmpeg would open the file again, but a pipe does not return its first bytes a second time.
  if (name == "-" || io::written_directly(name)) {
    throw IoError((name == "-" ? "standard input" : name) +
                  " is no .y4m stream; on standard input pipe:FORMAT:WxH takes frames without "
                  "headers");
  }
  return open_video(name, options);
}

}  // namespace warpwise::live
