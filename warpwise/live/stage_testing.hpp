#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "support/backend.hpp"
#include "tests/support/message_of.hpp"
#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/stream.hpp"
#include "warpwise/live/stage.hpp"

// Helpers shared by the tests of stages.
namespace warpwise::live::test {

using Bytes = std::vector<std::byte>;

inline Bytes random_bytes(std::int64_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Bytes bytes(static_cast<std::size_t>(count));
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

inline Bytes random_frame(const Stream& stream, std::uint64_t seed) {
  return random_bytes(stream.shape.bytes(), seed);
}

/// Runs a stage on one backend, with host frames.
class Running {
 public:
  Running(warpwise::test::Backend backend, std::unique_ptr<Stage> stage, const Stream& from)
      : stage_(std::move(stage)), from_(from), result_(stage_->begin(from)) {
    if (backend == warpwise::test::Backend::cuda) device_.emplace(from_, result_);
  }
  // Ends the stage first, because its device memory is freed on the stream.
  ~Running() { stage_.reset(); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  const Stream& result() const { return result_; }

  Bytes operator()(const Bytes& frame) {
    Bytes result(static_cast<std::size_t>(result_.shape.bytes()), std::byte{0xA5});
    if (!device_) {
      stage_->run(HostSource{from_.shape, frame.data()}, HostResult{result_.shape, result.data()});
      return result;
    }
    Device& on = *device_;
    gpu::upload(frame.data(), on.from.data(), from_.shape.bytes(), on.stream);
    stage_->run(DeviceSource{from_.shape, on.from.data()},
                DeviceResult{result_.shape, on.to.data()}, on.stream);
    gpu::download(on.to.data(), result.data(), result_.shape.bytes(), on.stream);
    on.stream.synchronize();
    return result;
  }

 private:
  struct Device {
    Device(const Stream& source, const Stream& result)
        : from(source.shape.bytes(), stream), to(result.shape.bytes(), stream) {}

    gpu::Stream stream;
    gpu::Buffer from;
    gpu::Buffer to;
  };

  std::unique_ptr<Stage> stage_;
  Stream from_;
  Stream result_;
  std::optional<Device> device_;
};

/// Returns the message of the InvalidArgument that `call` throws; empty if it throws none.
template <class Call>
std::string refusal(const Call& call) {
  return warpwise::test::message_of<InvalidArgument>(call);
}

/// Fails the test at the first byte that differs.
inline void expect_same(const Bytes& expected, const Bytes& actual) {
  ASSERT_EQ(expected.size(), actual.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(std::to_integer<int>(expected[i]), std::to_integer<int>(actual[i])) << "byte " << i;
  }
}

}  // namespace warpwise::live::test
