#include "warpwise/testbench/testbench.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/compile/compiler.hpp"
#include "warpwise/lab/compile/kernel_name.hpp"
#include "warpwise/testbench/machine.hpp"
#include "warpwise/testbench/pack.hpp"
#include "warpwise/testbench/skips.hpp"

namespace warpwise::testbench {

struct Module::State {
  Testbench* testbench = nullptr;
  std::string ptx;
  emulator::Program program;
  std::unique_ptr<LoadedCode> code;
};

struct Kernel::State {
  std::shared_ptr<Module::State> module;
  const emulator::KernelInfo* info = nullptr;
};

struct Testbench::State {
  std::unique_ptr<Machine> machine;
  std::shared_ptr<Launch::Skips> skips = std::make_shared<Launch::Skips>();
};

namespace {

// Calls `compile`. Turns a CompileError into an Error whose text has all output of the compiler.
template <class Compile>
std::string compiled(const CompileOptions& options, const Compile& compile) {
  lab::CompileOptions own;
  own.architecture = options.architecture;
  own.defines = options.defines;
  own.include_folders = options.include_folders;
  try {
    return compile(own);
  } catch (const lab::CompileError& error) {
    throw Error(std::string(error.what()) + "\n" + error.log());
  }
}

}  // namespace

Backend chosen_backend() {
  constexpr const char* variable = "WARPWISE_TEST_BACKEND";
  const char* const text = std::getenv(variable);
  if (text == nullptr) return Backend::emulator;
  if (std::string_view(text) == "auto")
    return why_no_gpu().empty() ? Backend::gpu : Backend::emulator;
  if (const auto named = value_named<Backend>(text)) return *named;
  throw InvalidArgument(std::string(variable) + " got '" + text +
                        "', it needs emulator, gpu or auto");
}

// ---- Kernels

const emulator::KernelInfo& Kernel::info() const { return *state_->info; }

Launch Kernel::run(const Shape& shape, std::span<const Argument> arguments) const {
  Testbench& testbench = *state_->module->testbench;
  const std::vector<std::byte> parameters = packed(info(), arguments);
  RawLaunch raw = state_->module->code->launch(info().name, shape, parameters, testbench.options);
  Launch launch(lab::plain_name(info().name), std::move(raw.result), testbench.state_->skips);
  launch.error_ = std::move(raw.error);
  launch.counted_for_ = testbench.options.compute_capabilities;
  launch.counted_ = testbench.state_->machine->counts();
  return launch;
}

Kernel Module::kernel(const std::string& name) const {
  auto kernel = std::make_shared<Kernel::State>();
  kernel->module = state_;
  kernel->info = &state_->program.kernel(lab::kernel_in(state_->ptx, name));
  return Kernel(std::move(kernel));
}

std::pair<emulator::Address, std::uint64_t> Module::place(const std::string& name) const {
  return state_->code->variable(name);
}

Testbench& Module::testbench() const { return *state_->testbench; }

// ---- The device

Testbench::Testbench(Backend backend) : state_(std::make_unique<State>()) {
  options.compute_capabilities = {{9, 0}};
  options.checks = emulator::Checks::all();
  state_->machine = backend == Backend::gpu ? gpu_machine() : emulated_machine();
}
Testbench::~Testbench() = default;

Backend Testbench::backend() const {
  return state_->machine->counts() ? Backend::emulator : Backend::gpu;
}

Module Testbench::load(const std::filesystem::path& file, const CompileOptions& compile) {
  return load_ptx(
      compiled(compile, [&](const auto& own) { return lab::compile_file(file, own).ptx; }));
}

Module Testbench::load_cuda(const std::string& text, const CompileOptions& compile,
                            const std::string& name) {
  return load_ptx(
      compiled(compile, [&](const auto& own) { return lab::compile_text(text, name, own).ptx; }));
}

Module Testbench::load_ptx(std::string_view ptx) {
  auto module = std::make_shared<Module::State>(
      Module::State{this, std::string(ptx), emulator::Program(ptx), nullptr});
  module->code = state_->machine->load(module->ptx, module->program);
  return Module(std::move(module));
}

emulator::Address Testbench::allocate(std::uint64_t count, std::uint64_t element_bytes,
                                      const std::string& name) {
  if (count > std::numeric_limits<std::uint64_t>::max() / element_bytes) {
    throw OutOfMemory(name + ": " + std::to_string(count) + " elements of " +
                      std::to_string(element_bytes) + " bytes exceed 64-bit addresses");
  }
  return state_->machine->allocate(count * element_bytes, name);
}
void Testbench::read(emulator::Address from, std::span<std::byte> to) const {
  if (!to.empty()) state_->machine->read(from, to);
}
void Testbench::write(emulator::Address to, std::span<const std::byte> from) const {
  if (!from.empty()) state_->machine->write(to, from);
}

std::uint64_t Testbench::texture_of(std::span<const std::byte> texels, emulator::Texture like) {
  const std::uint64_t texel =
      static_cast<std::uint64_t>(like.channels) * static_cast<std::uint64_t>(like.channel_bytes);
  const std::uint64_t rows = std::max<std::uint64_t>(like.height, 1);
  // The size is checked by division: the product of wrong sizes may overflow to the right one.
  if (texel == 0 || texels.empty() || texels.size() % texel != 0 ||
      texels.size() / texel % rows != 0 || texels.size() / texel / rows != like.width) {
    throw InvalidArgument("a texture of " + std::to_string(like.width) + "x" +
                          std::to_string(like.height) + " texels of " + std::to_string(texel) +
                          " bytes got " + std::to_string(texels.size()) + " bytes");
  }
  const std::uint64_t row_bytes = like.width * texel;
  constexpr std::uint64_t pitch_alignment = 32;  // required by every GPU
  like.pitch_bytes = (row_bytes + pitch_alignment - 1) / pitch_alignment * pitch_alignment;
  like.data = allocate(rows, like.pitch_bytes, "texture");
  for (std::uint64_t y = 0; y < rows; ++y)
    write(like.data + y * like.pitch_bytes, texels.subspan(y * row_bytes, row_bytes));
  return state_->machine->create_texture(like);
}

std::size_t Testbench::skipped() const { return state_->skips->count; }

void Testbench::refuse_write(std::size_t elements, std::size_t count) {
  throw InvalidArgument(std::to_string(elements) + " elements are written to a buffer of " +
                        std::to_string(count));
}
void Testbench::refuse_variable(const std::string& name, std::uint64_t bytes, std::size_t element) {
  throw InvalidArgument("variable '" + name + "' has " + std::to_string(bytes) +
                        " bytes, which is no multiple of an element's " + std::to_string(element));
}

}  // namespace warpwise::testbench
