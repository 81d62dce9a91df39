#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "warpwise/emulator/emulator.hpp"
#include "warpwise/io/picture.hpp"
#include "warpwise/lab/explain/argument_spec.hpp"
#include "warpwise/lab/predict/launch_prediction.hpp"

namespace warpwise::lab {

/// Reads an image file for a texture, as one channel. \throws IoError
using ReadTexture = std::function<io::Picture(const std::string& path)>;

/// A kernel's arguments in an emulated device's memory.
class Arguments {
 public:
  /// Allocates and fills the buffers and textures, and lays out the parameter block.
  /// \throws InvalidArgument  another number of arguments than the kernel has, or one of another
  /// kind or
  ///         size; a file whose elements are others. IoError  a file that cannot be read.
  ///         OutOfMemory
  Arguments(emulator::Device& device, const emulator::KernelInfo& kernel,
            std::vector<ArgumentSpec> specs, const ReadTexture& read_texture);

  std::span<const std::byte> parameters() const { return parameters_; }

  /// A buffer or a texture.
  struct Memory {
    std::uint64_t parameter_offset = 0;  ///< where its address or handle stands in parameters()
    std::string name;
    std::vector<std::byte> bytes;
    std::optional<emulator::Texture> texture;  ///< over these bytes
  };
  /// All of them with their bytes as they are now, to be copied to another device.
  /// \throws Unsupported  an argument has a pointer to what is no buffer
  std::vector<Memory> memory() const;

  MemoryBytes bytes() const;

  /// Writes a buffer as the kernel left it as a vector in an .npy file.
  /// \throws InvalidArgument  there is no such argument, or it is no buffer. IoError
  void dump(const DumpSpec& what) const;
  /// What dump() would refuse, before anything runs. \throws InvalidArgument
  void require_dumpable(const DumpSpec& what) const;

 private:
  emulator::Device& device_;
  std::vector<std::uint64_t> offsets_;  // of the parameters
  std::vector<ArgumentSpec> specs_;
  /// A buffer or a texture, wherever in an argument it stands.
  struct Held {
    const ArgumentSpec* spec = nullptr;  ///< in specs_
    std::size_t index = 0;               ///< of the argument
    emulator::Address address = 0;
    /// Where its address or handle stands in parameters_; none where a pointer leads to it.
    std::optional<std::uint64_t> parameter_offset;
  };

  /// Writes an argument, or a part of one, to its place, with the memory that it points to.
  void put(const ArgumentSpec& spec, std::size_t index, std::byte* to,
           std::optional<std::uint64_t> parameter_offset, const ReadTexture& read_texture);
  /// Of Fill::random, another one for each buffer.
  std::uint64_t seed_of_next(std::size_t index) const;

  std::vector<Held> held_;
  std::vector<std::byte> parameters_;
};

}  // namespace warpwise::lab
