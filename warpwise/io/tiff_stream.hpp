#pragma once

#include <tiffio.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/io/codec.hpp"

namespace warpwise::io {

/// Maximum bytes of a strip or tile, as in OpenCV. libtiff gets it as its limit for one allocation.
inline constexpr tmsize_t most_block_bytes = most_image_pixels;

/// A file in memory that libtiff reads or writes. Keeps libtiff's first error message. Not movable.
class TiffStream {
 public:
  /// \throws IoError  it is not a TIFF file.
  TiffStream(std::span<const std::byte> content, const std::string& name) : content_(content) {
    open("rm");  // m: no memory mapping, to have one code path
    if (tiff_ == nullptr) refuse_damaged(name, "TIFF", what_libtiff_said());
  }
  TiffStream() { open("w"); }
  ~TiffStream() { close(); }
  TiffStream(const TiffStream&) = delete;
  TiffStream& operator=(const TiffStream&) = delete;

  TIFF* tiff() const { return tiff_; }
  std::string what_libtiff_said() const {
    const std::string_view said = message_.data();
    return std::string(said.starts_with(": ") ? said.substr(2) : said);  // ": " follows a file name
  }

  /// Returns the written file; complete after close().
  std::vector<std::byte>& written() { return written_; }
  void close() {
    if (tiff_ != nullptr) TIFFClose(tiff_);
    tiff_ = nullptr;
  }

 private:
  void open(const char* mode) {
    const std::unique_ptr<TIFFOpenOptions, decltype(&TIFFOpenOptionsFree)> options(
        TIFFOpenOptionsAlloc(), &TIFFOpenOptionsFree);
    if (!options) throw std::bad_alloc();
    TIFFOpenOptionsSetErrorHandlerExtR(options.get(), keep_first, this);
    TIFFOpenOptionsSetWarningHandlerExtR(options.get(), pass_over, nullptr);
    TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), most_block_bytes);
    tiff_ = TIFFClientOpenExt("", mode, this, read, write, seek, leave_open, size, nullptr, nullptr,
                              options.get());
  }

  static TiffStream& of(thandle_t handle) { return *static_cast<TiffStream*>(handle); }

  static int keep_first(TIFF*, void* stream, const char*, const char* format, va_list values) {
    auto& message = of(stream).message_;
    if (message[0] == '\0') std::vsnprintf(message.data(), message.size(), format, values);
    return 1;  // handled: nothing is printed
  }
  static int pass_over(TIFF*, void*, const char*, const char*, va_list) { return 1; }

  static tmsize_t read(thandle_t handle, void* to, tmsize_t count) {
    TiffStream& stream = of(handle);
    const std::size_t at = std::min<std::size_t>(stream.at_, stream.content_.size());
    const std::size_t got = std::min(static_cast<std::size_t>(count), stream.content_.size() - at);
    if (got > 0) std::memcpy(to, stream.content_.data() + at, got);
    stream.at_ = at + got;
    return static_cast<tmsize_t>(got);
  }
  static tmsize_t write(thandle_t handle, void* from, tmsize_t count) {
    TiffStream& stream = of(handle);
    const std::size_t end = stream.at_ + static_cast<std::size_t>(count);
    try {  // no exception may pass through libtiff
      if (stream.written_.size() < end) stream.written_.resize(end);
    } catch (const std::bad_alloc&) {
      return -1;
    }
    std::memcpy(stream.written_.data() + stream.at_, from, static_cast<std::size_t>(count));
    stream.at_ = end;
    return count;
  }
  static toff_t seek(thandle_t handle, toff_t offset, int from) {
    TiffStream& stream = of(handle);
    if (from == SEEK_CUR) offset += stream.at_;
    if (from == SEEK_END) offset += size(handle);
    stream.at_ = offset;
    return offset;
  }
  static toff_t size(thandle_t handle) {
    return std::max(of(handle).content_.size(), of(handle).written_.size());
  }
  static int leave_open(thandle_t) { return 0; }

  std::span<const std::byte> content_;
  std::vector<std::byte> written_;
  toff_t at_ = 0;
  std::array<char, 256> message_{};
  TIFF* tiff_ = nullptr;
};

}  // namespace warpwise::io
