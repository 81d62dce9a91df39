#include "warpwise/emulator/decode/modelled.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>

#include "warpwise/emulator/instructions/calls/system_calls.hpp"
#include "warpwise/emulator/instructions/modelled.hpp"
#include "warpwise/emulator/instructions/warp_operations.hpp"

namespace warpwise::emulator {
namespace {

/// An instruction's full name, split: "add", then "f32".
class InstructionText {
 public:
  explicit InstructionText(std::string_view name) : opcode_(name.substr(0, name.find('.'))) {
    for (std::size_t dot = name.find('.'); dot != std::string_view::npos;) {
      const std::size_t next = name.find('.', dot + 1);
      modifiers_.push_back(name.substr(dot + 1, next - dot - 1));
      dot = next;
    }
  }
  std::string_view opcode() const { return opcode_; }
  template <class... Modifier>
  bool has(Modifier... any) const {
    return ((std::find(modifiers_.begin(), modifiers_.end(), std::string_view(any)) !=
             modifiers_.end()) ||
            ...);
  }
  bool is_floating() const { return has("f16", "f16x2", "bf16", "bf16x2", "f32", "f64"); }
  /// Returns an atomic's operation: "add", "max".
  std::string_view operation() const {
    constexpr std::string_view all[] = {"add", "min", "max", "and",  "or",
                                        "xor", "inc", "dec", "exch", "cas"};
    const auto* const own = std::find_if(std::begin(all), std::end(all),
                                         [&](std::string_view each) { return has(each); });
    return own == std::end(all) ? std::string_view() : *own;
  }
  bool is_rounded() const { return has("rn", "rz", "rm", "rp"); }

 private:
  std::string_view opcode_;
  std::vector<std::string_view> modifiers_;
};

class Marker {
 public:
  Marker(Code& code, const std::vector<Accesses>& accesses, ObserverSet observers)
      : code_(code), accesses_(accesses), registers_(registers_of(code, accesses)),
        malloc_(system_call(observers, "malloc").handler) {
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      for (const std::int32_t v : accesses[i].reads) registers_[index(v)].is_read = true;
      const InstructionText words(code.names[i]);
      // A product is the result of a multiplication of floats that states no rounding. Machine code
      // may fuse it with a sum that reads it: Modelled::contraction.
      const bool is_product = words.opcode() == "mul" && words.is_floating() && !words.is_rounded();
      for (const std::int32_t v : accesses[i].writes) registers_[index(v)].is_product |= is_product;
      if (is_atomic(words)) atomics_.insert(words.operation());
    }
    carry_products();
    for (const Code::SpecialRegister& special : code.specials)
      registers_[index(special.slot)].is_placement = is_placement(special.which);
  }

  void mark() {
    for (Operation& op : code_.operations) {
      if (op.run == nullptr) continue;
      const InstructionText words(code_.names[op.index]);
      const std::optional<Modelled> what = modelled(op, words);
      if (!what) continue;
      if (code_.modelled_handlers.empty())
        code_.modelled_handlers.resize(code_.operations.size(), nullptr);
      code_.modelled.push_back({op.index, *what, leaves_memory(op, words)});
      code_.modelled_handlers[op.index] = op.run;
      op.run = run_modelled;
    }
  }

 private:
  struct Register {
    bool is_read = false;
    bool is_product = false;  ///< of floats, without a stated rounding
    bool is_placement = false;
  };

  static std::size_t index(std::int32_t v) { return static_cast<std::size_t>(v); }

  static bool is_atomic(const InstructionText& words) {
    return words.opcode() == "atom" || words.opcode() == "red";
  }

  /// Marks copies of products too: results of mov, neg, abs and selp. Machine code may fuse the
  /// multiplication with a sum that reads the copy.
  void carry_products() {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < accesses_.size(); ++i) {
        const std::string_view opcode = InstructionText(code_.names[i]).opcode();
        if (opcode != "mov" && opcode != "neg" && opcode != "abs" && opcode != "selp") continue;
        const auto& reads = accesses_[i].reads;
        if (std::none_of(reads.begin(), reads.end(),
                         [&](std::int32_t v) { return registers_[index(v)].is_product; }))
          continue;
        for (const std::int32_t v : accesses_[i].writes) {
          changed = changed || !registers_[index(v)].is_product;
          registers_[index(v)].is_product = true;
        }
      }
    }
  }

  static std::vector<Register> registers_of(const Code& code,
                                            const std::vector<Accesses>& accesses) {
    std::int32_t most = 0;
    for (const Accesses& each : accesses) {
      for (const std::int32_t v : each.reads) most = std::max(most, v);
      for (const std::int32_t v : each.writes) most = std::max(most, v);
    }
    for (const Code::SpecialRegister& special : code.specials) most = std::max(most, special.slot);
    return std::vector<Register>(index(most) + 1);
  }

  static bool is_placement(Special which) {
    return which == Special::smid || which == Special::nsmid || which == Special::warpid ||
           which == Special::nwarpid || which == Special::gridid;
  }

  static bool is_clock(const Operation& op) {
    const Table& table = warp_operations();
    return op.run == table.at("clock").handler || op.run == table.at("clock64").handler ||
           op.run == table.at("globaltimer").handler;
  }

  /// Returns true if the result of op, or memory that op writes, depends on the order of threads.
  bool depends_on_order(const Operation& op, const InstructionText& words) const {
    if (is_malloc(op)) return true;
    if (is_atomic(words)) {
      const auto& writes = accesses_[op.index].writes;
      return leaves_memory(op, words) ||
             std::any_of(writes.begin(), writes.end(),
                         [&](std::int32_t v) { return registers_[index(v)].is_read; });
    }
    return (words.opcode() == "ld" && op.strong) || words.opcode() == "activemask" ||
           words.opcode() == "elect";
  }

  /// Returns true if the final memory may depend on the order of atomics. Integer add, min, max,
  /// and, or and xor give the same memory in every order, unless atomics of several kinds share an
  /// address. inc and dec depend on the order if their limits differ.
  bool leaves_memory(const Operation& op, const InstructionText& words) const {
    if (is_malloc(op)) return true;
    if (!is_atomic(words)) return false;
    return words.has("exch", "cas", "inc", "dec") || (words.has("add") && words.is_floating()) ||
           atomics_.size() > 1;
  }

  bool is_malloc(const Operation& op) const { return op.run == malloc_; }

  std::optional<Modelled> modelled(const Operation& op, const InstructionText& words) const {
    const std::string_view opcode = words.opcode();
    const auto reads = [&](auto is_wanted) {
      const auto& all = accesses_[op.index].reads;
      return std::any_of(all.begin(), all.end(),
                         [&](std::int32_t v) { return is_wanted(registers_[index(v)]); });
    };
    if (words.has("approx", "full") || opcode == "ex2" || opcode == "tanh")
      return Modelled::approximation;
    if ((opcode == "mma" || (opcode == "wmma" && words.has("mma")) || opcode == "wgmma") &&
        !words.has("s32", "fence", "commit_group", "wait_group"))
      return Modelled::matrix_sum;
    if (opcode == "tex") return Modelled::texture_filter;
    if (opcode == "cp" && !words.has("commit_group", "wait_group", "wait_all"))
      return Modelled::asynchrony;
    if (is_clock(op)) return Modelled::clock;
    if (reads([](const Register& each) { return each.is_placement; })) return Modelled::placement;
    if (depends_on_order(op, words)) return Modelled::order;
    const bool is_sum = (opcode == "add" || opcode == "sub") && words.is_floating();
    if (is_sum && !words.is_rounded() &&
        reads([](const Register& each) { return each.is_product; })) {
      return Modelled::contraction;
    }
    return std::nullopt;
  }

  Code& code_;
  const std::vector<Accesses>& accesses_;
  std::vector<Register> registers_;
  Handler malloc_;
  std::set<std::string_view> atomics_;  ///< operations of the code's atomics
};

/// Follows inexact values through the code.
class Flow {
 public:
  Flow(const Code& code, std::span<const std::uint8_t> executed, ModelledSet in_memory)
      : code_(code), registers_(code.virtual_registers), seeds_(code.operations.size()),
        memory_seeds_(code.operations.size()) {
    at(Space::global) = in_memory;
    for (const Code::ModelledOperation& each : code.modelled) {
      // If the kernel waits for an asynchronous copy, the copy brings the same data, only later.
      if (executed[each.operation] == 0 || each.what == Modelled::asynchrony) continue;
      seeds_[each.operation] = set_of(each.what);
      if (each.leaves_memory) memory_seeds_[each.operation] = set_of(each.what);
    }
  }

  ModelledReach follow() {
    do {
      changed_ = false;
      for (const Operation& op : code_.operations) step(op);
    } while (changed_);
    // All results depend on branches.
    add(reach_.results, reach_.branches);
    return reach_;
  }

 private:
  ModelledSet& at(Space space) {
    switch (space) {
      case Space::shared:
      case Space::cluster: return shared_;
      case Space::local:
      case Space::parameter: return local_;  // calls pass parameters in local memory
      default: return global_;
    }
  }

  void add(ModelledSet& to, ModelledSet what) {
    changed_ = changed_ || (to | what) != to;
    to |= what;
  }

  ModelledSet loaded(Space space) {
    if (space == Space::constant) return 0;
    return space == Space::generic ? shared_ | local_ | global_ : at(space);
  }

  void store(Space space, ModelledSet what) {
    if (space == Space::generic) {
      add(shared_, what);
      add(local_, what);
    } else {
      add(at(space), what);
      if (space != Space::global) return;
    }
    add(global_, what);
    add(reach_.results, what);
  }

  void step(const Operation& op) {
    ModelledSet in = seeds_[op.index];
    for (const std::int32_t v : code_.accesses[op.index].reads)
      in |= registers_[static_cast<std::size_t>(v)];
    if (decides(op)) add(reach_.branches, in);
    const std::string_view name = code_.names[op.index];
    if (name.starts_with("wgmma.")) {
      in |= shared_;  // wgmma reads shared memory without a site
    } else if (name.starts_with("cp.")) {
      copy(name, in);
    } else if (name.starts_with("call")) {
      call(op, in);
    } else if (op.site >= 0) {
      access(op, in);
    }
    for (const std::int32_t v : code_.accesses[op.index].writes)
      add(registers_[static_cast<std::size_t>(v)], in);
  }

  static bool decides(const Operation& op) {
    switch (op.control) {
      case Control::branch:
      case Control::branch_indexed:
      case Control::exit:
      case Control::ret:
      case Control::trap:
      case Control::call: return true;
      default: return false;
    }
  }

  void access(const Operation& op, ModelledSet& in) {
    const InstructionClass kind = code_.sites[static_cast<std::size_t>(op.site)].kind;
    if (kind == InstructionClass::texture) {
      // Textures and surfaces are in global memory.
      if (code_.names[op.index].starts_with("sust")) store(Space::global, in);
      in |= global_;
    } else if (kind == InstructionClass::store) {
      store(op.space, in);
    } else if (kind == InstructionClass::load) {
      in |= loaded(op.space);
    } else {
      // An atomic makes memory inexact by itself only if the order of atomics affects memory.
      store(op.space, (in & ~seeds_[op.index]) | memory_seeds_[op.index]);
      in |= loaded(op.space);
    }
  }

  void copy(std::string_view name, ModelledSet in) {
    const ModelledSet all = in | shared_ | global_;
    if (name.starts_with("cp.async.bulk.global"))
      store(Space::global, all);
    else
      add(shared_, all);
  }

  /// printf and malloc have arguments and results in local memory, like functions.
  void call(const Operation& op, ModelledSet& in) {
    in |= local_;
    add(local_, in);
    if (op.control == Control::plain) add(reach_.results, in);
  }

  const Code& code_;
  std::vector<ModelledSet> registers_;
  std::vector<ModelledSet> seeds_;
  std::vector<ModelledSet> memory_seeds_;
  ModelledSet shared_ = 0;
  ModelledSet local_ = 0;
  ModelledSet global_ = 0;
  ModelledReach reach_;
  bool changed_ = false;
};

}  // namespace

void mark_modelled(Code& code, const std::vector<Accesses>& accesses, ObserverSet observers) {
  Marker(code, accesses, observers).mark();
}

ModelledReach reach_of(const Code& code, std::span<const std::uint8_t> executed,
                       ModelledSet in_memory) {
  const bool any = std::any_of(executed.begin(), executed.end(), [](auto e) { return e != 0; });
  if (!any && in_memory == 0) return {};
  return Flow(code, executed, in_memory).follow();
}

}  // namespace warpwise::emulator
