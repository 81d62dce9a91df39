#pragma once

// Internal to the testbench: the common interface of the emulator and a GPU.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "warpwise/testbench/testbench.hpp"

namespace warpwise::testbench {

/// Result of a launch. On a GPU, `result` is empty, and `error` is the driver's text if the launch
/// failed.
struct RawLaunch {
  emulator::LaunchResult result;
  std::string error;
};

/// A module of PTX, loaded on its machine.
class LoadedCode {
 public:
  virtual ~LoadedCode() = default;
  virtual std::pair<emulator::Address, std::uint64_t> variable(const std::string& name) = 0;
  /// \param kernel      mangled name
  /// \param parameters  parameter block, as KernelInfo lays it out
  virtual RawLaunch launch(const std::string& kernel, const Shape& shape,
                           std::span<const std::byte> parameters,
                           const emulator::LaunchOptions& options) = 0;
};

/// A device. The objects that it made must not outlive it.
class Machine {
 public:
  virtual ~Machine() = default;
  virtual bool counts() const = 0;
  /// Allocates memory of zeros at a multiple of 512 bytes.
  virtual emulator::Address allocate(std::uint64_t bytes, const std::string& name) = 0;
  virtual void read(emulator::Address from, std::span<std::byte> to) const = 0;
  virtual void write(emulator::Address to, std::span<const std::byte> from) = 0;
  virtual std::uint64_t create_texture(const emulator::Texture& texture) = 0;
  /// \param program  parsed `ptx`; must outlive the loaded code
  virtual std::unique_ptr<LoadedCode> load(const std::string& ptx, emulator::Program& program) = 0;
};

std::unique_ptr<Machine> emulated_machine();
/// \throws NoCudaDevice
std::unique_ptr<Machine> gpu_machine();
/// Returns why there is no GPU; empty if there is one.
std::string why_no_gpu();

}  // namespace warpwise::testbench
