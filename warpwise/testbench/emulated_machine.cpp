#include "warpwise/emulator/launched.hpp"
#include "warpwise/testbench/machine.hpp"

namespace warpwise::testbench {
namespace {

class EmulatedCode final : public LoadedCode {
 public:
  EmulatedCode(emulator::Device& device, emulator::Program& program)
      : device_(device), program_(program) {}

  std::pair<emulator::Address, std::uint64_t> variable(const std::string& name) override {
    std::uint64_t bytes = 0;
    const emulator::Address address = program_.variable(device_, name, &bytes);
    return {address, bytes};
  }

  RawLaunch launch(const std::string& kernel, const Shape& shape,
                   std::span<const std::byte> parameters,
                   const emulator::LaunchOptions& options) override {
    RawLaunch launch{program_.launch(device_, kernel, shape.grid, shape.block,
                                     shape.dynamic_shared_bytes, parameters, options),
                     ""};
    emulator::include_launched(launch.result);
    return launch;
  }

 private:
  emulator::Device& device_;
  emulator::Program& program_;
};

class EmulatedMachine final : public Machine {
 public:
  // Records which bytes are written, from the first allocation on, because a launch with
  // Check::init needs the whole record. Other launches ignore it.
  EmulatedMachine() { device_.track_definedness(); }
  bool counts() const override { return true; }
  emulator::Address allocate(std::uint64_t bytes, const std::string& name) override {
    const emulator::Address address = device_.allocate(bytes, name);
    // host_pointer() marks the zeros as written.
    if (bytes > 0) device_.host_pointer(address, bytes);
    return address;
  }
  void read(emulator::Address from, std::span<std::byte> to) const override {
    device_.read(from, to);
  }
  void write(emulator::Address to, std::span<const std::byte> from) override {
    device_.write(to, from);
  }
  std::uint64_t create_texture(const emulator::Texture& texture) override {
    return device_.create_texture(texture);
  }
  std::unique_ptr<LoadedCode> load(const std::string&, emulator::Program& program) override {
    return std::make_unique<EmulatedCode>(device_, program);
  }

 private:
  emulator::Device device_;
};

}  // namespace

std::unique_ptr<Machine> emulated_machine() { return std::make_unique<EmulatedMachine>(); }

}  // namespace warpwise::testbench
