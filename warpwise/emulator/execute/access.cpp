#include "warpwise/emulator/execute/access.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "warpwise/emulator/device.hpp"
#include "warpwise/emulator/execute/address_scan.hpp"
#include "warpwise/emulator/execute/calls.hpp"
#include "warpwise/emulator/execute/faults.hpp"
#include "warpwise/emulator/instructions/operands.hpp"
#include "warpwise/emulator/readable.hpp"

namespace warpwise::emulator {
namespace {

std::string access_text(AccessKind kind, int bytes, Space space) {
  return std::string(name_of(space)) + " " + std::string(name_of(kind)) + " of " +
         std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

/// Returns "0 bytes past the end of the block's 128 bytes" or, for an access that begins inside,
/// "byte 144 of the block's 156 bytes".
std::string place_in_piece(Space space, std::uint64_t address, std::uint64_t size) {
  return (address < size ? "byte " + std::to_string(address) + " of "
                         : std::to_string(address - size) + " bytes past the end of ") +
         (space == Space::shared  ? "the block's "
          : space == Space::local ? "the thread's "
                                  : "the kernel's ") +
         std::to_string(size) + " bytes";
}

void fault_outside(Warp& warp, const Operation& op, AccessKind kind, int bytes, int lane,
                   Space space, std::uint64_t address, std::uint64_t size) {
  std::string where;
  if (space == Space::global || space == Space::constant) {
    where = warp.worker->device->describe(address);
  } else if (space == Space::shared) {
    const Code& code = *warp.worker->launch->code;
    where = place_in_piece(space, code.without_gaps(address), code.without_gaps(size));
  } else {
    where = place_in_piece(space, address, size);
  }
  const bool freed = space == Space::global && warp.worker->device->was_freed(address);
  record_fault(warp, op, freed ? FaultKind::use_after_free : FaultKind::out_of_bounds, lane,
               access_text(kind, bytes, space) + " at " + where);
}

void fault_misaligned(Warp& warp, const Operation& op, AccessKind kind, int bytes, int lane,
                      Space space, std::uint64_t address) {
  record_fault(warp, op, FaultKind::misaligned, lane,
               access_text(kind, bytes, space) + " at an address that is " +
                   std::to_string(address % static_cast<std::uint64_t>(bytes)) +
                   " past a multiple of " + std::to_string(bytes));
}

void fault_parameter_write(Warp& warp, const Operation& op, AccessKind kind, int bytes,
                           Mask lanes) {
  for (Mask left = lanes; left != 0; left &= left - 1) {
    record_fault(warp, op, FaultKind::out_of_bounds, std::countr_zero(left),
                 access_text(kind, bytes, Space::parameter) +
                     ": a kernel's parameters are only read, as all its blocks share them");
  }
}

/// Returns the lanes whose address is a multiple of bytes; records faults for the others.
Mask aligned_lanes(Warp& warp, const Operation& op, AccessKind kind, int bytes, Space space,
                   const std::uint64_t* addresses, Mask active) {
  std::uint64_t low = 0;
  for (int i = 0; i < warp_lanes; ++i) low |= (active >> i & 1) != 0 ? addresses[i] : 0;
  const auto mask = static_cast<std::uint64_t>(bytes - 1);
  if ((low & mask) == 0) return active;
  Mask good = 0;
  for (int i = 0; i < warp_lanes; ++i) {
    if ((active >> i & 1) == 0) continue;
    if ((addresses[i] & mask) == 0)
      good |= Mask{1} << i;
    else
      fault_misaligned(warp, op, kind, bytes, i, space, addresses[i]);
  }
  return good;
}

/// Resolves an access to global or constant memory. All lanes usually access one allocation, and
/// mostly the one of the previous access.
void resolve_global(Warp& warp, const Operation& op, AccessKind kind, int bytes, Space space,
                    const std::uint64_t* addresses, Mask active, Resolved& out) {
  Worker& worker = *warp.worker;
  const std::uint64_t filler = addresses[std::countr_zero(active)];
  std::uint64_t low = ~std::uint64_t{0};
  std::uint64_t high = 0;
  for (int i = 0; i < warp_lanes; ++i) {
    const std::uint64_t address = (active >> i & 1) != 0 ? addresses[i] : filler;
    out.at[i] = address;
    low = address < low ? address : low;
    high = address > high ? address : high;
  }
  AllocationView& view = worker.last;
  if (!(low >= view.begin && low < view.end)) view = worker.device->find(low);
  const auto size = static_cast<std::uint64_t>(bytes);
  if (view.host != nullptr && high < view.end && size <= view.end - high) {
    out.base = view.host - view.begin;
    out.valid = active;
    return;
  }
  out.base = nullptr;
  out.valid = 0;
  std::uint64_t place = 0;
  for (int i = 0; i < warp_lanes; ++i) {
    if ((active >> i & 1) == 0) continue;
    const AllocationView own = worker.device->find(addresses[i]);
    if (own.host == nullptr || size > own.end - addresses[i]) {
      fault_outside(warp, op, kind, bytes, i, space, addresses[i], 0);
      continue;
    }
    out.at[i] = reinterpret_cast<std::uint64_t>(own.host) + (addresses[i] - own.begin);
    place = out.at[i];
    out.valid |= Mask{1} << i;
  }
  for (int i = 0; i < warp_lanes; ++i) {
    if ((out.valid >> i & 1) == 0) out.at[i] = place;
  }
}

/// Resolves an access to shared memory, local memory or the parameters, each of which is one piece
/// that begins at address 0. Compilers load vectors that reach past the end of shared memory. Such
/// a load is no fault if no instruction reads the elements past the end.
void resolve_piece(Warp& warp, const Operation& op, AccessKind kind, int bytes, Space space,
                   const std::uint64_t* addresses, Mask active, std::byte* base, std::uint64_t size,
                   Resolved& out) {
  const int unread = space == Space::shared ? op.unread * op.bytes : 0;
  const auto width = static_cast<std::uint64_t>(bytes - unread);
  out.base = base;
  out.valid = 0;
  const std::uint64_t last = size >= width ? size - width : 0;
  Mask inside = 0;
  for (int i = 0; i < warp_lanes; ++i) {
    inside |= static_cast<Mask>(addresses[i] <= last) << i;
  }
  if (size < width) inside = 0;
  out.valid = inside & active;
  const std::uint64_t filler = out.valid != 0 ? addresses[std::countr_zero(out.valid)] : 0;
  for (int i = 0; i < warp_lanes; ++i) {
    out.at[i] = (out.valid >> i & 1) != 0 ? addresses[i] : filler;
  }
  for (Mask bad = active & ~inside; bad != 0; bad &= bad - 1) {
    const int i = std::countr_zero(bad);
    fault_outside(warp, op, kind, bytes, i, space, addresses[i], size);
  }
}

/// Reports the lanes that access shared memory between two variables, and removes them from
/// out.valid.
/// \param addresses  addresses in the owning block's shared memory, which begins at 0
void leave_out_gaps(Warp& warp, const Operation& op, AccessKind kind, int bytes,
                    const std::uint64_t* addresses, Resolved& out) {
  const std::vector<Code::SharedGap>& gaps = warp.worker->launch->code->shared_gaps;
  if (gaps.empty() || out.valid == 0) return;
  const auto width = static_cast<std::uint64_t>(bytes - op.unread * op.bytes);
  const std::uint64_t filler = addresses[std::countr_zero(out.valid)];
  std::uint64_t low = filler;
  std::uint64_t high = filler;
  for (int i = 0; i < warp_lanes; ++i) {
    const std::uint64_t address = (out.valid >> i & 1) != 0 ? addresses[i] : filler;
    low = address < low ? address : low;
    high = address > high ? address : high;
  }
  for (const Code::SharedGap& gap : gaps) {
    if (high + width <= gap.begin || low >= gap.end) continue;
    for (Mask left = out.valid; left != 0; left &= left - 1) {
      const int i = std::countr_zero(left);
      const std::uint64_t address = addresses[i];
      if (address + width <= gap.begin || address >= gap.end) continue;
      record_fault(warp, op, FaultKind::out_of_bounds, i,
                   access_text(kind, bytes, Space::shared) + " between two variables, behind '" +
                       readable(gap.before) + "'");
      out.valid &= ~(Mask{1} << i);
      out.steady = out.contiguous = false;
    }
  }
}

void resolve_local(Warp& warp, const Operation& op, AccessKind kind, int bytes,
                   const std::uint64_t* addresses, Mask active, Resolved& out) {
  const std::uint64_t size = warp.worker->launch->local_bytes;
  if (cleared_local(warp) < size) {
    const auto width = static_cast<std::uint64_t>(bytes);
    const std::uint64_t last = size >= width ? size - width : 0;
    std::uint64_t end = 0;  // the highest end of an access that is in bounds
    for (int i = 0; i < warp_lanes; ++i) {
      const bool counts = (active >> i & 1) != 0 && addresses[i] <= last;
      end = std::max(end, counts ? addresses[i] + width : 0);
    }
    clear_local(warp, std::min(end, size));
  }
  resolve_piece(warp, op, kind, bytes, Space::local, addresses, active,
                warp.block->local.data() + std::uint64_t{warp.index} * warp_lanes * size, size,
                out);
  if (out.valid == 0) return;
  for (int i = 0; i < warp_lanes; ++i) {
    // Each lane has its own memory. An inactive lane gets an address in an active lane's memory.
    const int owner = (out.valid >> i & 1) != 0 ? i : std::countr_zero(out.valid);
    out.at[i] += static_cast<std::uint64_t>(owner) * size;
  }
}

/// Resolves an access to the shared memory of any block of the cluster. The addresses are those of
/// the cluster's space.
void resolve_cluster(Warp& warp, const Operation& op, AccessKind kind, int bytes,
                     const std::uint64_t* addresses, Mask active, Resolved& out) {
  const std::vector<Block*>& blocks = warp.block->cluster->blocks;
  const std::uint64_t window = block_window(addresses[std::countr_zero(active)]);
  out.valid = 0;
  out.owner = window == 0 ? warp.block : window <= blocks.size() ? blocks[window - 1] : nullptr;
  if (out.owner == nullptr) {
    const std::string rank = std::to_string(window - 1);
    const std::string what =
        window <= blocks.size()
            ? "block " + rank + " of the cluster, which has exited"
            : "block " + rank + " of a cluster of " + std::to_string(blocks.size());
    for (Mask left = active; left != 0; left &= left - 1) {
      record_fault(warp, op, FaultKind::out_of_bounds, std::countr_zero(left),
                   access_text(kind, bytes, Space::shared) + " in the memory of " + what);
    }
    return;
  }
  alignas(64) std::uint64_t own[warp_lanes];
  for (int i = 0; i < warp_lanes; ++i) own[i] = addresses[i] % block_window_bytes;
  const AlignedBytes& shared = out.owner->shared;
  resolve_piece(warp, op, kind, bytes, Space::shared, own, active, shared.data(), shared.size(),
                out);
  leave_out_gaps(warp, op, kind, bytes, own, out);
}

/// The piece of memory that holds a lane's address: an allocation, or the shared memory between two
/// gaps. Gaps separate variables, so that accesses past their ends are found (Code::SharedGap).
struct MemoryPiece {
  std::byte* base = nullptr;  ///< host address that stands for address 0; null: no piece
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

MemoryPiece piece_of(Warp& warp, Space space, std::uint64_t address) {
  if (space == Space::shared) {
    AlignedBytes& shared = warp.block->shared;
    MemoryPiece piece{shared.data(), 0, shared.size()};
    for (const Code::SharedGap& gap : warp.worker->launch->code->shared_gaps) {
      if (address < gap.end) {
        piece.end = std::min(piece.end, gap.begin);
        break;
      }
      piece.begin = gap.end;
    }
    return piece;
  }
  AllocationView& view = warp.worker->last;
  if (!(address >= view.begin && address < view.end)) view = warp.worker->device->find(address);
  if (view.host == nullptr) return {};
  return {view.host - view.begin, view.begin, view.end};
}

/// Resolves all lanes at once if they are aligned and in one piece of memory. Returns false if
/// resolve_apart() must resolve the access.
bool resolve_together(Warp& warp, Space space, int bytes, const std::uint64_t* addresses,
                      Resolved& out) {
  const MemoryPiece piece = piece_of(warp, space, addresses[0]);
  const auto size = static_cast<std::uint64_t>(bytes);
  if (piece.base == nullptr || piece.end - piece.begin < size) return false;
  const AddressScan scan = scan_addresses(addresses, piece.begin, piece.end - size, out.at);
  if (((scan.outside | scan.bits) >> 63) != 0 || (scan.bits & (size - 1)) != 0) return false;
  out.base = piece.base;
  out.valid = all_lanes;
  out.steady = scan.different == 0;
  out.contiguous = out.steady && addresses[1] - addresses[0] == size;
  return true;
}

/// Resolves the lanes one by one, and records the faults.
[[gnu::noinline]] void resolve_apart(Warp& warp, const Operation& op, const Request& request,
                                     Resolved& out) {
  const Space space = request.space;
  const std::uint64_t* addresses = request.addresses;
  const AccessKind kind = request.kind;
  const int bytes = request.bytes;
  out.valid = 0;
  const Mask active = aligned_lanes(warp, op, kind, bytes, space, addresses, request.lanes);
  if (active == 0) return;
  switch (space) {
    case Space::shared:
      resolve_piece(warp, op, kind, bytes, space, addresses, active, warp.block->shared.data(),
                    warp.block->shared.size(), out);
      leave_out_gaps(warp, op, kind, bytes, addresses, out);
      break;
    case Space::cluster: resolve_cluster(warp, op, kind, bytes, addresses, active, out); break;
    case Space::local: resolve_local(warp, op, kind, bytes, addresses, active, out); break;
    case Space::parameter: {
      if (kind != AccessKind::load) {
        fault_parameter_write(warp, op, kind, bytes, active);
        break;
      }
      // Only loads get here, so nothing is written through this pointer.
      auto& parameters = const_cast<std::vector<std::byte>&>(warp.worker->launch->parameters);
      resolve_piece(warp, op, kind, bytes, space, addresses, active, parameters.data(),
                    parameters.size(), out);
      break;
    }
    case Space::generic:
    case Space::global:
    case Space::constant:
      resolve_global(warp, op, kind, bytes, space, addresses, active, out);
      break;
  }
  if (out.valid == all_lanes) {
    std::uint64_t off = 0;
    for (int i = 0; i < warp_lanes; ++i) {
      off |= out.at[i] ^
             (out.at[0] + static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(bytes));
    }
    out.contiguous = off == 0;
  }
}

}  // namespace

void load_addresses(const Warp& warp, const Operation& op, std::uint64_t* addresses) {
  const auto offset = static_cast<std::uint64_t>(op.offset);
  if (op.short_address) {
    add_offset(source<std::uint32_t>(warp, op.a), static_cast<std::uint32_t>(offset), addresses);
  } else {
    add_offset(source<std::uint64_t>(warp, op.a), offset, addresses);
  }
}

void resolve(Warp& warp, const Operation& op, const Request& request, Resolved& out) {
  const Space space = request.space;
  warp.worker->look_at_frees();
  const bool in_one_piece =
      space == Space::global || space == Space::shared || space == Space::constant;
  if (request.lanes != all_lanes || !in_one_piece ||
      !resolve_together(warp, space, request.bytes, request.addresses, out)) {
    resolve_apart(warp, op, request, out);
  }
}

}  // namespace warpwise::emulator
