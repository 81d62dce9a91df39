#include "warpwise/viewer/sharing.hpp"

#include "warpwise/gpu/gl_buffer.hpp"

namespace warpwise::viewer {
namespace {

constexpr const char* off = "--no-interop";

std::string words(const std::string& why_not) {
  return why_not.empty() ? "shared with CUDA" : "by the host (" + why_not + ")";
}

}  // namespace

std::string why_source_not_on_gpu(live::Source& source, const ViewOptions& options) {
  if (!options.on_gpu) return {};
  return options.no_interop ? off : source.why_not_on_gpu();
}

Sharing::Sharing(const live::Source& source, const std::string& no_source,
                 const ViewOptions& options) {
  if (!options.on_gpu) return;
  const std::string no_window = options.no_interop ? off : gpu::why_no_gl_sharing();
  on_gpu_ = {.source = no_source.empty(), .result = no_window.empty()};
  if (source.is_opengl()) text_ += "\nframes: " + words(no_source);
  text_ += "\nwindow: " + words(no_window);
}

}  // namespace warpwise::viewer
