#include "warpwise/lab/measure/cupti.hpp"

#include <dlfcn.h>

#include "warpwise/lab/compile/loaded_path.hpp"

namespace warpwise::lab::cupti {
namespace {

template <class Function>
bool take(void* library, const char* name, Function& function, std::string& lacking) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (function == nullptr) lacking = name;
  return function != nullptr;
}

bool take_all(void* from, Library& into, std::string& lacking) {
  return take(from, "cuptiGetResultString", into.result_string, lacking) &&
         take(from, "cuptiProfilerInitialize", into.initialise, lacking) &&
         take(from, "cuptiDeviceGetChipName", into.chip_name, lacking) &&
         take(from, "cuptiProfilerHostInitialize", into.host_initialize, lacking) &&
         take(from, "cuptiProfilerHostDeinitialize", into.host_deinitialize, lacking) &&
         take(from, "cuptiProfilerHostConfigAddMetrics", into.add_metrics, lacking) &&
         take(from, "cuptiProfilerHostGetConfigImageSize", into.config_image_size, lacking) &&
         take(from, "cuptiProfilerHostGetConfigImage", into.config_image, lacking) &&
         take(from, "cuptiProfilerHostGetNumOfPasses", into.pass_count, lacking) &&
         take(from, "cuptiProfilerHostEvaluateToGpuValues", into.evaluate, lacking) &&
         take(from, "cuptiRangeProfilerEnable", into.enable, lacking) &&
         take(from, "cuptiRangeProfilerDisable", into.disable, lacking) &&
         take(from, "cuptiRangeProfilerGetCounterDataSize", into.data_size, lacking) &&
         take(from, "cuptiRangeProfilerCounterDataImageInitialize", into.initialize_data,
              lacking) &&
         take(from, "cuptiRangeProfilerSetConfig", into.set_config, lacking) &&
         take(from, "cuptiRangeProfilerStart", into.start, lacking) &&
         take(from, "cuptiRangeProfilerStop", into.stop, lacking) &&
         take(from, "cuptiRangeProfilerDecodeData", into.decode, lacking) &&
         take(from, "cuptiRangeProfilerGetCounterDataInfo", into.data_info, lacking);
}

}  // namespace

std::shared_ptr<const Library> Library::load(std::span<const std::filesystem::path> paths,
                                             std::string& why_not) {
  const auto note = [&](const std::string& text) {
    why_not += (why_not.empty() ? "" : "; ") + text;
  };
  for (const std::filesystem::path& path : paths) {
    // The library has threads and hooks of its own, so it is never unloaded.
    void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      const char* const error = ::dlerror();
      note(error != nullptr ? error : path.string() + " does not load");
      continue;
    }
    auto library = std::make_shared<Library>();
    std::string lacking;
    if (!take_all(handle, *library, lacking)) {
      note(path.string() + " has no " + lacking + ", which came with CUDA 12.6");
      continue;
    }
    library->path = loaded_path(handle, path);
    return library;
  }
  return nullptr;
}

std::string Library::text_of(Result result) const {
  const char* text = nullptr;
  result_string(result, &text);
  return text != nullptr ? text : "error " + std::to_string(result);
}

std::vector<const char*> pointers(const std::vector<std::string>& names) {
  std::vector<const char*> result;
  result.reserve(names.size());
  for (const std::string& each : names) result.push_back(each.c_str());
  return result;
}

Context current_context() {
  // The CUDA runtime has already loaded the driver, if there is one.
  void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr) return nullptr;
  const auto current = reinterpret_cast<int (*)(Context*)>(::dlsym(driver, "cuCtxGetCurrent"));
  Context context = nullptr;
  if (current == nullptr || current(&context) != 0) return nullptr;
  return context;
}

}  // namespace warpwise::lab::cupti
