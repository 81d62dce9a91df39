#include "warpwise/primitives/shared/ladder.hpp"

#include <unistd.h>

#include <algorithm>
#include <random>

#include "warpwise/base/checked.hpp"

namespace warpwise::ladders {
namespace {

// Hashes by FNV-1a, because a name must give the same random numbers on every machine.
std::uint64_t seed_of(std::string_view name) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash;
}

void fill_random(HostView view, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::int64_t elements = view.width() * view.channels();
  for (std::int64_t y = 0; y < view.height(); ++y) {
    std::byte* row = view.row(y);
    if (view.type() == ElementType::f32) {
      // All values are multiples of 2^-10 in [-1, 1).
      for (std::int64_t x = 0; x < elements; ++x) {
        store(row, x, static_cast<float>(static_cast<int>(random() >> 53) - 1024) / 1024.0F);
      }
      continue;
    }
    const std::int64_t bytes = view.row_bytes();
    for (std::int64_t x = 0; x < bytes; x += 8) {
      const std::uint64_t word = random();
      std::memcpy(row + x, &word, static_cast<std::size_t>(std::min<std::int64_t>(8, bytes - x)));
    }
  }
}

// Refuses an operand that is larger than an eighth of the memory, because it exists in several
// copies. Linux would grant the allocations, and end the process when it fills them.
void require_memory(const std::string& name, std::int64_t bytes) {
  const std::int64_t physical = std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGE_SIZE);
  const std::int64_t most = physical / 8;
  if (bytes <= most) return;
  throw OutOfMemory(name + " takes " + std::to_string(bytes) + " bytes; one operand may take " +
                    std::to_string(most) + ", an eighth of this machine's memory");
}

}  // namespace

Operand::Operand(std::string name, bool is_output, ElementType type, std::int64_t width,
                 std::int64_t height, int channels, Layout layout)
    : name_(std::move(name)), is_output_(is_output), type_(type), width_(width), height_(height),
      channels_(channels) {
  const std::int64_t pixel = std::int64_t{size_of(type)} * channels;
  offset_bytes_ = checked_mul(layout.offset_pixels, pixel);
  pitch_bytes_ = checked_mul(checked_add(width, layout.padding_pixels), pixel);
  const std::int64_t bytes = checked_add(offset_bytes_, checked_mul(pitch_bytes_, height));
  require_memory(name_, bytes);
  memory_.assign(static_cast<std::size_t>(bytes), sentinel);
}

Operand Operand::input(std::string name, ElementType type, std::int64_t width, std::int64_t height,
                       int channels, Layout layout) {
  Operand operand(std::move(name), false, type, width, height, channels, layout);
  fill_random(operand.view(), seed_of(operand.name_));
  return operand;
}

Operand Operand::output(std::string name, ElementType type, std::int64_t width, std::int64_t height,
                        int channels, Layout layout) {
  return {std::move(name), true, type, width, height, channels, layout};
}

HostView Operand::view() {
  return {memory_.data() + offset_bytes_, type_, width_, height_, channels_, pitch_bytes_};
}

ConstHostView Operand::view() const {
  return {memory_.data() + offset_bytes_, type_, width_, height_, channels_, pitch_bytes_};
}

const Operand& Problem::operand(std::string_view name) const {
  const auto found = std::find_if(operands.begin(), operands.end(),
                                  [&](const Operand& each) { return each.name() == name; });
  if (found != operands.end()) return *found;
  std::string list;
  for (const Operand& each : operands) list += (list.empty() ? "" : ", ") + each.name();
  throw InvalidArgument("there is no operand \"" + std::string(name) + "\"; there are: " + list);
}

}  // namespace warpwise::ladders
