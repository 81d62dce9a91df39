#pragma once

// Internal to the emulator: models the time of a block that runs alone, and its requests to L2 and
// DRAM.

#include <array>
#include <bit>
#include <bitset>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "warpwise/emulator/observe/atomic_kinds.hpp"
#include "warpwise/emulator/observe/observer.hpp"
#include "warpwise/emulator/observe/unrolled_loops.hpp"
#include "warpwise/rules/machine_code.hpp"

namespace warpwise::emulator {

/// Follows a clock for each warp.
///
/// - An instruction issues when the last register that it reads is ready. Instructions that need
///   not wait issue one per cycle.
/// - An instruction that waits delays no later instruction before the next branch, because the
///   compiler moves those in front of it. No load moves before a store to the same kind of memory.
/// - The branch back of an unrolled loop counts only where machine code still has it. A branch over
///   a few instructions does not count, because the compiler makes these instructions conditional
///   in its place.
/// - A barrier sets the clocks of its block's warps to the latest one. It waits for accesses to
///   begin, and not for arithmetic, which the compiler moves behind it. It takes longer if the
///   block has more warps.
/// - A load is ready after the latency of the farthest level that it needs: the block's share of
///   L1, which evicts the oldest lines first; L2, which holds everything that any block has
///   touched; or DRAM.
///
/// Fills in LaunchResult::pace. It is a model: warps do not compete for units (the counts give the
/// units' load), blocks of an SM share nothing, and L2 evicts nothing.
class Pace : public Observer {
 public:
  static constexpr bool follows_texels = true;
  static constexpr std::uint64_t line_bytes = 128;
  static constexpr std::uint64_t sector_bytes = 32;

  explicit Pace(const Launch& launch);

  void on_block_begin(Block& block);
  void on_block_end(Block& block);
  void on_execute(Warp& warp, const Operation& op, Mask lanes);
  void after_access(Warp& warp, const Operation& op, const Access& access);
  void on_texture_read(Warp& warp, const Operation& op, const TextureRead& read);
  void on_barrier_complete(Block& block, std::uint32_t barrier);

  static void collect(const Launch& launch, const std::vector<const Pace*>& workers,
                      LaunchResult& result);

 private:
  using Line = std::uint64_t;        ///< an address divided by 128
  using SectorMask = std::uint32_t;  ///< a bit for each of a line's four sectors
  using Lines = std::unordered_map<Line, SectorMask>;
  static std::uint64_t sectors_in(SectorMask mask) {
    return static_cast<std::uint64_t>(std::popcount(mask));
  }
  /// A line that blocks wrote to. The writing blocks form groups: a block that is distant from the
  /// current group's first block (see are_distant()) begins a new group.
  struct WrittenLine {
    std::bitset<128> bytes;       ///< bytes that any block wrote
    std::bitset<128> near_bytes;  ///< bytes that the current group wrote
    std::uint64_t near = 0;       ///< index of the current group's first block
    std::uint64_t near_last = 0;  ///< index of the block that wrote to the line last
    SectorMask near_touched = 0;  ///< sectors that the current group wrote to
    SectorMask near_shared = 0;   ///< sectors that several blocks of the current group wrote to
    SectorMask touched = 0;       ///< sectors that any block wrote to
    SectorMask read_before = 0;   ///< sectors that L2 had when a store first touched them
  };
  /// Atomic operations on a word, or on the addresses of a part of L2.
  struct AtomicPlace {
    double cycles = 0;                        ///< cycles that L2 takes for the operations
    std::uint64_t first = ~std::uint64_t{0};  ///< least index of a block that uses the place
    std::uint64_t last = 0;                   ///< greatest index of a block that uses the place
  };

  // A separate type, because std::deque<Line> would make the library export its functions.
  struct KeptLine {
    Line line = 0;
  };
  /// Accesses to neighbouring words of shared memory that the compiler may join: a warp's loads
  /// since its last branch, barrier, atomic or store; or stores since its last branch, barrier,
  /// atomic or load.
  struct WideAccess {
    std::array<std::uint64_t, warp_lanes> addresses{};  ///< addresses of each lane's first byte
    Mask lanes = 0;
    int word = 0;    ///< bytes that one access moves for a lane
    int bytes = 0;   ///< bytes that all accesses so far move for a lane
    int widest = 0;  ///< most bytes that the addresses' alignment allows
    int passes = 0;  ///< passes of shared memory for all accesses so far
  };
  struct WarpClock {
    double now = 0;      ///< earliest cycle of its next instruction
    double issued = 0;   ///< cycle of its last instruction
    double latest = 0;   ///< latest cycle of any instruction so far
    double reached = 0;  ///< latest cycle of an access or a branch: barriers wait only for these
    /// Cycles of its last stores and atomics in shared memory, and in other memory.
    double stored_shared = 0, stored = 0;
    /// For each divisor's register, the cycle when its value was ready at the last division by it.
    /// If the next division finds the same cycle, the divisor has not changed.
    std::unordered_map<std::int32_t, double> divided_by;
    /// Sectors that the warp has stored since its last branch or barrier. L1 merges stores to the
    /// same sector before they go to L2. An H200 shows this with a copy of structs by three stores.
    /// They touch three times the sectors of a plain copy, but L2 counts only 1.02 times as many.
    Lines merged_stores;
    std::unordered_map<std::uint32_t, int> rounds;  ///< rounds of unrolled loops, by their branch
    std::unordered_map<std::uint32_t, std::size_t> loaded;  ///< how often each load ran
    int needed = 0;                                         ///< LoadCopy::needed of the last load
    /// For each load of the current piece of code, the index of the machine instruction that waits
    /// for it, and the cycle when the load is ready.
    std::vector<std::pair<int, double>> awaited;
    int stores_since = 0;  ///< store instructions since the last branch or barrier
    std::uint64_t merged_sectors = 0, merged_lines = 0;  ///< saved by merging stores
    std::vector<WideAccess> wide_loads, wide_stores;
    std::vector<double> ready;  ///< for each virtual register, the cycle when its value is ready
  };
  struct BlockClock {
    std::vector<WarpClock> warps;
    Lines l1;
    std::deque<KeptLine> oldest;  ///< the lines of l1, in order of arrival
    Lines requested;              ///< sectors requested from L2
    double phase_began = 0;       ///< cycle of the last barrier
    /// For each word of shared memory, the number of operations since the last barrier that machine
    /// code repeats until they succeed.
    std::unordered_map<std::uint64_t, std::uint64_t> looped;
  };

  BlockClock& clock_of(const Block& block) { return *blocks_.at(&block); }
  double cycles_of(const Operation& op) const;
  /// Returns the first cycle in which a warp may issue its next load. The machine code waits for
  /// other loads first.
  double order_of(WarpClock& clock, const Operation& op);
  /// Sets the cycle when the registers that the warp's last instruction loads are ready.
  void set_loaded(WarpClock& clock, const Operation& op, double cycles);
  /// Returns true if two blocks, given by their indices, are not neighbours (see `distant_blocks`
  /// in pace.cpp).
  bool are_distant(std::uint64_t one, std::uint64_t other) const;
  /// Returns true if an operation ends the instructions among which the compiler moves loads.
  bool ends_straight_code(WarpClock& clock, const Operation& op, Mask lanes) const;
  /// Counts the passes saved if the compiler makes an access to shared memory a part of a wider
  /// one.
  void join(std::vector<WideAccess>& wide, const Access& access, int passes);
  /// Returns the cycles until all sectors of a global load have arrived.
  double load(const Block& reader, BlockClock& block, const Access& access);
  /// Returns the cycles of an access to local memory, where a warp's words at one offset form a
  /// line.
  double local(BlockClock& block, const Warp& warp, const Access& access);
  /// Returns the sectors among `sectors` that a block's L1 lacks, and adds them to that L1.
  SectorMask missing_in_l1(BlockClock& block, Line line, SectorMask sectors);
  void store(const Block& writer, BlockClock& block, WarpClock& warp, const Access& access);
  /// Counts the sectors and the line that go to L2 for a store to a line.
  void send(WarpClock& warp, Line line, SectorMask sectors);
  /// Notes the words that a load reads, to find partly read sectors.
  void note_words(const Block& reader, const Access& access);
  void atomic(const Warp& warp, const Operation& op, const Access& access);
  /// Returns the cycles of an atomic operation in shared memory.
  double shared_atomic(BlockClock& block, const Operation& op, const Access& access, int passes);
  /// Returns the cycle at which the last of a block's warps arrives at a barrier. A barrier waits
  /// for accesses and branches, and not for arithmetic.
  double last_arrival(const BlockClock& block) const;
  /// Returns the cycle at which the last of a block's warps ends.
  double last_end(const BlockClock& block) const;
  /// Counts sectors that a block requests from L2.
  void request(const Block& block, BlockClock& clock, Line line, SectorMask sectors);
  /// Returns the sectors that DRAM moves for accesses to `sectors`.
  SectorMask whole_dram_accesses(SectorMask sectors) const;
  /// Adds the sectors that DRAM writes for all stores, and reads for stores to a part of a sector.
  void add_stores_to(PaceCounts& counts) const;
  /// Counts the cycles of the busiest word or part of L2.
  static void add_busiest(const Launch& launch,
                          const std::unordered_map<std::uint64_t, AtomicPlace>& places,
                          PaceCounts& counts);
  /// Returns the lines and sectors that an access touches.
  const Lines& touched(const Access& access);

  /// Adds the sectors that blocks read of each allocation.
  static void add_reads(const Launch& launch, const std::vector<const Pace*>& workers,
                        PaceCounts& counts);
  /// Counts how often each line of the PTX was executed.
  static void add_ptx_lines(const std::vector<const Pace*>& workers, PaceCounts& counts);

  const Code* code_;
  std::vector<std::uint64_t> executed_;  ///< number of warps that executed each operation
  /// For each operation, its machine instructions except the first one. further_again_ is for a
  /// division by the same divisor as before.
  std::vector<rules::MachineInstructions> further_, further_again_;
  std::vector<AtomicKind> atomic_kinds_;
  std::vector<std::vector<LoadCopy>> copies_;  ///< for each load, its places in machine code
  /// For each operation: if it is a loop's branch back, the rounds of that loop that one piece of
  /// machine code holds (unrolling); else 1.
  std::vector<int> rounds_;
  std::vector<bool> is_condition_;  ///< branches that the compiler replaces by predicates
  std::vector<bool> reads_line_;    ///< operations that read a texture of one dimension
  PaceModel model_;
  rules::ComputeCapability cc_;
  std::uint64_t row_;  ///< blocks in a row of the grid; 0 if the grid has one row
  std::unordered_map<const Block*, std::unique_ptr<BlockClock>> blocks_;
  Lines read_;       ///< sectors that any block read, and sectors that DRAM moves along with them
  Lines requested_;  ///< the sectors of read_ that blocks requested
  /// The blocks that read a line. They form groups, in the same way as for WrittenLine.
  struct Readers {
    std::uint64_t first = 0;      ///< index of the block that read the line first
    bool are_distant = false;     ///< blocks distant from the first one read it too
    std::uint64_t near = 0;       ///< index of the current group's first block
    std::uint64_t near_last = 0;  ///< index of the block that read the line last
    SectorMask near_shared = 0;   ///< sectors that several blocks of the current group read
    std::uint32_t words = 0;      ///< words of 4 bytes that the current group read
    std::uint64_t requested = 0;  ///< number of sectors requested, summed over all blocks
    std::uint64_t partly = 0;     ///< sum of partly_read() for earlier groups
    SectorMask dram = 0;          ///< sectors that DRAM moves at least once
    std::uint64_t last = ~std::uint64_t{0};  ///< block that requested it last from L2
  };
  /// Returns the number of sectors that DRAM moves whole, although the current group uses only a
  /// part of each. Sectors that several blocks of the group use do not count, because L2 keeps them
  /// until all these blocks have used them.
  std::uint64_t partly_read(const Readers& line) const;
  std::uint64_t partly_written(const WrittenLine& line) const;
  std::unordered_map<Line, Readers> readers_;
  std::unordered_map<Line, WrittenLine> written_;
  std::unordered_map<std::uint64_t, AtomicPlace> atomic_words_;
  std::unordered_map<std::uint64_t, AtomicPlace> atomic_parts_;  ///< parts of L2
  std::unordered_map<std::uint64_t, std::uint64_t> made_swaps_;  ///< successful swaps on each word
  Lines touched_;
  PaceCounts counts_;
};

}  // namespace warpwise::emulator
