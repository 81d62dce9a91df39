#include "warpwise/live/scene_module.hpp"

#include "warpwise/io/module.hpp"

namespace warpwise::live {

std::unique_ptr<Source> scene_source(const SourceOptions& options) {
  static const auto open = reinterpret_cast<SceneModuleEntry>(
      io::module_entry("libwarpwise_scene.so", scene_module_entry, "Frames that OpenGL draws",
                       "install libegl-dev and libopengl-dev and build Warpwise again, or use "
                       "test:bars"));
  return std::unique_ptr<Source>(open(options));
}

}  // namespace warpwise::live
