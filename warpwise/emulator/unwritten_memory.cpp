#include "warpwise/emulator/unwritten_memory.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "warpwise/base/error.hpp"

namespace warpwise::emulator {
namespace {

constexpr std::uint64_t page = 4096;
// The file is mapped once for each 16 MiB. A shadow of 64 GiB then takes 4096 of the 65530 mappings
// that a process may have.
constexpr std::uint64_t pattern_bytes = std::uint64_t{16} << 20;
// Below this size, writing every byte takes less than a millisecond.
constexpr std::uint64_t least_mapped = std::uint64_t{4} << 20;

/// An unnamed file of `unwritten` bytes. Private mappings of it share its pages until they change.
class Pattern {
 public:
  Pattern() : file_(::memfd_create("warpwise-unwritten", MFD_CLOEXEC)) {
    if (file_ < 0 || ::ftruncate(file_, pattern_bytes) != 0 || ::fstat(file_, &made_) != 0) return;
    void* const all = ::mmap(nullptr, pattern_bytes, PROT_WRITE, MAP_SHARED, file_, 0);
    if (all == MAP_FAILED) return;
    std::memset(all, unwritten, pattern_bytes);
    ::munmap(all, pattern_bytes);
    is_ready_ = true;
  }

  /// Returns null if the bytes cannot be mapped.
  std::byte* map(std::uint64_t bytes) const {
    if (!is_ours()) return nullptr;
    void* const all =
        ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED) return nullptr;
    auto* const first = static_cast<std::byte*>(all);
    for (std::uint64_t at = 0; at < bytes; at += pattern_bytes) {
      const std::uint64_t piece = std::min(pattern_bytes, bytes - at);
      if (::mmap(first + at, piece, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file_, 0) !=
          MAP_FAILED)
        continue;
      ::munmap(all, bytes);
      return nullptr;
    }
    return first;
  }

 private:
  /// Returns false if the program has closed the file. The descriptor may then refer to another
  /// file.
  bool is_ours() const {
    struct stat now{};
    return is_ready_ && ::fstat(file_, &now) == 0 && now.st_dev == made_.st_dev &&
           now.st_ino == made_.st_ino;
  }

  int file_;
  struct stat made_{};
  bool is_ready_ = false;
};

}  // namespace

void FreeMemory::operator()(std::byte* p) const {
  if (is_foreign) return;
  if (mapped_bytes > 0)
    ::munmap(p, mapped_bytes);
  else
    std::free(p);
}

std::unique_ptr<std::byte, FreeMemory> unwritten_memory(std::uint64_t bytes) {
  if (bytes >= least_mapped) {
    // The file is never closed, because programs free memory until their very end.
    static const Pattern& pattern = *new Pattern;
    const std::uint64_t mapped = (bytes + page - 1) / page * page;
    if (std::byte* const all = pattern.map(mapped); all != nullptr)
      return {all, FreeMemory{.mapped_bytes = mapped}};
  }
  const std::uint64_t taken = std::max<std::uint64_t>(1, bytes);
  std::unique_ptr<std::byte, FreeMemory> memory(static_cast<std::byte*>(std::malloc(taken)));
  if (memory == nullptr) {
    throw OutOfMemory("this machine cannot allocate " + std::to_string(bytes) +
                      " bytes to track the initialised bytes of a buffer");
  }
  std::memset(memory.get(), unwritten, taken);
  return memory;
}

}  // namespace warpwise::emulator
