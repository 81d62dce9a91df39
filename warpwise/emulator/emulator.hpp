#pragma once

#include <array>
#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warpwise/base/export.hpp"
#include "warpwise/emulator/checks.hpp"
#include "warpwise/emulator/fault_kind.hpp"
#include "warpwise/emulator/fidelity.hpp"
#include "warpwise/rules/rules.hpp"

/// Runs CUDA kernels, given as PTX, on the CPU. Results are exact, except for the kinds of
/// behaviour that Modelled lists. Counts say what each source line would cost on a GPU of any
/// generation. docs/emulator.md describes the scope.
namespace warpwise::emulator {

/// A byte's address in the emulated GPU's memory.
using Address = std::uint64_t;

/// A grid's size in blocks, a block's size in threads, or an index in one of them.
struct Dim3 {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  friend bool operator==(const Dim3&, const Dim3&) = default;
};

/// Handling of coordinates outside a texture, as CUDA's cudaTextureAddressMode.
enum class AddressMode { wrap, clamp, mirror, border };
/// Selection of texels: the nearest one, or a weighted sum of the neighbours.
enum class FilterMode { point, linear };
/// Interpretation of the bits of a texel's channel.
enum class TexelKind { signed_integer, unsigned_integer, floating };

/// A texture or a surface over device memory: linear (height 0), pitched 2-D, 3-D, layered 1-D or
/// 2-D, or a cube's faces.
struct Texture {
  Address data = 0;
  std::uint64_t width = 0;
  std::uint64_t height = 0;  ///< 0: one-dimensional
  std::uint64_t depth = 0;   ///< number of planes, of layers, or of the faces of all cubes
  std::uint64_t pitch_bytes = 0;
  std::uint64_t slice_bytes = 0;  ///< number of bytes from one plane, layer or face to the next
  bool layered = false;
  bool cube = false;      ///< the faces of a cube; with `layered`, of several cubes
  int channels = 1;       ///< 1, 2 or 4
  int channel_bytes = 1;  ///< 1, 2 or 4
  TexelKind kind = TexelKind::unsigned_integer;
  bool normalized_float = false;  ///< integer texels are read as 0 … 1, or -1 … 1 if signed
  bool normalized_coordinates = false;
  std::array<AddressMode, 3> address_mode{AddressMode::clamp, AddressMode::clamp,
                                          AddressMode::clamp};
  FilterMode filter = FilterMode::point;
  /// Colour of reads outside the texture with AddressMode::border. Channels that are read as
  /// integers take the bits of these floats.
  std::array<float, 4> border_color{};
  /// Unsigned bytes that are read as fractions are in sRGB, except for a fourth channel.
  bool srgb = false;

  bool is_volume() const { return depth > 0 && !layered && !cube; }
  std::uint64_t texel_bytes() const {
    return static_cast<std::uint64_t>(channels) * static_cast<std::uint64_t>(channel_bytes);
  }
};

/// The emulated GPU's memory. allocate() returns multiples of 512 bytes, and the same addresses for
/// the same sequence of calls. Unmapped space between the allocations keeps an access past the end
/// of one allocation from reaching the next. Calls from several threads are safe. A transfer must
/// not overlap a running launch.
class WARPWISE_EXPORT Device {
 public:
  /// \param memory_bytes  limit for all allocations together; 0: three quarters of this machine's
  /// memory
  explicit Device(std::uint64_t memory_bytes = 0);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  /// Allocates zero-filled memory. Messages of faults call it `name`.
  /// \throws OutOfMemory  beyond the limit or this machine's memory, with the size
  Address allocate(std::uint64_t bytes, std::string name = {});
  /// Allocates zero-filled memory that the host accesses at the same address, like managed memory.
  void* allocate_visible(std::uint64_t bytes, std::string name = {});
  /// Frees the allocation of allocate() or allocate_visible() that begins at `address`, or ends the
  /// show() of host memory that begins there.
  /// \param by  the caller that frees the memory, named in the message of a later access
  /// \throws InvalidArgument  for any other address: of a kernel's malloc, or already freed
  void free(Address address, std::string by = {});
  /// Tracks, for Check::init, which bytes have been written. Applies to allocations from now on.
  /// Host-visible bytes always count as written.
  void track_definedness();
  /// Lets kernels access host memory at the host's address, until hide().
  /// \throws InvalidArgument  if a part of the memory belongs to the device already, or has
  /// addresses that the device reserves for its own allocations
  void show(void* host, std::uint64_t bytes, std::string name = {});
  /// Ends show() for these bytes.
  void hide(void* host, std::uint64_t bytes);
  /// Returns the first address and the size of the allocation that holds `address`; a size of 0 if
  /// none does.
  std::pair<Address, std::uint64_t> allocation_of(Address address) const;
  /// Returns true if an allocation holds the address.
  bool holds(Address address) const;
  /// Describes an address for messages: "byte 4 of 'x' of 400 bytes".
  std::string describe(Address address) const;
  /// Returns the number of bytes allocated, and the limit.
  std::pair<std::uint64_t, std::uint64_t> memory() const;
  /// Copies bytes from the host to the device.
  /// \throws InvalidArgument  when the bytes do not lie in one allocation.
  void write(Address to, std::span<const std::byte> from);
  /// Copies bytes from the device to the host.
  /// \throws InvalidArgument  when the bytes do not lie in one allocation.
  void read(Address from, std::span<std::byte> to) const;
  /// Returns a host pointer to `bytes` of device memory, valid until freed. The bytes count as
  /// written.
  std::byte* host_pointer(Address address, std::uint64_t bytes) const;
  /// Returns a read-only host pointer to `bytes` of device memory, valid until freed.
  const std::byte* bytes_at(Address address, std::uint64_t bytes) const;

  /// Copies, for Check::init, the record of which bytes have been written. Called after a copy of
  /// the bytes themselves through bytes_at() and host_pointer(). Host memory always counts as
  /// written, whether it is the source or the destination.
  void copied(Address to, Address from, std::uint64_t bytes) const;
  /// Returns true if track_definedness() tracks the range and knows of no written byte in it.
  bool is_unwritten(Address address, std::uint64_t bytes) const;

  /// Makes a texture object and returns its handle, which kernels take as an argument.
  /// \throws InvalidArgument  for a size, pitch or format that textures do not support.
  std::uint64_t create_texture(const Texture& texture);
  /// Destroys a texture object; its memory stays.
  void destroy_texture(std::uint64_t handle);

  struct State;
  State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

/// The parameters and memory that a kernel's PTX declares.
struct KernelInfo {
  std::string name;  ///< name as in the PTX, mangled
  std::vector<std::uint64_t> parameter_bytes;
  std::vector<std::uint64_t> parameter_offsets;
  std::vector<std::string> parameter_types;  ///< "u64", "f32", "b8" for structures, ...
  std::uint64_t static_shared_bytes = 0;
  std::uint64_t local_bytes = 0;  ///< local variables of a thread, except those of called functions
  std::uint64_t constant_bytes = 0;   ///< constant memory of the module
  std::vector<int> required_threads;  ///< block size that the kernel was compiled for; empty: any
  std::vector<int> required_cluster;  ///< cluster size that the kernel was compiled for; empty: any
  bool needs_cluster = false;         ///< runs only in clusters
  int target = 0;                     ///< architecture of the PTX: 75 for sm_75
  std::uint64_t instructions = 0;     ///< number of instructions in its PTX
  int most_threads = 1024;            ///< limit of threads in a block, by `__launch_bounds__`
};

/// Accesses to global or local memory, and their cost. One request is one warp instruction.
struct TrafficCounts {
  std::uint64_t requests = 0;
  std::uint64_t references = 0;  ///< active lanes of all requests; a vector access counts once
  std::uint64_t transactions_32 = 0;
  std::uint64_t transactions_64 = 0;
  std::uint64_t transactions_128 = 0;
  std::uint64_t bytes_requested = 0;
  std::uint64_t bytes_moved = 0;
  std::uint64_t ideal_transactions =
      0;  ///< fewest transactions for as many distinct bytes, if these bytes were contiguous
};

/// Accesses to shared or constant memory, and their passes (wavefronts).
struct PassCounts {
  std::uint64_t requests = 0;
  std::uint64_t passes = 0;
  std::uint64_t ideal_passes = 0;
};

/// Memory counts for one compute capability.
struct MemoryCounts {
  TrafficCounts global_load, global_store, global_atomic, local_load, local_store;
  PassCounts shared_load, shared_store, shared_atomic, constant;
  std::uint64_t texture_requests = 0;
  std::uint64_t texture_references = 0;  ///< active lanes of all texture requests
};

/// Executed instructions, the same for every compute capability.
struct ExecutionCounts {
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
  std::uint64_t branches = 0;  ///< executed by warps, conditional or not
  std::uint64_t divergent_branches = 0;
  std::uint64_t barriers = 0;
  /// Additions and multiplications of all threads. A fused multiply-add counts twice. A division,
  /// root or special function counts the operations of its machine code. Matrix instructions are
  /// not counted.
  std::uint64_t float32_operations = 0;
  std::uint64_t float64_operations = 0;
};

/// The counts of one source line.
struct LineCounts {
  std::string file;
  int line = 0;
  ExecutionCounts execution;
  std::vector<MemoryCounts> memory;  ///< one for each requested compute capability
};

/// A line of the program's source; line 0 and an empty file if it is not known.
struct SourcePlace {
  std::string file;
  int line = 0;
  friend auto operator<=>(const SourcePlace&, const SourcePlace&) = default;
};

/// All faults of one kind on one line, reached through the same inlined calls. The members
/// describe the first of these faults, and `count` is their number.
struct Fault {
  FaultKind kind = FaultKind::out_of_bounds;
  Dim3 thread{0, 0, 0};
  Dim3 block{0, 0, 0};
  std::string file;
  int line = 0;
  std::uint64_t count = 0;
  std::string message;
  /// The places where the compiler inlined the function of this line, the innermost call first.
  std::vector<SourcePlace> called_from = {};
  /// Mangled names of the functions that the compiler inlined at this line, the innermost first.
  std::vector<std::string> functions = {};
};

/// One kind of inexact behaviour in a launch.
struct ModelledUse {
  Modelled what = Modelled::approximation;
  /// Lines of the inexact instructions. Empty if an earlier launch left inexact values in memory.
  std::vector<SourcePlace> lines;
  /// False: the inexact value reaches no branch, by data flow analysis of all paths of the code.
  bool may_reach_branch = false;
  /// False: the inexact value reaches no memory that outlives the kernel, and no printed text.
  bool may_reach_result = false;
};

/// A GPU's latencies for LaunchOptions::pace. Each latency is the number of cycles from an
/// instruction's issue until another instruction of the warp can use its result.
struct PaceModel {
  /// A load of the machine code. A warp issues instructions in order, and waits before the first
  /// instruction that needs the load.
  struct PlacedLoad {
    int ptx_line = 0;  ///< line number from 1
    int piece = 0;     ///< index of the piece of machine code between two branches
    int place = 0;     ///< index of the load among the kernel's instructions
    int needed = 0;    ///< index of the first instruction that needs the load; INT_MAX: none
  };
  std::vector<PlacedLoad> loads;  ///< loads in order; empty: not known
  double arithmetic_cycles = 0;  ///< integers, logic, single and half precision, comparisons, moves
  double float64_cycles = 0;
  double special_cycles = 0;  ///< special functions, conversions, shuffles, tensor instructions
  double shared_cycles = 0;   ///< latency of the first pass; further passes add to it
  double constant_cycles = 0;
  double texture_cycles = 0;
  double l1_cycles = 0;
  double l2_cycles = 0;
  double dram_cycles = 0;
  double barrier_cycles = 0;         ///< latency in a block of eight warps
  double barrier_warp_cycles = 0;    ///< cycles added for each further warp of the block
  double branch_cycles = 1;          ///< cycles from a taken branch to the issue at its target
  double atomic_cycles = 1;          ///< cycles of L2 for a floating-point operation on a word
  double integer_atomic_cycles = 1;  ///< cycles of L2 for an integer operation on a word
  double atomic_sector_cycles = 0;   ///< cycles of L2 for an operation on a sector
  /// Cycles of an atomic operation on shared memory that is a loop in machine code, repeated until
  /// it succeeds. Operations on the same word run one after another.
  double shared_loop_cycles = 0;
  std::uint64_t l1_bytes = 0;  ///< share of L1 for each block; 0: loads bypass L1
  int dram_sectors = 1;        ///< number of neighbouring sectors that DRAM moves at once: 1 or 2
};

/// Results of a launch with `pace`, summed over the blocks that ran. Two blocks are neighbours if
/// their linear indices differ by less than 32. They are also neighbours if the difference is the
/// number of blocks in a grid row, plus or minus less than 32. Other blocks are distant.
struct PaceCounts {
  /// Cycles that each block would take alone on an SM that can issue one instruction of each warp
  /// in every cycle. The block's warps wait only for operands and barriers.
  double block_cycles = 0;
  /// Sectors of 32 bytes of global memory that blocks request from L2, because the sectors miss the
  /// blocks' share of L1. Reads of textures are included; each texture counts as a CUDA array.
  std::uint64_t l2_read_sectors = 0;
  std::uint64_t l2_written_sectors = 0;
  /// Distinct sectors that blocks read. Sectors that the blocks wrote before are not included.
  std::uint64_t distinct_read_sectors = 0;
  /// Parts of l2_read_sectors and l2_read_lines: reads of common lines. A line becomes common when
  /// a block requests it that is distant from its first reader. Earlier reads of the line do not
  /// count. common_lines is the number of common lines.
  std::uint64_t common_read_sectors = 0;
  std::uint64_t common_read_lines = 0;
  std::uint64_t common_lines = 0;
  /// Parts of l2_read_sectors and l2_read_lines: reads of textures.
  std::uint64_t texture_sectors = 0;
  std::uint64_t texture_lines = 0;
  /// Part of l2_read_sectors: reads of a line if the last request for it came from a neighbouring
  /// block. Neighbours run at about the same time, so several SMs then request the line together.
  std::uint64_t shared_read_sectors = 0;
  /// Part of l2_read_sectors: sectors that the same block had read before. block_read_sectors
  /// counts each block's distinct sectors.
  std::uint64_t repeated_read_sectors = 0;
  std::uint64_t block_read_sectors = 0;
  /// Sectors of an allocation that blocks read.
  struct Reads {
    std::uint64_t bytes = 0;      ///< size of the allocation
    std::uint64_t requested = 0;  ///< sectors requested from L2
    /// Distinct sectors that DRAM moves if L2 can hold all of them. Each access to DRAM counts all
    /// sectors that it moves (PaceModel::dram_sectors).
    std::uint64_t dram = 0;
    /// Sectors that a single block of a group of neighbours reads, and not completely. Each further
    /// such group counts the sector again, because L2 may have lost it. An access to DRAM counts
    /// all sectors that it moves, as in `dram`.
    std::uint64_t partly = 0;
  };
  std::vector<Reads> reads;  ///< allocations in the order of addresses
  /// Sectors that stores write to DRAM: dram_written_sectors counts them like Reads::dram, and
  /// dram_partly_written_sectors like Reads::partly. DRAM also reads dram_filled_sectors, because
  /// stores write only a part of each of these sectors.
  std::uint64_t dram_written_sectors = 0;
  std::uint64_t dram_filled_sectors = 0;
  std::uint64_t dram_partly_written_sectors = 0;
  /// Passes of L1 for global and local memory. In one pass each bank serves one word, and the words
  /// are in at most four lines.
  std::uint64_t l1_passes = 0;
  /// Requests to L2 for a line of 128 bytes, by reads and by stores.
  std::uint64_t l2_read_lines = 0;
  std::uint64_t l2_written_lines = 0;
  /// Further machine instructions of PTX instructions that take several, such as a division.
  /// LaunchResult::instructions_by_class counts the first one of each PTX instruction.
  rules::MachineInstructions further;
  /// Loads from shared memory, and the bytes that one thread loads, summed over these loads.
  std::uint64_t shared_loads = 0;
  std::uint64_t shared_load_bytes = 0;
  /// Loads from shared memory that the compiler makes part of a wider load, and the passes that
  /// wider loads and stores save.
  std::uint64_t joined_loads = 0;
  std::uint64_t joined_passes = 0;
  /// Passes of shared memory for atomic operations. A pass serves one lane of each bank.
  std::uint64_t shared_atomic_passes = 0;
  /// Tiles that reads of textures touch, summed over groups of four lanes, which a GPU reads
  /// together:
  /// - texture_line_tiles, textures of one dimension: a tile is a line of 128 bytes
  /// - texture_plane_tiles, other textures: a tile is 32 bytes by 8 rows. A group adds the
  ///   greater of two numbers: its tiles plus one, and twice the sectors that its texels fill
  std::uint64_t texture_line_tiles = 0;
  std::uint64_t texture_plane_tiles = 0;
  /// Atomic operations of L2 on a sector. One operation serves all words that a warp requests at
  /// once.
  std::uint64_t atomic_sectors = 0;
  /// Compare-and-swap operations of threads in global memory. A loop may repeat a failed one.
  std::uint64_t swaps = 0;
  /// Compare-and-swaps that changed their word. An operation counts too if the emulator cannot
  /// tell. made_swap_pairs counts the ordered pairs of two such swaps on the same word.
  std::uint64_t made_swaps = 0;
  std::uint64_t made_swap_pairs = 0;
  /// L2 runs atomic operations one after another if they are on the same word, or in the same 512
  /// bytes. Such a place is common if blocks with indices at least 128 apart use it, or the grid's
  /// first and last block. These are the cycles for the busiest common place. A larger grid needs
  /// more.
  std::uint64_t atomic_cycles_of_busiest_place = 0;
  /// Cycles of L2 for the busiest other place that at least two blocks use. A larger grid needs no
  /// more of these cycles.
  std::uint64_t atomic_cycles_of_neighbours = 0;
  /// A line of the PTX, and how often warps executed its instruction.
  struct PtxLine {
    int line = 0;  ///< line number from 1
    std::uint64_t warps = 0;
  };
  std::vector<PtxLine> ptx_lines;  ///< lines with instructions, in order
  /// A block's index in the grid, and its cycles as in block_cycles.
  struct BlockLength {
    std::uint64_t block = 0;
    double cycles = 0;
  };
  std::vector<BlockLength> block_lengths;

  /// Returns Reads::dram of all allocations.
  std::uint64_t dram_read_sectors() const {
    std::uint64_t sum = 0;
    for (const Reads& each : reads) sum += each.dram;
    return sum;
  }
};

/// Ways to execute a kernel.
enum class Engine : std::uint8_t {
  automatic,     ///< interpreter first; machine code once the kernel runs long enough
  interpreter,   ///< interpreter alone
  machine_code,  ///< machine code from the start, if the CPU and the build support it
};

/// Limit of a thread's local memory on every GPU, in bytes. The stack is part of local memory.
inline constexpr std::uint64_t most_local_bytes = std::uint64_t{512} << 10;

/// Options of Program::launch(): counts, checks and limits.
struct LaunchOptions {
  /// Compute capabilities to count memory accesses for. If nothing is counted or checked, the
  /// kernel runs at full speed.
  std::vector<rules::ComputeCapability> compute_capabilities;
  bool count = true;
  /// Warp instructions after which the launch is stopped with a budget fault; 0: no limit.
  std::uint64_t budget = 0;
  /// Ends the launch with an `interrupted` fault soon after another thread sets it; null: never.
  const std::atomic<bool>* interrupted = nullptr;
  int threads = 0;  ///< limit of CPU threads; 0: all
  /// Checks to make; findings are reported as faults. Checks of the CUDA runtime report nothing
  /// here.
  Checks checks = {};
  /// Returns true for a known fault of a kernel (mangled name), and must keep returning true for
  /// it. A known fault appears in the result, but does not count towards the faults that stop a
  /// launch. Called from several threads. Empty: no fault is known.
  std::function<bool(const std::string& kernel, const Fault& fault)> is_known = {};
  /// Number of blocks to run and count; 0: all. The blocks are spread over the grid, one by one, or
  /// with `pace` in runs of neighbours. Must be 0 for kernels whose blocks wait for each other:
  /// the sampled blocks would wait until the budget is used up.
  std::uint64_t sampled_blocks = 0;
  /// Gives the blocks the workspace to wait for each other in a cooperative launch
  /// (`cooperative_groups::this_grid().sync()`). Without the workspace, the wait aborts.
  bool cooperative = false;
  /// Size of a cluster in blocks. Blocks of a cluster run at the same time, share a barrier and
  /// access each other's shared memory. None: the size that the kernel was compiled for, or
  /// clusters of one block.
  std::optional<Dim3> cluster = {};
  /// Lists inexact behaviour in LaunchResult::modelled.
  bool fidelity = false;
  /// Local memory of a thread for alloca and for calls resolved at run time (recursion, function
  /// pointers). At most most_local_bytes, and less if the kernel's variables leave less.
  std::uint64_t stack_bytes = std::uint64_t{64} << 10;
  /// Limit, for the whole device, of memory that kernels take by malloc and new and have not freed.
  std::uint64_t heap_bytes = std::uint64_t{8} << 20;
  /// Models the time that each block would take alone, and its requests to L2 and DRAM. The launch
  /// then runs on one CPU thread, so that the result is always the same. Requirements:
  /// - `count` is true
  /// - no check for races or Check::init
  /// - at least one compute capability; the first one's rules apply
  std::optional<PaceModel> pace = {};
  /// Number of times to run the launch, each time from the same content of memory. Blocks, warps
  /// and lanes take turns in another order each time. Only the first run, in the usual order, is
  /// counted, checked and kept. In another order,
  ///
  /// - memory or printf output that differs, not only by rounding, is an `order_dependent` fault
  /// - any other error is a fault of its own kind
  ///
  /// Memory that the host sees is restored too, so during the call no other host thread may use
  /// this memory or launch on this device. `pace` must be empty.
  int orders = 1;
  /// Seed of the third and later orders; the second is the first one reversed.
  std::uint64_t order_seed = 0;
  /// How instructions are executed. Results, counts and faults are the same with each engine.
  Engine engine = Engine::automatic;
};

/// Work that a kernel launched, done when the kernel has ended: a kernel, a copy or a fill.
struct DeviceWork {
  /// Kind of work; decides which members are used.
  enum class Kind { launch, copy, fill };
  Kind kind = Kind::launch;
  std::string kernel;
  Dim3 grid;
  Dim3 block;
  std::uint64_t dynamic_shared_bytes = 0;
  std::vector<std::byte> parameters;
  std::uint64_t to = 0;
  std::uint64_t from = 0;
  std::uint64_t bytes = 0;
  std::byte value{};
  bool is_tail = false;  ///< runs after everything else that the grid launched
};

struct LaunchedKernel;

/// Counts, faults and output of a launch.
struct LaunchResult {
  ExecutionCounts totals;
  std::map<std::string, std::uint64_t>
      instructions_by_class;         ///< warp instructions: "integer", "float", ...
  std::vector<MemoryCounts> memory;  ///< one for each requested compute capability
  /// Number of global and texture accesses if each thread made as many as its block's busiest warp.
  /// The busiest warp is the one that executed the most.
  std::uint64_t thread_rounds = 0;
  std::vector<LineCounts> lines;      ///< sorted by file and line; also lines that did not execute
  std::vector<Fault> faults;          ///< empty for a clean run
  std::vector<ModelledUse> modelled;  ///< with LaunchOptions::fidelity: inexact behaviour, if any
  std::string printed;  ///< printf output: at most 1 MiB; a last line says if it was cut
  std::uint64_t dynamic_shared_bytes = 0;
  std::uint64_t blocks = 0;  ///< number of blocks that ran
  PaceCounts pace;
  std::vector<DeviceWork> device_work;  ///< work that a fault left undone; else empty
  /// The kernels that this kernel launched, directly or through others, in the order in which they
  /// ran. Each of them holds its own counts, faults and output.
  std::vector<LaunchedKernel> launched;
  std::uint64_t executed = 0;  ///< warp instructions, counted or not
  /// With LaunchOptions::orders: the largest difference between floating-point sums of atomics,
  /// relative to the largest sum that differs. The difference is no fault, because each order may
  /// round differently.
  double order_rounding = 0;
  /// The other orders were not run or not compared, because the kernel allocates from its heap.
  bool orders_not_compared = false;
};

/// A kernel that another one launched.
struct LaunchedKernel {
  std::string name;
  Dim3 grid;
  Dim3 block;
  double seconds = 0;  ///< time on this machine
  LaunchResult result;
};

/// A PTX file, checked and decoded.
class WARPWISE_EXPORT Program {
 public:
  /// \throws InvalidArgument  for malformed PTX, with its line
  explicit Program(std::string_view ptx);
  ~Program();
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;

  std::vector<std::string> kernel_names() const;
  /// \param name  mangled, or the plain name if only one kernel has it
  /// \throws InvalidArgument  for an ambiguous name, an unknown one (the message lists the known
  /// names), or malformed code
  /// \throws Unsupported  for a kernel that the emulator does not run; names the instruction and
  /// its place
  const KernelInfo& kernel(std::string_view name);

  /// Returns the address of a `.global` or `.const` variable on `device`.
  /// \throws InvalidArgument  if the program has no such variable
  /// \throws Unsupported, OutOfMemory  if one of the program's variables cannot be placed in memory
  Address variable(Device& device, std::string_view name, std::uint64_t* bytes = nullptr);
  /// Gives the program's variables on `device` their initial values again. Does nothing if the
  /// program has not placed its variables there.
  void initialise(Device& device);
  /// Frees the program's variables on `device`. A later use allocates them again.
  void unload(Device& device);

  /// Runs a kernel to its end, and then the kernels that it launched, in order. Each of these
  /// kernels runs with its own launches before the next one begins. After a fault in any kernel,
  /// the remaining kernels do not run.
  ///
  /// A faulting access is skipped (loads return 0) and the kernel continues. A deadlock ends the
  /// blocks that wait in it. A trap, an assertion, a livelock, a bad call or an exceeded limit ends
  /// the kernel.
  /// \param parameters  the kernel's parameter block, laid out by KernelInfo::parameter_offsets
  /// \throws InvalidArgument, Unsupported, OutOfMemory  in the cases of kernel() and variable()
  /// \throws InvalidArgument  for
  ///
  /// - a block, grid or cluster that no GPU supports, or that the kernel was not compiled for
  /// - a parameter block of the wrong size, or more shared memory or stack than any GPU has
  /// - LaunchOptions::pace if one of its requirements is not met
  LaunchResult launch(Device& device, std::string_view kernel, Dim3 grid, Dim3 block,
                      std::uint64_t dynamic_shared_bytes, std::span<const std::byte> parameters,
                      const LaunchOptions& options = {});

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace warpwise::emulator
