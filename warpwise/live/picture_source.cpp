#include <glob.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "warpwise/base/counted.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/gpu/buffer.hpp"
#include "warpwise/io/codec.hpp"
#include "warpwise/io/input_file.hpp"
#include "warpwise/io/picture_file.hpp"
#include "warpwise/io/picture_folder.hpp"
#include "warpwise/live/read_ahead.hpp"
#include "warpwise/live/rotation.hpp"
#include "warpwise/live/sources.hpp"

namespace warpwise::live {
namespace {

std::vector<std::string> matches_of(const std::string& pattern) {
  glob_t found{};
  const int error = ::glob(pattern.c_str(), 0, nullptr, &found);
  const std::vector<std::string> paths(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  if (error == GLOB_NOMATCH) throw IoError("no file matches " + pattern);
  if (error != 0) throw IoError("cannot read the folders of " + pattern);
  return paths;
}

std::vector<std::string> paths_of(const std::string& pattern) {
  std::error_code ignored;
  if (std::filesystem::is_directory(pattern, ignored)) return io::pictures_in(pattern, false);
  if (std::filesystem::exists(pattern, ignored)) return {pattern};
  return matches_of(pattern);
}

// Reads pictures as they are stored: all pictures of one file, or the first picture of each file.
class Pictures {
 public:
  Pictures(std::vector<std::string> paths, const SourceOptions& options)
      : paths_(std::move(paths)), count_(static_cast<std::int64_t>(paths_.size())) {
    const std::optional<std::int64_t> page = options.page;
    if (count_ > 1 && page) {
      throw InvalidArgument("--page is for one file; these are " +
                            counted(paths_.size(), "picture"));
    }
    if (count_ > 1) {
      files_ = std::make_unique<ReadAhead>(paths_, options);
      return;
    }
    file_ = std::make_unique<io::InputFile>(paths_[0]);
    pages_ = io::pages_in(*file_, options.luma);
    milliseconds_ = page ? 0 : pages_->milliseconds();
    count_ = pages_->count();
    if (!page) return;
    if (*page > count_) {
      throw IoError(paths_[0] + " has no picture " + std::to_string(*page) + ", only " +
                    counted(static_cast<std::size_t>(count_), "picture"));
    }
    for (std::int64_t i = 1; i < *page; ++i) pages_->skip();
    count_ = 1;
  }

  std::int64_t count() const { return count_; }
  bool is_one_file() const { return pages_ != nullptr; }
  /// Returns the display time of all pictures together; 0 if the file states none.
  std::int64_t milliseconds() const { return milliseconds_; }
  bool has_constant_rate() const { return pages_->has_constant_rate(); }

  /// Returns the next picture; nullopt after the last one. It may lie in the GPU's memory only
  /// after decode_on_gpu().
  std::optional<ReadPicture> next() {
    if (next_ == count_) return std::nullopt;
    ++next_;
    if (files_) return files_->next();
    std::optional<io::Page> page = pages_->next();
    if (!page) return std::nullopt;
    const io::PictureShape shape = page->picture.shape();
    return ReadPicture{shape, std::move(page), std::nullopt};
  }

  /// Returns true if there are many files, and the current GPU decodes the first of them.
  bool begin_on_gpu() const { return files_ && files_->begins_on_gpu(); }
  void decode_on_gpu() { files_->decode_on_gpu(); }

  /// Names the picture that next() returned last: "a.png", "picture 2 of a.tif".
  std::string name() const {
    if (!pages_) return paths_[static_cast<std::size_t>(next_ - 1)];
    if (count_ == 1) return paths_[0];
    return "picture " + std::to_string(next_) + " of " + paths_[0];
  }

 private:
  std::vector<std::string> paths_;
  std::unique_ptr<io::InputFile> file_;
  // the pictures of the only file; null if there are several files
  std::unique_ptr<io::Pages> pages_;
  std::unique_ptr<ReadAhead> files_;
  std::int64_t count_;
  std::int64_t milliseconds_ = 0;
  std::int64_t next_ = 0;
};

io::PictureShape shape_of_frames(const io::Picture& first, const SourceOptions& options) {
  return options.autorotate ? turned(first.shape(), first.orientation()) : first.shape();
}

Stream stream_of(const Pictures& pictures, const io::Picture& first, const SourceOptions& options) {
  const io::PictureShape shape = shape_of_frames(first, options);
  const bool is_deep = live::stream_of(shape).is_deep();
  if (!shape.format && !is_deep) {
    throw IoError(pictures.name() + " has pixels of " + shape.pixel_text() +
                  "; frames are grey, RGB or RGBA of 8 bits, or grey, RGB or RGBA of 16");
  }
  Stream stream = stream_of(shape, options.rate.value_or(Rate{}), options.colours, {});
  if (is_deep) stream.depth = 16;
  if (!options.autorotate) stream.orientation = first.orientation();
  if (pictures.milliseconds() > 0 && !options.rate) {
    stream.rate = {pictures.count() * 1000, pictures.milliseconds()};
    stream.own_ticks = {1000, 1};
    stream.is_varying = !pictures.has_constant_rate();
  }
  return stream;
}

std::string name_with_turn(const std::string& name, const io::Picture& first,
                           const SourceOptions& options) {
  if (!options.autorotate || first.orientation() == 1) return name;
  return name + " (turned: " + turn_text(first.orientation()) + ")";
}

class PictureSource final : public Source {
 public:
  PictureSource(const std::string& name, Pictures pictures, io::Page first,
                const SourceOptions& options)
      : Source(name_with_turn(name, first.picture, options),
               stream_of(pictures, first.picture, options)),
        pictures_(std::move(pictures)), first_(std::move(first)), autorotate_(options.autorotate),
        has_times_(pictures_.milliseconds() > 0), is_resampled_(has_times_ && options.rate),
        decodes_on_gpu_(options.decode != Decode::cpu && pictures_.begin_on_gpu()) {}

  bool next(std::span<std::byte> pixels) override {
    if (is_resampled_ ? !advance_to_new_rate() : !advance()) return false;
    std::memcpy(pixels.data(), shown_->picture.bytes().data(), pixels.size());
    return true;
  }

  std::string why_not_on_gpu() override {
    return decodes_on_gpu_ ? std::string() : Source::why_not_on_gpu();
  }

  bool next_on_gpu(std::byte* pixels, gpu::StreamHandle stream) override {
    pictures_.decode_on_gpu();
    on_gpu_.reset();  // the caller has waited until the copy from it was complete
    if (!advance()) return false;
    if (on_gpu_) {
      gpu::copy_bytes(on_gpu_->data(), pixels, on_gpu_->bytes(), stream);
    } else {
      const std::span<const std::byte> bytes = shown_->picture.bytes();
      gpu::upload(bytes.data(), pixels, std::ssize(bytes), stream);
    }
    return true;
  }

  std::optional<FrameTime> time() const override {
    if (!has_times_ || is_resampled_) return std::nullopt;
    return FrameTime{end_ - shown_->milliseconds, shown_->milliseconds};
  }

  std::optional<std::int64_t> frames() const override {
    return is_resampled_ ? std::nullopt : std::optional(pictures_.count());
  }

 private:
  bool advance() {
    std::optional<io::Page> page = std::exchange(first_, std::nullopt);
    if (!page) {
      std::optional<ReadPicture> read = pictures_.next();
      if (!read) return false;
      on_gpu_ = std::move(read->on_gpu);
      if (on_gpu_) {
        require_same(read->shape);
        return true;
      }
      page = std::move(read->page);
    }
    if (autorotate_) page->picture = io::upright(std::move(page->picture));
    require_same(page->picture.shape());
    if (has_times_) page->milliseconds = std::max<std::int64_t>(1, page->milliseconds);
    end_ += page->milliseconds;
    shown_ = std::move(page);
    return true;
  }

  // Resamples to the user's rate: advances to the picture on display when the next frame is due.
  bool advance_to_new_rate() {
    const double now = static_cast<double>(returned_++) * 1000 / stream().rate.per_second();
    while (now >= static_cast<double>(end_)) {
      if (!advance()) return false;
    }
    return true;
  }

  void require_same(const io::PictureShape& shape) const {
    const io::PictureShape& first = stream().shape;
    const bool is_same = shape.width == first.width && shape.height == first.height &&
                         shape.pixel_text() == first.pixel_text();
    if (is_same) return;
    const auto text = [](const io::PictureShape& of) {
      return std::to_string(of.width) + "x" + std::to_string(of.height) + " " + of.pixel_text();
    };
    throw IoError(pictures_.name() + " is " + text(shape) + ", but the frames before it are " +
                  text(first) + (pictures_.is_one_file() ? "; --page reads one of them" : ""));
  }

  Pictures pictures_;
  std::optional<io::Page> first_;  // the first picture until it is returned
  std::optional<io::Page> shown_;  // the picture returned last
  bool autorotate_;
  bool has_times_;
  bool is_resampled_;
  std::optional<gpu::Buffer> on_gpu_;  // if set, the current picture, used instead of shown_
  // true: the GPU decodes the pictures after the first, except those that only the CPU can decode
  bool decodes_on_gpu_;
  std::int64_t end_ = 0;  // end of the picture returned last, in milliseconds
  std::int64_t returned_ = 0;
};

}  // namespace

std::unique_ptr<Source> picture_source(const std::string& pattern, const SourceOptions& options) {
  return picture_source(pattern, paths_of(pattern), options);
}

std::unique_ptr<Source> picture_source(const std::string& name, std::vector<std::string> paths,
                                       const SourceOptions& options) {
  Pictures pictures(std::move(paths), options);
  std::optional<ReadPicture> first = pictures.next();
  if (!first) throw IoError(name + " has no picture");
  return std::make_unique<PictureSource>(name, std::move(pictures), std::move(*first->page),
                                         options);
}

}  // namespace warpwise::live
