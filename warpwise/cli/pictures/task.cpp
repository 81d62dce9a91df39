#include "warpwise/cli/pictures/task.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "warpwise/cli/pictures/jobs.hpp"
#include "warpwise/cli/pictures/report.hpp"
#include "warpwise/io/input_file.hpp"
#include "warpwise/io/npy.hpp"
#include "warpwise/io/picture_file.hpp"
#include "warpwise/io/raw_frames.hpp"
#include "warpwise/live/stages/stages.hpp"
#include "warpwise/live/video_module.hpp"

namespace warpwise::cli {
namespace {

const InputOptions& validated(const InputOptions& options, const std::vector<std::string>& inputs) {
  options.validate(inputs);
  return options;
}

// Reads a video file's frames through the interface of io::Frames.
class VideoFrames final : public io::Frames {
 public:
  explicit VideoFrames(const std::string& path, const live::SourceOptions& options)
      : VideoFrames(open(path, options)) {}

  bool next(std::span<std::byte> pixels) override { return source_->next(pixels); }

 private:
  // Opens a video. The CPU decodes it, because the frames are needed in host memory.
  static std::unique_ptr<live::Source> open(const std::string& path, live::SourceOptions options) {
    options.decode = live::Decode::cpu;
    return live::video_module().open_file(path, options);
  }

  explicit VideoFrames(std::unique_ptr<live::Source> source)
      : io::Frames(source->stream().shape), source_(std::move(source)) {}

  std::unique_ptr<live::Source> source_;
};

// Rounds a frame or picture with elements of u16 to 8 bits. Returns others unchanged.
io::Picture of_8_bits(io::Picture frame) {
  const live::Stream stream = live::stream_of(frame.shape());
  if (!stream.is_deep()) return frame;
  const std::unique_ptr<live::Stage> narrow = live::narrow_stage();
  io::Picture rounded(narrow->begin(stream).shape);
  narrow->run(live::HostSource{frame.shape(), frame.bytes().data()},
              live::HostResult{rounded.shape(), rounded.bytes().data()});
  return rounded;
}

}  // namespace

void require_output(const std::string& path, std::span<const std::string_view> extensions) {
  const std::string extension = io::extension_of(path);
  if (std::find(extensions.begin(), extensions.end(), extension) != extensions.end()) {
    return io::require_writable_path(path);
  }
  throw UsageError(fmt::format("the output is named {}; its name must end in {}", path,
                               fmt::join(extensions, " or ")));
}

void require_same_size(const std::string& a_path, const io::PictureShape& a,
                       const std::string& b_path, const io::PictureShape& b) {
  if (a.width == b.width && a.height == b.height) return;
  throw IoError(fmt::format("{} has {}x{} pixels and {} has {}x{}; they must be of one size",
                            a_path, a.width, a.height, b_path, b.width, b.height));
}

Task::Task(std::string name, const InputOptions& options, const std::vector<std::string>& inputs,
           nlohmann::ordered_json option_values)
    : name_(std::move(name)), options_(validated(options, inputs)),
      option_values_(std::move(option_values)), worker_(options_) {}

void Task::take_input(const std::string& path, const io::PictureShape& shape, std::int64_t picture,
                      std::int64_t pictures) {
  inputs_.push_back({{"path", path},
                     {"pixels", shape.pixel_text()},
                     {"width", shape.width},
                     {"height", shape.height}});
  add_place(inputs_.back(), picture, pictures);
  if (pictures > 1) places_ += ", " + path + place_text(picture, pictures);
}

io::Picture Task::grey(const std::string& path, io::Picture picture) const {
  const io::PictureShape& shape = picture.shape();
  if (shape.type != ElementType::u8 || !shape.format) {
    throw IoError(fmt::format("{} has pixels of {}; {} takes grey and colours of 8 and 16 bits",
                              path, shape.pixel_text(), name_));
  }
  return shape.format == PixelFormat::gray8 ? std::move(picture) : live::grey_of(picture);
}

io::Picture Task::read_grey(const std::string& path) {
  std::optional<io::Picture> only;
  for_each_grey({path}, [&](std::size_t, io::Picture picture) {
    if (only) throw IoError(fmt::format("{} has more than one frame; {} takes one", path, name_));
    only = std::move(picture);
  });
  return std::move(*only);
}

void Task::for_each_grey(const std::vector<std::string>& paths,
                         const std::function<void(std::size_t, io::Picture)>& use) {
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::string& path = paths[i];
    const auto use_frame = [&](io::Picture frame) { use(i, std::move(frame)); };
    const Stopwatch watch;
    const bool is_raw = options_.is_raw(path);
    if (!is_raw && is_video(path)) {
      options_.require_no_page(path);
      VideoFrames frames(path, options_.source);
      read_frames(frames, path, false, use_frame);
      continue;
    }
    io::InputFile file(path);
    if (is_raw) {
      options_.require_no_page(path);
      io::RawFrames frames(file, options_.raw_shape());
      read_frames(frames, path, file.is_device(), use_frame);
      continue;
    }
    if (const auto y4m = io::y4m_frames_in(file)) {
      options_.require_no_page(path);
      read_frames(*y4m, path, file.is_device(), use_frame);
      continue;
    }
    io::PictureOfSeveral read = options_.read(file);
    take_input(path, read.picture.shape(), read.number, read.count);
    io::Picture picture = grey(path, of_8_bits(std::move(read.picture)));
    times_.read += watch.milliseconds();
    use(i, std::move(picture));
  }
}

void Task::read_frames(io::Frames& frames, const std::string& path, bool may_be_endless,
                       const std::function<void(io::Picture)>& use) {
  take_input(path, frames.shape());
  for (std::int64_t count = 0;; ++count) {
    const Stopwatch watch;
    io::Picture frame(frames.shape());
    if (!frames.next(frame.bytes())) return;
    if (count == 1 && may_be_endless) {
      throw IoError(path + " is a device, which may have no end; only its first frame can be read");
    }
    frame = grey(path, of_8_bits(std::move(frame)));
    times_.read += watch.milliseconds();
    use(std::move(frame));
  }
}

io::Picture Task::read_npy(const std::string& path,
                           io::Picture (*decode)(std::span<const std::byte>, const std::string&)) {
  const Stopwatch watch;
  io::InputFile file(path);
  io::Picture elements = decode(io::read_npy(file), path);
  take_input(path, elements.shape());
  times_.read += watch.milliseconds();
  return elements;
}

io::Picture Task::read_matrix(const std::string& path) { return read_npy(path, io::decode_npy); }
io::Picture Task::read_vector(const std::string& path) {
  return read_npy(path, io::decode_npy_vector);
}

io::Picture Task::result(const io::PictureShape& shape) {
  io::Picture picture(shape);
  picture.clear();
  return picture;
}

void Task::compute(const Computation& computation, std::span<const io::Picture> sources,
                   std::span<io::Picture> results) {
  worker_.run(computation, sources, results, times_);
}

void Task::write(const std::string& path, std::span<const std::span<const std::byte>> content) {
  const Stopwatch watch;
  io::OutputFile file(path);
  for (const std::span<const std::byte> part : content) file.write(part);
  file.finish();
  outputs_.push_back(path);
  times_.write += watch.milliseconds();
}

void Task::write(const std::string& path, const io::Picture& picture) {
  const Stopwatch watch;
  io::OutputFile file(path);
  io::write_picture(file, io::extension_of(path), picture);
  file.finish();
  outputs_.push_back(path);
  times_.write += watch.milliseconds();
}

void Task::report(const std::string& text, const nlohmann::ordered_json& values) {
  if (!options_.json) {
    if (!skipped_.is_empty()) print_line(skipped_line(skipped_));
    print_line(fmt::format("{}{}, {} on {} ({}) in {:.3f} ms", text, places_, name_,
                           worker_.backend(), worker_.device(), times_.compute));
    return;
  }
  nlohmann::ordered_json object = {{"command", name_},
                                   {"options", option_values_},
                                   {"backend", worker_.backend()},
                                   {"device", worker_.device()},
                                   {"inputs", inputs_},
                                   {"outputs", outputs_},
                                   {"result", values},
                                   {"milliseconds",
                                    {{"read", times_.read},
                                     {"upload", times_.upload},
                                     {"compute", times_.compute},
                                     {"download", times_.download},
                                     {"write", times_.write},
                                     {"total", total_.milliseconds()}}}};
  add_skipped(object, skipped_);
  print(text_of_json(object));
}

}  // namespace warpwise::cli
