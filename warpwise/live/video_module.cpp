#include "warpwise/live/video_module.hpp"

#include <algorithm>
#include <filesystem>

#include "warpwise/io/module.hpp"

namespace warpwise::live {

const VideoModule& video_module() {
  static const VideoModule& loaded = *reinterpret_cast<VideoModuleEntry>(io::module_entry(
      "libwarpwise_video.so", video_module_entry, "Videos and cameras",
      "install libavformat-dev, libavcodec-dev, libavfilter-dev and "
      "libavdevice-dev and build Warpwise again, or use .y4m files, pictures or pipes"))();
  return loaded;
}

bool is_address(std::string_view name) {
  static constexpr std::string_view schemes[] = {"http://", "https://", "rtsp://",
                                                 "rtp://",  "udp://",   "tcp://"};
  return std::ranges::any_of(schemes,
                             [&](std::string_view scheme) { return name.starts_with(scheme); });
}

bool is_other_address(const std::string& name) {
  const std::size_t scheme = name.find("://");
  std::error_code ignored;
  return scheme != std::string::npos && scheme > 0 && name.find('/') > scheme &&
         !is_address(name) && !std::filesystem::exists(name, ignored);
}

}  // namespace warpwise::live
