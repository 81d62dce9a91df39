#include "warpwise/live/ffmpeg/transport_stream.hpp"

#include <array>

namespace warpwise::live::ffmpeg {
namespace {

// A cell is a transport packet of 188 bytes. FFmpeg's packets, of a frame each, span many cells.
constexpr std::int64_t cell_bytes = 188;
using Cell = std::array<unsigned char, cell_bytes>;

bool read_cell(AVIOContext& input, std::int64_t place, Cell& cell) {
  return avio_seek(&input, place, SEEK_SET) == place &&
         avio_read(&input, cell.data(), cell_bytes) == cell_bytes && cell[0] == 0x47;
}

struct Cells {
  std::int64_t first;     // place of the first cell
  std::int64_t distance;  // bytes from one cell to the next
};

// Finds the cells from `place` on, where FFmpeg says that a packet begins. Some files have a time
// stamp of 4 bytes before each cell; `place` is then the time stamp's. Others have 16 bytes of
// parity after each cell.
Cells cells_at(AVIOContext& input, std::int64_t place) {
  constexpr std::int64_t stamp_bytes = 4, parity_bytes = 16;
  Cell cell;
  const auto has_two = [&](std::int64_t first, std::int64_t distance) {
    return read_cell(input, first, cell) && read_cell(input, first + distance, cell);
  };
  // A time stamp may begin with 0x47, the first byte of a cell, so stamped cells are tried first.
  const Cells stamped{place + stamp_bytes, stamp_bytes + cell_bytes};
  if (has_two(stamped.first, stamped.distance) &&
      read_cell(input, stamped.first + 2 * stamped.distance, cell))
    return stamped;
  const bool has_parity = !has_two(place, cell_bytes) && has_two(place, cell_bytes + parity_bytes);
  return {place, has_parity ? cell_bytes + parity_bytes : cell_bytes};
}

int track_of(const Cell& cell) { return (cell[1] & 0x1f) << 8 | cell[2]; }
bool starts_a_packet(const Cell& cell) { return (cell[1] & 0x40) != 0; }
bool has_content(const Cell& cell) { return (cell[3] & 0x10) != 0; }
unsigned count_of(const Cell& cell) { return cell[3] & 0x0fU; }

// Returns true if a cell has padding. Only the last cell of a packet has padding.
bool is_filled_up(const Cell& cell) {
  if ((cell[3] & 0x20) == 0) return false;
  const int fields = cell[4];
  if (fields == 0) return true;
  const int flags = cell[5];
  const bool has_more = (flags & 0x03) != 0;
  const int used = 1 + ((flags & 0x10) != 0 ? 6 : 0) + ((flags & 0x08) != 0 ? 6 : 0) +
                   ((flags & 0x04) != 0 ? 1 : 0);
  return !has_more && fields > used;
}

// Returns true if the packet at `place` and the next one are whole. Both are checked, because
// FFmpeg's parsers mark the frame before a damaged packet. A packet is whole if its cells' counters
// have no gap, and if its last cell has padding or the next packet's counter follows.
bool counts_on(AVIOContext& input, std::int64_t place) {
  const Cells cells = cells_at(input, place);
  Cell first;
  if (!read_cell(input, cells.first, first) || !starts_a_packet(first)) return false;
  constexpr std::int64_t most_looked_at = 1 << 24;  // bytes, more than two packets
  const std::int64_t end = place + most_looked_at;
  int packets = 0;
  Cell last = first;
  Cell cell;
  for (std::int64_t at = cells.first + cells.distance; at < end && read_cell(input, at, cell);
       at += cells.distance) {
    if (track_of(cell) != track_of(first)) continue;
    if (!has_content(cell)) continue;
    const bool is_next = count_of(cell) == ((count_of(last) + 1) & 0x0f);
    const bool is_repeated = count_of(cell) == count_of(last);
    if (starts_a_packet(cell)) {
      if (!is_next && !is_filled_up(last)) return false;
      if (++packets == 2) return true;
    } else if (!is_next && !is_repeated) {
      return false;
    }
    last = cell;
  }
  return is_filled_up(last);
}

}  // namespace

bool is_whole_in_transport_stream(AVIOContext& input, std::int64_t place) {
  if (place < 0) return false;
  const std::int64_t before = avio_tell(&input);
  const bool is_whole = counts_on(input, place);
  return avio_seek(&input, before, SEEK_SET) == before && is_whole;
}

}  // namespace warpwise::live::ffmpeg
