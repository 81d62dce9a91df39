#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "warpwise/base/enum_names.hpp"
#include "warpwise/base/export.hpp"
#include "warpwise/emulator/emulator.hpp"
#include "warpwise/testbench/launch.hpp"

/// Tests of CUDA kernels: a kernel's PTX runs in the emulator, with counts and checks, or on a GPU.
/// docs/testing-kernels.md shows how.
namespace warpwise::testbench {

/// Device that runs the kernels.
enum class Backend { emulator, gpu };
/// Names the values for name_of() and value_named().
constexpr auto enum_names(Backend) {
  return std::to_array<EnumName<Backend>>({{Backend::emulator, "emulator"}, {Backend::gpu, "gpu"}});
}

/// Returns the backend that the environment variable WARPWISE_TEST_BACKEND chooses:
/// - emulator, also if the variable is not set
/// - gpu
/// - auto: the GPU if there is one, else the emulator
/// \throws InvalidArgument  another value
WARPWISE_EXPORT Backend chosen_backend();

/// Options to compile CUDA C++.
struct CompileOptions {
  int architecture = 75;                  ///< architecture of the PTX: compute_75
  std::vector<std::string> defines = {};  ///< "K=V" or "K"
  std::vector<std::filesystem::path> include_folders = {};
};

/// Shape of a launch.
struct Shape {
  emulator::Dim3 grid;   ///< in blocks
  emulator::Dim3 block;  ///< in threads
  std::uint64_t dynamic_shared_bytes = 0;
};

/// Kinds of parameters that PTX tells apart by their type.
enum class ArgumentKind { integer, floating, structure };

/// An argument of a kernel whose type is known only when the program runs.
struct Argument {
  std::span<const std::byte> bytes;
  ArgumentKind kind = ArgumentKind::integer;
};

class Testbench;

/// `count` elements of device memory, as a view of memory that its Testbench owns. As an argument
/// of a launch, it passes the memory's address to the kernel.
template <class T>
class Buffer {
 public:
  /// \param testbench  owns the memory, which starts at `address`
  Buffer(Testbench& testbench, emulator::Address address, std::size_t count)
      : testbench_(&testbench), address_(address), count_(count) {}
  std::size_t size() const { return count_; }
  emulator::Address argument() const { return address_; }
  /// Returns a pointer that is valid on the device, for a member of a structure or an element of
  /// another buffer. The host must not dereference it.
  T* pointer() const { return reinterpret_cast<T*>(address_); }
  /// Copies the elements to the host. \throws Error  the GPU has failed
  std::vector<T> read() const;
  /// Replaces the first elements. \throws InvalidArgument  the buffer has fewer
  void write(std::span<const T> elements) const;

 private:
  Testbench* testbench_;
  emulator::Address address_;
  std::size_t count_;
};

/// A texture object, owned by its Testbench. A kernel gets a cudaTextureObject_t.
class Texture {
 public:
  /// \param handle  value that the kernel gets
  explicit Texture(std::uint64_t handle) : handle_(handle) {}
  std::uint64_t argument() const { return handle_; }

 private:
  std::uint64_t handle_;
};

/// A kernel of a module. It must not outlive its Testbench.
class WARPWISE_EXPORT Kernel {
 public:
  const emulator::KernelInfo& info() const;

  /// Runs the kernel to its end. An argument is a Buffer for a pointer, a Texture, or a value of
  /// the parameter's type, such as a number or a structure.
  /// \throws InvalidArgument  a wrong number of arguments; an argument of another size than its
  ///                          parameter; an integer for a floating-point number, or vice versa; a
  ///                          shape that no GPU supports, or that this kernel was not compiled for
  /// \throws CudaError        the GPU has failed, or lacks what the launch needs
  template <class... Arguments>
  Launch launch(const Shape& shape, const Arguments&... arguments) const;
  /// Runs the kernel with a list of arguments, so that a program can choose their number.
  /// \throws  the exceptions of launch()
  Launch run(const Shape& shape, std::span<const Argument> arguments) const;

 private:
  friend class Module;
  struct State;
  explicit Kernel(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

/// PTX, loaded on its Testbench's device.
class WARPWISE_EXPORT Module {
 public:
  /// \param name  mangled name, readable name ("scale<float>"), or its last part ("scale") if only
  ///              one kernel has it; overloads need their parameters: "scale(float*, int)"
  /// \throws InvalidArgument  no kernel or several have this name; the message lists kernels
  /// \throws Unsupported      the emulator does not run the kernel, with the instruction and its
  ///                          line
  Kernel kernel(const std::string& name) const;
  /// Returns a `__device__` or `__constant__` variable, by its name in the PTX.
  /// \throws InvalidArgument  there is no such variable, or its size is no multiple of T's size
  /// \throws CudaError        the GPU has failed
  template <class T>
  Buffer<T> variable(const std::string& name) const;

 private:
  friend class Testbench;
  friend class Kernel;
  struct State;
  explicit Module(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::pair<emulator::Address, std::uint64_t> place(const std::string& name) const;
  Testbench& testbench() const;
  std::shared_ptr<State> state_;
};

/// A device with its memory and modules. Objects that it hands out must not outlive it. Not
/// thread-safe.
class WARPWISE_EXPORT Testbench {
 public:
  /// \throws NoCudaDevice  a GPU is asked for and there is none, with the reason
  explicit Testbench(Backend backend = chosen_backend());
  ~Testbench();
  Testbench(const Testbench&) = delete;
  Testbench& operator=(const Testbench&) = delete;

  Backend backend() const;
  /// Options of each later launch: the GPU whose costs are counted (default: CC 9.0), the checks
  /// (default: all but equal_writes and strict), the limit of instructions (default: none). Not
  /// used on a GPU.
  emulator::LaunchOptions options;

  /// Loads a file of PTX (.ptx) or of CUDA C++ (.cu). CUDA C++ is compiled by nvcc if there is one,
  /// else by NVRTC, as `warpwise explain` does.
  /// \throws IoError, InvalidArgument  no such file, another extension, malformed PTX
  /// \throws Unsupported  there is no compiler
  /// \throws Error        the source is wrong, with all output of the compiler
  Module load(const std::filesystem::path& file, const CompileOptions& compile = {});
  /// \throws InvalidArgument  malformed PTX
  Module load_ptx(std::string_view ptx);
  /// \param name  name in messages and source lines. \throws  the exceptions of load()
  Module load_cuda(const std::string& text, const CompileOptions& compile = {},
                   const std::string& name = "kernel.cu");

  /// Allocates memory with these elements: buffer<float>("x", {1, 2}). \param name  name in the
  /// messages of faults. \throws OutOfMemory
  template <class T>
    requires std::is_trivially_copyable_v<T>
  Buffer<T> buffer(const std::string& name, const std::vector<T>& elements) {
    Buffer<T> made = zeros<T>(name, elements.size());
    made.write(elements);
    return made;
  }
  /// Allocates memory for `count` zeros. \throws OutOfMemory
  template <class T>
    requires std::is_trivially_copyable_v<T>
  Buffer<T> zeros(const std::string& name, std::size_t count) {
    return {*this, allocate(count, sizeof(T), name), count};
  }

  /// Makes a texture over a copy of `texels`, row by row. `like` gives address modes, filter,
  /// width, height (0: one-dimensional) and channels. T gives a channel's bytes and kind.
  /// \throws InvalidArgument  the number of texels differs from the size, or no texture has this
  ///                          format
  /// \throws CudaError        the GPU has failed
  template <class T>
    requires std::is_arithmetic_v<T>
  Texture texture(const std::vector<T>& texels, emulator::Texture like) {
    like.channel_bytes = sizeof(T);
    like.kind = std::is_floating_point_v<T> ? emulator::TexelKind::floating
                : std::is_signed_v<T>       ? emulator::TexelKind::signed_integer
                                            : emulator::TexelKind::unsigned_integer;
    return Texture(texture_of(std::as_bytes(std::span(texels)), like));
  }

  /// Returns the number of expectations that were skipped because a GPU has no counts.
  std::size_t skipped() const;

 private:
  template <class T>
  friend class Buffer;
  friend class Kernel;
  friend class Module;
  struct State;

  emulator::Address allocate(std::uint64_t count, std::uint64_t element_bytes,
                             const std::string& name);
  std::uint64_t texture_of(std::span<const std::byte> texels, emulator::Texture like);
  void read(emulator::Address from, std::span<std::byte> to) const;
  void write(emulator::Address to, std::span<const std::byte> from) const;

  [[noreturn]] static void refuse_write(std::size_t elements, std::size_t count);
  [[noreturn]] static void refuse_variable(const std::string& name, std::uint64_t bytes,
                                           std::size_t element);

  std::unique_ptr<State> state_;
};

namespace detail {

template <class T>
auto passed(const T& argument) {
  if constexpr (requires { argument.argument(); }) {
    return argument.argument();
  } else {
    static_assert(std::is_trivially_copyable_v<T>, "a kernel takes values that can be copied");
    return argument;
  }
}

template <class T>
constexpr ArgumentKind kind_of() {
  if (std::is_floating_point_v<T>) return ArgumentKind::floating;
  return std::is_scalar_v<T> ? ArgumentKind::integer : ArgumentKind::structure;
}

}  // namespace detail

template <class T>
std::vector<T> Buffer<T>::read() const {
  std::vector<T> elements(count_);
  testbench_->read(address_, std::as_writable_bytes(std::span(elements)));
  return elements;
}

template <class T>
void Buffer<T>::write(std::span<const T> elements) const {
  if (elements.size() > count_) Testbench::refuse_write(elements.size(), count_);
  testbench_->write(address_, std::as_bytes(elements));
}

template <class... Arguments>
Launch Kernel::launch(const Shape& shape, const Arguments&... arguments) const {
  return [&](const auto&... values) {
    const std::array<Argument, sizeof...(values)> all{Argument{
        std::as_bytes(std::span<const std::remove_reference_t<decltype(values)>, 1>(&values, 1)),
        detail::kind_of<std::remove_cvref_t<decltype(values)>>()}...};
    return run(shape, all);
  }(detail::passed(arguments)...);
}

template <class T>
Buffer<T> Module::variable(const std::string& name) const {
  const auto [address, bytes] = place(name);
  if (bytes % sizeof(T) != 0) Testbench::refuse_variable(name, bytes, sizeof(T));
  return {testbench(), address, static_cast<std::size_t>(bytes / sizeof(T))};
}

}  // namespace warpwise::testbench
