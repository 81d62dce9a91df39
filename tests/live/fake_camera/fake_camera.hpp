#pragma once

#include <cstddef>
#include <cstdint>

// A camera, /dev/video9, for a program that links or preloads this library (LD_PRELOAD). It answers
// V4L2's calls as a driver does, so libavdevice's own code runs. It replaces the kernel's module
// vivid, which most test machines may not load.
//
// Modes: yuyv 320x240 and 640x480 at 30 and 15 fps, 1280x720 at 10; mjpeg 640x480 and 1280x720
// at 30. Frames come at their rate, and are lost while the program holds all buffers. The
// environment says:
//   FAKE_CAMERA_JPEG       the file that each frame of mjpeg is
//   FAKE_CAMERA_UNPLUG     after how many frames the camera is gone
//   FAKE_CAMERA_DAMAGE     the number of a frame, from 0 on, that comes with the driver's mark of
//   damage FAKE_CAMERA_CUT        the number of a frame that comes cut in half without a mark
namespace fake_camera {

/// Byte `index` of frame `number` of yuyv.
constexpr std::byte byte_of(std::uint64_t number, std::size_t index) {
  return static_cast<std::byte>(index * 7 + number);
}

}  // namespace fake_camera
