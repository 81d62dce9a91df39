#include "warpwise/emulator/instructions/copies/copy_tensor.hpp"

#include <optional>
#include <string>
#include <vector>

#include "warpwise/emulator/execute/faults.hpp"
#include "warpwise/emulator/instructions/copies/bulk.hpp"
#include "warpwise/emulator/instructions/memory/reductions.hpp"
#include "warpwise/emulator/observe/sets.hpp"
#include "warpwise/emulator/tensor_map.hpp"

namespace warpwise::emulator {
namespace {

using bulk::Pieces;
using TensorCoordinates = std::array<std::int64_t, TensorMap::most_dimensions>;

// Alignment in bytes of the tile in shared memory.
constexpr std::uint64_t tile_alignment = 128;

/// Returns true if a map is valid. A kernel may have made or changed it, so all fields are checked.
bool is_map(const TensorMap& map) {
  if (map.mark != TensorMap::expected_mark || map.dimensions() > TensorMap::most_dimensions ||
      map.type > ElementType::f64)
    return false;
  constexpr std::uint16_t most_in_box = 256;
  for (std::size_t d = 0; d < map.dimensions(); ++d) {
    if (map.box[d] == 0 || map.box[d] > most_in_box || map.steps[d] == 0) return false;
  }
  const std::uint64_t row = map.box[0] * element_bytes(map.type);
  constexpr std::array<std::uint32_t, 4> widths = {0, 32, 64, 128};
  return row % bulk::unit == 0 &&
         std::find(widths.begin(), widths.end(), map.swizzled_bytes) != widths.end();
}

/// The box of a tensor that a map selects at some coordinates, row by row. A copy to global memory
/// writes whole pieces of 16 bytes. If a tensor's row ends within a piece, the copy overwrites the
/// rest of that piece too, as an H200 does.
class Box {
 public:
  Box(const TensorMap& map, const TensorCoordinates& corner, bool whole_pieces)
      : map_(map), corner_(corner), whole_pieces_(whole_pieces) {
    for (std::size_t d = 1; d < map.dimensions(); ++d) {
      counts_[d] = (map.box[d] + std::uint64_t{map.steps[d]} - 1) / map.steps[d];
      rows_ *= counts_[d];
    }
  }

  std::uint64_t rows() const { return rows_; }
  std::uint64_t element_bytes() const { return emulator::element_bytes(map_.type); }
  std::uint64_t row_bytes() const { return map_.box[0] * element_bytes(); }
  std::uint64_t bytes() const { return rows_ * row_bytes(); }

  /// The part of a row inside the tensor: its address, its offset in the row, and its size.
  struct Part {
    Address address = 0;
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
  };
  std::optional<Part> part(std::uint64_t row) const {
    Address address = map_.address;
    for (std::size_t d = 1; d < map_.dimensions(); ++d) {
      const std::int64_t at =
          corner_[d] + static_cast<std::int64_t>(row % counts_[d] * map_.steps[d]);
      row /= counts_[d];
      if (at < 0 || at > static_cast<std::int64_t>(map_.last[d])) return std::nullopt;
      address += static_cast<std::uint64_t>(at) * map_.strides[d - 1];
    }
    const std::int64_t first = std::max<std::int64_t>(corner_[0], 0);
    const std::int64_t end =
        std::min<std::int64_t>(corner_[0] + map_.box[0], std::int64_t{map_.last[0]} + 1);
    if (first >= end) return std::nullopt;
    const auto bytes_of = [&](std::int64_t elements) {
      return static_cast<std::uint64_t>(elements) * element_bytes();
    };
    std::uint64_t bytes = bytes_of(end - first);
    if (whole_pieces_) bytes = (bytes + bulk::unit - 1) / bulk::unit * bulk::unit;
    return Part{address + bytes_of(first), bytes_of(first - corner_[0]), bytes};
  }

  /// Returns the offset in the tile of the k-th piece of 16 bytes, counted over all rows. A row of
  /// a swizzled tile takes at least as many bytes as the swizzle pattern.
  std::uint64_t offset_of(std::uint64_t k) const {
    const std::uint64_t in_row = row_bytes() / bulk::unit;
    const std::uint64_t pitch = std::max<std::uint64_t>(row_bytes(), map_.swizzled_bytes);
    return k / in_row * pitch + k % in_row * bulk::unit;
  }

 private:
  const TensorMap& map_;
  const TensorCoordinates& corner_;
  bool whole_pieces_;
  std::array<std::uint64_t, TensorMap::most_dimensions> counts_{1, 1, 1, 1, 1};
  std::uint64_t rows_ = 1;
};

/// Fills the tile with NaN if the map says so. The elements inside the tensor are copied later.
void fill_outside(const TensorMap& map, std::vector<std::byte>& content) {
  if (!map.fills_with_nan) return;
  const std::uint64_t each = emulator::element_bytes(map.type);
  // In this quiet NaN all bits are set except the sign.
  for (std::uint64_t i = 0; i < content.size(); ++i)
    content[i] = std::byte(i % each == each - 1 ? 0x7f : 0xff);
}

template <class Observers>
class TensorCopy {
 public:
  TensorCopy(Warp& warp, const Operation& op)
      : warp_(warp), op_(op), list_(list_of(warp, op)), flags_(flags_of<TensorCopyFlags>(op)),
        ends_by_(flags_.to_global != 0 ? Asynchronous::bulk : Asynchronous::by_mbarrier) {}

  void run(int lane) {
    lane_ = lane;
    if (!read_map()) return;
    TensorCoordinates corner{};
    for (std::size_t d = 0; d < flags_.dimensions; ++d)
      corner[d] = source<std::int32_t>(warp_, list_[4 + d])[lane];
    const Box box(map_, corner, flags_.to_global != 0);
    const Address tile = source<std::uint64_t>(warp_, list_[0])[lane];
    if (tile % tile_alignment != 0) {
      return fault(FaultKind::misaligned, "a tensor copy's tile at byte " +
                                              std::to_string(tile % block_window_bytes) +
                                              " of shared memory: no multiple of 128");
    }
    if (!may_begin_at(corner, box)) return;
    // A huge tile outside of shared memory is reported before its bytes are allocated.
    const AccessKind of_tile = flags_.to_global != 0 ? AccessKind::load : AccessKind::store;
    if (box.bytes() > warp_.worker->launch->shared_bytes && !holds_tile(box, tile, of_tile)) return;
    content_.assign(box.bytes(), std::byte{0});
    flags_.to_global != 0 ? store(box, tile) : load(box, tile);
  }

 private:
  void fault(FaultKind kind, const std::string& message) {
    record_fault(warp_, op_, kind, lane_, message);
  }

  /// Reports copies that a GPU refuses as an illegal instruction:
  ///
  /// - a box whose offset in a row is no multiple of 16 bytes, even if the offset is negative
  /// - a store of a box that starts before the tensor
  bool may_begin_at(const TensorCoordinates& corner, const Box& box) {
    const std::int64_t byte = corner[0] * static_cast<std::int64_t>(box.element_bytes());
    if (byte % static_cast<std::int64_t>(bulk::unit) != 0) {
      fault(FaultKind::misaligned, "a tensor copy of a box that begins at element " +
                                       std::to_string(corner[0]) + " of a row, byte " +
                                       std::to_string(byte) + ": no multiple of 16");
      return false;
    }
    if (flags_.to_global == 0) return true;
    for (std::size_t d = 0; d < flags_.dimensions; ++d) {
      if (corner[d] >= 0) continue;
      fault(FaultKind::out_of_bounds, "a tensor copy to global memory: its box begins at element " +
                                          std::to_string(corner[d]) + " of dimension " +
                                          std::to_string(d) + ", before the tensor");
      return false;
    }
    return true;
  }

  bool read_map() {
    alignas(64) std::uint64_t addresses[warp_lanes];
    std::fill_n(addresses, warp_lanes, source<std::uint64_t>(warp_, list_[1])[lane_]);
    bool was_read = false;
    for_each_space(Space::generic, addresses, Mask{1} << lane_, [&](Space space, Mask lanes) {
      constexpr int half = sizeof(TensorMap) / 2;  // bytes; a map is aligned to this size
      auto* to = reinterpret_cast<std::byte*>(&map_);
      was_read = true;
      for (int part = 0; part < 2 && was_read; ++part) {
        Resolved place;
        resolve(warp_, op_, {space, AccessKind::load, half, addresses, lanes}, place);
        was_read = place.valid != 0;
        if (was_read) std::memcpy(to + part * half, place.base + place.at[lane_], half);
        addresses[lane_] += half;
      }
    });
    if (!was_read) return false;
    if (!is_map(map_)) {
      fault(FaultKind::out_of_bounds, "a tensor copy without a valid tensor map");
      return false;
    }
    if (map_.dimensions() != flags_.dimensions) {
      fault(FaultKind::out_of_bounds, "a tensor copy of " + std::to_string(flags_.dimensions) +
                                          " dimensions with a map of " +
                                          std::to_string(map_.dimensions()));
      return false;
    }
    return true;
  }

  /// Accesses the box in global memory, row by row, without the parts outside the tensor. Divides a
  /// row into pieces and calls body(host address, content, bytes) for each. Returns false after a
  /// fault.
  template <class Body>
  bool access_rows(const Box& box, std::int32_t site, AccessKind kind, const Body& body) {
    const bool reduces = kind == AccessKind::atomic;
    for (std::uint64_t row = 0; row < box.rows(); ++row) {
      const auto part = box.part(row);
      if (!part) continue;
      const std::uint64_t each =
          reduces ? box.element_bytes()
                  : std::uint64_t{1} << std::min(4, std::countr_zero(part->address | part->bytes));
      const Pieces pieces{lane_, ends_by_, Space::global, kind, each, part->bytes / each};
      if (!bulk::is_inside(warp_, op_, pieces, part->address, part->address + part->bytes - each))
        return false;
      std::byte* content = content_.data() + row * box.row_bytes() + part->begin;
      bulk::for_each_piece<Observers>(
          warp_, op_, site, pieces, [&](std::uint64_t k) { return part->address + each * k; },
          [&](std::byte* at, std::uint64_t k) { body(at, content + each * k, each); });
    }
    return true;
  }

  Pieces pieces_of(const Box& box, Address tile, AccessKind kind) const {
    return {lane_, ends_by_, space_of_shared(tile), kind, bulk::unit, box.bytes() / bulk::unit};
  }

  bool holds_tile(const Box& box, Address tile, AccessKind kind) const {
    const Pieces pieces = pieces_of(box, tile, kind);
    return bulk::is_inside(warp_, op_, pieces, tile, tile + box.offset_of(pieces.count - 1));
  }

  /// Calls body(host address, content) for each piece of the tile.
  template <class Body>
  bool access_tile(const Box& box, Address tile, std::int32_t site, AccessKind kind,
                   const Body& body) {
    if (!holds_tile(box, tile, kind)) return false;
    const Pieces pieces = pieces_of(box, tile, kind);
    bulk::for_each_piece<Observers>(
        warp_, op_, site, pieces,
        [&](std::uint64_t k) { return swizzled(tile + box.offset_of(k), map_.swizzled_bytes); },
        [&](std::byte* at, std::uint64_t k) { body(at, content_.data() + bulk::unit * k); });
    return true;
  }

  void load(const Box& box, Address tile) {
    fill_outside(map_, content_);
    const bool was_read = access_rows(box, op_.site + 1, AccessKind::load,
                                      [](const std::byte* at, std::byte* content,
                                         std::uint64_t bytes) { std::memcpy(content, at, bytes); });
    if (!was_read) return;
    const Address mbarrier = source<std::uint64_t>(warp_, list_[2])[lane_];
    if (flags_.multicast == 0) return fill_tile(box, tile, mbarrier);
    bulk::for_each_target(source<std::uint32_t>(warp_, list_[3])[lane_], [&](std::uint32_t rank) {
      fill_tile(box, bulk::in_block(tile, rank), bulk::in_block(mbarrier, rank));
    });
  }

  void fill_tile(const Box& box, Address tile, Address mbarrier) {
    access_tile(
        box, tile, op_.site, AccessKind::store,
        [](std::byte* at, const std::byte* content) { std::memcpy(at, content, bulk::unit); });
    bulk::tell<Observers>(warp_, op_, op_.site + 2, lane_, mbarrier,
                          static_cast<std::uint32_t>(box.bytes()));
  }

  void store(const Box& box, Address tile) {
    const bool was_read = access_tile(
        box, tile, op_.site + 1, AccessKind::load,
        [](const std::byte* at, std::byte* content) { std::memcpy(content, at, bulk::unit); });
    if (!was_read) return;
    const Reduction how = flags_.reduction;
    if (how == Reduction::none) {
      access_rows(box, op_.site, AccessKind::store,
                  [](std::byte* at, const std::byte* content, std::uint64_t bytes) {
                    std::memcpy(at, content, bytes);
                  });
    } else if (!can_reduce(how, map_.type)) {
      fault(FaultKind::trap, "a reduction that the map's element type does not support");
    } else {
      access_rows(box, op_.site, AccessKind::atomic,
                  [&](std::byte* at, const std::byte* content, std::uint64_t) {
                    reduce(how, map_.type, at, content);
                  });
    }
  }

  Warp& warp_;
  const Operation& op_;
  const std::int32_t* list_;
  TensorCopyFlags flags_;
  Asynchronous ends_by_;
  int lane_ = 0;
  TensorMap map_;
  std::vector<std::byte> content_;
};

template <class Observers>
void copy_tensor(Warp& warp, const Operation& op) {
  const Mask active = warp.active;
  for (Mask left = active; left != 0; left &= left - 1)
    TensorCopy<Observers>(warp, op).run(std::countr_zero(left));
}

}  // namespace

Handler copy_tensor_handler(ObserverSet observers) {
  return with_observers(
      observers, [](auto set) -> Handler { return copy_tensor<typename decltype(set)::type>; });
}

}  // namespace warpwise::emulator
