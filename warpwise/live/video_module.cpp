#include "warpwise/live/video_module.hpp"

#include "warpwise/io/module.hpp"

namespace warpwise::live {

const VideoModule& video_module() {
  static const VideoModule& loaded = *reinterpret_cast<VideoModuleEntry>(
      io::module_entry("libwarpwise_video.so", video_module_entry, "Videos and cameras",
                       "install libavformat-dev, libavcodec-dev and libavdevice-dev and build "
                       "Warpwise again, or use "
                       ".y4m files, pictures or pipes"))();
  return loaded;
}

}  // namespace warpwise::live
