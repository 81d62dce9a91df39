#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "warpwise/base/export.hpp"
#include "warpwise/gpu/handles.hpp"

namespace warpwise::gpu {

/// Resources of a kernel on the device where it is loaded.
struct KernelAttributes {
  int registers = 0;    ///< per thread
  int max_threads = 0;  ///< limit of a block
  std::int64_t static_shared_bytes = 0;
  std::int64_t local_bytes = 0;  ///< per thread: its stack and its spills
};

/// A kernel of a loaded Module. It is a view: the module has to outlive it.
class WARPWISE_EXPORT Kernel {
 public:
  /// Returns the mangled name.
  const std::string& name() const { return name_; }
  /// \throws CudaError
  KernelAttributes attributes() const;
  /// Returns the number of blocks that a multiprocessor holds at a time; 0 if not even one fits. A
  /// block has `threads` threads and `shared_bytes` of dynamic shared memory. \throws CudaError
  int blocks_per_sm(int threads, std::uint64_t shared_bytes) const;
  /// Runs the kernel on `stream`, asynchronously; also while the stream records a Graph. Raises the
  /// limit of dynamic shared memory if `shared_bytes` needs it.
  /// \param grid, block  x, y and z
  /// \param arguments    the parameter block, with each parameter at its offset in the declaration
  /// \throws CudaError   with the kernel's name and the launch's shape, when the driver refuses it.
  ///                     An error while the kernel runs is thrown by the stream's synchronize().
  void launch(std::span<const std::uint32_t, 3> grid, std::span<const std::uint32_t, 3> block,
              std::uint64_t shared_bytes, std::span<const std::byte> arguments,
              StreamHandle stream) const;

 private:
  friend class Module;
  Kernel(FunctionHandle handle, std::string name) : handle_(handle), name_(std::move(name)) {}

  FunctionHandle handle_;
  std::string name_;
};

/// Owns code that was loaded at run time, on the device that was current then. Move-only. Threads
/// that use it must have that device as their current one.
class WARPWISE_EXPORT Module {
 public:
  /// \param image  PTX, which the driver compiles for the device, or machine code (a cubin)
  /// \throws NoCudaDevice  \throws InvalidArgument  an empty image
  /// \throws Unsupported  the PTX is of a newer CUDA than the driver, or the code is for another
  ///                      device
  /// \throws CudaError    the code does not load for another reason; with the log of the driver's
  ///                      compiler
  explicit Module(const std::string& image);
  ~Module();
  Module(Module&& other) noexcept : handle_(other.handle_) { other.handle_ = nullptr; }
  Module& operator=(Module&& other) noexcept;

  /// \param name  mangled
  /// \throws InvalidArgument  there is no kernel of that name  \throws CudaError
  Kernel kernel(const std::string& name) const;

 private:
  ModuleHandle handle_ = nullptr;
};

}  // namespace warpwise::gpu
