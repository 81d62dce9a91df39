#include "warpwise/io/module.hpp"
#include "warpwise/viewer/viewer.hpp"

namespace warpwise::viewer {

void show(std::shared_ptr<live::Source> source, const ViewOptions& options) {
  static const auto module_show = reinterpret_cast<ViewerModuleEntry>(
      io::module_entry("libwarpwise_viewer.so", viewer_module_entry, "Windows",
                       "install libglfw3-dev, libimgui-dev and libgl-dev and build Warpwise again, "
                       "or use `warpwise stream`"));
  module_show(std::move(source), options);
}

}  // namespace warpwise::viewer
