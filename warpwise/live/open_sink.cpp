#include <algorithm>
#include <filesystem>

#include "warpwise/base/error.hpp"
#include "warpwise/io/output_file.hpp"
#include "warpwise/io/picture_file.hpp"
#include "warpwise/live/sinks.hpp"
#include "warpwise/live/video_module.hpp"

namespace warpwise::live {
namespace {

bool is_video(std::string_view extension) {
  return std::find(video_extensions.begin(), video_extensions.end(), extension) !=
         video_extensions.end();
}

bool is_folder(const std::string& name) {
  std::error_code ignored;
  return name.ends_with('/') || std::filesystem::is_directory(name, ignored);
}

// Returns true for the name of a new folder: nothing has this name, and it names no kind of sink or
// file.
bool is_new_folder(const std::string& name) {
  std::error_code ignored;
  return !name.empty() && name != "null" && name != "-" && name != "view" &&
         io::extension_of(name).empty() && name.find_first_of(":%") == std::string::npos &&
         !std::filesystem::exists(name, ignored);
}

// Returns true for a folder, a pattern such as "%05d.png", or a single picture (refused later).
bool is_of_pictures(const std::string& name, std::string_view extension) {
  return is_folder(name) || name.find('%') != std::string::npos ||
         io::is_readable_extension(extension);
}

}  // namespace

std::unique_ptr<Sink> open_sink(const std::string& name, double timeout_seconds,
                                const std::optional<DeepLayout>& layout) {
  if (is_address(name)) return video_module().create_for_peer(name, timeout_seconds);
  if (is_other_address(name)) {  // prints only the scheme, as the name may hold a password
    const std::string scheme = name.substr(0, name.find("://") + 3);
    throw InvalidArgument(scheme +
                          " is not written: rtsp, rtp, udp, tcp, http and https are; with "
                          "the sink -, 'ffmpeg -i - …' sends the frames to " +
                          scheme + "…");
  }
  const std::string extension = io::extension_of(name);
  if (name == "null") return null_sink();
  if (name.starts_with("pipe:")) return pipe_sink(name.substr(5));
  if (name == "-" || extension == ".y4m") return y4m_sink(name);
  // extension_of() also returns ".raw" for a device or a FIFO. Neither can be a sink.
  if (extension == ".raw" && !std::filesystem::path(name).extension().empty()) {
    io::require_writable_path(name);
    return raw_sink(name, layout);
  }
  if (is_video(extension)) {
    io::require_writable_path(name);
    return video_module().create(name);
  }
  if (is_of_pictures(name, extension)) return picture_sink(name);
  if (name == "view") {
    throw InvalidArgument("a window is no sink: warpwise view SOURCE --pipeline … shows frames");
  }
  if (is_new_folder(name)) return picture_sink(name + "/");
  throw InvalidArgument(
      "'" + name +
      "' is no frame sink; sinks are FILE.mp4, FILE.avi, FILE.mkv, FILE.mov, FILE.y4m, "
      "FILE.raw, udp://HOST:PORT, FOLDER/, 'out/%05d.png', pipe:FORMAT, - (.y4m) or null");
}

bool may_hold_alpha(const std::string& name) {
  const std::string extension = io::extension_of(name);
  if (is_address(name)) return false;
  if (name.starts_with("pipe:")) {
    return name == "pipe:rgba32" || name == "pipe:bgra32" || name == "pipe:rgba64";
  }
  if (is_video(extension)) return extension == ".mkv" || extension == ".mov";
  if (name.find('%') == std::string::npos) return is_folder(name) || is_new_folder(name);
  const auto rgba = io::PictureShape::of(PixelFormat::rgba32, 1, 1);
  return io::storage_fidelity(extension, rgba) == io::StorageFidelity::exact;
}

}  // namespace warpwise::live
