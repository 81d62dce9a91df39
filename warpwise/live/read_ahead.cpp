#include "warpwise/live/read_ahead.hpp"

#include <tbb/global_control.h>

#include <algorithm>
#include <system_error>

#include "warpwise/gpu/device.hpp"
#include "warpwise/io/input_file.hpp"

namespace warpwise::live {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 30;
// The GPU's decoders are limited too, because each takes several times the memory of its picture.
constexpr std::size_t most_decoders_of_gpu = 12;

}  // namespace

ReadAhead::ReadAhead(std::vector<std::string> paths, const SourceOptions& options)
    : paths_(std::move(paths)), luma_(options.luma), autorotate_(options.autorotate) {}

bool ReadAhead::begins_on_gpu() const {
  io::InputFile file(paths_[0]);
  const auto jpeg = io::read_jpeg(file);
  return jpeg && JpegOnGpu().begin(*jpeg, luma_, autorotate_);
}

void ReadAhead::decode_on_gpu() {
  // set only once, because threads that read device_ may run
  if (!device_) device_ = gpu::current_device();
}

std::optional<ReadPicture> ReadAhead::next() {
  using tbb::global_control;
  std::size_t ahead = 1;  // until the size of a picture is known
  if (bytes_ > 0) {
    const std::size_t threads =
        global_control::active_value(global_control::max_allowed_parallelism);
    ahead = std::clamp<std::size_t>(most_bytes / bytes_, 1, threads);
    if (device_) ahead = std::min(ahead, most_decoders_of_gpu);
  }
  while (begun_ < paths_.size() && reading_.size() < ahead) begin(paths_[begun_++]);
  if (reading_.empty()) return std::nullopt;
  std::future<ReadPicture> first = std::move(reading_.front());
  reading_.pop_front();
  ReadPicture picture = first.get();
  bytes_ = static_cast<std::size_t>(picture.shape.bytes());
  return picture;
}

void ReadAhead::begin(const std::string& path) {
  const auto work = [this, &path] { return read(path); };
  try {
    reading_.push_back(std::async(std::launch::async, work));
  } catch (const std::system_error&) {  // no thread can be started, so next() will read the file
    reading_.push_back(std::async(std::launch::deferred, work));
  }
}

ReadPicture ReadAhead::read(const std::string& path) {
  io::InputFile file(path);
  const auto jpeg = device_ ? io::read_jpeg(file) : std::nullopt;
  if (jpeg) {
    if (std::optional<ReadPicture> decoded = decoded_on_gpu(*jpeg)) return std::move(*decoded);
  }
  io::Picture picture =
      jpeg ? io::decode_jpeg(*jpeg, file.name(), luma_) : io::read_stored_picture(file, luma_);
  const io::PictureShape shape = picture.shape();
  return {shape, io::Page{std::move(picture)}, std::nullopt};
}

std::optional<ReadPicture> ReadAhead::decoded_on_gpu(std::span<const std::byte> file) {
  gpu::set_device(*device_);  // each thread has its own current device
  std::unique_ptr<Decoder> decoder;
  {
    const std::scoped_lock lock(mutex_);
    if (!free_.empty()) {
      decoder = std::move(free_.back());
      free_.pop_back();
    }
  }
  if (!decoder) decoder = std::make_unique<Decoder>();
  std::optional<ReadPicture> read;
  if (const auto shape = decoder->jpeg.begin(file, luma_, autorotate_)) {
    gpu::Buffer pixels(shape->bytes(), decoder->stream);
    if (decoder->jpeg.decode(pixels.data(), decoder->stream)) {
      read.emplace(ReadPicture{*shape, std::nullopt, std::move(pixels)});
    }
  }
  const std::scoped_lock lock(mutex_);
  free_.push_back(std::move(decoder));
  return read;
}

}  // namespace warpwise::live
