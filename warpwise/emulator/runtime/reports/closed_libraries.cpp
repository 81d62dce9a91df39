#include "warpwise/emulator/runtime/reports/closed_libraries.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <string_view>

#include "warpwise/emulator/runtime/api/not_run.hpp"
#include "warpwise/emulator/runtime/reports/call_site.hpp"

namespace warpwise::emulator::runtime {
namespace {

constexpr std::string_view closed[] = {
    "libcublas",   "libcudnn", "libcufft", "libcurand", "libcusolver", "libcusparse",
    "libcutensor", "libnccl",  "libnpp",   "libnvjpeg", "libnvinfer",  "libnvcomp",
};

}  // namespace

std::string closed_library_of(const void* address) {
  Dl_info info{};
  if (address == nullptr || ::dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
  std::string_view file = info.dli_fname;
  file = file.substr(file.rfind('/') + 1);
  const bool is_closed = std::any_of(std::begin(closed), std::end(closed),
                                     [&](auto name) { return file.starts_with(name); });
  return is_closed && file.find(".so") != std::string_view::npos ? std::string(file)
                                                                 : std::string();
}

std::string why_not_run(const std::string& library) {
  return library +
         " cannot be emulated: NVIDIA's libraries hold machine code and no PTX; test the code that "
         "calls it on a GPU, or pass results that you stored to the kernels";
}

void note_closed_caller() {
  const std::string library = closed_library_of(CallSite::here().address());
  if (!library.empty()) say_not_run(library, "its functions fail: " + why_not_run(library));
}

void note_real_runtime() {
  const void* const caller = CallSite::here().address();
  Dl_info info{};
  if (caller == nullptr || !closed_library_of(caller).empty()) return;
  if (::dladdr(caller, &info) == 0 || info.dli_fname == nullptr) return;
  const std::string_view file = info.dli_fname;
  say_not_run("the CUDA runtime in " + std::string(file.substr(file.rfind('/') + 1)),
              "its functions fail, and its kernels do not run: link it with nvcc -cudart shared");
}

}  // namespace warpwise::emulator::runtime
