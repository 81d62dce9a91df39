// decode_npy() refuses a file only with IoError. A picture that it reads does not change when
// npy_header() writes its header and decode_npy() reads it again.
#include <algorithm>
#include <vector>

#include "fuzz/fuzz.hpp"
#include "warpwise/io/npy.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpwise;
  try {
    const io::Picture picture = io::decode_npy(fuzz::bytes(data, size), "input.npy");
    std::vector<std::byte> again = io::npy_header(picture.shape());
    fuzz::require(again.size() % 64 == 0, "the elements begin at a multiple of 64");
    again.insert(again.end(), picture.bytes().begin(), picture.bytes().end());
    const io::Picture second = io::decode_npy(again, "again.npy");
    fuzz::require(second.shape().pixel_text() == picture.shape().pixel_text() &&
                      second.shape().width == picture.shape().width &&
                      second.shape().height == picture.shape().height,
                  "the shape survives writing and reading");
    fuzz::require(std::equal(picture.bytes().begin(), picture.bytes().end(), second.bytes().begin(),
                             second.bytes().end()),
                  "the bytes survive writing and reading");
  } catch (const IoError&) {
  }
  return 0;
}
