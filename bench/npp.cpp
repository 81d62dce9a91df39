#include "bench/npp.hpp"

#include <dlfcn.h>

#include <string>

#include "bench/npp_calls.h"
#include "warpwise/base/error.hpp"

namespace warpwise::bench::npp {
namespace {

template <class Function>
Function* function_named(const char* name) {
  static void* const library = dlopen("libnpp_peer.so", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw Error("NPP is not here");
  void* const symbol = dlsym(library, name);
  if (symbol == nullptr) throw Error(std::string("the NPP peer lacks ") + name);
  return reinterpret_cast<Function*>(symbol);
}

template <class View>
NppPeerImage image_of(const View& view) {
  return {const_cast<std::byte*>(view.data()), static_cast<int>(view.pitch_bytes())};
}

void check(int status, const char* call) {
  if (status != 0) throw Error(std::string(call) + " answered " + std::to_string(status));
}

template <class Function, class... More>
void call(const char* name, ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream,
          More... more) {
  check(function_named<Function>(name)(image_of(src), image_of(dst), static_cast<int>(src.width()),
                                       static_cast<int>(src.height()), more..., stream),
        name);
}

}  // namespace

void rgb_to_ycbcr_c3(ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream) {
  call<decltype(npp_peer_rgb_to_ycbcr_c3)>("npp_peer_rgb_to_ycbcr_c3", src, dst, stream);
}

void rgb_to_ycbcr_ac4(ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream) {
  call<decltype(npp_peer_rgb_to_ycbcr_ac4)>("npp_peer_rgb_to_ycbcr_ac4", src, dst, stream);
}

void sobel_horizontal(ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream) {
  call<decltype(npp_peer_sobel_horizontal)>("npp_peer_sobel_horizontal", src, dst, stream);
}

void threshold_adaptive_box(ConstDeviceView src, DeviceView dst, int window, float delta,
                            gpu::StreamHandle stream) {
  call<decltype(npp_peer_threshold_adaptive_box)>("npp_peer_threshold_adaptive_box", src, dst,
                                                  stream, window, delta);
}

}  // namespace warpwise::bench::npp
