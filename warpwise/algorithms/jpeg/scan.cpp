#include "warpwise/algorithms/jpeg/scan.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

namespace warpwise::jpeg {
namespace {

using kernels::jpeg::Codes;

// Markers: the values of the byte that follows 0xff.
enum Marker : std::uint8_t {
  baseline = 0xc0,
  extended = 0xc1,
  huffman_tables = 0xc4,
  restart_0 = 0xd0,
  restart_7 = 0xd7,
  start_of_image = 0xd8,
  end_of_image = 0xd9,
  start_of_scan = 0xda,
  quantisation_tables = 0xdb,
  restart_interval = 0xdd,
  app_0 = 0xe0,
  app_1 = 0xe1,
  app_14 = 0xee,
  app_15 = 0xef,
  comment = 0xfe
};

// The limits of files that go to the GPU. Indices of bits have 32 bits there, and a pixel takes up
// to 12 bytes of its memory.
constexpr std::size_t most_bytes = std::size_t{1} << 28;
constexpr std::int64_t most_pixels = std::int64_t{1} << 26;
constexpr std::int64_t most_side = 65500;  // libjpeg-turbo's limit

constexpr std::array<std::uint8_t, 64> place_of_coefficient = [] {
  std::array<std::uint8_t, 64> places{};
  int x = 0;
  int y = 0;
  for (std::uint8_t& place : places) {
    place = static_cast<std::uint8_t>(8 * y + x);
    const bool goes_up = (x + y) % 2 == 0;
    int& forward = goes_up ? x : y;
    int& back = goes_up ? y : x;
    if (forward == 7) {
      ++back;
    } else {
      ++forward;
      if (back > 0) --back;
    }
  }
  return places;
}();

// Bytes of a file or a segment, read in order. Reading past the end gives zeros and is remembered.
class Bytes {
 public:
  explicit Bytes(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::size_t left() const { return bytes_.size(); }
  bool is_short() const { return is_short_; }
  std::span<const std::byte> rest() const { return bytes_; }

  unsigned byte() {
    const auto one = take(1);
    return one.empty() ? 0 : std::to_integer<unsigned>(one[0]);
  }
  unsigned word() {
    const unsigned high = byte();
    return high << 8 | byte();
  }
  std::span<const std::byte> take(std::size_t count) {
    if (count > bytes_.size()) {
      is_short_ = true;
      bytes_ = {};
      return {};
    }
    const auto taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }

 private:
  std::span<const std::byte> bytes_;
  bool is_short_ = false;
};

bool begins_with(std::span<const std::byte> bytes, std::string_view text) {
  return bytes.size() >= text.size() && std::memcmp(bytes.data(), text.data(), text.size()) == 0;
}

// Makes the tables of a Huffman code from the number of codes of each length. Returns false if a
// length has too few free codes. A code that has only ones is not free.
bool make_codes(std::span<const std::byte> counts, std::span<const std::byte> symbols,
                Codes& codes) {
  using kernels::jpeg::longest_code;
  using kernels::jpeg::lookup_bits;
  codes = {};
  std::memcpy(codes.symbol, symbols.data(), symbols.size());
  unsigned code = 0;
  unsigned place = 0;
  for (int length = 1; length <= longest_code; ++length) {
    const auto count = std::to_integer<unsigned>(counts[static_cast<std::size_t>(length - 1)]);
    if (code + count >= 1U << length) return false;
    codes.offset[length] = static_cast<int>(place) - static_cast<int>(code);
    for (unsigned end = code + count; code < end; ++code, ++place) {
      if (length > lookup_bits) continue;
      const int free_bits = lookup_bits - length;
      std::fill_n(codes.of_start + (code << free_bits), 1 << free_bits,
                  static_cast<std::uint16_t>(length << 8 | codes.symbol[place]));
    }
    codes.limit[length] = code << (longest_code - length);
    code <<= 1;
  }
  return true;
}

class Reader {
 public:
  explicit Reader(std::span<const std::byte> file) : file_(file) {}

  std::optional<Scan> scan() {
    if (file_.left() > most_bytes || file_.word() != (0xff00 | start_of_image)) return std::nullopt;
    while (true) {
      if (file_.byte() != 0xff) return std::nullopt;
      const unsigned marker = file_.byte();
      const unsigned length = file_.word();
      if (length < 2) return std::nullopt;
      const auto content = file_.take(length - 2);
      if (file_.is_short()) return std::nullopt;
      if (marker == start_of_scan) {
        if (takes_scan(Bytes(content)) && takes_data()) return std::move(scan_);
        return std::nullopt;
      }
      if (!takes(marker, content)) return std::nullopt;
    }
  }

 private:
  bool takes(unsigned marker, std::span<const std::byte> content) {
    switch (marker) {
      case baseline:
      case extended: return takes_frame(Bytes(content));
      case huffman_tables: return takes_codes(Bytes(content));
      case quantisation_tables: return takes_quantisation(Bytes(content));
      case restart_interval:
        if (content.size() != 2) return false;
        restart_units_ = Bytes(content).word();
        return true;
      case app_0:
        is_jfif_ = is_jfif_ || (content.size() >= 14 && begins_with(content, {"JFIF", 5}));
        return true;
      case app_1: scan_.app1.push_back(content); return true;
      case app_14:
        // Adobe's last byte names the colours; 1 is YCbCr.
        if (!begins_with(content, "Adobe")) return true;
        is_adobe_ = true;
        return content.size() == 12 && content[11] == std::byte{1};
      default: return marker == comment || (marker > app_1 && marker <= app_15);
    }
  }

  bool takes_quantisation(Bytes content) {
    while (content.left() > 0) {
      const unsigned number = content.byte();
      const auto values = content.take(64);
      if (number > 3 || content.is_short()) return false;
      for (std::size_t i = 0; i < 64; ++i) {
        quantisation_[number][place_of_coefficient[i]] = std::to_integer<std::uint16_t>(values[i]);
      }
      has_quantisation_[number] = true;
    }
    return true;
  }

  bool takes_codes(Bytes content) {
    while (content.left() > 0) {
      const unsigned head = content.byte();
      const auto counts = content.take(kernels::jpeg::longest_code);
      std::size_t count = 0;
      for (const std::byte each : counts) count += std::to_integer<std::size_t>(each);
      const auto symbols = content.take(count);
      const unsigned is_ac = head >> 4;
      const unsigned number = head & 15;
      if (content.is_short() || is_ac > 1 || number > 1 || count > 256) return false;
      Codes& codes = scan_.tables.codes[2 * is_ac + number];
      if (!make_codes(counts, symbols, codes)) return false;
      if (is_ac == 0 && std::any_of(symbols.begin(), symbols.end(),
                                    [](std::byte symbol) { return symbol > std::byte{11}; })) {
        return false;
      }
      (is_ac != 0 ? has_ac_ : has_dc_)[number] = true;
    }
    return true;
  }

  bool takes_frame(Bytes content) {
    if (scan_.components != 0 || content.byte() != 8) return false;
    scan_.height = content.word();
    scan_.width = content.word();
    scan_.components = static_cast<int>(content.byte());
    if (scan_.width == 0 || scan_.height == 0 || scan_.width * scan_.height > most_pixels ||
        std::max(scan_.width, scan_.height) > most_side ||
        (scan_.components != 1 && scan_.components != 3)) {
      return false;
    }
    const auto count = static_cast<std::size_t>(scan_.components);
    for (std::size_t i = 0; i < count; ++i) {
      id_[i] = content.byte();
      const unsigned factors = content.byte();
      quantisation_of_[i] = content.byte();
      if (quantisation_of_[i] > 3) return false;
      const unsigned across = factors >> 4;
      const unsigned down = factors & 15;
      if (i > 0 && factors != 0x11) return false;
      if (across < 1 || across > 2 || down < 1 || down > 2) return false;
      if (i > 0 || count == 1) continue;
      scan_.across = static_cast<int>(across);
      scan_.down = static_cast<int>(down);
    }
    return content.left() == 0 && !content.is_short();
  }

  // Returns true for grey, and for three components that libjpeg-turbo, too, takes for YCbCr.
  bool has_known_colours() const {
    if (scan_.components == 1 || is_jfif_ || is_adobe_) return true;
    return id_[0] == 1 && id_[1] == 2 && id_[2] == 3;
  }

  bool takes_scan(Bytes content) {
    const auto count = static_cast<std::size_t>(scan_.components);
    if (count == 0 || content.byte() != count || !has_known_colours()) return false;
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_next = content.byte() == id_[i];
      const unsigned numbers = content.byte();
      const unsigned dc = numbers >> 4;
      const unsigned ac = numbers & 15;
      if (!is_next || dc > 1 || ac > 1 || !has_dc_[dc] || !has_ac_[ac]) return false;
      if (!has_quantisation_[quantisation_of_[i]]) return false;
      std::copy_n(quantisation_[quantisation_of_[i]].begin(), 64, scan_.tables.quantisation[i]);
      scan_.tables.codes_of |= dc << 4 * i | (2 + ac) << (4 * i + 16);
    }
    const bool is_whole = content.byte() == 0 && content.byte() == 63 && content.byte() == 0;
    std::copy(place_of_coefficient.begin(), place_of_coefficient.end(), scan_.tables.place);
    return is_whole && content.left() == 0 && !content.is_short();
  }

  // Divides the data at restart markers. All markers must be there, in order, with the file's end
  // behind them. Refuses nearly blank pictures, with less than a byte for each 8x8 block. In their
  // data, a GPU thread that starts at an arbitrary bit rarely finds the right state. The CPU
  // decodes them fast.
  bool takes_data() {
    const std::int64_t units = scan_.units_in_row() * scan_.rows_of_units();
    scan_.units_of_segment = restart_units_ == 0 ? units : restart_units_;
    const std::int64_t segments = (units + scan_.units_of_segment - 1) / scan_.units_of_segment;
    const auto data = file_.rest();
    if (static_cast<std::int64_t>(data.size()) < units * scan_.blocks_of_unit()) return false;
    std::size_t begin = 0;
    for (std::size_t at = 0; at + 1 < data.size(); at += 2) {
      const void* found = std::memchr(data.data() + at, 0xff, data.size() - 1 - at);
      if (found == nullptr) return false;
      at = static_cast<std::size_t>(static_cast<const std::byte*>(found) - data.data());
      const auto marker = std::to_integer<unsigned>(data[at + 1]);
      if (marker == 0) continue;
      scan_.segments.push_back(data.subspan(begin, at - begin));
      begin = at + 2;
      const auto count = static_cast<std::int64_t>(scan_.segments.size());
      if (marker == end_of_image) return count == segments;
      if (marker != restart_0 + (count - 1) % 8 || count == segments) return false;
    }
    return false;
  }

  Bytes file_;
  Scan scan_;
  std::array<std::array<std::uint16_t, 64>, 4> quantisation_{};
  std::array<bool, 4> has_quantisation_{};
  std::array<bool, 2> has_dc_{};
  std::array<bool, 2> has_ac_{};
  std::array<unsigned, 3> id_{};
  std::array<unsigned, 3> quantisation_of_{};
  unsigned restart_units_ = 0;
  bool is_jfif_ = false;
  bool is_adobe_ = false;
};

}  // namespace

std::optional<Scan> scan_of(std::span<const std::byte> file) { return Reader(file).scan(); }

}  // namespace warpwise::jpeg
