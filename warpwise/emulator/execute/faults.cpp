#include "warpwise/emulator/execute/faults.hpp"

#include <compare>
#include <map>
#include <utility>

namespace warpwise::emulator {

void record_fault(Warp& warp, const Operation& op, FaultKind kind, int lane, std::string message) {
  FaultRecord& record = warp.worker->faults[{kind, op.index}];
  const std::uint64_t block = warp.block->linear;
  const std::uint32_t thread = warp.thread(lane);
  if (record.count == 0 || std::pair(block, thread) < std::pair(record.block, record.thread)) {
    record.block = block;
    record.thread = thread;
    record.message = std::move(message);
  }
  ++record.count;
}

std::vector<Fault> collect_faults(const Launch& launch, std::span<Worker* const> workers) {
  struct Key {
    FaultKind kind;
    std::string file;
    int line;
    auto operator<=>(const Key&) const = default;
  };
  std::map<Key, FaultRecord> merged;
  for (const Worker* worker : workers) {
    for (const auto& [where, record] : worker->faults) {
      const ptx::SourceLine& source = launch.code->lines[where.second];
      FaultRecord& to = merged[{where.first, launch.code->file_of(source), source.line}];
      const std::uint64_t count = to.count + record.count;
      if (to.count == 0 || std::pair(record.block, record.thread) < std::pair(to.block, to.thread))
        to = record;
      to.count = count;
    }
  }
  std::vector<Fault> faults;
  for (const auto& [key, record] : merged) {
    faults.push_back({key.kind, place_in(record.thread, launch.block),
                      place_in(record.block, launch.grid), key.file, key.line, record.count,
                      record.message});
  }
  return faults;
}

}  // namespace warpwise::emulator
