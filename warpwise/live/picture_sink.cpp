#include <cstring>
#include <filesystem>

#include "warpwise/base/error.hpp"
#include "warpwise/io/output_file.hpp"
#include "warpwise/io/picture_file.hpp"
#include "warpwise/live/sinks.hpp"

namespace warpwise::live {
namespace {

namespace fs = std::filesystem;

// The parts of a pattern. For "out/%06d.png" they are "out/", 6 digits and ".png".
struct Numbered {
  std::string before;
  std::size_t digits;
  std::string after;

  std::string path(std::int64_t number) const {
    std::string text = std::to_string(number);
    if (text.size() < digits) text.insert(0, digits - text.size(), '0');
    return before + text + after;
  }
};

Numbered parse_pattern(const std::string& pattern) {
  std::error_code ignored;
  if (pattern.ends_with('/') || fs::is_directory(pattern, ignored)) {
    return {(fs::path(pattern) / "").string(), 6, ".png"};
  }
  const std::size_t percent = pattern.find('%');
  const std::size_t d = percent == std::string::npos ? percent : pattern.find('d', percent);
  if (d == std::string::npos) {
    throw InvalidArgument("a stream has many frames and " + pattern +
                          " is one picture; a folder, 'out/', or a name with a number, "
                          "'out/%05d.png', takes them");
  }
  const std::string width = pattern.substr(percent + 1, d - percent - 1);
  const bool is_width = width.size() <= 2 && width.find_first_not_of("0123456789") == width.npos;
  if (!is_width || pattern.find('%', d) != std::string::npos) {
    throw InvalidArgument("'" + pattern + "' needs one number, written as %d or %05d");
  }
  return {pattern.substr(0, percent), width.empty() ? 1 : std::stoul(width), pattern.substr(d + 1)};
}

class PictureSink final : public Sink {
 public:
  PictureSink(const std::string& pattern, Numbered names)
      : Sink(pattern), names_(std::move(names)), extension_(io::extension_of(names_.path(1))) {
    require_held(PixelFormat::gray8);
    require_held(PixelFormat::rgb24);
  }

  AcceptedFrames accepted_frames(const Stream& stream) const override {
    const PixelFormat format = stream.format();
    const bool is_grey = format == PixelFormat::gray8;
    const bool keeps_alpha =
        io::storage_fidelity(extension_, io::PictureShape::of(PixelFormat::rgba32, 1, 1)) ==
        io::StorageFidelity::exact;
    if (has_alpha(format) && keeps_alpha) return {format, std::nullopt};
    return {is_grey ? PixelFormat::gray8 : PixelFormat::rgb24, std::nullopt};
  }

  bool accepts_deep_frames(const Stream& deep) const override {
    return io::storage_fidelity(extension_, deep.shape) == io::StorageFidelity::exact;
  }

  std::vector<std::string> unstored_parts(const Stream& stream,
                                          const Companions* companions) const override {
    std::vector<std::string> dropped = unstored_parts_of_frame_file(stream, companions);
    if (stream.pixel_aspect.is_known() && stream.pixel_aspect.width != stream.pixel_aspect.height) {
      dropped.emplace_back("the shape of pixels");
    }
    return dropped;
  }

  void begin(const Stream& stream) override {
    picture_.emplace(stream.shape);
    const fs::path folder = fs::path(names_.path(1)).parent_path();
    std::error_code error;
    if (!folder.empty()) fs::create_directories(folder, error);
    if (error) throw IoError("cannot make the folder " + folder.string() + ": " + error.message());
  }

  void write(std::span<const std::byte> pixels) override {
    std::memcpy(picture_->bytes().data(), pixels.data(), pixels.size());
    io::OutputFile file(names_.path(++written_));
    io::write_picture(file, extension_, *picture_);
    file.finish();
  }

  void finish() override {}

 private:
  void require_held(PixelFormat format) const {
    const auto shape = io::PictureShape::of(format, 1, 1);
    if (io::storage_fidelity(extension_, shape) != io::StorageFidelity::unsupported) return;
    throw InvalidArgument(io::why_not_held(name(), shape));
  }

  Numbered names_;
  std::string extension_;
  std::optional<io::Picture> picture_;
  std::int64_t written_ = 0;
};

}  // namespace

std::unique_ptr<Sink> picture_sink(const std::string& pattern) {
  return std::make_unique<PictureSink>(pattern, parse_pattern(pattern));
}

}  // namespace warpwise::live
