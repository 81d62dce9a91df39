#include "warpwise/emulator/runtime/code/modules.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/runtime/code/fat_binary.hpp"

namespace warpwise::emulator::runtime {
namespace {

bool is_machine_code(const void* image) { return std::memcmp(image, "\177ELF", 4) == 0; }

[[noreturn]] void refuse_machine_code() {
  throw Unsupported(
      "the module holds machine code (a cubin), which the emulator does not run: load PTX (NVRTC "
      "makes it for "
      "--gpu-architecture=compute_90, nvcc with -ptx or -fatbin -arch=compute_90)");
}

}  // namespace

std::string ptx_of_image(const void* image) {
  if (is_machine_code(image)) refuse_machine_code();
  if (is_fat_binary(image)) return ptx_of(image, emulated().architecture());
  return static_cast<const char*>(image);
}

std::string ptx_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw IoError("cannot open " + path);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (bytes.starts_with("\177ELF")) refuse_machine_code();
  if (bytes.size() >= 4 && is_fat_binary(bytes.data()))
    return ptx_of(std::as_bytes(std::span(bytes)), emulated().architecture());
  return bytes;
}

Module* load_module(std::string ptx) {
  auto module = std::make_unique<Module>();
  module->text = std::move(ptx);
  module->get();
  Runtime& own = emulated();
  const std::lock_guard lock(own.mutex);
  own.modules.push_back(std::move(module));
  return own.modules.back().get();
}

void unload_module(Module* module) {
  Runtime& own = emulated();
  std::unique_ptr<Module> taken;
  const std::lock_guard lock(own.mutex);
  const auto found = std::find_if(own.modules.begin(), own.modules.end(),
                                  [&](const auto& each) { return each.get() == module; });
  if (found == own.modules.end()) throw InvalidArgument("this module is not loaded");
  std::erase_if(own.kernels, [&](const auto& each) { return each.second.module == module; });
  taken = std::move(*found);
  own.modules.erase(found);
  taken->get().unload(own.device);
}

const void* kernel_handle(Module* module, const std::string& name) {
  const std::vector<std::string> names = module->get().kernel_names();
  if (std::find(names.begin(), names.end(), name) == names.end()) return nullptr;
  Runtime& own = emulated();
  const std::lock_guard lock(own.mutex);
  const std::string& kept = *module->handles.insert(name).first;
  own.kernels.try_emplace(&kept, Kernel{module, name});
  return &kept;
}

Address variable_of(Module* module, const std::string& name, std::uint64_t* bytes) {
  return module->get().variable(emulated().device, name, bytes);
}

Kernel* find_kernel(const void* function) {
  Runtime& own = emulated();
  const std::lock_guard lock(own.mutex);
  const auto found = own.kernels.find(function);
  return found == own.kernels.end() ? nullptr : &found->second;
}

}  // namespace warpwise::emulator::runtime
