#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warpwise::io {

/// A file, a device or a pipe that is read from front to back; "-" is standard input. Move-only.
class InputFile {
 public:
  /// \throws IoError  it is missing, may not be read, or is a folder.
  explicit InputFile(const std::string& path);
  ~InputFile();
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;

  /// For messages: the path, or "standard input".
  const std::string& name() const { return name_; }

  /// Bytes of a regular file; nothing for a pipe or a device.
  std::optional<std::int64_t> size() const { return size_; }

  /// Fills `buffer` as far as the file goes and returns the bytes read. \throws IoError
  std::size_t read(std::span<std::byte> buffer);

  /// All the rest. \throws IoError
  std::vector<std::byte> read_all();

 private:
  std::string name_;
  int descriptor_;
  std::optional<std::int64_t> size_;
};

}  // namespace warpwise::io
