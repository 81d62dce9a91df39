#include "warpwise/emulator/decode/decoder.hpp"

// Asynchronous copies, their groups, and mbarriers. The emulator does the copies at once.

#include <utility>

#include "warpwise/emulator/decode/flags.hpp"
#include "warpwise/emulator/decode/select.hpp"
#include "warpwise/emulator/instructions/copies/async_groups.hpp"
#include "warpwise/emulator/instructions/copies/copy_async.hpp"
#include "warpwise/emulator/instructions/copies/mbarrier.hpp"
#include "warpwise/emulator/instructions/lanes/lanes.hpp"

namespace warpwise::emulator {

void Decoder::decode_copy_async() {
  if (!has("async")) refuse("");
  if (has("prefetch")) {
    emit_nothing(InstructionClass::control);
    return;
  }
  if (has("commit_group") || has("wait_group") || has("wait_all")) {
    decode_async_group(has("bulk") ? Asynchronous::bulk : Asynchronous::copy);
    return;
  }
  if (has("tensor")) {
    decode_copy_tensor();
    return;
  }
  if (has("bulk")) {
    decode_copy_bulk();
    return;
  }
  if (has("mbarrier")) {
    decode_copy_arrival();
    return;
  }
  if (!has("ca") && !has("cg")) refuse("");
  const Address to = address(operand(0), Space::shared);
  const Address from = address(operand(1), Space::global);
  if (from.is_32_bits) malformed("has a 32-bit global address");
  const Operand& size = operand(2);
  if (size.kind != Operand::Kind::integer ||
      (size.value != 4 && size.value != 8 && size.value != 16)) {
    malformed("copies 4, 8 or 16 bytes");
  }
  std::int32_t read_bytes = constant(size.value, Width::w32);
  // A cache policy of 64 bits may follow.
  if (current_->operands.size() > 3 && register_width(operand(3)) != Width::w64) {
    Operand bytes = operand(3);
    if (register_width(bytes) == Width::predicate) {  // true: the source is not read
      bytes = temporary(Width::w32);
      decode_as("selp", {"b32"}, {bytes, integer_operand(0), size, operand(3)});
    }
    read_bytes = read(bytes, Width::w32);
  }
  const std::int32_t added = constant(static_cast<std::uint64_t>(from.offset), Width::w64);
  Operation& op = emit(copy_async_handler(observers_), InstructionClass::load);
  op.bytes = static_cast<std::uint8_t>(size.value);
  op.list = new_list({from.base, added, read_bytes});
  set_address(op, to, InstructionClass::store);
  new_site(InstructionClass::load);
}

void Decoder::decode_async_group(Asynchronous what) {
  GroupFlags flags;
  flags.what = what;
  flags.waits = has("commit_group") ? 0 : 1;
  flags.commits = has("wait_group") ? 0 : 1;
  flags.reads_only = has("read") ? 1 : 0;
  if (has("wait_group")) {
    if (operand(0).kind != Operand::Kind::integer)
      malformed("needs a literal number of groups to wait for");
    flags.left = static_cast<std::uint32_t>(operand(0).value) & GroupFlags::most_left;
  }
  Operation& op = emit(async_group_handler(observers_), InstructionClass::control);
  op.flags = packed_flags(flags);
}

/// Returns an address as a 64-bit value, with its offset added.
std::int32_t Decoder::address_value(const Address& at) {
  std::int32_t base = at.base;
  const auto emit_sum = [&](const char* name, std::int32_t b) {
    Accesses own = std::exchange(accesses_, {});
    accesses_.reads.push_back(base);
    const std::int32_t result = new_register(Width::w64);
    accesses_.writes.push_back(result);
    Operation& op = emit(lane_operations().at(name).handler, InstructionClass::integer);
    op.dst = result;
    op.a = base;
    op.b = b == Operation::none ? base : b;
    accesses_ = std::move(own);
    accesses_.reads.push_back(result);
    base = result;
  };
  if (at.is_32_bits) emit_sum("cvt.u64.u32", Operation::none);
  if (at.offset != 0)
    emit_sum("add.u64", constant(static_cast<std::uint64_t>(at.offset), Width::w64));
  return base;
}

/// Decodes st.async and red.async: the access, and the report of its bytes to an mbarrier.
void Decoder::decode_store_async() {
  if (stated_space() != Space::cluster) refuse("");
  const Operand& value = operand(1);
  const std::size_t elements = value.kind == Operand::Kind::vector ? value.elements.size() : 1;
  const auto bytes = static_cast<std::uint64_t>(type_bits(type()) / 8) * elements;
  const Operand& object = operand(2);
  current_->opcode == "st" ? decode_access(false) : decode_atomic(false);
  MbarrierFlags flags;
  flags.kind = MbarrierKind::complete;
  emit_mbarrier(flags, object, Operation::none, Operation::none, constant(bytes, Width::w32));
}

/// Decodes clusterlaunchcontrol, which cancels a block that has not begun, so that the caller can
/// do that block's work. The emulator answers as if all blocks had begun, with 16 bytes of zero.
void Decoder::decode_launch_control() {
  if (has("multicast::cluster::all")) refuse("");
  const Operand zero = integer_operand(0);
  if (has("try_cancel")) {
    Operand answer;
    answer.kind = Operand::Kind::vector;
    answer.elements.assign(4, zero);
    decode_as("st", {"shared", "v4", "b32"}, {operand(0), answer});
    MbarrierFlags flags;
    flags.kind = MbarrierKind::complete;
    emit_mbarrier(flags, operand(1), Operation::none, Operation::none, constant(16, Width::w32));
  } else if (has("is_canceled")) {
    decode_as("setp", {"ne", "b32"}, {operand(0), zero, zero});
  } else {
    const std::vector<Operand> parts =
        operand(0).kind == Operand::Kind::vector ? operand(0).elements : std::vector{operand(0)};
    for (const Operand& each : parts)
      if (each.kind != Operand::Kind::sink) decode_as("mov", {"b32"}, {each, zero});
  }
}

/// Decodes cp.async.mbarrier.arrive. Earlier copies are already done. Without .noinc the
/// instruction first adds one to the arrivals that the phase waits for.
void Decoder::decode_copy_arrival() {
  MbarrierFlags flags;
  flags.kind = has("noinc") ? MbarrierKind::arrive : MbarrierKind::track;
  flags.tracks = 1;
  emit_mbarrier(flags, operand(0), Operation::none, Operation::none, Operation::none);
}

void Decoder::emit_mbarrier(MbarrierFlags flags, const Operand& object, std::int32_t result,
                            std::int32_t value, std::int32_t bytes) {
  const Address at = address(object, stated_space().value_or(Space::generic));
  Operation& op = emit(mbarrier_handler(observers_), InstructionClass::barrier);
  op.dst = result;
  op.b = value;
  op.c = bytes;
  op.strong = true;
  op.releases = !has("relaxed");
  op.flags = packed_flags(flags);
  set_address(op, at, InstructionClass::atomic);
}

void Decoder::decode_mbarrier() {
  const std::string& what = current_->modifiers.empty() ? current_->opcode : current_->modifiers[0];
  const std::size_t count = current_->operands.size();
  if (what == "pending_count") {
    const std::int32_t result = write(operand(0), Width::w32);
    const std::int32_t state = read(operand(1), Width::w64);
    Operation& op = emit(pending_count_handler(), InstructionClass::barrier);
    op.dst = result;
    op.a = state;
    return;
  }
  MbarrierFlags flags;
  const std::int32_t none = Operation::none;
  if (what == "init") {
    flags.kind = MbarrierKind::init;
    emit_mbarrier(flags, operand(0), none, read(operand(1), Width::w32), none);
  } else if (what == "inval") {
    flags.kind = MbarrierKind::inval;
    emit_mbarrier(flags, operand(0), none, none, none);
  } else if (what == "expect_tx" || what == "complete_tx") {
    flags.kind = what == "expect_tx" ? MbarrierKind::expect : MbarrierKind::complete;
    emit_mbarrier(flags, operand(0), none, none, read(operand(1), Width::w32));
  } else if (what == "arrive" || what == "arrive_drop") {
    flags.kind = MbarrierKind::arrive;
    flags.drops = what == "arrive_drop" ? 1 : 0;
    flags.expects = has("expect_tx") ? 1 : 0;
    const std::size_t object = operand(0).kind == Operand::Kind::address ? 0 : 1;
    const bool wants_state = object == 1 && operand(0).kind != Operand::Kind::sink;
    const std::int32_t state = wants_state ? write(operand(0), Width::w64) : none;
    const std::int32_t last = object + 1 < count ? read(operand(object + 1), Width::w32) : none;
    emit_mbarrier(flags, operand(object), state, flags.expects != 0 ? none : last,
                  flags.expects != 0 ? last : none);
  } else if (what == "test_wait" || what == "try_wait") {
    flags.kind = MbarrierKind::test;
    flags.by_parity = has("parity") ? 1 : 0;
    flags.wide_operand = 1U - flags.by_parity;
    const std::int32_t done = write(operand(0), Width::predicate);
    const std::int32_t phase = read(operand(2), flags.by_parity != 0 ? Width::w32 : Width::w64);
    emit_mbarrier(flags, operand(1), done, phase, none);
  } else {
    refuse("");
  }
}

}  // namespace warpwise::emulator
