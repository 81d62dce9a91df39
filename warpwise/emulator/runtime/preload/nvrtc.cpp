// Intercepts NVRTC: this library is loaded first. Returns PTX in place of machine code, for the
// emulated driver to load. NVRTC makes PTX for every target.

#include <dlfcn.h>
#include <nvrtc.h>

namespace {

template <class Function>
Function of_nvrtc(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t* bytes) {
  const auto size_of_ptx = of_nvrtc<decltype(&nvrtcGetPTXSize)>("nvrtcGetPTXSize");
  return size_of_ptx == nullptr ? NVRTC_ERROR_INTERNAL_ERROR : size_of_ptx(program, bytes);
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* code) {
  const auto ptx = of_nvrtc<decltype(&nvrtcGetPTX)>("nvrtcGetPTX");
  return ptx == nullptr ? NVRTC_ERROR_INTERNAL_ERROR : ptx(program, code);
}

}  // extern "C"
