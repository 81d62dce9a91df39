#include "warpwise/lab/measure/emulator_executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "warpwise/base/error.hpp"

namespace warpwise::lab {
namespace {

class EmulatedCode final : public LoadedCode {
 public:
  EmulatedCode(const std::string& ptx, rules::ComputeCapability cc) : program(ptx), cc_(cc) {}

  // The registers are unknown: asking ptxas would take longer than most runs.
  std::optional<int> registers(const std::string& /*kernel*/) const override {
    return std::nullopt;
  }

  int blocks_per_sm(const std::string& /*kernel*/, int threads,
                    std::uint64_t shared_bytes) const override {
    // On CC 1.0, 512 threads with 32 registers each do not fit, so compilers use at most 16.
    for (const int assumed_registers : {32, 16}) {
      try {
        return rules::occupancy(cc_, {.threads = threads,
                                      .registers_per_thread = assumed_registers,
                                      .shared_bytes = static_cast<int>(std::min<std::uint64_t>(
                                          shared_bytes, std::numeric_limits<int>::max()))})
            .blocks_per_sm;
      } catch (const InvalidArgument&) {
        continue;
      }
    }
    return 0;
  }

  emulator::Program program;

 private:
  rules::ComputeCapability cc_;
};

std::string text_of(const emulator::Dim3& place) {
  return fmt::format("({}, {}, {})", place.x, place.y, place.z);
}

}  // namespace

EmulatorExecutor::EmulatorExecutor(std::vector<rules::ComputeCapability> compute_capabilities,
                                   bool count, std::uint64_t budget, int multiprocessors)
    : compute_capabilities_(std::move(compute_capabilities)),
      newest_(*std::max_element(compute_capabilities_.begin(), compute_capabilities_.end())),
      count_(count), budget_(budget), multiprocessors_(multiprocessors),
      device_(std::make_unique<emulator::Device>()) {}

std::uint64_t EmulatorExecutor::max_shared_bytes() const {
  return static_cast<std::uint64_t>(rules::sm_limits(newest_).max_shared_per_block);
}

std::uint64_t EmulatorExecutor::allocate(std::uint64_t bytes, const std::string& name) {
  return device_->allocate(bytes, name);
}

void EmulatorExecutor::clear() {
  device_ = std::make_unique<emulator::Device>();
  check(checks_);
}

void EmulatorExecutor::check(emulator::Checks checks) {
  checks_ = checks;
  if (checks.has(emulator::Check::init)) device_->track_definedness();
}

void EmulatorExecutor::write(std::uint64_t to, std::span<const std::byte> from) {
  device_->write(to, from);
}

void EmulatorExecutor::read(std::uint64_t from, std::span<std::byte> to) {
  device_->read(from, to);
}

std::uint64_t EmulatorExecutor::create_texture(const emulator::Texture& texture) {
  return device_->create_texture(texture);
}

std::shared_ptr<LoadedCode> EmulatorExecutor::load(const Compilation& compilation) {
  if (loaded_ == nullptr || loaded_ptx_ != compilation.ptx) {
    loaded_ = std::make_shared<EmulatedCode>(compilation.ptx, newest_);
    loaded_ptx_ = compilation.ptx;
  }
  return loaded_;
}

emulator::LaunchResult EmulatorExecutor::run(LoadedCode& code, const ladders::Launch& launch,
                                             const emulator::LaunchOptions& options) {
  return dynamic_cast<EmulatedCode&>(code).program.launch(
      *device_, launch.kernel, dimensions(launch.grid), dimensions(launch.block),
      launch.shared_bytes, launch.arguments, options);
}

const emulator::KernelInfo& EmulatorExecutor::kernel(LoadedCode& code, const std::string& name) {
  return dynamic_cast<EmulatedCode&>(code).program.kernel(name);
}

void EmulatorExecutor::run(LoadedCode& code, std::span<const ladders::Launch> launches) {
  emulator::LaunchOptions options;
  options.count = options.fidelity = count_;
  options.budget = budget_;
  options.checks = checks_;
  if (count_) options.compute_capabilities = compute_capabilities_;
  results_.clear();
  for (const ladders::Launch& launch : launches) {
    const std::uint64_t blocks = dimensions(launch.grid).count();
    const std::uint64_t sampled = sample_ ? sample_->of(blocks) : blocks;
    if (sample_) options.sampled_blocks = sampled;
    results_.push_back(run(code, launch, options));
    extrapolate(results_.back(), sampled, blocks);
    if (results_.back().faults.empty()) continue;
    const emulator::Fault& fault = results_.back().faults.front();
    const bool endless = fault.kind == emulator::FaultKind::budget;
    throw KernelFault(fmt::format("{} at {}:{}, block {}, thread {}: {}{}", name_of(fault.kind),
                                  fault.file, fault.line, text_of(fault.block),
                                  text_of(fault.thread), fault.message,
                                  endless ? ": is it a loop without end?" : ""));
  }
}

}  // namespace warpwise::lab
