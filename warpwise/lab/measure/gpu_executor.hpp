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

/// Runs rungs on the current GPU of the constructing thread.
///
/// After a kernel's fault, CUDA leaves the process without a usable GPU. Every later use of it
/// then throws CudaError.
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
  /// \throws Unsupported  the texture's memory does not start at a multiple of 512 bytes, as memory
  ///                      from allocate() does
  std::uint64_t create_texture(const emulator::Texture& texture) override;

  /// Loads code: the driver compiles the PTX for this GPU. registers() and blocks_per_sm() return
  /// the driver's numbers.
  /// \throws Unsupported  the driver is older than the PTX
  /// \throws CudaError    the PTX is wrong
  std::shared_ptr<LoadedCode> load(const Compilation& compilation) override;
  /// \throws CudaError  with the kernel's name
  void run(LoadedCode& code, std::span<const ladders::Launch> launches) override;

  /// Puts the launches on a stream and returns, so that the caller can time them.
  /// \throws CudaError  a launch is refused
  void launch(LoadedCode& code, std::span<const ladders::Launch> launches,
              gpu::StreamHandle stream) const;
  /// Makes run() use only the multiprocessors of `part` from now on; nullptr means all.
  /// multiprocessors() and stream() then return the number and the stream of `part`. `part` has to
  /// outlive its use, and earlier runs must have ended.
  void use(const gpu::Part* part) { part_ = part; }
  /// Returns the stream of run().
  const gpu::Stream& stream() const { return part_ != nullptr ? part_->stream() : stream_; }
  const gpu::DeviceInfo& device() const { return device_; }

 private:
  gpu::DeviceInfo device_;
  gpu::Stream stream_;
  const gpu::Part* part_ = nullptr;
  std::vector<gpu::Buffer> memory_;
  std::vector<gpu::Texture> textures_;
  std::string loaded_ptx_;  // PTX of the last loaded code, which many consecutive problems share
  std::shared_ptr<LoadedCode> loaded_;
};

}  // namespace warpwise::lab
