#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warpwise::io {

/// A file, a device or a pipe that is read from start to end; "-" is standard input. Move-only.
class InputFile {
 public:
  /// \throws IoError  the file is missing, may not be read, or is a folder.
  explicit InputFile(const std::string& path);
  ~InputFile();
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;

  /// Returns the name for messages: the path, or "standard input".
  const std::string& name() const { return name_; }

  /// Returns the size of a regular file in bytes; nullopt for a size of 0, a pipe or a device.
  std::optional<std::int64_t> size() const { return size_; }

  /// Returns true for a character device such as /dev/zero, which may have no end.
  bool is_device() const { return is_device_; }

  /// Returns up to `count` of the next bytes without consuming them. The span is valid until the
  /// next call.
  /// \throws IoError
  std::span<const std::byte> peek(std::size_t count);

  /// Fills `buffer`, or less at the file's end. Returns the number of bytes read. \throws IoError
  std::size_t read(std::span<std::byte> buffer);

  /// Appends the rest of the file to `content`. Returns false if `content` would exceed `most`
  /// bytes.
  /// \throws IoError
  [[nodiscard]] bool read_rest(std::vector<std::byte>& content, std::size_t most);
  /// Appends the file's next bytes to `content`, up to `count`. \throws IoError
  void read_some(std::vector<std::byte>& content, std::size_t count);

 private:
  std::size_t read_on(std::span<std::byte> buffer);

  std::string name_;
  int descriptor_;
  std::optional<std::int64_t> size_;
  bool is_device_ = false;
  std::vector<std::byte> peeked_;  // read from the file, not yet consumed by the caller
};

}  // namespace warpwise::io
