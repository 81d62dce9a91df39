#include "warpwise/gpu/driver.hpp"

namespace warpwise::gpu {
namespace {

struct Texts {
  PFN_cuGetErrorName_v6000 name = nullptr;
  PFN_cuGetErrorString_v6000 text = nullptr;
};

const Texts& texts() {
  static const Texts functions = [] {
    Texts found;
    find_driver_function("cuGetErrorName", found.name);
    find_driver_function("cuGetErrorString", found.text);
    return found;
  }();
  return functions;
}

}  // namespace

std::string text_of(CUresult result) {
  const char* name = nullptr;
  const char* text = nullptr;
  texts().name(result, &name);
  texts().text(result, &text);
  return std::string(name == nullptr ? "an error without a name in the driver" : name) + " (" +
         (text == nullptr ? std::to_string(result) : text) + ")";
}

void require(CUresult result, const std::string& what, std::source_location where) {
  if (result == CUDA_SUCCESS) return;
  throw CudaError(what + ": " + text_of(result) + " at " + where.file_name() + ":" +
                  std::to_string(where.line()));
}

}  // namespace warpwise::gpu
