#include "warpwise/io/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "warpwise/base/error.hpp"

namespace warpwise::io {
namespace {

[[noreturn]] void fail(const std::string& name, int error) {
  throw IoError("cannot read " + name + ": " + std::strerror(error));
}

}  // namespace

InputFile::InputFile(const std::string& path)
    : name_(path == "-" ? "standard input" : path),
      descriptor_(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) fail(name_, errno);
  struct stat status{};
  if (::fstat(descriptor_, &status) != 0) fail(name_, errno);
  if (S_ISDIR(status.st_mode)) fail(name_, EISDIR);
  if (S_ISREG(status.st_mode) && status.st_size > 0) size_ = status.st_size;
  // A size of 0 is also what /proc gives for files that have a content: only reading tells.
}

InputFile::~InputFile() {
  if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
}

InputFile::InputFile(InputFile&& other) noexcept
    : name_(std::move(other.name_)), descriptor_(other.descriptor_), size_(other.size_) {
  other.descriptor_ = -1;
}

std::size_t InputFile::read(std::span<std::byte> buffer) {
  std::size_t filled = 0;
  while (filled < buffer.size()) {
    const ssize_t got = ::read(descriptor_, buffer.data() + filled, buffer.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(name_, errno);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  return filled;
}

std::vector<std::byte> InputFile::read_all() {
  constexpr std::size_t first_guess = 1 << 20;
  // One byte more than a file holds: its end shows without a second round.
  std::vector<std::byte> content(size_ ? static_cast<std::size_t>(*size_) + 1 : first_guess);
  std::size_t filled = 0;
  for (;;) {
    filled += read(std::span(content).subspan(filled));
    if (filled < content.size()) break;
    content.resize(2 * content.size());
  }
  content.resize(filled);
  return content;
}

}  // namespace warpwise::io
