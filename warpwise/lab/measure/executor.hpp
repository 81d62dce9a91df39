#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/emulator.hpp"
#include "warpwise/lab/compile/compiler.hpp"
#include "warpwise/primitives/shared/ladder.hpp"

// Runs the kernels of a study, called rungs, in the emulator or on a GPU. A ladder is a study whose
// rungs improve one kernel step by step.
namespace warpwise::lab {

/// A kernel did something wrong: for example it accessed memory out of bounds, or did not end.
/// what() names the thread and the line.
class KernelFault : public Error {
 public:
  using Error::Error;
};

/// A rung's code, ready to be launched.
class LoadedCode {
 public:
  virtual ~LoadedCode() = default;
  /// Returns the registers per thread of a kernel; nothing if the executor does not know.
  virtual std::optional<int> registers(const std::string& kernel) const = 0;
  /// Returns the number of blocks of `threads` threads that an SM holds at the same time.
  virtual int blocks_per_sm(const std::string& kernel, int threads,
                            std::uint64_t shared_bytes) const = 0;
};

/// Returns the extents of a launch's grid or block.
inline emulator::Dim3 dimensions(const std::uint32_t (&sides)[3]) {
  return {sides[0], sides[1], sides[2]};
}

/// Owns the memory of one problem and runs launches on it. Not thread-safe.
class Executor {
 public:
  virtual ~Executor() = default;

  /// Returns the name of the GPU, such as "NVIDIA H200", or "emulator".
  virtual std::string device_name() const = 0;
  /// Returns the compute capability that rungs are compiled for.
  virtual rules::ComputeCapability compute_capability() const = 0;
  virtual int multiprocessors() const = 0;
  /// Returns the most dynamic shared memory that a block may request.
  virtual std::uint64_t max_shared_bytes() const = 0;

  /// Allocates memory whose address is a multiple of 512. \throws OutOfMemory  with the bytes asked
  /// for
  virtual std::uint64_t allocate(std::uint64_t bytes, const std::string& name) = 0;
  /// Frees all memory and textures. Loaded code stays.
  virtual void clear() = 0;
  virtual void write(std::uint64_t to, std::span<const std::byte> from) = 0;
  virtual void read(std::uint64_t from, std::span<std::byte> to) = 0;
  virtual std::uint64_t create_texture(const emulator::Texture& texture) = 0;

  /// \throws CompileError, Unsupported  when the code cannot be made to run here
  virtual std::shared_ptr<LoadedCode> load(const Compilation& compilation) = 0;
  /// Runs the launches in order, to their end.
  /// \throws KernelFault  in the emulator, with the thread and the line
  /// \throws Error        when a launch fails otherwise
  virtual void run(LoadedCode& code, std::span<const ladders::Launch> launches) = 0;
};

}  // namespace warpwise::lab
