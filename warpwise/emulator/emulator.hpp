#pragma once

#include <array>
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

#include "warpwise/base/enum_names.hpp"
#include "warpwise/base/export.hpp"
#include "warpwise/emulator/checks.hpp"
#include "warpwise/emulator/fidelity.hpp"
#include "warpwise/rules/rules.hpp"

/// Runs CUDA kernels, given as PTX, on the CPU, exactly and with counts: what each source line
/// would cost on a GPU of any generation. See docs/emulator.md for what it covers.
namespace warpwise::emulator {

/// A byte's address in the emulated GPU's memory.
using Address = std::uint64_t;

/// A grid's size in blocks, a block's size in threads, or a place in one of them.
struct Dim3 {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  friend bool operator==(const Dim3&, const Dim3&) = default;
};

/// What a texture gives for a coordinate outside of it, as CUDA's cudaTextureAddressMode.
enum class AddressMode { wrap, clamp, mirror, border };
/// Whether a texture gives the nearest texel or weighs its neighbours.
enum class FilterMode { point, linear };
/// How the bits of a texel's channel are read.
enum class TexelKind { signed_integer, unsigned_integer, floating };

/// A texture, or a surface, over memory of the device: linear (height 0), pitched 2-D, 3-D, layers
/// of one or two dimensions, or a cube's faces.
struct Texture {
  Address data = 0;
  std::uint64_t width = 0;
  std::uint64_t height = 0;  ///< 0: one-dimensional
  std::uint64_t depth = 0;   ///< planes of a 3-D texture, layers, or the faces of all cubes
  std::uint64_t pitch_bytes = 0;
  std::uint64_t slice_bytes = 0;  ///< from one plane, layer or face to the next
  bool layered = false;
  bool cube = false;      ///< with `layered`: cubes
  int channels = 1;       ///< 1, 2 or 4
  int channel_bytes = 1;  ///< 1, 2 or 4
  TexelKind kind = TexelKind::unsigned_integer;
  bool normalized_float = false;  ///< integer texels are read as 0 ... 1 or -1 ... 1
  bool normalized_coordinates = false;
  std::array<AddressMode, 3> address_mode{AddressMode::clamp, AddressMode::clamp,
                                          AddressMode::clamp};
  FilterMode filter = FilterMode::point;

  bool is_volume() const { return depth > 0 && !layered && !cube; }
  std::uint64_t texel_bytes() const {
    return static_cast<std::uint64_t>(channels) * static_cast<std::uint64_t>(channel_bytes);
  }
};

/// The emulated GPU's memory. Allocations start at multiples of 512 bytes, always at the same
/// addresses for the same sequence of calls, with unmapped space between them so that no access
/// past an end meets the next. Calls from several threads are safe; a transfer that overlaps a
/// running launch is not.
class WARPWISE_EXPORT Device {
 public:
  /// \param memory_bytes  what all allocations together may take; 0: three quarters of this
  /// machine's memory
  explicit Device(std::uint64_t memory_bytes = 0);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  /// Zero-filled memory. `name` is what a fault's message calls it.
  /// \throws OutOfMemory  when the limit is passed, with both numbers.
  Address allocate(std::uint64_t bytes, std::string name = {});
  /// Zero-filled memory that the host reads and writes at the same address, as managed memory.
  void* allocate_visible(std::uint64_t bytes, std::string name = {});
  /// \param by  who frees it, for the message of an access to it later
  /// \throws InvalidArgument  for an address that neither of them returned, or one freed before
  void free(Address address, std::string by = {});
  /// From now on memory that is allocated is told apart into what somebody has written and what
  /// nobody has, for Check::init. What the host sees too counts as written.
  void track_definedness();
  /// Memory of the host's that kernels read and write too, at the same address, until hide().
  /// \throws InvalidArgument  for memory of which the device has a part already
  void show(void* host, std::uint64_t bytes, std::string name = {});
  /// Ends what show() began in these bytes.
  void hide(void* host, std::uint64_t bytes);
  /// The first address and the bytes of the allocation that holds an address; no bytes where none
  /// does.
  std::pair<Address, std::uint64_t> allocation_of(Address address) const;
  /// Whether an allocation holds the address.
  bool holds(Address address) const;
  /// What lies at an address, as messages say it: "byte 4 of 'x' of 400 bytes".
  std::string describe(Address address) const;
  /// Bytes allocated, and what may be allocated in all.
  std::pair<std::uint64_t, std::uint64_t> memory() const;
  /// Copies bytes from the host to the device.
  /// \throws InvalidArgument  when the bytes do not lie in one allocation.
  void write(Address to, std::span<const std::byte> from);
  /// Copies bytes from the device to the host.
  /// \throws InvalidArgument  when the bytes do not lie in one allocation.
  void read(Address from, std::span<std::byte> to) const;
  /// The host's own pointer to `bytes` of device memory, valid until freed. They count as written.
  std::byte* host_pointer(Address address, std::uint64_t bytes) const;
  /// The same to read alone.
  const std::byte* bytes_at(Address address, std::uint64_t bytes) const;

  /// Of bytes that were copied through bytes_at() and host_pointer(): takes from one place to the
  /// other which of them are written. Those of the host, which may be either place, are.
  void copied(Address to, Address from, std::uint64_t bytes) const;
  /// Whether none of these bytes is known to be written, by track_definedness().
  bool is_unwritten(Address address, std::uint64_t bytes) const;

  /// Makes a texture object and returns its handle, which kernels take as an argument.
  /// \throws InvalidArgument  for a size, a pitch or a format that no texture has.
  std::uint64_t create_texture(const Texture& texture);
  /// Ends a texture object; its memory stays.
  void destroy_texture(std::uint64_t handle);

  struct State;
  State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

/// What a kernel's PTX declares: its parameters and the memory that it takes.
struct KernelInfo {
  std::string name;  ///< as in the PTX, mangled
  std::vector<std::uint64_t> parameter_bytes;
  std::vector<std::uint64_t> parameter_offsets;
  std::vector<std::string> parameter_types;  ///< "u64", "f32", "b8" for structures, ...
  std::uint64_t static_shared_bytes = 0;
  std::uint64_t local_bytes = 0;      ///< of a thread, as PTX declares it
  std::uint64_t constant_bytes = 0;   ///< of the module
  std::vector<int> required_threads;  ///< empty, or the block that it was compiled for
  std::vector<int> required_cluster;  ///< empty, or the cluster of blocks that it was compiled for
  bool needs_cluster = false;         ///< it runs in clusters alone
  int target = 0;                     ///< of the PTX: 75 for sm_75
  int most_threads = 1024;            ///< of a block, as `__launch_bounds__` says
};

/// Accesses to global or local memory, and what they cost. One request is one warp instruction.
struct TrafficCounts {
  std::uint64_t requests = 0;
  std::uint64_t references = 0;  ///< of threads: the lanes of the requests, a vector counted once
  std::uint64_t transactions_32 = 0;
  std::uint64_t transactions_64 = 0;
  std::uint64_t transactions_128 = 0;
  std::uint64_t bytes_requested = 0;
  std::uint64_t bytes_moved = 0;
  std::uint64_t ideal_transactions =
      0;  ///< of the same bytes, each once and without gaps, for this CC
};

/// Accesses to shared or constant memory, and the passes (wavefronts) that they take.
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
  std::uint64_t texture_references = 0;  ///< the lanes of these requests
};

/// What was executed, whatever the compute capability.
struct ExecutionCounts {
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
  std::uint64_t branches = 0;  ///< executed by warps, conditional or not
  std::uint64_t divergent_branches = 0;
  std::uint64_t barriers = 0;
};

/// The counts of one source line.
struct LineCounts {
  std::string file;
  int line = 0;
  ExecutionCounts execution;
  std::vector<MemoryCounts> memory;  ///< one for each compute capability asked for
};

/// What a kernel did wrong, or what ended it.
enum class FaultKind {
  out_of_bounds,
  misaligned,
  deadlock,
  budget,
  trap,
  assertion,
  race,
  use_after_free,
  livelock,
  barrier,           ///< not every thread of the block comes to it
  member_mask,       ///< of lanes that do not execute an instruction together
  uninitialised,     ///< a value that nobody has written
  invalid_free,      ///< of memory that is none, or was freed before
  leak,              ///< memory that was never freed
  copy,              ///< of a size or direction that its memory does not have
  unchecked_launch,  ///< whose error nobody has asked for
  unsynchronised,    ///< memory that the host takes while the device may still write it
  bad_call,          ///< through a pointer to no function
  stack_overflow,
  narrow_scope,     ///< atomic accesses by two blocks, one of them for its own block alone
  equal_writes,     ///< as a race, of a value that is there already
  order_dependent,  ///< a result that another order of blocks and warps changes
};
/// For name_of() and value_named(): "out_of_bounds", …
constexpr auto enum_names(FaultKind) {
  return std::to_array<EnumName<FaultKind>>({{FaultKind::out_of_bounds, "out_of_bounds"},
                                             {FaultKind::misaligned, "misaligned"},
                                             {FaultKind::deadlock, "deadlock"},
                                             {FaultKind::budget, "budget"},
                                             {FaultKind::trap, "trap"},
                                             {FaultKind::assertion, "assertion"},
                                             {FaultKind::race, "race"},
                                             {FaultKind::use_after_free, "use_after_free"},
                                             {FaultKind::livelock, "livelock"},
                                             {FaultKind::barrier, "barrier"},
                                             {FaultKind::member_mask, "member_mask"},
                                             {FaultKind::uninitialised, "uninitialised"},
                                             {FaultKind::invalid_free, "invalid_free"},
                                             {FaultKind::leak, "leak"},
                                             {FaultKind::copy, "copy"},
                                             {FaultKind::unchecked_launch, "unchecked_launch"},
                                             {FaultKind::unsynchronised, "unsynchronised"},
                                             {FaultKind::bad_call, "bad_call"},
                                             {FaultKind::stack_overflow, "stack_overflow"},
                                             {FaultKind::narrow_scope, "narrow_scope"},
                                             {FaultKind::equal_writes, "equal_writes"},
                                             {FaultKind::order_dependent, "order_dependent"}});
}

/// A line of the program's source; line 0 and no file where it is not known.
struct SourcePlace {
  std::string file;
  int line = 0;
  friend auto operator<=>(const SourcePlace&, const SourcePlace&) = default;
};

/// The first of the faults of one kind on one line, and how many threads met it.
struct Fault {
  FaultKind kind = FaultKind::out_of_bounds;
  Dim3 thread{0, 0, 0};
  Dim3 block{0, 0, 0};
  std::string file;
  int line = 0;
  std::uint64_t count = 0;
  std::string message;
  /// Where the compiler inlined the function that the line is of: the innermost call first.
  std::vector<SourcePlace> called_from = {};
  /// The functions, mangled, that the compiler inlined there: the innermost first.
  std::vector<std::string> functions = {};
};

/// What a launch executed that is not exact, of one kind.
struct ModelledUse {
  Modelled what = Modelled::approximation;
  /// Of the instructions; none where an earlier launch on the device left such values in memory.
  std::vector<SourcePlace> lines;
  /// By a data flow through the code that takes every way there is: false means that it did not.
  bool may_reach_branch = false;
  bool may_reach_result = false;  ///< memory that outlives the kernel, or what it prints
};

/// What LaunchOptions::pace says of a GPU. Cycles are those from an instruction's issue until
/// another one of the warp can use its result.
struct PaceModel {
  double arithmetic_cycles = 0;  ///< integers, logic, single and half precision, comparisons, moves
  double float64_cycles = 0;
  double special_cycles = 0;  ///< special functions, conversions, shuffles, tensor instructions
  double shared_cycles = 0;   ///< of the first pass; each further one takes one more
  double constant_cycles = 0;
  double texture_cycles = 0;
  double l1_cycles = 0;
  double l2_cycles = 0;
  double dram_cycles = 0;
  double barrier_cycles = 0;
  std::uint64_t l1_bytes = 0;  ///< that a block has to itself; 0: loads pass L1
};

/// What a launch found that followed the pace of its blocks, summed over those that ran.
struct PaceCounts {
  /// That a block would take alone on an SM that issues an instruction of each warp in every cycle:
  /// its warps wait for operands and barriers, and for nothing else.
  double block_cycles = 0;
  /// Sectors of 32 bytes of global memory that a block asks L2 for: what its part of L1 does not
  /// hold. Texture reads are not among them.
  std::uint64_t l2_read_sectors = 0;
  std::uint64_t l2_written_sectors = 0;
  /// Of these the distinct ones: what DRAM gives and takes where L2 holds all of them.
  std::uint64_t dram_read_sectors = 0;
  std::uint64_t dram_written_sectors = 0;
};

/// What Program::launch() counts, and when it stops.
struct LaunchOptions {
  /// Memory counts are made for each of these; with none and `count` false the kernel runs at full
  /// speed.
  std::vector<rules::ComputeCapability> compute_capabilities;
  bool count = true;
  /// Warp instructions after which the launch is stopped with a budget fault; 0: no limit.
  std::uint64_t budget = 0;
  int threads = 0;  ///< of the CPU; 0: all
  /// What is looked for, and reported as faults; those of the CUDA runtime report nothing here.
  Checks checks = {};
  /// Whether a fault of a kernel, by its mangled name, is known and goes on being so: it is in the
  /// result like any other, but does not count towards those that stop a launch. Called on several
  /// threads. None: no fault is.
  std::function<bool(const std::string& kernel, const Fault& fault)> is_known = {};
  /// Runs this many blocks of the grid, spread over it, with `pace` in runs of neighbours; 0: all.
  /// What is counted is theirs. Not for kernels whose blocks wait for each other, whose budget such
  /// a sample would use up.
  std::uint64_t sampled_blocks = 0;
  /// Gives the blocks the memory through which a cooperative launch's wait for each other
  /// (`cooperative_groups::this_grid().sync()`), which aborts without it.
  bool cooperative = false;
  /// Blocks of a cluster: they run at the same time, meet at a barrier of their own and reach each
  /// other's shared memory. None: what the kernel was compiled for, or clusters of one block.
  std::optional<Dim3> cluster = {};
  /// Says in LaunchResult::modelled what was not exact.
  bool fidelity = false;
  /// Local memory of a thread for the calls that are made at run time (recursion, pointers to
  /// functions) and for alloca.
  std::uint64_t stack_bytes = std::uint64_t{64} << 10;
  /// Memory that kernels may have taken by malloc and new, and not given back, on the whole device.
  std::uint64_t heap_bytes = std::uint64_t{8} << 20;
  /// Follows the time that each block would take alone, and what it asks L2 and DRAM for; on one
  /// thread of the CPU, so that the result is always the same. `count` must be true, neither races
  /// nor Check::init are asked for, and there is at least one compute capability: the first one's
  /// rules hold.
  std::optional<PaceModel> pace = {};
  /// Runs the launch this often, each time from the same memory and with its blocks, warps and
  /// lanes taking turns in another order; the first time in the usual one, which alone is counted,
  /// checked and kept. A byte of memory that is not the same afterwards, or a line that printf
  /// wrote, is an `order_dependent` fault, what goes wrong in another order a fault of its kind. 1:
  /// once. Memory that the host sees too is put back as well: no other thread of the host may use
  /// it meanwhile, nor launch on this device. Not with `pace`.
  int orders = 1;
  /// Of all but the first two orders: the second is the first one backwards.
  std::uint64_t order_seed = 0;
};

/// What a kernel told the GPU to do when it has ended: to run a kernel, to copy or to fill memory.
struct DeviceWork {
  /// What it is, and so which of the members are used.
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
  bool is_tail = false;  ///< after all else that the grid launched
};

struct LaunchedKernel;

/// What a launch counted, found and printed.
struct LaunchResult {
  ExecutionCounts totals;
  std::map<std::string, std::uint64_t>
      instructions_by_class;         ///< warp instructions: "integer", "float", ...
  std::vector<MemoryCounts> memory;  ///< one for each compute capability asked for
  /// Of each block its threads times the accesses to global memory and textures of its busiest
  /// warp: the references that there would be if no thread ever idled.
  std::uint64_t thread_rounds = 0;
  std::vector<LineCounts> lines;  ///< in the order of file and line; those that executed or could
  std::vector<Fault> faults;      ///< empty for a clean run
  std::vector<ModelledUse> modelled;  ///< with LaunchOptions::fidelity; empty: all was exact
  std::string printed;  ///< what the kernel's printf wrote, at most 1 MiB and a line that says so
  std::uint64_t dynamic_shared_bytes = 0;
  std::uint64_t blocks = 0;  ///< that ran
  PaceCounts pace;
  std::vector<DeviceWork> device_work;  ///< empty once it has been done
  /// Kernels that it launched and those that these launched, in the order in which they ran; what
  /// they counted, found and printed is with them.
  std::vector<LaunchedKernel> launched;
  std::uint64_t executed = 0;  ///< warp instructions, whether they were counted or not
  /// With LaunchOptions::orders: the largest difference between floating-point sums of atomics, as
  /// a share of the largest of those that differ. They may, as no two orders need round alike, and
  /// it is no fault.
  double order_rounding = 0;
  /// The other orders were not run, or not compared: the kernel takes memory from its heap.
  bool orders_not_compared = false;
};

/// A kernel that another one launched.
struct LaunchedKernel {
  std::string name;
  Dim3 grid;
  Dim3 block;
  double seconds = 0;  ///< that it took here
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
  /// \param name  mangled, or plain where only one kernel has it.
  /// \throws InvalidArgument  for an unknown name (lists the ones there are) or an ambiguous one.
  /// \throws Unsupported      for a kernel that uses what the emulator does not run, with the
  ///                          instruction and its source line.
  const KernelInfo& kernel(std::string_view name);

  /// Address of a `.global` or `.const` variable on `device`. \throws InvalidArgument  for an
  /// unknown one
  Address variable(Device& device, std::string_view name, std::uint64_t* bytes = nullptr);

  /// Runs a kernel to its end, and then the kernels that it launched, each with its own to their
  /// end before the next begins, as long as none has a fault. A faulting access does not happen
  /// (loads give 0) and the kernel goes on; a deadlock, a trap or a spent budget ends it.
  /// \param parameters  the kernel's parameter block, laid out by KernelInfo::parameter_offsets
  /// \throws InvalidArgument  for a block, grid or cluster that no GPU has, a block or cluster that
  /// the
  ///                          kernel was not compiled for, a parameter block of the wrong size, or
  ///                          more shared memory than any GPU has.
  LaunchResult launch(Device& device, std::string_view kernel, Dim3 grid, Dim3 block,
                      std::uint64_t dynamic_shared_bytes, std::span<const std::byte> parameters,
                      const LaunchOptions& options = {});

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace warpwise::emulator
