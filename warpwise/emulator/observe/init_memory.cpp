// Follows undefined values through memory.

#include <algorithm>
#include <bit>
#include <cstring>

#include "warpwise/emulator/device.hpp"
#include "warpwise/emulator/instructions/matrices/wmma_form.hpp"
#include "warpwise/emulator/instructions/operands.hpp"
#include "warpwise/emulator/observe/init.hpp"

namespace warpwise::emulator {
namespace {

/// Returns true if any of the `Bytes` bytes at the lanes' addresses is not 0. Inactive lanes have
/// the address of an active one.
template <int Bytes>
bool any_of_lanes(const std::uint8_t* base, const std::uint64_t* at) {
  std::uint64_t any = 0;
  for (int i = 0; i < warp_lanes; ++i) {
    std::uint64_t words[(Bytes + 7) / 8] = {};
    std::memcpy(words, base + at[i], Bytes);
    for (const std::uint64_t word : words) any |= word;
  }
  return any != 0;
}

bool any_of(const std::uint8_t* from, std::size_t bytes) {
  std::uint64_t any = 0;
  std::size_t i = 0;
  for (; i + 8 <= bytes; i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, from + i, 8);
    any |= word;
  }
  for (; i < bytes; ++i) any |= from[i];
  return any != 0;
}

constexpr std::string_view written_to_global = "a value written to global memory";

tensor::WmmaMatrix wmma_matrix_of(const Operation& op) {
  const auto flags = flags_of<tensor::WmmaFlags>(op);
  return {tensor::wmma_shapes[flags.shape], flags.role, flags.element};
}

template <int Bytes>
void define_lanes(std::uint8_t* base, const std::uint64_t* at) {
  for (int i = 0; i < warp_lanes; ++i) std::memset(base + at[i], 0, Bytes);
}

}  // namespace

/// Finds the shadow of an access. Returns false if all of it is certainly defined.
bool Init::find(Warp& warp, const Access& access, Place& place) const {
  const Block& block = access.owner != nullptr ? *access.owner : *warp.block;
  const std::byte* base = access.place->base;
  place.at = access.place->at;
  if (access.space == Space::shared || access.space == Space::local) {
    const bool is_shared = access.space == Space::shared;
    const std::byte* memory = is_shared ? block.shared.data() : block.local.data();
    std::byte* shadow = is_shared ? block.shared_shadow.data() : block.local_shadow.data();
    const std::size_t size = is_shared ? block.shared.size() : block.local.size();
    if (base < memory || base >= memory + size) return false;  // another block's memory
    place.base = reinterpret_cast<std::uint8_t*>(shadow + (base - memory));
    return true;
  }
  const AllocationView& view = warp.worker->last;
  if (base != nullptr && view.host != nullptr && base == view.host - view.begin) {
    if (view.shadow == nullptr) return false;
    place.base = reinterpret_cast<std::uint8_t*>(view.shadow - view.begin);
    return true;
  }
  place.is_split = true;
  bool any = false;
  for (Mask left = access.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    const Address address = access.addresses[lane];
    const AllocationView own = warp.worker->device->find(address);
    if (own.shadow == nullptr) continue;
    place.own[lane] = reinterpret_cast<std::uint8_t*>(own.shadow + (address - own.begin));
    any = true;
  }
  return any;
}

bool Init::is_defined(const Access& access, const Place& place) {
  if (!place.is_split && place.base == nullptr) return true;
  const auto bytes = static_cast<std::size_t>(access.bytes);
  if (!place.is_split) {
    if (access.place->contiguous) return !any_of(place.base + place.at[0], bytes * warp_lanes);
    switch (bytes) {
      case 1: return !any_of_lanes<1>(place.base, place.at);
      case 2: return !any_of_lanes<2>(place.base, place.at);
      case 4: return !any_of_lanes<4>(place.base, place.at);
      case 8: return !any_of_lanes<8>(place.base, place.at);
      case 16: return !any_of_lanes<16>(place.base, place.at);
      default: break;
    }
  }
  for (Mask left = access.lanes; left != 0; left &= left - 1) {
    const std::uint8_t* own = place.lane(std::countr_zero(left));
    if (own != nullptr && any_of(own, bytes)) return false;
  }
  return true;
}

void Init::define(const Access& access, const Place& place) {
  if (!place.is_split && place.base == nullptr) return;
  const auto bytes = static_cast<std::size_t>(access.bytes);
  if (!place.is_split) {
    if (access.place->contiguous) {
      std::memset(place.base + place.at[0], 0, bytes * warp_lanes);
      return;
    }
    switch (bytes) {
      case 1: return define_lanes<1>(place.base, place.at);
      case 2: return define_lanes<2>(place.base, place.at);
      case 4: return define_lanes<4>(place.base, place.at);
      case 8: return define_lanes<8>(place.base, place.at);
      case 16: return define_lanes<16>(place.base, place.at);
      default: break;
    }
  }
  for (Mask left = access.lanes; left != 0; left &= left - 1) {
    std::uint8_t* own = place.lane(std::countr_zero(left));
    if (own != nullptr) std::memset(own, 0, bytes);
  }
}

void Init::look(Warp& warp, const Operation& op, const Access& access) {
  if (access.space == Space::parameter || access.space == Space::constant) return;
  // Operands of a warpgroup's product count as defined.
  if (op.control == Control::warpgroup) return;
  Place place;
  const bool has_shadow = find(warp, access, place);
  switch (access.kind) {
    case AccessKind::load: {
      // An instruction on a matrix or a copy may take several accesses, which are numbered. Their
      // accesses to defined bytes are therefore not skipped here.
      const bool is_plain = op.control == Control::plain && access.site == op.site;
      if (is_plain && (!has_shadow || is_defined(access, place))) return;
      if (access.site < 0) return check_taken(warp, op, access, place);
      if (kind_of(op) == Kind::copy) return load_copies(warp, op, access, place);
      return load(warp, op, access, place);
    }
    case AccessKind::store:
      if (warp.poisoned == 0 && copies_.empty() && op.control == Control::plain) {
        if (has_shadow) define(access, place);
        return;
      }
      return store(warp, op, access, place);
    case AccessKind::atomic: return change(warp, op, access, place);
  }
}

namespace {

/// Returns true if the undefined bytes of a system function's argument may be padding. A launch
/// reads all parameters of the new kernel as one block, and with them the padding between them.
bool is_padded(const Access& access, const std::uint8_t* shadow) {
  constexpr int largest_argument = 16;
  return access.bytes > largest_argument &&
         std::find(shadow, shadow + access.bytes, 0) != shadow + access.bytes;
}

}  // namespace

/// Reports undefined arguments of printf, malloc, launches and similar calls.
void Init::check_taken(Warp& warp, const Operation& op, const Access& access, const Place& place) {
  for (Mask left = access.lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const Origin origin = origin_of(access, place, lane);
    if (!origin.in_memory || is_padded(access, place.lane(lane))) continue;
    Origins origins{};
    origins[static_cast<std::size_t>(lane)] = origin;
    report(warp, op, Mask{1} << lane, origins, "an argument of a system function");
    std::memset(place.lane(lane), 0, static_cast<std::size_t>(access.bytes));
  }
}

/// Returns the first undefined byte of a lane's access; `in_memory` is false if there is none.
Init::Origin Init::origin_of(const Access& access, const Place& place, int lane) {
  const std::uint8_t* own = place.lane(lane);
  if (own == nullptr) return {};
  for (int k = 0; k < access.bytes; ++k) {
    if (own[k] != 0)
      return {true, access.space, own[k], access.addresses[lane] + static_cast<std::uint64_t>(k)};
  }
  return {};
}

/// Returns the register, lane and byte that hold byte `byte` of a lane's access to a matrix.
Init::RegisterByte Init::register_byte(const Operation& op, const Access& access, int lane,
                                       int byte) const {
  const std::int32_t* list = code_->lists.data() + op.list;
  if (code_->names[op.index].starts_with("wmma")) {
    // The operation's list has the stride, then the fragment's registers. One register may take
    // several successive accesses.
    const int bytes = wmma_matrix_of(op).register_bits() / 8;
    const int each = bytes / access.bytes;
    return {list[1 + fragment_access_ / each], lane, fragment_access_ % each * access.bytes + byte};
  }
  // The access is a row of 16 bytes of an 8 x 8 matrix.
  const int row = lane % 8;
  const int column = byte / 2;
  const bool transposed = flags_of<MatrixFlags>(op).transposed != 0;
  const int major = transposed ? column : row;
  const int minor = transposed ? row : column;
  return {list[lane / 8], major * 4 + minor / 2, minor % 2 * 2 + byte % 2};
}

/// Sets fragment_access_ to the number of this access in the warp's current instruction.
void Init::count_fragment_access(const Warp& warp) {
  if (fragment_warp_ == &warp && fragment_time_ == warp.executed) {
    ++fragment_access_;
    return;
  }
  fragment_warp_ = &warp;
  fragment_time_ = warp.executed;
  fragment_access_ = 0;
}

void Init::load(Warp& warp, const Operation& op, const Access& access, const Place& place) {
  switch (kind_of(op)) {
    case Kind::access: return load_elements(warp, op, access, place);
    case Kind::matrix: return load_matrix(warp, op, access, place);
    default: return;
  }
}

void Init::load_elements(Warp& warp, const Operation& op, const Access& access,
                         const Place& place) {
  const std::string_view name = code_->names[op.index];
  const std::size_t dot = name.rfind('.');
  const bool has_sign = dot != std::string_view::npos && name[dot + 1] == 's';
  const std::size_t bytes = op.bytes;
  const std::size_t before = static_cast<std::size_t>(access.part) / bytes;
  for (std::size_t e = 0; e < static_cast<std::size_t>(access.bytes) / bytes; ++e) {
    const RegisterPlace to =
        written(op, code_->lists[static_cast<std::size_t>(op.list) + before + e]);
    std::uint8_t* shadow = shadow_at(warp, to);
    Origins& origins = state_of(warp).origins[to.offset];
    for (Mask left = access.lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      const std::uint8_t* from = place.lane(static_cast<int>(lane));
      std::uint64_t states = 0;
      if (from != nullptr) std::memcpy(&states, from + e * bytes, bytes);
      if (states == 0) continue;
      std::uint8_t* own = shadow + lane * lane_bytes(to.width);
      std::memcpy(own, &states, bytes);
      // The upper bytes of a register repeat the loaded value's sign.
      const std::uint8_t top = own[bytes - 1];
      const bool sign_is_defined = (undefined_bits(top) & 0x80) == 0;
      for (std::size_t k = bytes; has_sign && k < value_bytes(to.width); ++k)
        own[k] = sign_is_defined ? 0 : undefined_bits(top) == computed ? top : computed;
      const auto first = static_cast<std::size_t>(std::countr_zero(states)) / 8;
      origins[lane] = {true, access.space, from[e * bytes + first],
                       access.addresses[lane] + e * bytes + first};
    }
    count_poison(warp, to);
  }
}

void Init::load_matrix(Warp& warp, const Operation& op, const Access& access, const Place& place) {
  count_fragment_access(warp);
  if (is_defined(access, place)) return;
  const std::string_view name = code_->names[op.index];
  const bool is_fragment = name.starts_with("wmma");
  const auto keep = [&](RegisterByte to, std::uint8_t state, const Origin& origin) {
    const RegisterPlace target = written(op, to.offset);
    const auto at = static_cast<std::size_t>(to.lane) * lane_bytes(target.width);
    shadow_at(warp, target)[at + static_cast<std::size_t>(to.byte)] = state;
    state_of(warp).origins[target.offset][static_cast<std::size_t>(to.lane)] = origin;
  };
  for (Mask left = access.lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::uint8_t* own = place.lane(lane);
    if (own == nullptr) continue;
    const Origin origin = origin_of(access, place, lane);
    for (int k = 0; k < access.bytes; ++k) {
      if (own[k] == 0) continue;
      const RegisterByte to = register_byte(op, access, lane, k);
      keep(to, own[k], origin);
      if (is_fragment) keep_twice(op, to, [&](RegisterByte twin) { keep(twin, own[k], origin); });
    }
  }
  for (const std::int32_t v : code_->accesses[op.index].writes) count_poison(warp, place_of(v));
}

/// Calls body for each register that repeats the elements of `to`. A fragment of halves (A or B)
/// always names eight registers. If its elements fill fewer, the other registers repeat them.
template <class Body>
void Init::keep_twice(const Operation& op, RegisterByte to, const Body& body) const {
  const tensor::WmmaMatrix matrix = wmma_matrix_of(op);
  const std::int32_t* registers = code_->lists.data() + op.list + 1;
  const auto stated =
      static_cast<int>(tensor::stated_registers(matrix, flags_of<tensor::WmmaFlags>(op).role));
  for (int r = 0; r < stated; ++r) {
    if (r >= matrix.registers() && registers[r % matrix.registers()] == to.offset)
      body(RegisterByte{registers[r], to.lane, to.byte});
  }
}

/// Keeps the shadow of the bytes that a copy between memories has read, until it writes them.
void Init::load_copies(const Warp& warp, const Operation& op, const Access& access,
                       const Place& place) {
  const bool is_bulk = code_->names[op.index].starts_with("cp.async.bulk");
  // cp.async reads with one access for all lanes that copy the same number of bytes. The
  // instruction's first access clears copies_.
  if (!is_bulk) {
    count_fragment_access(warp);
    if (fragment_access_ == 0) copies_.clear();
  } else if (next_copy_ > 0) {
    copies_.clear();
  }
  next_copy_ = 0;
  if (!is_bulk) copies_.resize(warp_lanes);
  for (Mask left = access.lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    std::array<std::uint8_t, 16> piece{};
    std::size_t bytes = static_cast<std::size_t>(access.bytes);
    if (!is_bulk) {
      const std::int32_t* list = code_->lists.data() + op.list;
      bytes = std::min<std::size_t>(bytes, source<std::uint32_t>(warp, list[2])[lane]);
    }
    if (const std::uint8_t* own = place.lane(lane)) std::memcpy(piece.data(), own, bytes);
    if (is_bulk)
      copies_.push_back(piece);
    else
      copies_[static_cast<std::size_t>(lane)] = piece;
  }
  const auto is_defined = [](const auto& piece) { return !any_of(piece.data(), piece.size()); };
  if (!is_bulk && std::all_of(copies_.begin(), copies_.end(), is_defined)) copies_.clear();
}

void Init::store_copies(const Operation& op, const Access& access, const Place& place) {
  const bool is_bulk = code_->names[op.index].starts_with("cp.async.bulk");
  for (Mask left = access.lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::size_t from = is_bulk ? next_copy_++ : static_cast<std::size_t>(lane);
    std::uint8_t* to = place.lane(lane);
    if (to == nullptr || from >= copies_.size()) continue;
    for (int k = 0; k < access.bytes; ++k)
      to[k] = kept_in_memory(copies_[from][static_cast<std::size_t>(k)], false);
  }
  if (!is_bulk || next_copy_ >= copies_.size()) {
    copies_.clear();
    next_copy_ = 0;
  }
}

/// Returns the shadow in memory of a byte that a store or a copy writes. `leaves` is true if the
/// byte counts as a result: in global memory or a surface, but not back at its old place. The store
/// has reported computed bits of results, so their shadow keeps only the state `copied`.
std::uint8_t Init::kept_in_memory(std::uint8_t state, bool leaves) {
  if (state == 0) return 0;
  return !leaves && is_computed(state) ? state : copied;
}

/// Returns true if the value that is written was read from these same bytes.
bool Init::goes_back(const Origin& origin, Space space, Address address, std::size_t bytes) {
  return origin.in_memory && origin.space == space && origin.address - address < bytes;
}

void Init::store(Warp& warp, const Operation& op, const Access& access, const Place& place) {
  const Kind kind = access.site < 0 ? Kind::call : kind_of(op);
  if (kind == Kind::matrix) return store_matrix(warp, op, access, place);
  if (kind == Kind::copy && access.site == op.site && !copies_.empty())
    return store_copies(op, access, place);
  if (kind == Kind::access && op.list >= 0 && warp.poisoned != 0)
    return store_elements(warp, op, access, place);
  define(access, place);
}

void Init::store_elements(Warp& warp, const Operation& op, const Access& access,
                          const Place& place) {
  const bool is_global = access.space == Space::global;
  define(access, place);
  const std::size_t before = static_cast<std::size_t>(access.part) / op.bytes;
  for (std::size_t e = 0; e < static_cast<std::size_t>(access.bytes) / op.bytes; ++e) {
    const std::int32_t offset = code_->lists[static_cast<std::size_t>(op.list) + before + e];
    const RegisterPlace value = offset >= 0 ? operand(op, offset) : RegisterPlace{};
    if (value.width == Width::none || poison_flag(warp, value) == 0) continue;
    const std::uint8_t* shadow = shadow_at(warp, value);
    const Origins& origins = state_of(warp).origins[offset];
    Mask told = 0;
    for (Mask left = access.lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      const std::uint8_t* states = shadow + lane * lane_bytes(value.width);
      const Address at = access.addresses[lane] + e * op.bytes;
      const bool leaves = is_global && !goes_back(origins[lane], access.space, at, op.bytes);
      const auto is_told = [&](std::uint8_t state) {
        return state == computed || (leaves && is_computed(state));
      };
      if (is_global && std::any_of(states, states + op.bytes, is_told)) {
        told |= Mask{1} << lane;
        continue;
      }
      std::uint8_t* to = place.lane(static_cast<int>(lane));
      if (to == nullptr) continue;
      for (std::size_t k = 0; k < op.bytes; ++k)
        to[e * op.bytes + k] = kept_in_memory(states[k], leaves);
    }
    if (told == 0) continue;
    report(warp, op, told, origins, written_to_global);
    set_shadow(warp, value, told, 0);
  }
}

void Init::store_matrix(Warp& warp, const Operation& op, const Access& access, const Place& place) {
  count_fragment_access(warp);
  define(access, place);
  if (warp.poisoned == 0) return;
  const bool leaves = access.space == Space::global;
  Mask told = 0;
  Origins origins{};
  for (Mask left = access.lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    std::uint8_t* to = place.lane(lane);
    for (int k = 0; k < access.bytes; ++k) {
      const RegisterByte from = register_byte(op, access, lane, k);
      const RegisterPlace value = from.offset >= 0 ? operand(op, from.offset) : RegisterPlace{};
      if (value.width == Width::none || poison_flag(warp, value) == 0) continue;
      const auto at = static_cast<std::size_t>(from.lane) * lane_bytes(value.width);
      const std::uint8_t state = shadow_at(warp, value)[at + static_cast<std::size_t>(from.byte)];
      if (leaves && is_computed(state)) {
        const auto own = static_cast<std::size_t>(lane);
        origins[own] = state_of(warp).origins[from.offset][static_cast<std::size_t>(from.lane)];
        told |= Mask{1} << lane;
      } else if (to != nullptr) {
        to[k] = kept_in_memory(state, leaves);
      }
    }
  }
  if (told != 0) report(warp, op, told, origins, written_to_global);
}

/// Handles an atomic access, which computes from memory's content.
void Init::change(Warp& warp, const Operation& op, const Access& access, const Place& place) {
  const bool was_defined = is_defined(access, place);
  if (was_defined && warp.poisoned == 0) return;
  if (kind_of(op) != Kind::access) return define(access, place);
  Mask in_memory = 0;
  Origins origins = origins_of(warp, op);
  for (Mask left = access.lanes; left != 0 && !was_defined; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const Origin origin = origin_of(access, place, lane);
    if (!origin.in_memory) continue;
    in_memory |= Mask{1} << lane;
    origins[static_cast<std::size_t>(lane)] = origin;
  }
  Mask given = 0;
  std::vector<std::int32_t> operands = {op.b, op.c};
  if (op.list >= 0) {
    const auto first = code_->lists.begin() + op.list;
    operands.insert(operands.end(), first, first + op.count);
  }
  for (const std::int32_t offset : operands) {
    if (offset >= 0) given |= undefined_lanes(warp, operand(op, offset));
  }
  given &= access.lanes;
  define(access, place);
  // An exchange leaves its operand in memory, and returns the old value.
  const bool replaces = code_->names[op.index].find(".exch") != std::string::npos;
  const Mask left_there = replaces ? given : given | in_memory;
  if (access.space == Space::global) {
    if (left_there != 0) report(warp, op, left_there, origins, "the result of an atomic access");
    if (!replaces) return;
  } else {
    for (Mask left = left_there; left != 0; left &= left - 1) {
      std::uint8_t* own = place.lane(std::countr_zero(left));
      if (own != nullptr) std::memset(own, computed, static_cast<std::size_t>(access.bytes));
    }
  }
  for (const std::int32_t v : code_->accesses[op.index].writes)
    poison(warp, place_of(v), replaces ? in_memory : given | in_memory, origins);
}

}  // namespace warpwise::emulator
