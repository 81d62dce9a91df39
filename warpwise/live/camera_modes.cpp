// Asks a camera's driver for its modes through V4L2.

#include <fcntl.h>
#include <linux/videodev2.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>

#include "warpwise/live/video_module.hpp"

namespace warpwise::live {
namespace {

struct KnownFormat {
  std::uint32_t code;
  const char* name;
};
constexpr KnownFormat known_formats[] = {
    {V4L2_PIX_FMT_MJPEG, "mjpeg"}, {V4L2_PIX_FMT_JPEG, "mjpeg"}, {V4L2_PIX_FMT_YUYV, "yuyv"},
    {V4L2_PIX_FMT_UYVY, "uyvy"},   {V4L2_PIX_FMT_NV12, "nv12"},  {V4L2_PIX_FMT_NV21, "nv21"},
    {V4L2_PIX_FMT_YUV420, "i420"}, {V4L2_PIX_FMT_GREY, "gray8"}, {V4L2_PIX_FMT_RGB24, "rgb24"},
    {V4L2_PIX_FMT_BGR24, "bgr24"},
};

// Returns a known format's name; otherwise the letters and digits of its code: "h264".
std::string name_of_format(std::uint32_t code) {
  for (const KnownFormat& known : known_formats) {
    if (known.code == code) return known.name;
  }
  std::string name;
  for (int shift = 0; shift < 32; shift += 8) {
    const auto letter = static_cast<unsigned char>(code >> shift);
    if (std::isalnum(letter) != 0) name += static_cast<char>(std::tolower(letter));
  }
  return name;
}

class Device {
 public:
  explicit Device(const std::string& path)
      : descriptor_(::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC)) {}
  ~Device() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  // Returns true if the driver answers a request. A list ends at the first index without an answer.
  template <class Question>
  bool answers(unsigned long request, Question& question) const {
    int result = -1;
    do {
      result = ::ioctl(descriptor_, request, &question);
    } while (result < 0 && errno == EINTR);
    return result == 0;
  }

  bool is_camera() const {
    v4l2_capability has{};
    if (!answers(VIDIOC_QUERYCAP, has)) return false;
    const bool tells_apart = (has.capabilities & V4L2_CAP_DEVICE_CAPS) != 0;
    return ((tells_apart ? has.device_caps : has.capabilities) & V4L2_CAP_VIDEO_CAPTURE) != 0;
  }

 private:
  int descriptor_;
};

// Converts the time between two frames to frames a second.
Rate rate_of(const v4l2_fract& interval) {
  if (interval.numerator == 0) return {};
  return {interval.denominator, interval.numerator};
}

// Lists the rates of a format and size. A continuous or stepwise range gives only its fastest rate.
// If the driver states no rate, the list has one unknown rate.
std::vector<Rate> rates_of(const Device& device, std::uint32_t code, std::uint32_t width,
                           std::uint32_t height) {
  std::vector<Rate> rates;
  v4l2_frmivalenum interval{};
  interval.pixel_format = code;
  interval.width = width;
  interval.height = height;
  for (; device.answers(VIDIOC_ENUM_FRAMEINTERVALS, interval); ++interval.index) {
    const bool is_listed = interval.type == V4L2_FRMIVAL_TYPE_DISCRETE;
    rates.push_back(rate_of(is_listed ? interval.discrete : interval.stepwise.min));
    if (!is_listed) break;
  }
  if (rates.empty()) rates.emplace_back();
  return rates;
}

void add_size(const Device& device, std::uint32_t code, std::uint32_t width, std::uint32_t height,
              std::vector<CameraMode>& modes) {
  for (const Rate& rate : rates_of(device, code, width, height)) {
    modes.push_back({name_of_format(code), width, height, rate});
  }
}

// Adds all sizes of a format. For a continuous or stepwise range it adds the smallest and the
// largest.
void add_format(const Device& device, std::uint32_t code, std::vector<CameraMode>& modes) {
  v4l2_frmsizeenum size{};
  size.pixel_format = code;
  for (; device.answers(VIDIOC_ENUM_FRAMESIZES, size); ++size.index) {
    if (size.type == V4L2_FRMSIZE_TYPE_DISCRETE) {
      add_size(device, code, size.discrete.width, size.discrete.height, modes);
    } else {
      add_size(device, code, size.stepwise.min_width, size.stepwise.min_height, modes);
      add_size(device, code, size.stepwise.max_width, size.stepwise.max_height, modes);
      break;
    }
  }
}

}  // namespace

std::vector<CameraMode> camera_modes(const std::string& path) {
  std::vector<CameraMode> modes;
  const Device device(path);
  if (!device.is_camera()) return modes;
  v4l2_fmtdesc format{};
  format.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  for (; device.answers(VIDIOC_ENUM_FMT, format); ++format.index) {
    add_format(device, format.pixelformat, modes);
  }
  return modes;
}

}  // namespace warpwise::live
