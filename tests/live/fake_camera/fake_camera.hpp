#pragma once

#include <cstddef>
#include <cstdint>

// A fake camera, /dev/video9, for a program that links or preloads this library (LD_PRELOAD). It
// answers V4L2's calls as a driver does, so that libavdevice's own code runs. It replaces the
// kernel module vivid, which most test machines may not load.
//
// Modes: yuyv 320x240 and 640x480 at 30 and 15 fps, 1280x720 at 10; mjpeg 640x480 and 1280x720 at
// 30. Frames come at their rate, and are lost while the program holds all buffers. Variables:
//   FAKE_CAMERA_JPEG     the JPEG file that is the content of each mjpeg frame
//   FAKE_CAMERA_UNPLUG   the number of frames after which the camera is unplugged
//   FAKE_CAMERA_DAMAGE   the number of a frame, from 0 on, that the driver marks as damaged
//   FAKE_CAMERA_CUT      the number of a frame that is cut in half without a mark
//
namespace fake_camera {

/// Returns byte `index` of the yuyv frame with a number.
constexpr std::byte byte_of(std::uint64_t number, std::size_t index) {
  return static_cast<std::byte>(index * 7 + number);
}

}  // namespace fake_camera
