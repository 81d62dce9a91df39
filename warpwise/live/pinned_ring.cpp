#include "warpwise/live/pinned_ring.hpp"

#include <algorithm>
#include <cstring>

namespace warpwise::live {
namespace {

std::size_t parts_of(std::size_t bytes) {
  return (bytes + PinnedRing::part_bytes - 1) / PinnedRing::part_bytes;
}

template <class Bytes>
Bytes part_of(Bytes bytes, std::size_t number) {
  const std::size_t begin = number * PinnedRing::part_bytes;
  return bytes.subspan(begin, std::min(PinnedRing::part_bytes, bytes.size() - begin));
}

}  // namespace

PinnedRing::Part::Part() : buffer(part_bytes) {}

PinnedRing::Part& PinnedRing::part(std::size_t number) {
  std::optional<Part>& part = ring_[number % parts];
  if (!part) part.emplace();
  return *part;
}

void PinnedRing::upload(std::span<const std::byte> host, std::byte* device,
                        gpu::StreamHandle stream) {
  for (std::size_t i = 0; i < parts_of(host.size()); ++i) {
    const auto bytes = part_of(host, i);
    Part& through = part(i);
    through.passed.synchronize();  // returns at once for a new event
    std::memcpy(through.buffer.data(), bytes.data(), bytes.size());
    gpu::upload(through.buffer.data(), device + i * part_bytes, std::ssize(bytes), stream);
    through.passed.record(stream);
  }
}

void PinnedRing::download(const std::byte* device, std::span<std::byte> host,
                          gpu::StreamHandle stream) {
  const std::size_t count = parts_of(host.size());
  // Round i copies part i - `parts` to the host, and then starts the transfer of part i. The part's
  // buffer may still be in use by an upload, but the stream ends the upload first.
  for (std::size_t i = 0; i < count + parts; ++i) {
    if (i >= parts && i - parts < count) {
      const auto bytes = part_of(host, i - parts);
      Part& through = part(i - parts);
      through.passed.synchronize();
      std::memcpy(bytes.data(), through.buffer.data(), bytes.size());
    }
    if (i < count) {
      Part& through = part(i);
      gpu::download(device + i * part_bytes, through.buffer.data(), std::ssize(part_of(host, i)),
                    stream);
      through.passed.record(stream);
    }
  }
}

}  // namespace warpwise::live
