#include "warpwise/lab/predict/machine_counts.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "warpwise/rules/machine_code.hpp"

namespace warpwise::lab {
namespace {

// The instruction on a line of PTX.
struct PtxInstruction {
  std::string_view name;  ///< "ld.global.f32"; empty unless the line has one instruction
  bool is_after_label = false;
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r{";
  const std::size_t begin = text.find_first_not_of(blanks);
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

PtxInstruction instruction_in(std::string_view line) {
  line = trimmed(line.substr(0, line.find("//")));
  if (line.starts_with('@')) line = trimmed(line.substr(std::min(line.find(' '), line.size())));
  if (std::ranges::count(line, ';') != 1) return {};
  return {line.substr(0, line.find_first_of(" \t;")), false};
}

// Returns the instruction of each executed line. `executed` is sorted by line.
std::vector<PtxInstruction> instructions_of(
    std::string_view ptx, std::span<const emulator::PaceCounts::PtxLine> executed) {
  std::vector<PtxInstruction> result;
  bool label = false;
  int number = 0;
  for (std::size_t at = 0; at < ptx.size() && result.size() < executed.size();) {
    const std::size_t end = std::min(ptx.find('\n', at), ptx.size());
    const std::string_view line = ptx.substr(at, end - at);
    at = end + 1;
    ++number;
    if (number < executed[result.size()].line) {
      label |= trimmed(line).starts_with('$');
      continue;
    }
    result.push_back(instruction_in(line));
    result.back().is_after_label = label;
    label = false;
  }
  result.resize(executed.size());
  return result;
}

bool begins_with(std::string_view name, std::initializer_list<std::string_view> some) {
  return std::ranges::any_of(some, [&](std::string_view each) { return name.starts_with(each); });
}

// Returns the unit of a PTX instruction that always becomes one machine instruction of that unit;
// none for any other.
std::optional<MachineUnit> sure_unit(std::string_view name) {
  if (begins_with(name, {"ld.global", "ld.shared", "st.global", "st.shared", "atom.", "red."}) &&
      name.find(".v") == std::string_view::npos)
    return MachineUnit::memory;
  if (begins_with(name, {"fma.rn.f32", "add.f32", "mul.f32", "sub.f32", "add.rn.f32", "mul.rn.f32",
                         "add.ftz.f32"}))
    return MachineUnit::float32;
  if (begins_with(name, {"fma.rn.f64", "add.f64", "mul.f64", "sub.f64"}))
    return MachineUnit::float64;
  if (name.starts_with("shfl.")) return MachineUnit::shuffle;
  if (begins_with(name, {"ex2.approx", "rcp.approx", "sin.approx", "cos.approx"}))
    return MachineUnit::special;
  return std::nullopt;
}

// Returns true for PTX instructions that become one integer instruction, unless ptxas merges them
// into another instruction.
bool is_simple(std::string_view name) {
  return begins_with(name, {"add.s32", "add.u32", "sub.s32", "mul.lo.s32", "mul.lo.u32",
                            "mad.lo.s32", "and.b32", "or.b32", "xor.b32", "shl.b32", "shr.u32",
                            "shr.s32", "setp.", "selp.", "min.", "max.", "prmt.", "dp4a."}) &&
         name.find("64") == std::string_view::npos;
}

bool ends_piece(std::string_view name) {
  return begins_with(name, {"bra", "ret", "exit", "call", "brx"});
}

// Returns true for operations that ptxas turns into a subroutine. Its instructions have no line.
bool is_subroutine(std::string_view name) {
  return begins_with(name, {"div.u64", "div.s64", "rem.u64", "rem.s64"});
}

class Counter {
 public:
  Counter(std::span<const MachineOperation> operations, std::string_view ptx,
          std::span<const emulator::PaceCounts::PtxLine> executed)
      : executed_(executed), instructions_(instructions_of(ptx, executed)) {
    for (const MachineOperation& each : operations) ++made_[each.ptx_line][index(each.unit)];
  }

  MachineCounts count() {
    for (std::size_t first = 0; first < executed_.size();) {
      std::size_t end = first + 1;
      while (end < executed_.size() && executed_[end].warps == executed_[first].warps &&
             !instructions_[end].is_after_label && !ends_piece(instructions_[end - 1].name))
        ++end;
      add_piece(first, end);
      first = end;
    }
    return result_;
  }

 private:
  using Units = std::array<int, static_cast<std::size_t>(MachineUnit::once) + 1>;

  static std::size_t index(MachineUnit unit) { return static_cast<std::size_t>(unit); }

  const Units& made_of(std::size_t i) const {
    static constexpr Units none{};
    const auto found = made_.find(executed_[i].line);
    return found == made_.end() ? none : found->second;
  }

  /// Returns the number of warps that began the kernel.
  double entered() const { return static_cast<double>(executed_.front().warps); }

  /// Returns how many copies of a piece of code ptxas has made.
  int copies(std::size_t first, std::size_t end) const {
    int most = 0;
    std::vector<int> simple;
    for (std::size_t i = first; i < end; ++i) {
      const Units& made = made_of(i);
      if (const auto unit = sure_unit(instructions_[i].name)) {
        most = std::max(most, made[index(*unit)]);
      } else if (is_simple(instructions_[i].name)) {
        const int all = made[index(MachineUnit::integer)] + made[index(MachineUnit::multiply)] +
                        made[index(MachineUnit::multiply_wide)];
        if (all > 0) simple.push_back(all);
      }
    }
    if (most > 0) return most;
    if (simple.empty()) return 1;
    const auto middle = simple.begin() + static_cast<std::ptrdiff_t>(simple.size() / 2);
    std::ranges::nth_element(simple, middle);
    return *middle;
  }

  void add_piece(std::size_t first, std::size_t end) {
    const double times = static_cast<double>(executed_[first].warps) / copies(first, end);
    for (std::size_t i = first; i < end; ++i) {
      const std::string_view name = instructions_[i].name;
      const Units& made = made_of(i);
      // Local memory also holds a thread's arrays: an access of a .local instruction is no spill.
      const bool is_local = name.find(".local") != std::string_view::npos;
      for (std::size_t unit = 0; unit < made.size(); ++unit) {
        const bool is_once = static_cast<MachineUnit>(unit) == MachineUnit::once;
        // ptxas cannot move a read of constant memory out of a loop that computes its address.
        const bool is_hoisted = is_once && !name.starts_with("ld.const");
        const double repeated = is_hoisted ? std::min(times, entered()) : times;
        const double number = repeated * made[unit];
        result_.all += number;
        switch (static_cast<MachineUnit>(unit)) {
          case MachineUnit::integer: result_.integer += number; break;
          case MachineUnit::multiply: result_.multiply += number; break;
          case MachineUnit::multiply_wide: result_.multiply += 2 * number; break;
          case MachineUnit::float32: result_.float32 += number; break;
          case MachineUnit::float64: result_.float64 += number; break;
          case MachineUnit::special: result_.special += number; break;
          case MachineUnit::local_load:
            (is_local ? result_.memory : result_.spill_loads) += number;
            break;
          case MachineUnit::local_store:
            (is_local ? result_.memory : result_.spill_stores) += number;
            break;
          case MachineUnit::memory: result_.memory += number; break;
          case MachineUnit::shuffle: result_.shuffle += number; break;
          case MachineUnit::half: result_.half += number; break;
          case MachineUnit::other:
          case MachineUnit::once: break;
        }
      }
      if (is_subroutine(name)) {
        const rules::MachineCode* code = rules::machine_code(name);
        const auto warps = static_cast<double>(executed_[i].warps);
        result_.all += warps * code->first.all;
        result_.integer += warps * code->first.integer;
      }
    }
  }

  std::span<const emulator::PaceCounts::PtxLine> executed_;
  std::vector<PtxInstruction> instructions_;
  std::map<int, Units> made_;
  MachineCounts result_;
};

}  // namespace

MachineCounts& MachineCounts::operator*=(double factor) {
  for (double* count : {&all, &integer, &multiply, &float32, &half, &float64, &special, &memory,
                        &shuffle, &spill_loads, &spill_stores})
    *count *= factor;
  return *this;
}

MachineCounts machine_counts(std::span<const MachineOperation> operations, std::string_view ptx,
                             std::span<const emulator::PaceCounts::PtxLine> executed) {
  if (operations.empty()) return {};
  return Counter(operations, ptx, executed).count();
}

}  // namespace warpwise::lab
