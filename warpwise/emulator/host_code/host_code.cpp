#include "warpwise/emulator/host_code/host_code.hpp"

#include <utility>

#include "warpwise/emulator/host_code/parts.hpp"

#if defined(WARPWISE_JIT)

#include <algorithm>
#include <deque>
#include <optional>
#include <set>
#include <span>

#include "warpwise/emulator/execute/state.hpp"
#include "warpwise/emulator/host_code/lane_code.hpp"
#include "warpwise/emulator/host_code/predicate_code.hpp"
#include "warpwise/emulator/host_code/quick_access.hpp"
#include "warpwise/emulator/host_code/unwind_table.hpp"
#include "warpwise/emulator/instructions/operands.hpp"
#include "warpwise/emulator/observe/sets.hpp"

namespace warpwise::emulator {
namespace {

// Largest number of operations in a kernel that gets machine code. A longer kernel takes long to
// translate, and rarely runs long enough to make up for that.
constexpr std::size_t most_operations = 20000;
// Largest number of operations in a run: consecutive operations that write_run() translates
// together. The limit bounds the time to write the run's code.
constexpr std::size_t longest_run = 256;

/// Executes one operation as the interpreter does, for the active lanes.
template <class Observers>
void step(Warp& warp, const Operation& op) {
  Observers& observers = Observers::of(warp);
  const Mask group = warp.active;
  const bool whole = warp.whole;
  Mask lanes = group;
  if (op.guard != Operation::none) {
    lanes &= predicate(warp, op.guard, op.guard_negated);
    observers.on_guard(warp, op, group);
  }
  ++warp.executed;
  observers.on_execute(warp, op, lanes);
  if (lanes == 0) return;
  warp.active = lanes;
  warp.whole = lanes == warp.live;
  op.run(warp, op);
  warp.active = group;
  warp.whole = whole;
}

Handler step_handler(ObserverSet observers) {
  return with_observers(observers,
                        [](auto set) -> Handler { return step<typename decltype(set)::type>; });
}

/// Returns true for each operation that control flow may reach without executing the one before.
std::vector<bool> leaders_of(const Code& code) {
  std::vector<bool> leads(code.operations.size() + 1);
  const auto set = [&](std::int32_t at) {
    if (at >= 0) leads[static_cast<std::size_t>(at)] = true;
  };
  set(0);
  for (const Operation& op : code.operations) {
    if (op.control == Control::plain) continue;
    leads[op.index + 1] = true;
    if (op.control == Control::branch) set(op.target);
  }
  for (const auto& table : code.jump_tables) {
    for (const std::int32_t target : table) set(target);
  }
  for (const CalledFunction& function : code.functions) set(function.entry);
  return leads;
}

}  // namespace

/// Writes the machine code of a kernel, for all live lanes of a warp or for some. While that code
/// runs, these registers hold:
/// - rbx the warp, r12 its register file, r13 its constants, r14d the lanes of the group
/// - rbp the kernel's operations
/// - r15 the warp's HostCounts for this version
///
/// The stack holds the number of lanes at its top, then the limit (see HostCode::run()), and from
/// mask_at on the mask of the group's lanes as 32 words.
class HostMemory : private Xbyak::CodeGenerator {
 public:
  HostMemory(const Code& code, ObserverSet observers, bool is_partial)
      : CodeGenerator(Xbyak::DEFAULT_MAX_CODE_SIZE, Xbyak::AutoGrow), code_(code),
        observers_(observers), is_partial_(is_partial), at_registers_{r12, r13, r14d, is_partial},
        lanes_(*this, r12, r13, is_partial ? std::optional<int>(mask_at) : std::nullopt),
        counts_(observers == ObserverSet::counts || observers == ObserverSet::counts_and_checks),
        checks_(observers == ObserverSet::checks || observers == ObserverSet::counts_and_checks),
        leads_(leaders_of(code)), at_(code.operations.size() + 1),
        is_entry_(code.operations.size()), counted_at_(code.operations.size(), -1) {
    setDefaultJmpNEAR(true);
    write_enter();
    for (std::size_t i = 0; i < code.operations.size();) {
      const std::size_t offset = getSize();
      const std::size_t end = write_at(i);
      pieces_.push_back({i, end, offset, {}});
      i = end;
    }
    pieces_end_ = getSize();
    lanes_.write_tables();
    readyRE();
    unwind_.emplace(getCode(), getSize(), stack_bytes);
  }

  HostCode::Enter enter() const { return getCode<HostCode::Enter>(); }
  std::vector<const void*> entries() const {
    std::vector<const void*> entries;
    for (std::size_t i = 0; i < is_entry_.size(); ++i)
      entries.push_back(is_entry_[i] ? at_[i].getAddress() : nullptr);
    return entries;
  }
  std::vector<std::int32_t> counted_at() const { return counted_at_; }
  std::vector<OperationsCode> pieces() const {
    std::vector<OperationsCode> pieces = pieces_;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const std::size_t end = i + 1 < pieces.size() ? pieces[i + 1].offset : pieces_end_;
      pieces[i].bytes.assign(getCode() + pieces[i].offset, getCode() + end);
    }
    return pieces;
  }

 private:
  const Operation& operation(std::size_t i) const { return code_.operations[i]; }
  /// Returns true for an operation that all lanes of the group execute, and about which no observer
  /// has to be told.
  bool is_plain(std::size_t i) const {
    const Operation& op = operation(i);
    return op.control == Control::plain && op.guard == Operation::none &&
           !(checks_ && code_.classes[i] == InstructionClass::shuffle);
  }

  void write_enter() {
    for (const Xbyak::Reg64& each : {rbx, rbp, r12, r13, r14, r15}) push(each);
    sub(rsp, stack_bytes);
    mov(rbx, rdi);
    mov(r12, ptr[rbx + offsetof(Warp, registers)]);
    mov(r13, ptr[rbx + offsetof(Warp, constants)]);
    mov(r14d, edx);
    mov(r15, ptr[rbx + offsetof(Warp, host_counts)]);
    if (is_partial_)
      add(r15, static_cast<std::uint32_t>(sizeof(HostCount) * code_.operations.size()));
    mov(rbp, reinterpret_cast<std::uint64_t>(code_.operations.data()));
    mov(dword[rbx + offsetof(Warp, active)], r14d);
    mov(byte[rbx + offsetof(Warp, whole)], is_partial_ ? 0 : 1);
    popcnt(eax, r14d);
    mov(ptr[rsp], rax);
    mov(dword[rsp + limit_at], ecx);
    if (is_partial_) lanes_.write_mask(r14d);
    jmp(rsi);
    L(leave_);
    add(rsp, stack_bytes);
    for (const Xbyak::Reg64& each : {r15, r14, r13, r12, rbp, rbx}) pop(each);
    ret();
  }

  /// Writes the code from operation i on. Returns the first operation that is not yet written.
  std::size_t write_at(std::size_t i) {
    const Operation& op = operation(i);
    if (leads_[i]) {
      settle();
      L(at_[i]);
      if (is_partial_) write_limit(i);
      is_entry_[i] = op.control == Control::plain || op.control == Control::branch;
    }
    if (op.control == Control::branch) {
      settle();
      write_branch(op);
      return i + 1;
    }
    if (op.control != Control::plain) {
      settle();
      write_exit(op.index);
      return i + 1;
    }
    const std::size_t next = write_plain(i);
    if (checks_) {
      settle();
      write_stop(next, 0);
    }
    return next;
  }

  /// Writes a return to the interpreter, which continues at operation `next`. The return is taken
  /// if a register holds an undefined value in any lane. Machine code does not track such values.
  /// \param uncounted  number of operations before the return that are not counted yet
  void write_stop(std::size_t next, std::size_t uncounted) {
    Xbyak::Label go_on;
    cmp(dword[rbx + offsetof(Warp, poisoned)], 0);
    je(go_on);
    if (uncounted > 0)
      add(qword[rbx + offsetof(Warp, executed)], static_cast<std::uint32_t>(uncounted));
    write_exit(next);
    L(go_on);
  }

  /// Writes an exit, taken if the group meets other lanes at operation i.
  void write_limit(std::size_t i) {
    Xbyak::Label go_on;
    cmp(dword[rsp + limit_at], static_cast<std::uint32_t>(i));
    ja(go_on);
    write_exit(i);
    L(go_on);
  }

  std::size_t write_plain(std::size_t i) {
    const Operation& op = operation(i);
    if (!is_plain(i)) {
      settle();
      write_call(step_handler(observers_), op);
      return i + 1;
    }
    if (const std::size_t end = write_run(i); end > i) return end;
    pend(i, i + 1);
    if (has_predicate_code(op)) {
      write_predicate_code(*this, at_registers_, op);
      vzeroupper();
    } else if (const Handler quick = quick_access(op, observers_)) {
      write_call(quick, op);
    } else {
      settle();  // the handler may read the number of executed instructions as a clock
      write_call(op.run, op);
    }
    return i + 1;
  }

  /// Writes a run: consecutive lane operations from i on, translated together. The run includes
  /// loads of shared memory, if no operation of the run before them changes their address register.
  /// Returns the run's end, or i if there is no run.
  std::size_t write_run(std::size_t i) {
    std::vector<LaneOperation> run;
    std::set<std::int32_t> written;
    SharedLoads loads;
    std::size_t end = i;
    for (; end < code_.operations.size() && end - i < longest_run; ++end) {
      if ((end > i && leads_[end]) || !is_plain(end)) break;
      Operation op = operation(end);
      const LaneInstruction* instruction = lane_instruction(op);
      if (instruction == nullptr) {
        if (is_partial_ || !loads_shared_words(op, observers_) || written.contains(op.a)) break;
        if (!add_load(loads, operation(end))) break;
        op.dst = code_.lists[static_cast<std::size_t>(op.list)];
        instruction = &word_load;
      }
      written.insert(op.dst);
      run.push_back({op, instruction});
    }
    if (end == i || (end == i + 1 && !loads.loads.empty())) return i;
    pend(i, end);
    if (loads.loads.empty()) {
      lanes_.write(run);
      vzeroupper();
      return end;
    }
    Xbyak::Label apart;
    Xbyak::Label done;
    loads_.push_back(std::move(loads));
    mov(rdi, rbx);
    mov(rsi, reinterpret_cast<std::uint64_t>(&loads_.back()));
    mov(rax, reinterpret_cast<std::uint64_t>(prepare_loads(observers_)));
    call(rax);
    test(rax, rax);
    jz(apart);
    mov(rdx, rax);
    lanes_.write(run);
    vzeroupper();
    jmp(done);
    L(apart);
    write_apart(i, run);
    L(done);
    return end;
  }

  /// Writes a second version of a run, which calls a function for each load. It is executed if
  /// prepare_loads() returns null, for example because a load faults.
  void write_apart(std::size_t begin, std::span<const LaneOperation> run) {
    for (std::size_t i = 0; i < run.size();) {
      std::size_t end = i;
      while (end < run.size() && run[end].instruction != &word_load) ++end;
      if (end == i) {
        write_call(quick_access(operation(begin + i), observers_), operation(begin + i));
        ++i;
        if (checks_) write_stop(begin + i, i);
        continue;
      }
      lanes_.write(run.subspan(i, end - i));
      vzeroupper();
      i = end;
    }
  }

  static bool add_load(SharedLoads& loads, const Operation& op) {
    auto base = std::ranges::find(loads.bases, op.a, &SharedLoads::Base::addresses);
    if (base == loads.bases.end()) base = loads.bases.insert(base, {op.a, op.offset, op.offset});
    if ((op.offset - base->lowest) % 4 != 0) return false;
    base->lowest = std::min(base->lowest, op.offset);
    base->highest = std::max(base->highest, op.offset);
    loads.loads.push_back({&op, static_cast<std::size_t>(base - loads.bases.begin())});
    return true;
  }

  void write_call(Handler handler, const Operation& op) {
    mov(rdi, rbx);
    lea(rsi, ptr[rbp + sizeof(Operation) * op.index]);
    mov(rax, reinterpret_cast<std::uint64_t>(handler));
    call(rax);
  }

  void write_exit(std::size_t pc) {
    mov(eax, static_cast<std::uint32_t>(pc));
    jmp(leave_);
  }

  /// Writes a branch. The interpreter executes it instead in these cases:
  /// - Only some lanes of the group take the branch.
  /// - The branch goes backwards, and the warp may have to let other warps run.
  /// - The group is a part of the warp and takes the branch. Other lanes may have to run first.
  void write_branch(const Operation& op) {
    Xbyak::Label not_taken;
    Xbyak::Label interpret;
    if (op.guard != Operation::none) {
      load_predicate(*this, at_registers_, eax, op.guard, op.guard_negated);
      and_(eax, r14d);
      jz(not_taken);
      if (!is_partial_) {
        cmp(eax, r14d);
        jne(interpret);
      }
    }
    if (!is_partial_) {
      const bool backwards = op.target <= static_cast<std::int32_t>(op.index);
      mov(rax, ptr[rbx + offsetof(Warp, executed)]);
      add(rax, 1);
      if (backwards) {
        cmp(byte[rbx + offsetof(Warp, polled)], 0);
        jne(interpret);
        cmp(rax, ptr[rbx + offsetof(Warp, turn_ends)]);
        jae(interpret);
      }
      mov(ptr[rbx + offsetof(Warp, executed)], rax);
      write_count(op.index, true);
      jmp(at_[static_cast<std::size_t>(op.target)]);
    }
    L(interpret);
    write_exit(op.index);
    L(not_taken);
    add(qword[rbx + offsetof(Warp, executed)], 1);
    write_count(op.index, false);
    counted_at_[op.index] = static_cast<std::int32_t>(op.index);
  }

  void write_count(std::size_t i, bool of_lanes) {
    if (!counts_) return;
    const auto at = sizeof(HostCount) * i;
    add(qword[r15 + at + offsetof(HostCount, warps)], 1);
    if (!of_lanes) return;
    mov(rax, ptr[rsp]);
    add(qword[r15 + at + offsetof(HostCount, threads)], rax);
  }

  /// Notes operations that are executed but not yet counted.
  void pend(std::size_t begin, std::size_t end) {
    if (pending_ == 0) pending_at_ = begin;
    pending_ += end - begin;
    for (std::size_t i = begin; i < end; ++i)
      counted_at_[i] = static_cast<std::int32_t>(pending_at_);
  }
  /// Counts the noted operations.
  void settle() {
    if (pending_ == 0) return;
    add(qword[rbx + offsetof(Warp, executed)], static_cast<std::uint32_t>(pending_));
    write_count(pending_at_, true);
    pending_ = 0;
  }

  static constexpr int limit_at = 8;
  static constexpr int mask_at = 32;
  static constexpr int stack_bytes = mask_at + 4 * warp_lanes + 8;  // 8 bytes align the stack

  const Code& code_;
  ObserverSet observers_;
  bool is_partial_;
  HostRegisters at_registers_;
  LaneCode lanes_;
  bool counts_;
  bool checks_;
  std::vector<bool> leads_;
  std::vector<Xbyak::Label> at_;  ///< label of each operation for which leads_ is true
  std::vector<bool> is_entry_;
  std::vector<std::int32_t> counted_at_;
  std::deque<SharedLoads> loads_;       ///< the machine code refers to them
  std::vector<OperationsCode> pieces_;  ///< with empty `bytes`, which pieces() fills
  std::size_t pieces_end_ = 0;
  std::size_t pending_ = 0;
  std::size_t pending_at_ = 0;
  Xbyak::Label leave_;
  std::optional<UnwindTable> unwind_;
};

namespace {

HostCode::Version version_of(const Code& code, ObserverSet observers, bool is_partial) {
  try {
    auto memory = std::make_shared<const HostMemory>(code, observers, is_partial);
    return {memory, memory->enter(), memory->entries(), memory->counted_at()};
  } catch (const Xbyak::Error&) {
    return {};  // the system gives no executable memory
  }
}

bool can_make_code(const Code& code) {
  for (const bool is_there :
       {__builtin_cpu_supports("avx2") != 0, __builtin_cpu_supports("fma") != 0,
        __builtin_cpu_supports("bmi") != 0, __builtin_cpu_supports("popcnt") != 0}) {
    if (!is_there) return false;
  }
  return code.operations.size() <= most_operations;
}

}  // namespace

std::vector<OperationsCode> operations_code(const Code& code, ObserverSet observers) {
  if (!can_make_code(code)) return {};
  const HostCode::Version version = version_of(code, observers, false);
  return version.memory == nullptr ? std::vector<OperationsCode>() : version.memory->pieces();
}

}  // namespace warpwise::emulator

#else

namespace warpwise::emulator {

class HostMemory {};

namespace {

HostCode::Version version_of(const Code&, ObserverSet, bool) { return {}; }
bool can_make_code(const Code&) { return false; }

}  // namespace

std::vector<OperationsCode> operations_code(const Code&, ObserverSet) { return {}; }

}  // namespace warpwise::emulator

#endif

namespace warpwise::emulator {

HostCode::HostCode(const Code& code, ObserverSet observers)
    : code_(&code), observers_(observers), whole_(version_of(code, observers, false)) {}

void HostCode::make_partial() const {
  const std::lock_guard lock(mutex_);
  if (partial_is_made_.load(std::memory_order_acquire)) return;
  partial_ = version_of(*code_, observers_, true);
  partial_is_made_.store(true, std::memory_order_release);
}

void HostCode::add(std::size_t operation, const std::vector<HostCount>& counts,
                   HostCount& to) const {
  const auto add_from = [&](const Version& version, std::size_t first) {
    const std::int32_t at = version.counted_at.empty() ? -1 : version.counted_at[operation];
    if (at < 0) return;
    to.warps += counts[first + static_cast<std::size_t>(at)].warps;
    to.threads += counts[first + static_cast<std::size_t>(at)].threads;
  };
  add_from(whole_, 0);
  if (partial_is_made_.load(std::memory_order_acquire))
    add_from(partial_, code_->operations.size());
}

// Machine code is made after this number of executions, on average, of each operation. Making the
// code of an operation takes as long as the interpreter takes for 400 operations. A kernel that
// ends right after its code is made therefore loses only a tenth of its time.
constexpr std::uint64_t executions_before = 4000;

std::uint64_t LazyHostCode::left() const {
  const std::uint64_t all = executions_before * code_->operations.size();
  const std::uint64_t executed = executed_;
  return all > executed ? all - executed : 0;
}

void LazyHostCode::try_to_make() {
  const std::lock_guard lock(mutex_);
  if (tried_.load(std::memory_order_acquire)) return;
  if (can_make_code(*code_)) own_ = std::make_unique<const HostCode>(*code_, observers_);
  ready_.store(own_.get(), std::memory_order_release);
  tried_.store(true, std::memory_order_release);
}

}  // namespace warpwise::emulator
