#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "tests/support/message_of.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/live/file_testing.hpp"
#include "warpwise/live/video_module.hpp"

// Helpers shared by the tests of the video module. The program ffmpeg makes files to read, and
// reads the files that Warpwise writes.
namespace warpwise::live::test {

inline Bytes content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

inline void store(const std::string& path, std::span<const std::byte> bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

inline Bytes joined(const std::vector<Bytes>& frames) {
  Bytes all;
  for (const Bytes& frame : frames) all.insert(all.end(), frame.begin(), frame.end());
  return all;
}

inline std::string message_of(const std::function<void()>& call) {
  return warpwise::test::message_of<Error>(call);
}

// Makes frame `number` of a moving ramp. It is so smooth that lossy codecs change it little.
inline Bytes moving_ramp(const io::PictureShape& shape, int number) {
  Bytes frame(static_cast<std::size_t>(shape.bytes()));
  for (std::size_t i = 0; i < frame.size(); ++i) {
    frame[i] = static_cast<std::byte>(64 + (i / 7 + 3 * static_cast<std::size_t>(number)) % 128);
  }
  return frame;
}

/// Names of one pixel format in ffmpeg and in Warpwise.
struct Pixels {
  const char* ffmpeg;
  PixelFormat format;
};

struct Size {
  std::int64_t width;
  std::int64_t height;
};
inline constexpr Size sizes[] = {{64, 48}, {53, 37}, {33, 32}, {1, 1}, {3, 2}};

class VideoTest : public FilesTest {
 protected:
  void ffmpeg(const std::string& arguments) const {
    const std::string command =
        "cd '" + path("") + "' && ffmpeg -nostdin -v error -y " + arguments + " 2>errors";
    ASSERT_EQ(std::system(command.c_str()), 0) << command << '\n'
                                               << std::ifstream(path("errors")).rdbuf();
  }

  // Decodes a video with ffmpeg into a pixel format.
  Bytes decoded(const std::string& name, const std::string& pixels) const {
    ffmpeg("-i " + name + " -fps_mode passthrough -f rawvideo -pix_fmt " + pixels + " decoded.raw");
    return content(path("decoded.raw"));
  }

  void write(const std::string& name, const Stream& stream,
             const std::vector<Bytes>& frames) const {
    write_all(*video_module().create(path(name)), stream, frames);
  }
  std::unique_ptr<Source> open(const std::string& name, const SourceOptions& options = {}) const {
    return video_module().open_file(path(name), options);
  }
  std::string refusal(const std::string& name) const {
    return message_of([&] { frames_of(*open(name)); });
  }
};

}  // namespace warpwise::live::test
