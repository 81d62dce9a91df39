#include "warpwise/emulator/runtime/code/fat_binary.hpp"

#include <zstd.h>

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/runtime/code/link.hpp"

// The layout is undocumented. The layout below was read from object files of nvcc 12 and 13.
namespace warpwise::emulator::runtime {
namespace {

struct Wrapper {
  std::uint32_t magic;
  std::uint32_t version;
  const std::byte* data;
  const void* const* linked;  ///< version 2: images linked by `nvcc -rdc=true`, ended by a null
};
constexpr std::uint32_t wrapper_of_linked = 2;
constexpr std::uint32_t wrapper_magic = 0x466243b1;

struct Header {
  std::uint32_t magic;
  std::uint16_t version;
  std::uint16_t header_bytes;
  std::uint64_t bytes;  ///< size of all entries
};
constexpr std::uint32_t header_magic = 0xba55ed50;

struct EntryHeader {
  std::uint16_t kind;
  std::uint16_t version;
  std::uint32_t header_bytes;
  std::uint64_t bytes;             ///< size of the payload, with padding
  std::uint32_t compressed_bytes;  ///< 0: not compressed
  std::uint32_t unused;
  std::uint16_t minor_version;
  std::uint16_t major_version;
  std::uint32_t architecture;
  std::uint32_t more[2];
  std::uint64_t flags;
  std::uint64_t reserved;
  std::uint64_t uncompressed_bytes;
};
constexpr std::uint16_t kind_ptx = 1;
constexpr const char* no_ptx =
    "the program holds machine code and no PTX: compile it with nvcc -arch=compute_75 (or another)";
constexpr std::uint64_t flag_zstd = 0x8000;
// Flags of PTX for one architecture only (9.0a), and of PTX for a family (10.0f).
constexpr std::uint64_t flag_specific = 0x100000;
constexpr std::uint64_t flag_family = 0x200000;
#ifdef WARPWISE_FUZZES
constexpr std::uint64_t most_ptx_bytes = std::uint64_t{1} << 20;
#else
constexpr std::uint64_t most_ptx_bytes = std::uint64_t{1} << 30;
#endif

std::string text_of(const EntryHeader& entry, const std::byte* payload) {
  if (entry.compressed_bytes == 0) {
    const auto* text = reinterpret_cast<const char*>(payload);
    return {text, strnlen(text, entry.bytes)};
  }
  if ((entry.flags & flag_zstd) == 0) {
    throw InvalidArgument(
        "the program's PTX is compressed in a way that is not zstd's: compile it with nvcc "
        "-no-compress");
  }
  if (entry.uncompressed_bytes > most_ptx_bytes || entry.compressed_bytes > entry.bytes) {
    throw InvalidArgument("the program's PTX is damaged: the size in its header is impossible");
  }
  std::string text(entry.uncompressed_bytes, '\0');
  const std::size_t bytes =
      ZSTD_decompress(text.data(), text.size(), payload, entry.compressed_bytes);
  if (ZSTD_isError(bytes) != 0) {
    throw InvalidArgument(std::string("the program's PTX cannot be decompressed: ") +
                          ZSTD_getErrorName(bytes));
  }
  text.resize(strnlen(text.data(), bytes));
  return text;
}

}  // namespace

namespace {

/// Returns true if a driver would compile this PTX for this GPU.
bool is_for(const EntryHeader& entry, std::uint32_t gpu) {
  if ((entry.flags & flag_specific) != 0) return entry.architecture == gpu;
  const bool in_family = entry.architecture / 10 == gpu / 10;
  return entry.architecture <= gpu && ((entry.flags & flag_family) == 0 || in_family);
}

/// Returns 2 for PTX of one architecture, 1 for PTX of a family, otherwise 0.
int narrowness(const EntryHeader& entry) {
  return (entry.flags & flag_specific) != 0 ? 2 : (entry.flags & flag_family) != 0 ? 1 : 0;
}

/// Returns true if PTX `one` is preferred to PTX `other`. PTX that fits this GPU comes first: the
/// newest, and among equally new ones the narrowest. If none fits, the oldest and widest is
/// preferred.
bool is_preferred(const EntryHeader& one, const EntryHeader& other, std::uint32_t gpu) {
  const bool is_one_for = is_for(one, gpu);
  if (is_one_for != is_for(other, gpu)) return is_one_for;
  if (one.architecture != other.architecture)
    return (one.architecture > other.architecture) == is_one_for;
  return is_one_for ? narrowness(one) > narrowness(other) : narrowness(one) < narrowness(other);
}

}  // namespace

std::string ptx_of(std::span<const std::byte> fat_binary, std::uint32_t gpu) {
  Header header{};
  if (fat_binary.size() >= sizeof(header)) std::memcpy(&header, fat_binary.data(), sizeof(header));
  if (header.magic != header_magic || header.header_bytes < sizeof(header) ||
      header.header_bytes > fat_binary.size() ||
      header.bytes > fat_binary.size() - header.header_bytes) {
    throw InvalidArgument("the program's CUDA code has an unknown format");
  }
  const std::byte* at = fat_binary.data() + header.header_bytes;
  const std::byte* const end = at + header.bytes;
  EntryHeader best{};
  const std::byte* best_payload = nullptr;
  while (end - at >= static_cast<std::ptrdiff_t>(sizeof(EntryHeader))) {
    EntryHeader entry{};
    std::memcpy(&entry, at, sizeof(entry));
    const auto left = static_cast<std::uint64_t>(end - at);
    if (entry.header_bytes < sizeof(entry) || entry.header_bytes > left ||
        entry.bytes > left - entry.header_bytes)
      break;
    if (entry.kind == kind_ptx && (best_payload == nullptr || is_preferred(entry, best, gpu))) {
      best = entry;
      best_payload = at + entry.header_bytes;
    }
    at += entry.header_bytes + entry.bytes;
  }
  if (best_payload == nullptr) {
    throw InvalidArgument(no_ptx);
  }
  return text_of(best, best_payload);
}

namespace {

std::string ptx_of_binary(const void* image, std::uint32_t gpu) {
  Header header{};
  std::memcpy(&header, image, sizeof(header));
  if (header.magic != header_magic)
    throw InvalidArgument("the program's CUDA code has an unknown format");
  return ptx_of({static_cast<const std::byte*>(image), header.header_bytes + header.bytes}, gpu);
}

/// Joins the PTX of linked images; some of them may have none.
std::string ptx_of_linked(const void* const* images, std::uint32_t gpu) {
  std::vector<std::string> texts;
  for (; *images != nullptr; ++images) {
    try {
      texts.push_back(ptx_of_binary(*images, gpu));
    } catch (const InvalidArgument& error) {
      if (std::string_view(error.what()) != no_ptx) throw;
    }
  }
  if (texts.empty()) throw InvalidArgument(no_ptx);
  return linked(texts);
}

}  // namespace

std::string ptx_of(const void* image, std::uint32_t gpu) {
  std::uint32_t magic = 0;
  std::memcpy(&magic, image, sizeof(magic));
  if (magic == wrapper_magic) {
    Wrapper wrapper{};
    std::memcpy(&wrapper, image, sizeof(wrapper));
    if (wrapper.version == wrapper_of_linked && wrapper.linked != nullptr) {
      return ptx_of_linked(wrapper.linked, gpu);
    }
    image = wrapper.data;
  }
  return ptx_of_binary(image, gpu);
}

bool is_fat_binary(const void* image) {
  std::uint32_t magic = 0;
  std::memcpy(&magic, image, sizeof(magic));
  return magic == wrapper_magic || magic == header_magic;
}

}  // namespace warpwise::emulator::runtime
