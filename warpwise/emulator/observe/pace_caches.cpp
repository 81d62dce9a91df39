// Decides which accesses hit L1 and L2, and counts the sectors that go to L2 and DRAM.

#include <algorithm>
#include <bit>
#include <bitset>

#include "warpwise/emulator/observe/pace.hpp"

namespace warpwise::emulator {
namespace {

constexpr std::uint64_t words_of_a_line = 32;
// Number of a warp's stores that L1 can hold back to merge them; measured on an H200.
constexpr int merging_stores = 4;

// Returns the sectors of a line that hold the given words.
std::uint32_t sectors_of_words(std::uint32_t words) {
  std::uint32_t sectors = 0;
  for (std::uint32_t sector = 0; sector < Pace::line_bytes / Pace::sector_bytes; ++sector)
    if ((words >> 8 * sector & 0xff) != 0) sectors |= 1U << sector;
  return sectors;
}

// Returns the sectors of a line of which only some bytes are set.
std::uint32_t partial_sectors(const std::bitset<128>& bytes) {
  std::uint32_t partial = 0;
  for (std::uint64_t sector = 0; sector < Pace::line_bytes / Pace::sector_bytes; ++sector) {
    std::uint64_t filled = 0;
    for (std::uint64_t i = 0; i < Pace::sector_bytes; ++i)
      filled += bytes[sector * Pace::sector_bytes + i] ? 1 : 0;
    if (filled > 0 && filled < Pace::sector_bytes) partial |= 1U << sector;
  }
  return partial;
}

}  // namespace

const Pace::Lines& Pace::touched(const Access& access) {
  touched_.clear();
  for (Mask left = access.lanes; left != 0; left &= left - 1) {
    const std::uint64_t first = access.addresses[std::countr_zero(left)] / sector_bytes;
    const std::uint64_t last =
        (access.addresses[std::countr_zero(left)] + static_cast<std::uint64_t>(access.bytes) - 1) /
        sector_bytes;
    constexpr std::uint64_t in_line = line_bytes / sector_bytes;
    for (std::uint64_t sector = first; sector <= last; ++sector)
      touched_[sector / in_line] |= 1U << sector % in_line;
  }
  return touched_;
}

Pace::SectorMask Pace::missing_in_l1(BlockClock& block, Line line, SectorMask sectors) {
  if (model_.l1_bytes == 0) return sectors;
  const auto [held, is_new] = block.l1.try_emplace(line, 0);
  const SectorMask missing = sectors & ~held->second;
  held->second |= sectors;
  if (is_new) block.oldest.push_back({line});
  if (block.oldest.size() * line_bytes > model_.l1_bytes) {
    block.l1.erase(block.oldest.front().line);
    block.oldest.pop_front();
  }
  return missing;
}

void Pace::request(const Block& block, BlockClock& clock, Line line, SectorMask sectors) {
  counts_.l2_read_sectors += sectors_in(sectors);
  ++counts_.l2_read_lines;
  SectorMask& before = clock.requested[line];
  counts_.repeated_read_sectors += sectors_in(sectors & before);
  before |= sectors;
  const auto [found, is_new] = readers_.try_emplace(
      line, Readers{.first = block.linear, .near = block.linear, .near_last = block.linear});
  Readers& readers = found->second;
  readers.requested += sectors_in(sectors);
  if (!is_new && readers.last != block.linear && !are_distant(readers.last, block.linear))
    counts_.shared_read_sectors += sectors_in(sectors);
  readers.last = block.linear;
  if (!readers.are_distant && are_distant(readers.first, block.linear)) {
    readers.are_distant = true;
    ++counts_.common_lines;
  }
  if (!readers.are_distant) return;
  ++counts_.common_read_lines;
  counts_.common_read_sectors += sectors_in(sectors);
}

void Pace::note_words(const Block& reader, const Access& access) {
  for (const auto& [line, sectors] : touched_) {
    Readers& readers = readers_[line];
    if (!are_distant(readers.near, reader.linear)) {
      if (readers.near_last != reader.linear)
        readers.near_shared |= sectors & sectors_of_words(readers.words);
      readers.near_last = reader.linear;
      continue;
    }
    readers.partly += partly_read(readers);
    readers.near = readers.near_last = reader.linear;
    readers.near_shared = 0;
    readers.words = 0;
  }
  for (Mask left = access.lanes; left != 0; left &= left - 1) {
    const std::uint64_t first = access.addresses[std::countr_zero(left)];
    const std::uint64_t last = first + static_cast<std::uint64_t>(access.bytes) - 1;
    for (std::uint64_t word = first / 4; word <= last / 4; ++word)
      readers_[word / words_of_a_line].words |= 1U << word % words_of_a_line;
  }
}

double Pace::load(const Block& reader, BlockClock& block, const Access& access) {
  double cycles = model_.l1_cycles;
  for (const auto& [line, sectors] : touched(access)) {
    const SectorMask missing = missing_in_l1(block, line, sectors);
    if (missing == 0) continue;
    request(reader, block, line, missing);
    SectorMask& known = read_[line];
    counts_.distinct_read_sectors += sectors_in(missing & ~requested_[line]);
    requested_[line] |= missing;
    const bool in_l2 = (missing & ~known) == 0;
    const SectorMask moved = whole_dram_accesses(missing & ~known);
    readers_[line].dram |= moved & ~known;
    known |= moved;
    cycles = std::max(cycles, in_l2 ? model_.l2_cycles : model_.dram_cycles);
  }
  note_words(reader, access);
  // Lines pass through L1 one after another.
  return cycles + static_cast<double>(touched_.size()) - 1;
}

double Pace::local(BlockClock& block, const Warp& warp, const Access& access) {
  constexpr Line of_local_memory = Line{1} << 63;
  constexpr int lanes_in_sector = sector_bytes / 4;
  double cycles = model_.l1_cycles;
  touched_.clear();
  for (Mask left = access.lanes; left != 0; left &= left - 1) {
    const std::uint64_t first = access.addresses[std::countr_zero(left)];
    for (std::uint64_t at = first; at < first + static_cast<std::uint64_t>(access.bytes); at += 4)
      touched_[of_local_memory | static_cast<Line>(warp.index) << 32 | at / 4] |=
          1U << std::countr_zero(left) / lanes_in_sector;
  }
  for (const auto& [line, sectors] : touched_) {
    const SectorMask missing = missing_in_l1(block, line, sectors);
    if (access.kind == AccessKind::store) {
      // L1 writes stores through.
      ++counts_.l2_written_lines;
      counts_.l2_written_sectors += sectors_in(sectors);
    } else if (missing != 0) {
      ++counts_.l2_read_lines;
      counts_.l2_read_sectors += sectors_in(missing);
      cycles = model_.l2_cycles;
    }
  }
  counts_.l1_passes += touched_.size();
  return cycles + static_cast<double>(touched_.size()) - 1;
}

Pace::SectorMask Pace::whole_dram_accesses(SectorMask sectors) const {
  if (model_.dram_sectors == 1) return sectors;
  constexpr SectorMask first_of_pairs = 0b0101;
  const SectorMask pairs = (sectors | sectors >> 1) & first_of_pairs;
  return pairs | pairs << 1;
}

void Pace::send(WarpClock& warp, Line line, SectorMask sectors) {
  SectorMask& merged = warp.merged_stores[line];
  const bool merges =
      warp.stores_since <= merging_stores && touched_.size() <= std::size_t{merging_stores};
  const SectorMask sent = merges ? sectors & ~merged : sectors;
  merged |= sectors;
  counts_.l2_written_sectors += sectors_in(sent);
  counts_.l2_written_lines += sent == 0 ? 0 : 1;
  warp.merged_sectors += sectors_in(sectors & ~sent);
  warp.merged_lines += sent == 0 ? 1 : 0;
}

void Pace::store(const Block& writer, BlockClock& block, WarpClock& warp, const Access& access) {
  if (++warp.stores_since == merging_stores + 1) {
    // L1 does not merge so many stores, so the sectors saved so far are sent too.
    counts_.l2_written_sectors += warp.merged_sectors;
    counts_.l2_written_lines += warp.merged_lines;
  }
  for (const auto& [line, sectors] : touched(access)) {
    if (access.kind == AccessKind::store) send(warp, line, sectors);
    const auto [found, is_new] = written_.try_emplace(line);
    WrittenLine& written = found->second;
    if (is_new) written.near = written.near_last = writer.linear;
    if (are_distant(written.near, writer.linear)) {
      counts_.dram_partly_written_sectors += partly_written(written);
      written.near_bytes.reset();
      written.near = writer.linear;
      written.near_touched = written.near_shared = 0;
    }
    if (written.near_last != writer.linear) written.near_shared |= sectors & written.near_touched;
    written.near_last = writer.linear;
    written.near_touched |= sectors;
    written.read_before |= sectors & read_[line] & ~written.touched;
    written.touched |= sectors;
    // The written sectors are now in L2: a later load of them reads no DRAM.
    read_[line] |= sectors;
    // A store updates the sectors that L1 holds. An atomic changes L2 only, so L1 drops them.
    const auto held = block.l1.find(line);
    if (held != block.l1.end() && access.kind == AccessKind::atomic) held->second &= ~sectors;
  }
  for (Mask left = access.lanes; left != 0; left &= left - 1) {
    const std::uint64_t first = access.addresses[std::countr_zero(left)];
    for (std::uint64_t at = first; at < first + static_cast<std::uint64_t>(access.bytes); ++at) {
      WrittenLine& written = written_[at / line_bytes];
      written.bytes.set(at % line_bytes);
      written.near_bytes.set(at % line_bytes);
    }
  }
}

std::uint64_t Pace::partly_written(const WrittenLine& line) const {
  return sectors_in(whole_dram_accesses(partial_sectors(line.near_bytes) &
                                        ~whole_dram_accesses(line.near_shared)));
}

std::uint64_t Pace::partly_read(const Readers& line) const {
  constexpr std::uint32_t words_of_a_sector = 8, all_words = 0xff;
  SectorMask partial = 0;
  for (std::uint32_t sector = 0; sector < line_bytes / sector_bytes; ++sector) {
    const std::uint32_t of_sector = line.words >> words_of_a_sector * sector & all_words;
    if (of_sector != 0 && of_sector != all_words) partial |= 1U << sector;
  }
  return sectors_in(whole_dram_accesses(partial & ~whole_dram_accesses(line.near_shared)));
}

void Pace::add_stores_to(PaceCounts& counts) const {
  for (const auto& [line, written] : written_) {
    const SectorMask partial = partial_sectors(written.bytes);
    counts.dram_written_sectors += sectors_in(whole_dram_accesses(written.touched));
    counts.dram_filled_sectors += sectors_in(whole_dram_accesses(partial & ~written.read_before));
    counts.dram_partly_written_sectors += partly_written(written);
  }
}

}  // namespace warpwise::emulator
