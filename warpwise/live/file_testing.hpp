#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "warpwise/live/sink.hpp"
#include "warpwise/live/source.hpp"
#include "warpwise/live/stage_testing.hpp"

// Helpers shared by the tests of sources and sinks.
namespace warpwise::live::test {

/// A fixture with its own temporary folder.
class FilesTest : public ::testing::Test {
 protected:
  FilesTest() {
    std::string name = (std::filesystem::temp_directory_path() / "warpwise-live-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw IoError("no folder " + name);
    folder_ = name;
  }
  ~FilesTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }
  std::string read(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  std::filesystem::path folder_;
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
  try {
    call();
  } catch (const IoError& error) {
    return error.what();
  }
  return {};
}

}  // namespace warpwise::live::test
