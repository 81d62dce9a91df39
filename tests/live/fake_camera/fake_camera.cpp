#include "live/fake_camera/fake_camera.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace fake_camera {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* device_path = "/dev/video9";
constexpr std::uint32_t most_buffers = 16;
constexpr std::uint32_t page_bytes = 4096;

struct Mode {
  std::uint32_t format;
  std::uint32_t width;
  std::uint32_t height;
  std::vector<std::uint32_t> rates;
};
const std::vector<Mode> modes = {{V4L2_PIX_FMT_YUYV, 640, 480, {30, 15}},
                                 {V4L2_PIX_FMT_YUYV, 320, 240, {30, 15}},
                                 {V4L2_PIX_FMT_YUYV, 1280, 720, {10}},
                                 {V4L2_PIX_FMT_MJPEG, 640, 480, {30}},
                                 {V4L2_PIX_FMT_MJPEG, 1280, 720, {30}}};
constexpr std::array<std::uint32_t, 2> formats = {V4L2_PIX_FMT_YUYV, V4L2_PIX_FMT_MJPEG};

std::int64_t number_in_environment(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? -1 : std::atoll(text);
}

std::vector<std::byte> jpeg() {
  const char* name = std::getenv("FAKE_CAMERA_JPEG");
  std::ifstream file(name == nullptr ? "" : name, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

// The answer of a driver to a request: 0, or an error code.
using Answer = int;

class Camera {
 public:
  // Each descriptor refers to a file in memory, so that mmap, close and fcntl work on it as usual.
  int open() {
    const int descriptor = ::memfd_create("fake camera", MFD_CLOEXEC);
    const std::scoped_lock lock(mutex_);
    descriptors_.insert(descriptor);
    return descriptor;
  }
  void close(int descriptor) {
    const std::scoped_lock lock(mutex_);
    descriptors_.erase(descriptor);
    if (buffers_on_ != descriptor) return;
    stop();
    buffers_ = 0;
    buffers_on_ = -1;
  }
  bool has(int descriptor) {
    const std::scoped_lock lock(mutex_);
    return descriptors_.contains(descriptor);
  }

  Answer answer(int descriptor, unsigned long request, void* question);

 private:
  Answer describe(v4l2_capability& answer);
  Answer describe(v4l2_fmtdesc& answer);
  Answer describe(v4l2_frmsizeenum& answer);
  Answer describe(v4l2_frmivalenum& answer);
  Answer describe(v4l2_input& answer);
  Answer describe(v4l2_format& answer);
  Answer describe(v4l2_streamparm& answer);
  Answer describe(int descriptor, v4l2_buffer& answer);
  Answer set(v4l2_format& wanted);
  Answer set(v4l2_streamparm& wanted);
  Answer make(int descriptor, v4l2_requestbuffers& wanted);
  Answer queue(v4l2_buffer& buffer);
  Answer take(v4l2_buffer& buffer);
  Answer start(int descriptor);
  void stop() {
    streaming_on_ = -1;
    queued_.clear();
    filled_.clear();
  }
  std::uint32_t frame_bytes() const { return 2 * mode_.width * mode_.height; }
  // Returns the bytes that a buffer takes in the mapping: whole pages.
  std::uint32_t buffer_bytes() const {
    return (frame_bytes() + page_bytes - 1) / page_bytes * page_bytes;
  }
  Clock::time_point end_of_frame() const {
    const std::chrono::duration<double> since((static_cast<double>(frame_) + 1) / rate_);
    return start_ + std::chrono::duration_cast<Clock::duration>(since);
  }
  bool is_unplugged() const {
    const std::int64_t last = number_in_environment("FAKE_CAMERA_UNPLUG");
    return last >= 0 && static_cast<std::int64_t>(frame_) >= last;
  }
  void advance();
  std::uint32_t fill(std::uint32_t index) const;

  std::mutex mutex_;
  std::set<int> descriptors_;
  Mode mode_ = modes[0];
  std::uint32_t rate_ = 30;
  int buffers_on_ = -1;  // descriptor whose memory has the buffers; -1: none
  std::uint32_t buffers_ = 0;
  int streaming_on_ = -1;
  std::deque<std::uint32_t> queued_;
  std::deque<v4l2_buffer> filled_;
  std::uint64_t frame_ = 0;  // number of the frame that the sensor sees now
  Clock::time_point start_;
};

Answer Camera::describe(v4l2_capability& answer) {
  std::memcpy(answer.driver, "fake", 5);
  std::memcpy(answer.card, "A camera that is not there", 27);
  answer.device_caps = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING;
  answer.capabilities = answer.device_caps | V4L2_CAP_DEVICE_CAPS;
  return 0;
}

Answer Camera::describe(v4l2_fmtdesc& answer) {
  if (answer.type != V4L2_BUF_TYPE_VIDEO_CAPTURE || answer.index >= formats.size()) return EINVAL;
  answer.pixelformat = formats[answer.index];
  answer.flags = answer.pixelformat == V4L2_PIX_FMT_MJPEG ? V4L2_FMT_FLAG_COMPRESSED : 0;
  return 0;
}

Answer Camera::describe(v4l2_frmsizeenum& answer) {
  std::uint32_t index = answer.index;
  for (const Mode& mode : modes) {
    if (mode.format != answer.pixel_format || index-- > 0) continue;
    answer.type = V4L2_FRMSIZE_TYPE_DISCRETE;
    answer.discrete = {mode.width, mode.height};
    return 0;
  }
  return EINVAL;
}

Answer Camera::describe(v4l2_frmivalenum& answer) {
  for (const Mode& mode : modes) {
    const bool is_it = mode.format == answer.pixel_format && mode.width == answer.width &&
                       mode.height == answer.height;
    if (!is_it || answer.index >= mode.rates.size()) continue;
    answer.type = V4L2_FRMIVAL_TYPE_DISCRETE;
    answer.discrete = {1, mode.rates[answer.index]};
    return 0;
  }
  return EINVAL;
}

Answer Camera::describe(v4l2_input& answer) {
  if (answer.index != 0) return EINVAL;
  answer.type = V4L2_INPUT_TYPE_CAMERA;
  return 0;
}

Answer Camera::describe(v4l2_format& answer) {
  if (answer.type != V4L2_BUF_TYPE_VIDEO_CAPTURE) return EINVAL;
  v4l2_pix_format& pixels = answer.fmt.pix;
  pixels.width = mode_.width;
  pixels.height = mode_.height;
  pixels.pixelformat = mode_.format;
  pixels.field = V4L2_FIELD_NONE;
  pixels.bytesperline = mode_.format == V4L2_PIX_FMT_YUYV ? 2 * mode_.width : 0;
  pixels.sizeimage = frame_bytes();
  return 0;
}

// Sets the supported format that is nearest to the wanted one, as a driver does.
Answer Camera::set(v4l2_format& wanted) {
  if (wanted.type != V4L2_BUF_TYPE_VIDEO_CAPTURE) return EINVAL;
  if (buffers_ > 0) return EBUSY;
  const v4l2_pix_format& pixels = wanted.fmt.pix;
  const auto distance = [&](const Mode& mode) {
    const auto apart = [](std::uint32_t a, std::uint32_t b) { return a > b ? a - b : b - a; };
    return std::pair(mode.format != pixels.pixelformat,
                     apart(mode.width, pixels.width) + apart(mode.height, pixels.height));
  };
  mode_ = *std::min_element(modes.begin(), modes.end(), [&](const Mode& a, const Mode& b) {
    return distance(a) < distance(b);
  });
  rate_ = mode_.rates[0];
  return describe(wanted);
}

Answer Camera::describe(v4l2_streamparm& answer) {
  if (answer.type != V4L2_BUF_TYPE_VIDEO_CAPTURE) return EINVAL;
  answer.parm.capture.capability = V4L2_CAP_TIMEPERFRAME;
  answer.parm.capture.timeperframe = {1, rate_};
  return 0;
}

Answer Camera::set(v4l2_streamparm& wanted) {
  const v4l2_fract& interval = wanted.parm.capture.timeperframe;
  if (interval.numerator == 0) return EINVAL;
  const double fps = static_cast<double>(interval.denominator) / interval.numerator;
  rate_ = *std::min_element(
      mode_.rates.begin(), mode_.rates.end(),
      [&](std::uint32_t a, std::uint32_t b) { return std::abs(a - fps) < std::abs(b - fps); });
  return describe(wanted);
}

Answer Camera::make(int descriptor, v4l2_requestbuffers& wanted) {
  if (wanted.memory != V4L2_MEMORY_MMAP) return EINVAL;
  if (streaming_on_ >= 0) return EBUSY;
  wanted.count = std::min(wanted.count, most_buffers);
  if (::ftruncate(descriptor, static_cast<off_t>(wanted.count) * buffer_bytes()) != 0)
    return ENOMEM;
  buffers_ = wanted.count;
  buffers_on_ = descriptor;
  return 0;
}

Answer Camera::describe(int descriptor, v4l2_buffer& answer) {
  if (answer.index >= buffers_ || buffers_on_ != descriptor) return EINVAL;
  answer.length = frame_bytes();
  answer.m.offset = answer.index * buffer_bytes();
  return 0;
}

Answer Camera::queue(v4l2_buffer& buffer) {
  if (buffer.index >= buffers_) return EINVAL;
  advance();
  queued_.push_back(buffer.index);
  return 0;
}

Answer Camera::start(int descriptor) {
  if (buffers_ == 0 || buffers_on_ != descriptor) return EINVAL;
  streaming_on_ = descriptor;
  frame_ = 0;
  start_ = Clock::now();
  return 0;
}

// Writes the current frame into a buffer. Returns the number of bytes.
std::uint32_t Camera::fill(std::uint32_t index) const {
  std::vector<std::byte> frame = jpeg();
  if (mode_.format == V4L2_PIX_FMT_YUYV) {
    frame.resize(frame_bytes());
    for (std::size_t i = 0; i < frame.size(); ++i) frame[i] = byte_of(frame_, i);
  }
  if (number_in_environment("FAKE_CAMERA_CUT") == static_cast<std::int64_t>(frame_)) {
    frame.resize(frame.size() / 2);
  }
  const auto at = static_cast<off_t>(index) * buffer_bytes();
  return static_cast<std::uint32_t>(::pwrite(buffers_on_, frame.data(), frame.size(), at));
}

// Does what a driver would have done by now. A frame is lost if no buffer is free.
void Camera::advance() {
  for (; streaming_on_ >= 0 && !is_unplugged() && end_of_frame() <= Clock::now(); ++frame_) {
    if (queued_.empty()) continue;
    v4l2_buffer buffer{};
    buffer.index = queued_.front();
    queued_.pop_front();
    buffer.bytesused = fill(buffer.index);
    buffer.sequence = static_cast<std::uint32_t>(frame_);
    buffer.flags = V4L2_BUF_FLAG_MAPPED | V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
    if (number_in_environment("FAKE_CAMERA_DAMAGE") == static_cast<std::int64_t>(frame_)) {
      buffer.flags |= V4L2_BUF_FLAG_ERROR;
    }
    const auto since_boot =
        std::chrono::duration_cast<std::chrono::microseconds>(end_of_frame().time_since_epoch());
    buffer.timestamp.tv_sec = since_boot.count() / 1'000'000;
    buffer.timestamp.tv_usec = since_boot.count() % 1'000'000;
    filled_.push_back(buffer);
  }
}

// Waits with the lock held, which is safe because no other thread can bring a buffer.
Answer Camera::take(v4l2_buffer& buffer) {
  if (streaming_on_ < 0) return EINVAL;
  for (advance(); filled_.empty(); advance()) {
    if (is_unplugged()) return ENODEV;
    std::this_thread::sleep_until(end_of_frame());
  }
  v4l2_buffer& filled = filled_.front();
  filled.type = buffer.type;
  filled.memory = buffer.memory;
  filled.length = frame_bytes();
  filled.m.offset = filled.index * buffer_bytes();
  buffer = filled;
  filled_.pop_front();
  return 0;
}

Answer Camera::answer(int descriptor, unsigned long request, void* question) {
  const std::scoped_lock lock(mutex_);
  switch (request) {
    case VIDIOC_QUERYCAP: return describe(*static_cast<v4l2_capability*>(question));
    case VIDIOC_ENUM_FMT: return describe(*static_cast<v4l2_fmtdesc*>(question));
    case VIDIOC_ENUM_FRAMESIZES: return describe(*static_cast<v4l2_frmsizeenum*>(question));
    case VIDIOC_ENUM_FRAMEINTERVALS: return describe(*static_cast<v4l2_frmivalenum*>(question));
    case VIDIOC_ENUMINPUT: return describe(*static_cast<v4l2_input*>(question));
    case VIDIOC_G_INPUT: *static_cast<int*>(question) = 0; return 0;
    case VIDIOC_S_INPUT: return *static_cast<int*>(question) == 0 ? 0 : EINVAL;
    case VIDIOC_G_FMT: return describe(*static_cast<v4l2_format*>(question));
    case VIDIOC_S_FMT: return set(*static_cast<v4l2_format*>(question));
    case VIDIOC_G_PARM: return describe(*static_cast<v4l2_streamparm*>(question));
    case VIDIOC_S_PARM: return set(*static_cast<v4l2_streamparm*>(question));
    case VIDIOC_REQBUFS: return make(descriptor, *static_cast<v4l2_requestbuffers*>(question));
    case VIDIOC_QUERYBUF: return describe(descriptor, *static_cast<v4l2_buffer*>(question));
    case VIDIOC_QBUF: return queue(*static_cast<v4l2_buffer*>(question));
    case VIDIOC_DQBUF: return take(*static_cast<v4l2_buffer*>(question));
    case VIDIOC_STREAMON: return start(descriptor);
    case VIDIOC_STREAMOFF: stop(); return 0;
    default: return ENOTTY;
  }
}

// The camera is never destroyed, because files are still closed while a program ends.
Camera& camera() {
  static Camera& the_camera = *new Camera;
  return the_camera;
}

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

int open_or_pass(const char* name, const char* path, int flags, mode_t mode) {
  if (std::strcmp(path, device_path) == 0) return camera().open();
  return real<int(const char*, int, ...)>(name)(path, flags, mode);
}

mode_t mode_in(int flags, std::va_list rest) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
}

}  // namespace
}  // namespace fake_camera

// These functions replace the C library's functions of the same names.
extern "C" {

int open(const char* path, int flags, ...) {
  std::va_list rest;
  va_start(rest, flags);
  const mode_t mode = fake_camera::mode_in(flags, rest);
  va_end(rest);
  return fake_camera::open_or_pass("open", path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  std::va_list rest;
  va_start(rest, flags);
  const mode_t mode = fake_camera::mode_in(flags, rest);
  va_end(rest);
  return fake_camera::open_or_pass("open64", path, flags, mode);
}

int close(int descriptor) {
  fake_camera::camera().close(descriptor);
  return fake_camera::real<int(int)>("close")(descriptor);
}

int ioctl(int descriptor, unsigned long request, ...) {
  std::va_list rest;
  va_start(rest, request);
  void* question = va_arg(rest, void*);
  va_end(rest);
  if (!fake_camera::camera().has(descriptor)) {
    return fake_camera::real<int(int, unsigned long, ...)>("ioctl")(descriptor, request, question);
  }
  const int error = fake_camera::camera().answer(descriptor, request, question);
  if (error == 0) return 0;
  errno = error;
  return -1;
}
}
