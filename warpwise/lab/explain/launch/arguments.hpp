#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "warpwise/emulator/emulator.hpp"
#include "warpwise/io/picture.hpp"
#include "warpwise/lab/explain/launch/argument_spec.hpp"
#include "warpwise/lab/predict/launch_prediction.hpp"

namespace warpwise::lab {

/// Reads an image file for a texture, as one channel. \throws IoError
using ReadTexture = std::function<io::Picture(const std::string& path)>;

/// Refuses buffers whose elements differ in size or kind from the kernel's: f64 for float*. Does
/// not check elements of one byte, or pointers to types other than numbers and vectors of numbers.
/// \param types  types of the parameters, such as "float*"; empty if they are not known
/// \throws InvalidArgument
void require_elements(const std::vector<std::string>& types,
                      const std::vector<ArgumentSpec>& specs);

/// A kernel's arguments in an emulated device's memory.
class Arguments {
 public:
  /// Allocates and fills the buffers and textures, and lays out the parameter block.
  /// \param seed  seed of the random values
  /// \throws InvalidArgument  the number, kind or size of the arguments differs from the kernel's,
  ///                          or a file's elements differ from the argument's
  /// \throws IoError          a file cannot be read
  /// \throws OutOfMemory
  Arguments(emulator::Device& device, const emulator::KernelInfo& kernel,
            std::vector<ArgumentSpec> specs, const ReadTexture& read_texture,
            std::uint64_t seed = 0);

  std::span<const std::byte> parameters() const { return parameters_; }

  /// A buffer or a texture.
  struct Memory {
    std::uint64_t parameter_offset = 0;  ///< offset of the address or handle in parameters()
    std::string name;
    std::vector<std::byte> bytes;
    std::optional<emulator::Texture> texture;  ///< a texture of `bytes`; not set for a buffer
  };
  /// Returns all buffers and textures with their present bytes, to be copied to another device.
  /// \throws Unsupported  an argument has a pointer that is written with &
  std::vector<Memory> memory() const;

  MemoryBytes bytes() const;

  /// Returns the bytes of an argument that is a buffer, as the kernel left them; none for others.
  std::vector<std::byte> bytes_of(std::size_t index) const;

  /// Memory that a kernel can write: a buffer at any depth of an argument, or a number behind &.
  struct Writable {
    std::size_t index = 0;  ///< index of the argument
    ScalarType type = ScalarType::i32;
    std::vector<std::byte> bytes;
  };
  /// Returns all that the kernel could write, as the kernel left it, in the order of the arguments.
  std::vector<Writable> writable() const;

  /// Writes a buffer, as the kernel left it, to an .npy file as a vector.
  /// \throws InvalidArgument  there is no such argument, or it is not a buffer
  /// \throws IoError
  void dump(const DumpSpec& what) const;
  /// Checks before a launch that dump() will accept `what`. \throws InvalidArgument
  void require_dumpable(const DumpSpec& what) const;

 private:
  emulator::Device& device_;
  std::uint64_t seed_;
  std::vector<std::uint64_t> offsets_;  // offsets of the parameters
  std::vector<ArgumentSpec> specs_;
  /// A buffer or a texture at any depth of an argument.
  struct Held {
    const ArgumentSpec* spec = nullptr;  ///< an element of specs_
    std::size_t index = 0;               ///< index of the argument
    emulator::Address address = 0;
    /// Offset of the address or handle in parameters_; nothing if it lies behind a pointer.
    std::optional<std::uint64_t> parameter_offset;
  };

  /// Writes an argument, or a part of one, to `to`, and allocates the memory that it points to.
  void put(const ArgumentSpec& spec, std::size_t index, std::byte* to,
           std::optional<std::uint64_t> parameter_offset, const ReadTexture& read_texture);
  /// Returns the next seed for Fill::random; each buffer has its own.
  std::uint64_t seed_of_next(std::size_t index) const;

  /// A place in the device's memory with elements of a type.
  struct Place {
    std::size_t index = 0;  ///< index of the argument
    ScalarType type = ScalarType::i32;
    std::span<const std::byte> bytes;
  };

  std::vector<Held> held_;
  std::vector<Place> writable_;
  std::vector<std::byte> parameters_;
};

}  // namespace warpwise::lab
