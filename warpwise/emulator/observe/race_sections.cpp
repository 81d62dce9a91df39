#include "warpwise/emulator/observe/race_sections.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

namespace warpwise::emulator {

std::uint32_t CriticalSections::barriers_of(Lane lane) const {
  const auto found = barriers_.find({lane.block, lane.thread / warp_lanes});
  return found == barriers_.end() ? 0 : found->second;
}

std::map<CriticalSections::Lane, CriticalSections::Section>::iterator CriticalSections::close(
    std::map<Lane, Section>::iterator section) {
  accesses_ -= section->second.accesses.size();
  return open_.erase(section);
}

void CriticalSections::begin(Lane lane, std::uint64_t place, std::uint64_t expected, Fence fence) {
  if (const auto found = open_.find(lane); found != open_.end()) close(found);
  open_[lane] = {{place, expected}, fence, {}};
}

bool CriticalSections::end(Lane lane, std::uint64_t place, std::uint64_t value) {
  const auto found = open_.find(lane);
  if (found == open_.end() || found->second.place != Place{place, value}) return false;
  auto& words = ended_[found->second.place];
  for (const auto& [word, guarded] : found->second.accesses) {
    const auto [at, is_new] = words.try_emplace(word);
    accesses_ += is_new ? 1 : 0;
    at->second[static_cast<std::size_t>(guarded.fence) * 2 + (guarded.writes ? 1 : 0)] = guarded;
  }
  close(found);
  return true;
}

void CriticalSections::on_fence(Lane lane, Fence fence) {
  if (const auto found = open_.find(lane); found != open_.end())
    found->second.fence = std::max(found->second.fence, fence);
}

const CriticalSections::Guarded* CriticalSections::access(Lane lane, std::uint64_t word,
                                                          Touch touch, bool writes) {
  const auto open = open_.find(lane);
  if (open == open_.end()) return nullptr;
  Section& own = open->second;
  barriers_.try_emplace({lane.block, lane.thread / warp_lanes});
  own.accesses.push_back({word, {lane, touch, writes, own.fence, barriers_of(lane)}});
  if (++accesses_ > most_accesses) {
    clear();
    return nullptr;
  }
  const auto place = ended_.find(own.place);
  if (place == ended_.end()) return nullptr;
  const auto found = place->second.find(word);
  if (found == place->second.end()) return nullptr;
  for (const Guarded& each : found->second) {
    if ((each.touch.mask() & touch.mask()) == 0 || each.lane == lane || !(each.writes || writes))
      continue;
    if (each.barriers != barriers_of(each.lane)) continue;
    const Fence needed = each.lane.block == lane.block ? Fence::block : Fence::device;
    if (std::min(each.fence, own.fence) < needed) return &each;
  }
  return nullptr;
}

void CriticalSections::forget(std::uint64_t block, Mask warps) {
  if (open_.empty() && ended_.empty()) return;
  for (auto at = open_.lower_bound({block, 0}); at != open_.end() && at->first.block == block;)
    at = (warps >> at->first.thread / warp_lanes & 1) != 0 ? close(at) : std::next(at);
  for (auto at = barriers_.lower_bound({block, 0});
       at != barriers_.end() && at->first.first == block; ++at)
    at->second += warps >> at->first.second & 1;
}

}  // namespace warpwise::emulator
