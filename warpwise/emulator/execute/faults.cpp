#include "warpwise/emulator/execute/faults.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <utility>

namespace warpwise::emulator {

SourcePlace place_of(const Code& code, const ptx::SourceLine& source) {
  return {code.file_of(source), source.line};
}

std::vector<SourcePlace> callers_of(const Code& code, const ptx::SourceLine& source) {
  std::vector<SourcePlace> callers;
  for (int at = source.caller; at >= 0;) {
    const ptx::SourceLine& caller = code.callers[static_cast<std::size_t>(at)];
    callers.push_back(place_of(code, caller));
    at = caller.caller;
  }
  return callers;
}

std::vector<std::string> functions_of(const Code& code, const ptx::SourceLine& source) {
  std::vector<std::string> functions;
  for (const ptx::SourceLine* at = &source;;
       at = &code.callers[static_cast<std::size_t>(at->caller)]) {
    const auto index = static_cast<std::size_t>(at->function);
    if (at->function >= 0 && index < code.functions_inlined.size() &&
        !code.functions_inlined[index].empty())
      functions.push_back(code.functions_inlined[index]);
    if (at->caller < 0) return functions;
  }
}

std::string line_text(const Code& code, std::uint32_t operation) {
  const ptx::SourceLine& source = code.lines[operation];
  const auto text = [](const SourcePlace& place) {
    return place.file + ":" + std::to_string(place.line);
  };
  const SourcePlace place = place_of(code, source);
  if (place.file.empty()) return "an unknown line";
  std::string result = text(place);
  for (const SourcePlace& caller : callers_of(code, source))
    result += ", called from " + text(caller);
  return result;
}

namespace {

bool is_known(const Launch& launch, FaultKind kind, const Operation& op) {
  if (launch.is_known == nullptr) return false;
  const Code& code = *launch.code;
  const ptx::SourceLine& source = code.lines[op.index];
  const SourcePlace place = place_of(code, source);
  Fault fault;
  fault.kind = kind;
  fault.file = place.file;
  fault.line = place.line;
  fault.called_from = callers_of(code, source);
  fault.functions = functions_of(code, source);
  return launch.is_known(code.info.name, fault);
}

}  // namespace

void record_fault(Warp& warp, const Operation& op, FaultKind kind, int lane, std::string message) {
  FaultRecord& record = warp.worker->faults[{kind, op.index}];
  if (record.count == 0) record.is_known = is_known(*warp.worker->launch, kind, op);
  const std::uint64_t block = warp.block->linear;
  const std::uint32_t thread = warp.thread(lane);
  if (record.count == 0 || std::pair(block, thread) < std::pair(record.block, record.thread)) {
    record.block = block;
    record.thread = thread;
    record.message = std::move(message);
  }
  ++record.count;
  if (record.is_known) return;
  Progress& progress = *warp.worker->launch->progress;
  if (progress.faults.fetch_add(1, std::memory_order_relaxed) + 1 < most_faults) return;
  progress.stop = true;
  warp.turn_ends = 0;
}

std::vector<Fault> collect_faults(const Launch& launch, std::span<Worker* const> workers) {
  struct Key {
    FaultKind kind;
    SourcePlace place;
    std::vector<SourcePlace> called_from;
    std::vector<std::string> functions;
    auto operator<=>(const Key&) const = default;
  };
  std::map<Key, FaultRecord> merged;
  for (const Worker* worker : workers) {
    for (const auto& [where, record] : worker->faults) {
      const ptx::SourceLine& source = launch.code->lines[where.second];
      FaultRecord& to =
          merged[{where.first, place_of(*launch.code, source), callers_of(*launch.code, source),
                  functions_of(*launch.code, source)}];
      const std::uint64_t count = to.count + record.count;
      if (to.count == 0 || std::pair(record.block, record.thread) < std::pair(to.block, to.thread))
        to = record;
      to.count = count;
    }
  }
  // A fault that stopped the launch is always reported.
  const bool has_race = launch.progress->faults < most_faults &&
                        std::any_of(
                            merged.begin(), merged.end(),
                            [](const auto& each) { return each.first.kind == FaultKind::race; });
  std::vector<Fault> faults;
  for (const auto& [key, record] : merged) {
    if (has_race && record.may_follow_from_race) continue;
    faults.push_back({key.kind, place_in(record.thread, launch.block),
                      place_in(record.block, launch.grid), key.place.file, key.place.line,
                      record.count, record.message, key.called_from, key.functions});
  }
  return faults;
}

}  // namespace warpwise::emulator
