#pragma once

#include <string>
#include <vector>

#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/partition.hpp"
#include "warpwise/gpu/stream.hpp"
#include "warpwise/gpu/texture.hpp"
#include "warpwise/lab/measure/executor.hpp"

namespace warpwise::lab {

/// Runs rungs on the GPU that is the current device of the thread that makes it.
///
/// A kernel that faults leaves the process without a usable GPU: that is how CUDA works. Every
/// later call throws CudaError then.
class GpuExecutor final : public Executor {
 public:
  /// \throws NoCudaDevice  with the reason
  GpuExecutor();
  ~GpuExecutor() override;

  std::string device_name() const override { return device_.name; }
  rules::ComputeCapability compute_capability() const override;
  int multiprocessors() const override {
    return part_ != nullptr ? part_->multiprocessors() : device_.multiprocessors;
  }
  std::uint64_t max_shared_bytes() const override;

  std::uint64_t allocate(std::uint64_t bytes, const std::string& name) override;
  void clear() override;
  void write(std::uint64_t to, std::span<const std::byte> from) override;
  void read(std::uint64_t from, std::span<std::byte> to) override;
  /// \throws Unsupported  it does not start at a multiple of 512 bytes, as allocate() has it
  std::uint64_t create_texture(const emulator::Texture& texture) override;

  /// The driver compiles the PTX for this GPU; registers() and blocks_per_sm() are the driver's.
  /// \throws Unsupported  the driver is older than the PTX  \throws CudaError  the PTX is wrong
  std::shared_ptr<LoadedCode> load(const Compilation& compilation) override;
  /// \throws CudaError  with the kernel's name
  void run(LoadedCode& code, std::span<const ladders::Launch> launches) override;

  /// Puts the launches on a stream and returns, for what times them. \throws CudaError  a launch is
  /// refused
  void launch(LoadedCode& code, std::span<const ladders::Launch> launches,
              gpu::StreamHandle stream) const;
  /// From now on run() uses these multiprocessors alone, which have to outlive their use, and
  /// multiprocessors() and stream() are theirs; nullptr for all. What runs has to have ended.
  void use(const gpu::Part* part) { part_ = part; }
  /// The stream of run().
  const gpu::Stream& stream() const { return part_ != nullptr ? part_->stream() : stream_; }
  const gpu::DeviceInfo& device() const { return device_; }

 private:
  gpu::DeviceInfo device_;
  gpu::Stream stream_;
  const gpu::Part* part_ = nullptr;
  std::vector<gpu::Buffer> memory_;
  std::vector<gpu::Texture> textures_;
  std::string loaded_ptx_;  // of the code loaded last: many problems in a row are for the same
  std::shared_ptr<LoadedCode> loaded_;
};

}  // namespace warpwise::lab
