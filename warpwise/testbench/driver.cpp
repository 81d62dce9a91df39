#include "warpwise/testbench/driver.hpp"

#include <dlfcn.h>

#include <type_traits>

namespace warpwise::testbench::driver {
namespace {

constexpr const char* library_name = "libcuda.so.1";

// The driver starts threads that outlive a context, so it is never unloaded.
struct Driver {
  Functions functions;
  std::string why_not;

  Driver() {
    void* library = ::dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      why_not = std::string("no CUDA driver: ") + ::dlerror();
      return;
    }
    const auto take = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(::dlsym(library, name));
      if (function == nullptr && why_not.empty())
        why_not = std::string(library_name) + " has no " + name;
    };
    take(functions.init, "cuInit");
    take(functions.device_count, "cuDeviceGetCount");
    take(functions.error_name, "cuGetErrorName");
    take(functions.error_text, "cuGetErrorString");
    take(functions.retain_context, "cuDevicePrimaryCtxRetain");
    take(functions.release_context, "cuDevicePrimaryCtxRelease_v2");
    take(functions.set_context, "cuCtxSetCurrent");
    take(functions.synchronise, "cuCtxSynchronize");
    take(functions.allocate, "cuMemAlloc_v2");
    take(functions.free, "cuMemFree_v2");
    take(functions.fill, "cuMemsetD8_v2");
    take(functions.upload, "cuMemcpyHtoD_v2");
    take(functions.download, "cuMemcpyDtoH_v2");
    take(functions.load_module, "cuModuleLoadData");
    take(functions.unload_module, "cuModuleUnload");
    take(functions.function, "cuModuleGetFunction");
    take(functions.variable, "cuModuleGetGlobal_v2");
    take(functions.attribute, "cuFuncGetAttribute");
    take(functions.set_attribute, "cuFuncSetAttribute");
    take(functions.launch, "cuLaunchKernel");
    take(functions.create_texture, "cuTexObjectCreate");
    take(functions.destroy_texture, "cuTexObjectDestroy");
    if (why_not.empty()) start();
  }

  void start() {
    Result error = functions.init(0);
    int devices = 0;
    if (error == success) error = functions.device_count(&devices);
    if (error != success) {
      why_not = "the CUDA driver does not start: " + functions.text(error);
    } else if (devices == 0) {
      why_not = "the CUDA driver knows no GPU";
    }
  }
};

}  // namespace

std::string Functions::text(Result error) const {
  const char* name = nullptr;
  const char* what = nullptr;
  if (error_name(error, &name) != success || name == nullptr)
    return "error " + std::to_string(error);
  if (error_text(error, &what) != success || what == nullptr) return name;
  return std::string(name) + " (" + what + ")";
}

const Functions* load(std::string& why_not) {
  static const Driver driver;
  why_not = driver.why_not;
  return driver.why_not.empty() ? &driver.functions : nullptr;
}

}  // namespace warpwise::testbench::driver
