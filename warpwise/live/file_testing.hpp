#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/files.hpp"
#include "tests/support/message_of.hpp"
#include "warpwise/live/sink.hpp"
#include "warpwise/live/source.hpp"
#include "warpwise/live/stage_testing.hpp"

// Helpers shared by the tests of sources and sinks.
namespace warpwise::live::test {

/// A fixture with its own temporary folder.
class FilesTest : public ::testing::Test, protected warpwise::test::Files {
 protected:
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
};

inline std::vector<Bytes> frames_of(Source& source) {
  std::vector<Bytes> frames;
  Bytes frame(static_cast<std::size_t>(source.stream().shape.bytes()));
  while (source.next(frame)) frames.push_back(frame);
  return frames;
}

inline void write_all(Sink& sink, const Stream& stream, const std::vector<Bytes>& frames) {
  sink.begin(stream);
  for (const Bytes& frame : frames) sink.write(frame);
  sink.finish();
}

/// Returns the message of the IoError that `call` throws; empty if it throws none.
template <class Call>
std::string failure(const Call& call) {
  return warpwise::test::message_of<IoError>(call);
}

}  // namespace warpwise::live::test
