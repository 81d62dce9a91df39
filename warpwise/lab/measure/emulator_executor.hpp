#pragma once

#include <optional>

#include "warpwise/lab/measure/block_sample.hpp"
#include "warpwise/lab/measure/executor.hpp"

namespace warpwise::lab {

/// Runs rungs in the emulator, and counts what they do for some compute capabilities.
class EmulatorExecutor final : public Executor {
 public:
  /// Limit of warp instructions of a launch. After some seconds it stops a kernel that never ends.
  /// The small problems of a verification take less than a hundredth of this limit.
  static constexpr std::uint64_t usual_budget = 100'000'000;
  /// A small number of SMs, so that grids computed from it are small, and grid-stride loops have
  /// several iterations.
  static constexpr int usual_multiprocessors = 4;

  /// Rungs are compiled for the newest of `compute_capabilities`, which has at least one. With
  /// `count` false nothing is counted, and kernels run faster.
  EmulatorExecutor(std::vector<rules::ComputeCapability> compute_capabilities, bool count,
                   std::uint64_t budget = usual_budget,
                   int multiprocessors = usual_multiprocessors);

  /// Sets the additional checks of later launches; at first there are none. Check::init finds reads
  /// of uninitialised memory, but only in memory that is allocated after this call.
  void check(emulator::Checks checks);

  std::string device_name() const override { return "emulator"; }
  rules::ComputeCapability compute_capability() const override { return newest_; }
  int multiprocessors() const override { return multiprocessors_; }
  std::uint64_t max_shared_bytes() const override;
  std::uint64_t allocate(std::uint64_t bytes, const std::string& name) override;
  void clear() override;
  void write(std::uint64_t to, std::span<const std::byte> from) override;
  void read(std::uint64_t from, std::span<std::byte> to) override;
  std::uint64_t create_texture(const emulator::Texture& texture) override;
  std::shared_ptr<LoadedCode> load(const Compilation& compilation) override;
  void run(LoadedCode& code, std::span<const ladders::Launch> launches) override;

  /// Returns facts about a kernel of the code.
  static const emulator::KernelInfo& kernel(LoadedCode& code, const std::string& name);

  /// Makes run() run this many blocks of each launch from now on, and estimate the counts of the
  /// whole grid.
  void sample(const BlockSample& wanted) { sample_ = wanted; }

  /// Runs one launch with these options. Its faults are in the result.
  emulator::LaunchResult run(LoadedCode& code, const ladders::Launch& launch,
                             const emulator::LaunchOptions& options);

  /// Returns the counts of each launch of the last run(). If run() threw KernelFault, the last
  /// element belongs to the launch that had the fault.
  const std::vector<emulator::LaunchResult>& results() const { return results_; }

 private:
  std::vector<rules::ComputeCapability> compute_capabilities_;
  rules::ComputeCapability newest_;
  bool count_;
  std::uint64_t budget_;
  int multiprocessors_;
  emulator::Checks checks_;
  std::optional<BlockSample> sample_;
  std::unique_ptr<emulator::Device> device_;
  std::string loaded_ptx_;  // PTX of the last loaded code, which many consecutive problems share
  std::shared_ptr<LoadedCode> loaded_;
  std::vector<emulator::LaunchResult> results_;
};

}  // namespace warpwise::lab
