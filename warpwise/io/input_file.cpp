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

// Enlarges a pipe's buffer, so that writer and reader alternate less often. If the system refuses,
// the buffer keeps its size.
void enlarge_pipe(int descriptor) {
  constexpr int most = 1 << 20;  // the system's default limit for users
  ::fcntl(descriptor, F_SETPIPE_SZ, most);
}

}  // namespace

InputFile::InputFile(const std::string& path)
    : name_(path == "-" ? "standard input" : path),
      descriptor_(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (path.empty()) throw IoError("cannot read '': the file's name is empty");
  if (descriptor_ < 0) fail(name_, errno);
  struct stat status{};
  if (::fstat(descriptor_, &status) != 0) fail(name_, errno);
  if (S_ISDIR(status.st_mode)) fail(name_, EISDIR);
  if (S_ISREG(status.st_mode) && status.st_size > 0) size_ = status.st_size;
  is_device_ = S_ISCHR(status.st_mode);
  if (S_ISFIFO(status.st_mode)) enlarge_pipe(descriptor_);
  // A size of 0 counts as unknown, because /proc reports 0 for files with content.
}

InputFile::~InputFile() {
  if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
}

InputFile::InputFile(InputFile&& other) noexcept
    : name_(std::move(other.name_)), descriptor_(other.descriptor_), size_(other.size_),
      is_device_(other.is_device_), peeked_(std::move(other.peeked_)) {
  other.descriptor_ = -1;
}

std::span<const std::byte> InputFile::peek(std::size_t count) {
  const std::size_t before = peeked_.size();
  if (before < count) {
    peeked_.resize(count);
    peeked_.resize(before + read_on(std::span(peeked_).subspan(before)));
  }
  return std::span(peeked_).first(std::min(count, peeked_.size()));
}

std::size_t InputFile::read(std::span<std::byte> buffer) {
  const std::size_t first = std::min(buffer.size(), peeked_.size());
  std::copy_n(peeked_.begin(), first, buffer.begin());
  peeked_.erase(peeked_.begin(), peeked_.begin() + static_cast<std::ptrdiff_t>(first));
  return first + read_on(buffer.subspan(first));
}

std::size_t InputFile::read_on(std::span<std::byte> buffer) {
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

void InputFile::read_some(std::vector<std::byte>& content, std::size_t count) {
  const std::size_t before = content.size();
  content.resize(before + count);
  content.resize(before + read(std::span(content).subspan(before)));
}

bool InputFile::read_rest(std::vector<std::byte>& content, std::size_t most) {
  if (content.size() > most || (size_ && static_cast<std::size_t>(*size_) > most)) return false;
  // Memory grows with the bytes that arrive, not with the size that a header claims.
  constexpr std::size_t first_step = 1 << 20;
  std::size_t step = size_ ? static_cast<std::size_t>(*size_) + 1 - content.size() : first_step;
  for (;;) {
    const std::size_t before = content.size();
    // Asks for one byte more than `most`, to see whether the file is longer.
    step = std::min(step, most + 1 - before);
    read_some(content, step);
    if (content.size() - before < step) return true;
    if (content.size() > most) return false;
    step = content.size();
  }
}

}  // namespace warpwise::io
