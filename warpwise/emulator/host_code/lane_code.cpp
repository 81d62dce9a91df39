#include "warpwise/emulator/host_code/lane_code.hpp"

#include <algorithm>
#include <bit>

namespace warpwise::emulator {

namespace {

// Number of operations that next_use() searches for the next read of a value. A value that none of
// them reads is the first to be evicted from the CPU's registers.
constexpr std::size_t operations_looked_ahead = 64;
constexpr std::size_t never = ~std::size_t{0};
constexpr int vector_bytes = 32;

/// Calls body(operand, width) for each operand that an operation reads.
template <class Body>
void for_each_source(const LaneOperation& lane_operation, const Body& body) {
  const auto& [op, instruction] = lane_operation;
  const std::int32_t operands[] = {op.a, op.b, op.c, op.d};
  for (std::size_t i = 0; i < std::size(operands); ++i) {
    const Width width = instruction->widths[i + 2];
    if (width != Width::none && width != Width::predicate) body(operands[i], width);
  }
}

}  // namespace

Xbyak::Address LaneCode::table(Table which) {
  return to_.ptr[to_.rip + tables_ + vector_bytes * static_cast<int>(which)];
}

bool LaneCode::is_wide(std::int32_t operand) const {
  bool wide = false;
  for_each_source(operations_[at_], [&](std::int32_t each, Width width) {
    wide = wide || (each == operand && width == Width::w64);
  });
  return wide;
}

Xbyak::Address LaneCode::place(std::int32_t operand, int half) const {
  const bool is_constant = operand < 0;
  const int step =
      half < 0 ? vector_bytes * chunk_ : 2 * vector_bytes * chunk_ + vector_bytes * half;
  const int offset = (is_constant ? ~operand : operand) + step;
  return to_.ptr[(is_constant ? constants_ : registers_) + offset];
}

int LaneCode::find(std::int32_t operand, int half) const {
  for (int i = 0; i < first_scratch; ++i) {
    const Held& held = held_[static_cast<std::size_t>(i)];
    if (held.operand == operand && held.half == half) return i;
  }
  return -1;
}

/// Returns the index of the next operation that reads a value; `never` if it is overwritten first,
/// or not read soon.
std::size_t LaneCode::next_use(std::int32_t operand, std::size_t from) const {
  const std::size_t end = std::min(operations_.size(), from + operations_looked_ahead);
  for (std::size_t i = from; i < end; ++i) {
    bool reads = false;
    for_each_source(operations_[i],
                    [&](std::int32_t each, Width) { reads = reads || each == operand; });
    if (reads) return i;
    if (operations_[i].operation.dst == operand) return never;
  }
  return never;
}

void LaneCode::store(const Held& held, int i) {
  const Xbyak::Address to = place(held.operand, held.half);
  const Xbyak::Ymm value(i);
  if (!mask_) {
    to_.vmovdqu(to, value);
    return;
  }
  // Lanes outside the mask keep their old results.
  const Xbyak::Ymm mask(store_mask);
  const Xbyak::Ymm old(store_mask + 1);
  const auto words = to_.rsp + (*mask_ + vector_bytes * chunk_);
  if (held.half < 0)
    to_.vmovdqu(mask, to_.ptr[words]);
  else
    to_.vpmovsxdq(mask, to_.ptr[words + vector_bytes / 2 * held.half]);
  to_.vmovdqu(old, to);
  to_.vblendvps(old, old, value, mask);
  to_.vmovdqu(to, old);
}

/// Returns a register of the CPU for a new value. If none is free, evicts the value whose next use
/// is farthest away.
int LaneCode::take() {
  int best = -1;
  std::size_t farthest = 0;
  for (int i = 0; i < first_scratch; ++i) {
    const Held& held = held_[static_cast<std::size_t>(i)];
    if (held.is_used) continue;
    if (held.operand == Operation::none) {
      best = i;
      break;
    }
    const std::size_t next = next_use(held.operand, at_);
    if (best < 0 || next > farthest) {
      best = i;
      farthest = next;
    }
  }
  Held& held = held_[static_cast<std::size_t>(best)];
  if (held.is_new) store(held, best);
  held = {};
  held.is_used = true;
  return best;
}

Xbyak::Ymm LaneCode::load(std::int32_t operand, int half) {
  if (!is_wide(operand)) half = -1;
  int i = find(operand, half);
  if (i < 0) {
    i = take();
    held_[static_cast<std::size_t>(i)] = {operand, half, false, true};
    to_.vmovdqu(Xbyak::Ymm(i), place(operand, half));
  }
  held_[static_cast<std::size_t>(i)].is_used = true;
  return Xbyak::Ymm(i);
}

const Xbyak::Operand& LaneCode::source(std::int32_t operand, int half) {
  const bool again = operand >= 0 && next_use(operand, at_ + 1) != never;
  if (!is_wide(operand)) half = -1;
  if (again || find(operand, half) >= 0) return vectors_.emplace_back(load(operand, half));
  return addresses_.emplace_back(place(operand, half));
}

const Xbyak::Operand& LaneCode::four(std::int32_t operand, int i) {
  const int held = find(operand, -1);
  if (held < 0) {
    const int offset =
        (operand < 0 ? ~operand : operand) + vector_bytes * chunk_ + vector_bytes / 2 * half_;
    return addresses_.emplace_back(to_.ptr[(operand < 0 ? constants_ : registers_) + offset]);
  }
  held_[static_cast<std::size_t>(held)].is_used = true;
  if (half_ == 0) return vectors_.emplace_back(Xbyak::Xmm(held));
  to_.vextracti128(Xbyak::Xmm(first_scratch + i), Xbyak::Ymm(held), 1);
  return vectors_.emplace_back(Xbyak::Xmm(first_scratch + i));
}

void LaneCode::expand_predicate(std::int32_t operand) {
  const bool is_wide_result = operations_[at_].instruction->widths[0] == Width::w64;
  const int row = is_wide_result ? 4 + 2 * chunk_ + half_ : chunk_;
  const Xbyak::Address bits = to_.ptr[to_.rip + lane_bits_ + vector_bytes * row];
  const int offset = operand < 0 ? ~operand : operand;
  to_.vpbroadcastd(scratch(0), to_.dword[(operand < 0 ? constants_ : registers_) + offset]);
  to_.vpand(scratch(0), scratch(0), bits);
  to_.vpcmpeqd(scratch(0), scratch(0), bits);
}

void LaneCode::write_operation(std::size_t at) {
  at_ = at;
  op_ = &operations_[at].operation;
  const bool is_wide_result = operations_[at].instruction->widths[0] == Width::w64;
  std::array<Xbyak::Ymm, 2> results;
  for (half_ = 0; half_ < (is_wide_result ? 2 : 1); ++half_) {
    out_ = Xbyak::Ymm(take());
    results[static_cast<std::size_t>(half_)] = out_;
    operations_[at].instruction->emit(*this);
  }
  for (int half = 0; half < (is_wide_result ? 2 : 1); ++half) {
    const int key = is_wide_result ? half : -1;
    const int old = find(op_->dst, key);
    if (old >= 0) held_[static_cast<std::size_t>(old)] = {};
    held_[static_cast<std::size_t>(results[static_cast<std::size_t>(half)].getIdx())] = {
        op_->dst, key, true, false};
  }
  for (Held& held : held_) held.is_used = false;
  addresses_.clear();
  vectors_.clear();
}

void LaneCode::write(std::span<const LaneOperation> operations) {
  operations_ = operations;
  for (chunk_ = 0; chunk_ < warp_lanes / lanes_at_once; ++chunk_) {
    held_.fill({});
    for (std::size_t i = 0; i < operations.size(); ++i) write_operation(i);
    for (int i = 0; i < first_scratch; ++i) {
      const Held& held = held_[static_cast<std::size_t>(i)];
      if (held.is_new) store(held, i);
    }
  }
}

void LaneCode::write_mask(const Xbyak::Reg32& lanes) {
  to_.vmovd(Xbyak::Xmm(0), lanes);
  to_.vpbroadcastd(Xbyak::Ymm(0), Xbyak::Xmm(0));
  for (int k = 0; k < warp_lanes / lanes_at_once; ++k) {
    const Xbyak::Address bits = to_.ptr[to_.rip + lane_bits_ + vector_bytes * k];
    to_.vpand(Xbyak::Ymm(1), Xbyak::Ymm(0), bits);
    to_.vpcmpeqd(Xbyak::Ymm(1), Xbyak::Ymm(1), bits);
    to_.vmovdqu(to_.ptr[to_.rsp + (*mask_ + vector_bytes * k)], Xbyak::Ymm(1));
  }
  to_.vzeroupper();
}

void LaneCode::write_tables() {
  to_.align(64);
  to_.L(tables_);
  const auto row32 = [&](std::uint32_t bits) {
    for (int i = 0; i < 8; ++i) to_.dd(bits);
  };
  const auto row64 = [&](std::uint64_t bits) {
    for (int i = 0; i < 4; ++i) to_.dq(bits);
  };
  // In the order of Table.
  row32(0x7fffffffU);
  row32(0x80000000U);
  row32(0x7fffffffU);
  row32(std::bit_cast<std::uint32_t>(2147483648.0F));
  row64(std::uint64_t{1} << 63);
  row64(~(std::uint64_t{1} << 63));
  row64(std::uint64_t{1} << 51);
  row32(0xffffU);
  to_.L(lane_bits_);
  for (unsigned i = 0; i < warp_lanes; ++i) to_.dd(1U << i);
  for (unsigned i = 0; i < warp_lanes; ++i) {
    to_.dd(1U << i);
    to_.dd(1U << i);
  }
}

}  // namespace warpwise::emulator
