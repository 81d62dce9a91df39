// Y4mFrames refuses a file only with IoError, or returns frames. Frames that a .y4m file can hold
// are written and read again.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "fuzz/fuzz.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/io/y4m.hpp"

namespace {

using namespace warpwise;

// A file in memory that has a name, by which it is read.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content) : descriptor_(::memfd_create("y4m", MFD_CLOEXEC)) {
    fuzz::require(::write(descriptor_, content.data(), content.size()) ==
                      static_cast<ssize_t>(content.size()),
                  "a file in memory");
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

std::string_view text_of(const io::Picture& picture) {
  return {reinterpret_cast<const char*>(picture.bytes().data()), picture.bytes().size()};
}

void require_read_again(const io::Y4mHeader& header, const io::Picture& picture) {
  const MemoryFile file(io::y4m_header(picture.shape(), header.rate, header.aspect) +
                        std::string(io::y4m_frame_line) + std::string(text_of(picture)));
  io::InputFile input(file.path());
  io::Y4mFrames frames(input);
  fuzz::require(frames.header().rate == header.rate && frames.header().aspect == header.aspect &&
                    frames.shape().full_range == picture.shape().full_range,
                "what the header says survives writing and reading");
  io::Picture again(frames.shape());
  fuzz::require(frames.next(again.bytes()) && text_of(again) == text_of(picture) &&
                    !frames.next(again.bytes()),
                "the frame survives writing and reading");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const MemoryFile file({reinterpret_cast<const char*>(data), size});
    io::InputFile input(file.path());
    io::Y4mFrames frames(input);
    io::Picture picture(frames.shape());
    while (frames.next(picture.bytes())) {
      if (io::y4m_holds(picture.shape())) require_read_again(frames.header(), picture);
    }
  } catch (const IoError&) {
  }
  return 0;
}
