#include <cstring>
#include <memory>

#include "bench/cpu_harness.hpp"
#include "warpwise/base/image.hpp"
#include "warpwise/primitives/copy/copy.hpp"

namespace warpwise::bench {
namespace {

Pair make(std::int64_t width, std::int64_t height) {
  auto src = std::make_shared<Image>(ElementType::u8, width, height);
  auto dst = std::make_shared<Image>(ElementType::u8, width, height);
  const std::int64_t bytes = src->view().pitch_bytes() * height;
  std::memset(src->view().data(), 1, static_cast<std::size_t>(bytes));
  std::memset(dst->view().data(), 2, static_cast<std::size_t>(bytes));
  return {[=] { copy(src->view(), dst->view()); },
          [=] {
            std::memcpy(dst->view().data(), src->view().data(), static_cast<std::size_t>(bytes));
          }};
}

const bool registered =
    (add({"copy/u8", "memcpy", [](auto w, auto h) { return 2 * w * h; }, make}), true);

}  // namespace
}  // namespace warpwise::bench
