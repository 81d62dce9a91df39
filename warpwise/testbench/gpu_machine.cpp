#include <limits>
#include <map>
#include <vector>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/compile/kernel_name.hpp"
#include "warpwise/testbench/driver.hpp"
#include "warpwise/testbench/machine.hpp"

namespace warpwise::testbench {
namespace {

using driver::Functions;
using driver::Handle;

void check(const Functions& functions, driver::Result error, const std::string& what) {
  if (error != driver::success) throw CudaError(what + ": " + functions.text(error));
}

std::string grid_text(const emulator::Dim3& size) {
  return std::to_string(size.x) + "x" + std::to_string(size.y) + "x" + std::to_string(size.z);
}

class GpuCode final : public LoadedCode {
 public:
  GpuCode(const Functions& functions, const std::string& ptx) : functions_(functions) {
    check(functions, functions.load_module(&module_, ptx.c_str()), "the driver refuses the PTX");
  }
  ~GpuCode() override { functions_.unload_module(module_); }
  GpuCode(const GpuCode&) = delete;
  GpuCode& operator=(const GpuCode&) = delete;

  std::pair<emulator::Address, std::uint64_t> variable(const std::string& name) override {
    driver::DevicePointer address = 0;
    std::size_t bytes = 0;
    const driver::Result error = functions_.variable(&address, &bytes, module_, name.c_str());
    if (error == driver::not_found)
      throw InvalidArgument("the program has no variable '" + name + "'");
    check(functions_, error, "variable '" + name + "'");
    return {address, bytes};
  }

  RawLaunch launch(const std::string& kernel, const Shape& shape,
                   std::span<const std::byte> parameters, const emulator::LaunchOptions&) override {
    const Handle function = function_of(kernel);
    allow_shared(function, shape.dynamic_shared_bytes, kernel);
    // The keys 1, 2 and null are CU_LAUNCH_PARAM_BUFFER_POINTER, _SIZE and _END.
    std::size_t bytes = parameters.size();
    void* extra[] = {reinterpret_cast<void*>(1), const_cast<std::byte*>(parameters.data()),
                     reinterpret_cast<void*>(2), &bytes, nullptr};
    const driver::Result refused = functions_.launch(
        function, shape.grid.x, shape.grid.y, shape.grid.z, shape.block.x, shape.block.y,
        shape.block.z, static_cast<unsigned>(shape.dynamic_shared_bytes), nullptr, nullptr,
        parameters.empty() ? nullptr : extra);
    // The parameters were checked before, so only the launch's shape can be invalid.
    if (refused == driver::invalid_value) {
      throw InvalidArgument(
          "kernel " + lab::plain_name(kernel) + " cannot be launched with " +
          grid_text(shape.grid) + " blocks of " + grid_text(shape.block) +
          " threads: a number is 0, exceeds the limits of GPUs, or does not fit what the kernel "
          "was compiled for, such as its __launch_bounds__");
    }
    check(functions_, refused, "kernel " + lab::plain_name(kernel) + " cannot be launched");
    const driver::Result error = functions_.synchronise();
    return {{}, error == driver::success ? "" : functions_.text(error)};
  }

 private:
  // Raises the kernel's limit of dynamic shared memory if the launch needs more. At first the limit
  // is 48 KiB minus the static shared memory.
  void allow_shared(Handle function, std::uint64_t bytes, const std::string& kernel) {
    constexpr int most_dynamic_shared = 8;  // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    constexpr std::uint64_t representable = 0x7fffffff;
    driver::Result error = driver::invalid_value;
    if (bytes <= representable) {
      int allowed = 0;
      check(functions_, functions_.attribute(&allowed, most_dynamic_shared, function),
            "shared memory of kernel " + lab::plain_name(kernel));
      if (static_cast<int>(bytes) <= allowed) return;
      error = functions_.set_attribute(function, most_dynamic_shared, static_cast<int>(bytes));
    }
    const std::string what = "kernel " + lab::plain_name(kernel) + " with " +
                             std::to_string(bytes) + " bytes of dynamic shared memory";
    if (error == driver::invalid_value)
      throw InvalidArgument(what + ": this GPU does not allow a block that many bytes");
    check(functions_, error, what);
  }

  Handle function_of(const std::string& kernel) {
    Handle& function = functions_of_.try_emplace(kernel, nullptr).first->second;
    if (function == nullptr) {
      check(functions_, functions_.function(&function, module_, kernel.c_str()),
            "kernel '" + kernel + "'");
    }
    return function;
  }

  const Functions& functions_;
  Handle module_ = nullptr;
  std::map<std::string, Handle> functions_of_;
};

// Returns the CUarray_format of a texture's channels.
int format_of(const emulator::Texture& texture) {
  constexpr int first_unsigned = 1;
  constexpr int first_signed = 8;
  constexpr int half = 0x10;
  constexpr int single = 0x20;
  const int step = texture.channel_bytes == 1 ? 0 : texture.channel_bytes == 2 ? 1 : 2;
  switch (texture.kind) {
    case emulator::TexelKind::unsigned_integer: return first_unsigned + step;
    case emulator::TexelKind::signed_integer: return first_signed + step;
    case emulator::TexelKind::floating: return texture.channel_bytes == 2 ? half : single;
  }
  throw InvalidArgument("the texture has an unknown kind of texels");
}

driver::Resource resource_of(const emulator::Texture& texture) {
  const auto channels = static_cast<unsigned>(texture.channels);
  const std::uint64_t texel =
      static_cast<std::uint64_t>(texture.channels) * static_cast<unsigned>(texture.channel_bytes);
  driver::Resource resource;
  if (texture.height == 0) {
    resource.type = driver::Resource::is_linear;
    resource.of.linear = {texture.data, format_of(texture), channels, texture.width * texel};
  } else {
    resource.type = driver::Resource::is_pitched;
    resource.of.pitched = {texture.data,  format_of(texture), channels,
                           texture.width, texture.height,     texture.pitch_bytes};
  }
  return resource;
}

driver::Reading reading_of(const emulator::Texture& texture) {
  // The emulator's enums have the values of CUDA's enums.
  driver::Reading reading;
  reading.address_modes[0] = static_cast<int>(texture.address_mode[0]);
  reading.address_modes[1] = static_cast<int>(texture.address_mode[1]);
  reading.filter = static_cast<int>(texture.filter);
  if (texture.kind != emulator::TexelKind::floating && !texture.normalized_float)
    reading.flags |= driver::Reading::as_integers;
  if (texture.normalized_coordinates) reading.flags |= driver::Reading::normalised_coordinates;
  return reading;
}

class GpuMachine final : public Machine {
 public:
  explicit GpuMachine(const Functions& functions) : functions_(functions) {
    Handle context = nullptr;
    check(functions_, functions_.retain_context(&context, device),
          "no CUDA context can be created on the GPU");
    check(functions_, functions_.set_context(context), "no CUDA context can be created on the GPU");
  }
  // Ignores errors: a GPU that fails here has failed before, and the error was reported then.
  // Releasing the context also frees its other resources, such as modules.
  ~GpuMachine() override {
    for (const std::uint64_t texture : textures_) functions_.destroy_texture(texture);
    for (const driver::DevicePointer address : memory_) functions_.free(address);
    functions_.release_context(device);
  }
  GpuMachine(const GpuMachine&) = delete;
  GpuMachine& operator=(const GpuMachine&) = delete;

  bool counts() const override { return false; }

  emulator::Address allocate(std::uint64_t bytes, const std::string& name) override {
    driver::DevicePointer address = 0;
    const bool overflows = bytes > std::numeric_limits<std::uint64_t>::max() - alignment;
    const driver::Result error =
        overflows ? driver::out_of_memory : functions_.allocate(&address, bytes + alignment);
    if (error == driver::out_of_memory)
      throw OutOfMemory(name + " takes " + std::to_string(bytes) +
                        " bytes: the GPU does not have enough free memory");
    check(functions_, error, "no memory for " + name);
    memory_.push_back(address);
    address = (address + alignment - 1) / alignment * alignment;
    if (bytes > 0) check(functions_, functions_.fill(address, 0, bytes), "clearing " + name);
    return address;
  }

  void read(emulator::Address from, std::span<std::byte> to) const override {
    if (!to.empty())
      check(functions_, functions_.download(to.data(), from, to.size()), "reading from the GPU");
  }
  void write(emulator::Address to, std::span<const std::byte> from) override {
    if (!from.empty())
      check(functions_, functions_.upload(to, from.data(), from.size()), "writing to the GPU");
  }

  std::uint64_t create_texture(const emulator::Texture& texture) override {
    const driver::Resource resource = resource_of(texture);
    const driver::Reading reading = reading_of(texture);
    std::uint64_t handle = 0;
    const driver::Result error = functions_.create_texture(&handle, &resource, &reading, nullptr);
    if (error == driver::invalid_value)
      throw InvalidArgument("the GPU does not support the texture's size, pitch or format");
    check(functions_, error, "the texture cannot be created");
    textures_.push_back(handle);
    return handle;
  }

  std::unique_ptr<LoadedCode> load(const std::string& ptx, emulator::Program&) override {
    return std::make_unique<GpuCode>(functions_, ptx);
  }

 private:
  static constexpr int device = 0;
  static constexpr std::uint64_t alignment = 512;  // a texture needs 512; the driver aligns to 256

  const Functions& functions_;
  std::vector<driver::DevicePointer> memory_;
  std::vector<std::uint64_t> textures_;
};

}  // namespace

std::string why_no_gpu() {
  std::string why_not;
  driver::load(why_not);
  return why_not;
}

std::unique_ptr<Machine> gpu_machine() {
  std::string why_not;
  const Functions* functions = driver::load(why_not);
  if (functions == nullptr) throw NoCudaDevice(why_not);
  return std::make_unique<GpuMachine>(*functions);
}

}  // namespace warpwise::testbench
