#include "warpwise/emulator/instructions/copies/mbarrier.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "warpwise/emulator/execute/access.hpp"
#include "warpwise/emulator/execute/faults.hpp"
#include "warpwise/emulator/execute/mbarrier_object.hpp"
#include "warpwise/emulator/instructions/operands.hpp"
#include "warpwise/emulator/observe/sets.hpp"

namespace warpwise::emulator {
namespace {

/// Applies one lane's operation to an mbarrier. The operation's result goes to `out`. Returns the
/// error, or an empty text.
std::string apply(MbarrierObject& object, MbarrierFlags flags, std::uint64_t operand,
                  std::uint32_t bytes, std::uint64_t& out) {
  switch (flags.kind) {
    case MbarrierKind::init: {
      const auto count = static_cast<std::uint32_t>(operand);
      if (count == 0 || count > MbarrierObject::most_arrivals) {
        return "mbarrier.init with a count of " + std::to_string(count) +
               " arrivals: the count must be 1 to " + std::to_string(MbarrierObject::most_arrivals);
      }
      object = MbarrierObject::of(count);
      break;
    }
    case MbarrierKind::inval: object = {}; break;
    case MbarrierKind::track: break;
    case MbarrierKind::expect: return object.expect(bytes) ? "" : too_many_expected(bytes, object);
    case MbarrierKind::complete: return object.complete(bytes) ? "" : too_many_come(bytes, object);
    case MbarrierKind::arrive: {
      out = object.bits;
      if (flags.expects != 0 && !object.expect(bytes)) return too_many_expected(bytes, object);
      if (object.arrive(static_cast<std::uint32_t>(operand), flags.drops != 0)) return {};
      return std::to_string(operand) + " arrivals at an mbarrier that waits for " +
             std::to_string(object.pending());
    }
    case MbarrierKind::test:
      out = flags.by_parity != 0 ? object.phase() != (operand & 1)
                                 : object.phase() != MbarrierObject{operand}.phase();
      break;
  }
  return {};
}

std::uint64_t operand_of(const Warp& warp, const Operation& op, MbarrierFlags flags, int lane) {
  if (op.b == Operation::none) return 1;
  return flags.wide_operand != 0 ? source<std::uint64_t>(warp, op.b)[lane]
                                 : source<std::uint32_t>(warp, op.b)[lane];
}

void add_phase(std::vector<MbarrierPhase>& phases, const MbarrierPhase& phase) {
  const auto is_same = [&](const MbarrierPhase& each) {
    return each.owner == phase.owner && each.address == phase.address;
  };
  if (std::none_of(phases.begin(), phases.end(), is_same)) phases.push_back(phase);
}

template <class Observers>
void mbarrier(Warp& warp, const Operation& op) {
  const auto flags = flags_of<MbarrierFlags>(op);
  alignas(64) std::uint64_t addresses[warp_lanes];
  load_addresses(warp, op, addresses);
  alignas(64) std::uint64_t out[warp_lanes] = {};
  Mask tested = 0;
  if (flags.kind == MbarrierKind::test)
    note_poll(warp, op, addresses);
  else
    warp.wrote = true;
  std::vector<MbarrierPhase> ended;
  for_each_space(op.space, addresses, warp.active, [&](Space space, Mask lanes) {
    if (space != Space::shared && space != Space::cluster) {
      record_fault(warp, op, FaultKind::out_of_bounds, std::countr_zero(lanes),
                   "an mbarrier that does not lie in shared memory");
      return;
    }
    const Request request{space, AccessKind::atomic, 8, addresses, lanes};
    serve<Observers>(warp, op, op.site, request, [&](const Resolved& place) {
      for (Mask left = place.valid; left != 0; left &= left - 1) {
        const int i = std::countr_zero(left);
        MbarrierObject object;
        std::memcpy(&object, place.base + place.at[i], sizeof(object));
        const MbarrierPhase phase = phase_at(warp, request, place, i, object);
        if (flags.tracks != 0)
          Observers::of(warp).on_mbarrier_track(warp, Asynchronous::copy, Mask{1} << i, phase);
        const std::uint64_t operand = operand_of(warp, op, flags, i);
        const std::uint32_t bytes =
            op.c == Operation::none ? 0 : source<std::uint32_t>(warp, op.c)[i];
        std::string wrong = apply(object, flags, operand, bytes, out[i]);
        if (!wrong.empty()) record_fault(warp, op, FaultKind::barrier, i, std::move(wrong));
        if (flags.kind != MbarrierKind::test)
          std::memcpy(place.base + place.at[i], &object, sizeof(object));
        if (flags.kind != MbarrierKind::test || out[i] == 0) continue;
        tested |= Mask{1} << i;
        add_phase(ended, {phase.owner, phase.address, phase.parity ^ 1});
      }
    });
  });
  for (const MbarrierPhase& phase : ended) Observers::of(warp).on_mbarrier_end(warp, phase);
  if (flags.kind == MbarrierKind::test) {
    set_predicate(warp, op.dst, tested);
  } else if (op.dst != Operation::none) {
    write_lanes(warp, op.dst, out);
  }
}

void pending_count(Warp& warp, const Operation& op) {
  const auto* state = source<std::uint64_t>(warp, op.a);
  alignas(64) std::uint32_t out[warp_lanes];
  for (int i = 0; i < warp_lanes; ++i) out[i] = MbarrierObject{state[i]}.pending();
  write_lanes(warp, op.dst, out);
}

}  // namespace

Handler mbarrier_handler(ObserverSet observers) {
  return with_observers(observers,
                        [](auto set) -> Handler { return mbarrier<typename decltype(set)::type>; });
}

Handler pending_count_handler() { return pending_count; }

}  // namespace warpwise::emulator
