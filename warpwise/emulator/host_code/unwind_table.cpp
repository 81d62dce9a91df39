#include "warpwise/emulator/host_code/unwind_table.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <initializer_list>
#include <iterator>

// Functions of the compiler's runtime library.
extern "C" void __register_frame(void*);
extern "C" void __deregister_frame(void*);

namespace warpwise::emulator {
namespace {

/// Appends numbers in the format of .eh_frame, which the DWARF and LSB standards define.
class Writer {
 public:
  explicit Writer(std::vector<std::uint8_t>& to) : to_(to) {}

  template <class T>
  void number(T value) {
    for (const std::uint8_t byte : std::bit_cast<std::array<std::uint8_t, sizeof(T)>>(value))
      to_.push_back(byte);
  }
  void bytes(std::initializer_list<std::uint8_t> all) { to_.insert(to_.end(), all); }
  /// Appends a number in LEB128, a format of variable length.
  void leb(std::size_t value) {
    for (; value >= 0x80; value >>= 7) to_.push_back(static_cast<std::uint8_t>(value | 0x80));
    to_.push_back(static_cast<std::uint8_t>(value));
  }
  /// Writes an entry with its length before it, padded to whole words.
  template <class Body>
  void entry(const Body& body) {
    const std::size_t begin = to_.size();
    number(std::uint32_t{0});
    body();
    while ((to_.size() - begin) % 8 != 4) to_.push_back(0);
    const auto length = static_cast<std::uint32_t>(to_.size() - begin - 4);
    const auto text = std::bit_cast<std::array<std::uint8_t, 4>>(length);
    std::copy(text.begin(), text.end(), to_.begin() + static_cast<std::ptrdiff_t>(begin));
  }

 private:
  std::vector<std::uint8_t>& to_;
};

}  // namespace

UnwindTable::UnwindTable(const void* code, std::size_t bytes, std::size_t stack_bytes) {
  // Numbers of registers in DWARF.
  constexpr std::uint8_t rsp = 7;
  constexpr std::uint8_t return_address = 16;
  constexpr std::uint8_t pushed[] = {return_address, 3, 6, 12, 13, 14, 15};
  constexpr std::uint8_t define_frame = 0x0c;
  constexpr std::uint8_t saved_at = 0x80;
  Writer to(table_);
  to.entry([&] {
    to.number(std::uint32_t{0});  // marks a common information entry
    // Version 1, no augmentation string, code alignment factor 1, data alignment factor -8 (0x78 as
    // signed LEB128).
    to.bytes({1, 0, 1, 0x78, return_address, define_frame, rsp});
    to.leb(stack_bytes + 8 * std::size(pushed));
    std::uint8_t words = 0;
    for (const std::uint8_t each : pushed)
      to.bytes({static_cast<std::uint8_t>(saved_at | each), ++words});
  });
  to.entry([&] {
    to.number(static_cast<std::uint32_t>(table_.size()));  // distance to the common entry
    to.number(reinterpret_cast<std::uint64_t>(code));
    to.number(std::uint64_t{bytes});
  });
  to.number(std::uint32_t{0});  // the end
  __register_frame(table_.data());
}

UnwindTable::~UnwindTable() { __deregister_frame(table_.data()); }

}  // namespace warpwise::emulator
