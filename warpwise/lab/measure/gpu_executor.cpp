#include "warpwise/lab/measure/gpu_executor.hpp"

#include <map>
#include <utility>

#include "warpwise/base/error.hpp"
#include "warpwise/gpu/module.hpp"
#include "warpwise/lab/compile/kernel_name.hpp"

namespace warpwise::lab {
namespace {

class GpuCode final : public LoadedCode {
 public:
  explicit GpuCode(const std::string& ptx) : module_(ptx) {}

  std::optional<int> registers(const std::string& name) const override {
    return kernel(name).attributes().registers;
  }

  int blocks_per_sm(const std::string& name, int threads,
                    std::uint64_t shared_bytes) const override {
    return kernel(name).blocks_per_sm(threads, shared_bytes);
  }

  // Kernels are looked up once, since launches are timed.
  const gpu::Kernel& kernel(const std::string& name) const {
    auto found = kernels_.find(name);
    if (found == kernels_.end()) found = kernels_.emplace(name, module_.kernel(name)).first;
    return found->second;
  }

 private:
  gpu::Module module_;
  mutable std::map<std::string, gpu::Kernel> kernels_;
};

GpuCode& of_gpu(LoadedCode& code) {
  auto* own = dynamic_cast<GpuCode*>(&code);
  if (own == nullptr) throw InvalidArgument("the code was loaded by another executor");
  return *own;
}

gpu::TextureAddress address_of(emulator::AddressMode mode) {
  switch (mode) {
    case emulator::AddressMode::wrap: return gpu::TextureAddress::wrap;
    case emulator::AddressMode::clamp: return gpu::TextureAddress::clamp;
    case emulator::AddressMode::mirror: return gpu::TextureAddress::mirror;
    case emulator::AddressMode::border: return gpu::TextureAddress::border;
  }
  throw InvalidArgument("the texture has an unknown address mode");
}

gpu::TexelKind kind_of(emulator::TexelKind kind) {
  switch (kind) {
    case emulator::TexelKind::signed_integer: return gpu::TexelKind::signed_integer;
    case emulator::TexelKind::unsigned_integer: return gpu::TexelKind::unsigned_integer;
    case emulator::TexelKind::floating: return gpu::TexelKind::floating;
  }
  throw InvalidArgument("the texture has an unknown kind of texels");
}

constexpr std::uint64_t texture_alignment = 512;  // bytes; gpu::Buffer is aligned only to 256

}  // namespace

GpuExecutor::GpuExecutor() : device_(gpu::device_info(gpu::current_device())) {}

GpuExecutor::~GpuExecutor() = default;

rules::ComputeCapability GpuExecutor::compute_capability() const {
  return {device_.compute_capability_major, device_.compute_capability_minor};
}

std::uint64_t GpuExecutor::max_shared_bytes() const {
  return static_cast<std::uint64_t>(device_.max_shared_bytes);
}

std::uint64_t GpuExecutor::allocate(std::uint64_t bytes, const std::string& name) {
  constexpr std::uint64_t most = std::uint64_t{1} << 62;
  try {
    if (bytes > most) throw CudaError("this is more than addresses can reach");
    memory_.emplace_back(static_cast<std::int64_t>(bytes + texture_alignment), stream_);
    stream_.synchronize();
  } catch (const CudaError&) {
    // free_memory_bytes() throws if the GPU has failed for another reason.
    const std::int64_t free = gpu::free_memory_bytes();
    if (bytes < static_cast<std::uint64_t>(free)) throw;
    throw OutOfMemory(name + " takes " + std::to_string(bytes) + " bytes, but " + device_.name +
                      " has only " + std::to_string(free) + " of its " +
                      std::to_string(device_.memory_bytes) + " bytes left");
  }
  const auto start = reinterpret_cast<std::uint64_t>(memory_.back().data());
  return (start + texture_alignment - 1) / texture_alignment * texture_alignment;
}

void GpuExecutor::clear() {
  stream_.synchronize();
  textures_.clear();
  memory_.clear();
}

void GpuExecutor::write(std::uint64_t to, std::span<const std::byte> from) {
  gpu::upload(from.data(), ladders::pointer<std::byte>(to), static_cast<std::int64_t>(from.size()),
              stream_);
  stream_.synchronize();
}

void GpuExecutor::read(std::uint64_t from, std::span<std::byte> to) {
  gpu::download(ladders::pointer<const std::byte>(from), to.data(),
                static_cast<std::int64_t>(to.size()), stream_);
  stream_.synchronize();
}

std::uint64_t GpuExecutor::create_texture(const emulator::Texture& texture) {
  if (texture.data % texture_alignment != 0) {
    throw Unsupported("a texture starts at a multiple of " + std::to_string(texture_alignment) +
                      " bytes, and this memory does not");
  }
  textures_.emplace_back(gpu::TextureDescription{
      .data = ladders::pointer<const std::byte>(texture.data),
      .width = static_cast<std::int64_t>(texture.width),
      .height = static_cast<std::int64_t>(texture.height),
      .pitch_bytes = static_cast<std::int64_t>(texture.pitch_bytes),
      .channels = texture.channels,
      .channel_bytes = texture.channel_bytes,
      .kind = kind_of(texture.kind),
      .normalized_float = texture.normalized_float,
      .normalized_coordinates = texture.normalized_coordinates,
      .address = {address_of(texture.address_mode[0]), address_of(texture.address_mode[1])},
      .filter = texture.filter == emulator::FilterMode::linear ? gpu::TextureFilter::linear
                                                               : gpu::TextureFilter::point});
  return textures_.back().handle();
}

std::shared_ptr<LoadedCode> GpuExecutor::load(const Compilation& compilation) {
  if (loaded_ != nullptr && loaded_ptx_ == compilation.ptx) return loaded_;
  try {
    loaded_ = std::make_shared<GpuCode>(compilation.ptx);
    loaded_ptx_ = compilation.ptx;
    return loaded_;
  } catch (const Unsupported& error) {
    throw Unsupported(compilation.name + " (" + compilation.compiler + "): " + error.what());
  } catch (const CudaError& error) {
    throw CudaError(compilation.name + " (" + compilation.compiler + "): " + error.what());
  }
}

void GpuExecutor::run(LoadedCode& code, std::span<const ladders::Launch> launches) {
  for (const ladders::Launch& each : launches) {
    launch(code, {&each, 1}, stream());
    // CUDA reports a fault at the next synchronisation. Each launch is synchronised, so that the
    // fault is attributed to its kernel.
    try {
      stream().synchronize();
    } catch (const CudaError& error) {
      throw CudaError("kernel '" + plain_name(each.kernel) + "' failed: " + error.what());
    }
  }
}

void GpuExecutor::launch(LoadedCode& code, std::span<const ladders::Launch> launches,
                         gpu::StreamHandle stream) const {
  const GpuCode& own = of_gpu(code);
  for (const ladders::Launch& each : launches) {
    own.kernel(each.kernel)
        .launch(each.grid, each.block, each.shared_bytes, each.arguments, stream);
  }
}

}  // namespace warpwise::lab
