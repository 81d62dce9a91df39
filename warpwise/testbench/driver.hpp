#pragma once

// Internal to the testbench: the CUDA driver, which is loaded when a test asks for a GPU. The types
// have the layouts of cuda.h, which the build does not need.

#include <cstddef>
#include <cstdint>
#include <string>

namespace warpwise::testbench::driver {

using Result = int;
constexpr Result success = 0;
constexpr Result invalid_value = 1;
constexpr Result out_of_memory = 2;
constexpr Result not_found = 500;
using Handle = void*;  ///< a context, a module, a function or a stream
using DevicePointer = std::uint64_t;

/// A CUDA_RESOURCE_DESC: the memory behind a texture.
struct Resource {
  struct Linear {
    DevicePointer address;
    int format;
    unsigned channels;
    std::size_t bytes;
  };
  struct Pitched {
    DevicePointer address;
    int format;
    unsigned channels;
    std::size_t width;
    std::size_t height;
    std::size_t pitch_bytes;
  };
  int type = 0;
  union {
    Linear linear;
    Pitched pitched;
    int reserved[32];
  } of = {.reserved = {}};
  unsigned flags = 0;

  static constexpr int is_linear = 2;
  static constexpr int is_pitched = 3;
};

/// A CUDA_TEXTURE_DESC: how a kernel reads a texture.
struct Reading {
  int address_modes[3] = {};
  int filter = 0;
  unsigned flags = 0;
  unsigned max_anisotropy = 0;
  int mipmap_filter = 0;
  float mipmap_bias = 0;
  float min_level = 0;
  float max_level = 0;
  float border_colour[4] = {};
  int reserved[12] = {};

  static constexpr unsigned as_integers = 1;
  static constexpr unsigned normalised_coordinates = 2;
};

/// The driver's functions.
struct Functions {
  Result (*init)(unsigned) = nullptr;
  Result (*device_count)(int*) = nullptr;
  Result (*error_name)(Result, const char**) = nullptr;
  Result (*error_text)(Result, const char**) = nullptr;
  Result (*retain_context)(Handle*, int) = nullptr;
  Result (*release_context)(int) = nullptr;
  Result (*set_context)(Handle) = nullptr;
  Result (*synchronise)() = nullptr;
  Result (*allocate)(DevicePointer*, std::size_t) = nullptr;
  Result (*free)(DevicePointer) = nullptr;
  Result (*fill)(DevicePointer, unsigned char, std::size_t) = nullptr;
  Result (*upload)(DevicePointer, const void*, std::size_t) = nullptr;
  Result (*download)(void*, DevicePointer, std::size_t) = nullptr;
  Result (*load_module)(Handle*, const void*) = nullptr;
  Result (*unload_module)(Handle) = nullptr;
  Result (*function)(Handle*, Handle, const char*) = nullptr;
  Result (*variable)(DevicePointer*, std::size_t*, Handle, const char*) = nullptr;
  Result (*attribute)(int*, int, Handle) = nullptr;
  Result (*set_attribute)(Handle, int, int) = nullptr;
  Result (*launch)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   Handle, void**, void**) = nullptr;
  Result (*create_texture)(std::uint64_t*, const Resource*, const Reading*, const void*) = nullptr;
  Result (*destroy_texture)(std::uint64_t) = nullptr;

  /// Returns "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)".
  std::string text(Result error) const;
};

/// Loads and initialises the driver once. Returns null if it is missing, incomplete, or has no GPU.
/// \param why_not  receives the reason
const Functions* load(std::string& why_not);

}  // namespace warpwise::testbench::driver
