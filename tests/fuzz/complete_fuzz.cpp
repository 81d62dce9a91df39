// require_complete() refuses a file only with IoError. If it refuses a file, it also refuses a
// beginning of that file that includes the signature.
#include <cstring>
#include <vector>

#include "fuzz/fuzz.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/io/truncation.hpp"

namespace {

bool is_complete(std::span<const std::byte> content) {
  try {
    warpwise::io::require_complete(content, "input");
    return true;
  } catch (const warpwise::IoError&) {
    return false;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using warpwise::fuzz::require;
  constexpr std::size_t signature = 8;  // bytes of PNG's signature, which is the longest one
  const auto content = warpwise::fuzz::bytes(data, size);
  warpwise::io::is_animated_png(content);
  if (is_complete(content)) {
    if (size < signature) return 0;
    std::vector<std::byte> longer(content.begin(), content.end());
    longer.push_back(std::byte{0});
    require(is_complete(longer), "bytes behind the end do not matter");
  } else if (size > signature) {
    // Copies exactly the needed bytes, so that AddressSanitizer sees a read past their end.
    const std::size_t half = signature + (size - signature) / 2;
    const std::vector<std::byte> cut(content.begin(), content.begin() + half);
    require(!is_complete(cut), "the beginning of a cut file is cut as well");
  }
  return 0;
}
