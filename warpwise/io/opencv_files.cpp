// The module libwarpwise_opencv.so: the only part of Warpwise that links OpenCV.

#include "warpwise/io/image_module.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgcodecs.hpp>

#include "warpwise/io/image_format.hpp"

namespace warpwise::io {
namespace {

// Captures what OpenCV and its libraries print, because they print some errors, such as that of a
// truncated JPEG, without returning them. Only one thread captures at a time, because a process has
// one standard error.
class PrintedText {
 public:
  PrintedText()
      : one_(mutex()), memory_(::memfd_create("warpwise", MFD_CLOEXEC)),
        stderr_(::dup(STDERR_FILENO)) {
    std::fflush(stderr);
    if (memory_ >= 0 && stderr_ >= 0) ::dup2(memory_, STDERR_FILENO);
  }
  ~PrintedText() { stop(); }
  PrintedText(const PrintedText&) = delete;
  PrintedText& operator=(const PrintedText&) = delete;

  std::string stop() {
    std::string text;
    if (stderr_ >= 0) {
      std::fflush(stderr);
      ::dup2(stderr_, STDERR_FILENO);
      ::close(stderr_);
      stderr_ = -1;
    }
    if (memory_ >= 0) {
      std::array<char, 4096> start{};
      const ssize_t length = ::pread(memory_, start.data(), start.size(), 0);
      if (length > 0) text.assign(start.data(), static_cast<std::size_t>(length));
      ::close(memory_);
      memory_ = -1;
    }
    if (one_) one_.unlock();
    return text;
  }

 private:
  static std::mutex& mutex() {
    static std::mutex mutex;
    return mutex;
  }

  std::unique_lock<std::mutex> one_;
  int memory_;
  int stderr_;
};

// Returns the first line of `text`, a cv::Exception::err, without control characters.
std::string one_line(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  line.erase(std::remove_if(line.begin(), line.end(),
                            [](unsigned char c) { return std::iscntrl(c) != 0; }),
             line.end());
  return line;
}

bool mentions_early_end(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return text.find("premature end") != std::string::npos;
}

// Says why OpenCV decoded no picture from `content`. `text` is what it printed.
std::string why_not_decoded(std::span<const std::byte> content, const std::string& text) {
  const std::optional<ImageFormat> format = image_format_of(content);
  if (!format) return "it is no image of a known format";
  const std::string name(format->name);
  if (!format->in_every_opencv && text.empty()) {
    return "the " + name + " image is damaged, or the OpenCV here reads no " + name +
           " files; .png files are always read";
  }
  return "the " + name + " image is damaged or cut short";
}

ElementType element_type_of_depth(int depth, const std::string& name) {
  switch (depth) {
    case CV_8U: return ElementType::u8;
    case CV_16U: return ElementType::u16;
    case CV_16S: return ElementType::i16;
    case CV_32S: return ElementType::i32;
    case CV_32F: return ElementType::f32;
    default:
      throw IoError("cannot read " + name + ": its pixels are of a type other than 8- and 16-bit " +
                    "integers and 32-bit floats");
  }
}

int depth_of(ElementType type) {
  switch (type) {
    case ElementType::u8: return CV_8U;
    case ElementType::u16: return CV_16U;
    case ElementType::i16: return CV_16S;
    case ElementType::i32: return CV_32S;
    case ElementType::f32: return CV_32F;
    case ElementType::u32:
    case ElementType::f16:
    case ElementType::bf16: break;
  }
  throw InvalidArgument("image files hold no " + std::string(name_of(type)) + " pixels");
}

// Exchanges R and B, to or from OpenCV's order B G R A.
void exchange_red_and_blue(const cv::Mat& from, cv::Mat to) {
  if (from.channels() < 3) {
    from.copyTo(to);
    return;
  }
  constexpr int pairs[] = {0, 2, 1, 1, 2, 0, 3, 3};
  cv::mixChannels(&from, 1, &to, 1, pairs, static_cast<std::size_t>(from.channels()));
}

// Makes a cv::Mat that refers to `bytes` and copies none. cv::Mat cannot refer to const bytes, so
// this casts const away. OpenCV writes to a Mat only if it is passed as an output.
cv::Mat header_of(std::span<const std::byte> bytes, int rows, int columns, int type) {
  return {rows, columns, type, const_cast<std::byte*>(bytes.data())};
}

class OpenCvImages final : public ImageModule {
 public:
  OpenCvImages() {
    cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
    cv::redirectError([](int, const char*, const char*, const char*, int, void*) { return 0; });
  }

  Picture decode(std::span<const std::byte> content, const std::string& name) const override {
    const bool jpeg =
        content.size() > 2 && content[0] == std::byte{0xff} && content[1] == std::byte{0xd8};
    // IMREAD_UNCHANGED keeps alpha, but turns no picture upright by its Exif data. JPEG files have
    // no alpha, so they get flags with which OpenCV turns them.
    const int flags = jpeg ? cv::IMREAD_ANYCOLOR | cv::IMREAD_ANYDEPTH : cv::IMREAD_UNCHANGED;
    if (content.size() > INT_MAX) throw IoError("cannot read " + name + ": it is over 2 GiB");
    cv::Mat decoded;
    PrintedText printed;
    try {
      decoded = cv::imdecode(header_of(content, 1, static_cast<int>(content.size()), CV_8U), flags);
    } catch (const cv::Exception& error) {
      throw IoError("cannot read " + name + ": OpenCV refuses it: " + one_line(error.err));
    }
    const std::string text = printed.stop();
    if (decoded.empty()) {
      throw IoError("cannot read " + name + ": " + why_not_decoded(content, text));
    }
    if (mentions_early_end(text)) {
      throw IoError(name + " is damaged or cut short: " + one_line(text));
    }
    if (decoded.channels() == 2 || decoded.channels() > 4) {
      throw IoError("cannot read " + name + ": it has " + std::to_string(decoded.channels()) +
                    " channels");
    }
    Picture picture(PictureShape::interleaved(element_type_of_depth(decoded.depth(), name),
                                              decoded.channels(), decoded.cols, decoded.rows));
    exchange_red_and_blue(decoded,
                          header_of(picture.bytes(), decoded.rows, decoded.cols, decoded.type()));
    return picture;
  }

  std::vector<std::byte> encode(const Picture& picture, const std::string& extension,
                                const std::string& name) const override {
    const PictureShape& shape = picture.shape();
    if (std::max(shape.width, shape.height) > INT_MAX) {
      throw IoError("cannot write " + name + ": image files have fewer than 2^31 columns and rows");
    }
    cv::Mat pixels =
        header_of(picture.bytes(), static_cast<int>(shape.height), static_cast<int>(shape.width),
                  CV_MAKETYPE(depth_of(shape.type), shape.channels));
    const bool bgr = shape.format == PixelFormat::bgr24 || shape.format == PixelFormat::bgra32;
    if (!bgr && shape.channels >= 3) {
      cv::Mat exchanged(pixels.size(), pixels.type());
      exchange_red_and_blue(pixels, exchanged);
      pixels = exchanged;
    }
    std::vector<uchar> encoded;
    const PrintedText printed;
    try {
      if (!cv::imencode(extension, pixels, encoded)) {
        throw IoError("cannot write " + name + ": the " + extension + " encoder failed");
      }
    } catch (const cv::Exception& error) {
      throw IoError("cannot write " + name + ": OpenCV refuses it: " + one_line(error.err));
    }
    const auto bytes = std::as_bytes(std::span(encoded));
    return {bytes.begin(), bytes.end()};
  }
};

}  // namespace
}  // namespace warpwise::io

extern "C" __attribute__((visibility("default"))) const warpwise::io::ImageModule*
warpwise_image_module_4() {
  static const warpwise::io::OpenCvImages images;
  return &images;
}
