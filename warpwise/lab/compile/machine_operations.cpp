#include "warpwise/lab/compile/machine_operations.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace warpwise::lab {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::uint64_t instruction_bytes = 16;

// Returns a little-endian number; 0 beyond the end.
template <class T>
T number_at(Bytes bytes, std::uint64_t at) {
  T value{};
  if (at <= bytes.size() && sizeof(T) <= bytes.size() - at)
    std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

std::string_view text_at(Bytes bytes, std::uint64_t at) {
  if (at >= bytes.size()) return {};
  const auto* const first = reinterpret_cast<const char*>(bytes.data() + at);
  return {first, strnlen(first, bytes.size() - at)};
}

Bytes part_of(Bytes bytes, std::uint64_t at, std::uint64_t count) {
  if (at > bytes.size() || count > bytes.size() - at) return {};
  return bytes.subspan(at, count);
}

// An ELF file of 64 bits.
class Elf {
 public:
  explicit Elf(Bytes file) : file_(file) {
    constexpr std::uint64_t header = 64;
    const auto at = number_at<std::uint64_t>(file, 0x28);
    const auto count = number_at<std::uint16_t>(file, 0x3c);
    if (number_at<std::uint32_t>(file, 0) != 0x464c457fU || at > file.size()) return;
    for (std::uint64_t i = 0; i < count && at + (i + 1) * header <= file.size(); ++i)
      headers_.push_back(file.subspan(at + i * header, header));
  }

  Bytes section(std::size_t index) const {
    if (index >= headers_.size()) return {};
    return part_of(file_, number_at<std::uint64_t>(headers_[index], 24),
                   number_at<std::uint64_t>(headers_[index], 32));
  }
  /// Returns a section's index; 0 if no section has the name.
  std::size_t named(std::string_view name) const {
    const Bytes names = section(number_at<std::uint16_t>(file_, 0x3e));
    for (std::size_t i = 1; i < headers_.size(); ++i)
      if (text_at(names, number_at<std::uint32_t>(headers_[i], 0)) == name) return i;
    return 0;
  }

 private:
  Bytes file_;
  std::vector<Bytes> headers_;
};

struct Symbol {
  std::string_view name;
  std::size_t section = 0;
  std::uint64_t begin = 0, end = 0;
};

std::vector<Symbol> symbols_of(const Elf& elf) {
  constexpr std::uint64_t entry = 24;
  const Bytes table = elf.section(elf.named(".symtab"));
  const Bytes names = elf.section(elf.named(".strtab"));
  std::vector<Symbol> symbols;
  for (std::uint64_t at = 0; at + entry <= table.size(); at += entry) {
    const auto begin = number_at<std::uint64_t>(table, at + 8);
    symbols.push_back({text_at(names, number_at<std::uint32_t>(table, at)),
                       number_at<std::uint16_t>(table, at + 6), begin,
                       begin + number_at<std::uint64_t>(table, at + 16)});
  }
  return symbols;
}

// The table of a function's lines, in the format of DWARF 2. The relocations tell which function an
// address in the table belongs to.
class Lines {
 public:
  Lines(const Elf& elf, std::size_t text) : table_(elf.section(elf.named(".nv_debug_line_sass"))) {
    add_places(elf, ".rel.nv_debug_line_sass", 16, text);  // for CC below 9.0
    add_places(elf, ".rela.nv_debug_line_sass", 24, text);
    while (at_ < table_.size() && read_unit()) {
    }
  }

  /// Returns the line of an address; 0 if it is not known.
  int of(std::uint64_t address) const {
    const auto after = by_address_.upper_bound(address);
    return after == by_address_.begin() ? 0 : std::prev(after)->second;
  }

 private:
  void add_places(const Elf& elf, std::string_view name, std::uint64_t entry, std::size_t text) {
    const std::vector<Symbol> symbols = symbols_of(elf);
    const Bytes places = elf.section(elf.named(name));
    for (std::uint64_t at = 0; at + entry <= places.size(); at += entry) {
      const auto symbol = number_at<std::uint64_t>(places, at + 8) >> 32;
      if (symbol < symbols.size() && symbols[symbol].section == text)
        relocated_addresses_[number_at<std::uint64_t>(places, at)] = symbols[symbol].begin;
    }
  }

  std::uint8_t byte() { return number_at<std::uint8_t>(table_, at_++); }
  std::uint64_t leb(bool is_signed) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; at_ < table_.size(); shift += 7) {
      const std::uint8_t next = byte();
      if (shift < 64) value |= std::uint64_t{next & 0x7fU} << shift;
      if ((next & 0x80U) != 0) continue;
      if (is_signed && (next & 0x40U) != 0 && shift < 57) value |= ~std::uint64_t{0} << (shift + 7);
      break;
    }
    return value;
  }

  bool read_unit() {
    const std::uint64_t end = at_ + 4 + number_at<std::uint32_t>(table_, at_);
    const std::uint64_t head = at_ + 10;
    const std::uint64_t program = head + number_at<std::uint32_t>(table_, at_ + 6);
    const auto version = number_at<std::uint16_t>(table_, at_ + 4);
    if (version < 2 || version > 3 || program > end || end > table_.size()) return false;
    const auto least = number_at<std::uint8_t>(table_, head);
    const auto line_base = number_at<std::int8_t>(table_, head + 2);
    const auto line_range = number_at<std::uint8_t>(table_, head + 3);
    const auto first_special = number_at<std::uint8_t>(table_, head + 4);
    if (line_range == 0 || first_special == 0) return false;
    constexpr std::uint8_t set_address = 2, end_sequence = 1;
    constexpr std::uint8_t copy = 1, advance_pc = 2, advance_line = 3, const_add_pc = 8,
                           fixed_advance_pc = 9;
    std::optional<std::uint64_t> address;  // nothing: the address is in another function
    std::uint64_t line = 1;
    const auto advance = [&](std::uint64_t steps) {
      if (address) *address += steps * least;
    };
    const auto add = [&] {
      if (address) by_address_[*address] = static_cast<int>(line);
    };
    for (at_ = program; at_ < end;) {
      const std::uint8_t opcode = byte();
      if (opcode >= first_special) {
        const int adjusted = opcode - first_special;
        advance(static_cast<std::uint64_t>(adjusted / line_range));
        line += static_cast<std::uint64_t>(line_base + adjusted % line_range);
        add();
      } else if (opcode == 0) {
        const std::uint64_t length = leb(false);
        const std::uint64_t next = at_ + length;
        const std::uint8_t extended = byte();
        if (extended == set_address) {
          const auto own = relocated_addresses_.find(at_);
          address = own == relocated_addresses_.end() ? std::nullopt : std::optional(own->second);
        } else if (extended == end_sequence) {
          add();
          address.reset();
          line = 1;
        }
        if (length == 0 || next > end || next < at_) return false;
        at_ = next;
      } else if (opcode == copy) {
        add();
      } else if (opcode == advance_pc) {
        advance(leb(false));
      } else if (opcode == advance_line) {
        line += leb(true);
      } else if (opcode == const_add_pc) {
        advance(static_cast<std::uint64_t>((255 - first_special) / line_range));
      } else if (opcode == fixed_advance_pc) {
        if (address) *address += number_at<std::uint16_t>(table_, at_);
        at_ += 2;
      } else {
        for (int i = number_at<std::uint8_t>(table_, head + 4 + opcode); i > 0; --i) leb(false);
      }
    }
    at_ = end;
    return true;
  }

  Bytes table_;
  std::uint64_t at_ = 0;
  /// Maps an offset in table_ to the address that is there: bytes in the function's section.
  std::map<std::uint64_t, std::uint64_t> relocated_addresses_;
  std::map<std::uint64_t, int> by_address_;
};

// The low nine bits of an instruction are its opcode. An opcode below 0x80 that is not in this
// table belongs to an integer instruction.
MachineUnit unit_of_code(unsigned code) {
  using enum MachineUnit;
  static const std::map<unsigned, MachineUnit> units = {
      {0x20, float32},  {0x21, float32},       {0x22, float32},       // FMUL, FADD
      {0x23, float32},                                                // FFMA
      {0x24, multiply}, {0x25, multiply_wide}, {0x26, multiply},      // IMAD, IDP
      {0x27, multiply},                                               // IMAD.HI
      {0x28, float64},  {0x29, float64},       {0x2a, float64},       // DMUL, DADD, DSETP
      {0x2b, float64},                                                // DFMA
      {0x30, half},     {0x31, half},          {0x32, half},          // HADD2, HFMA2, HMUL2
      {0x34, half},     {0x35, half},                                 // HSETP2, HFMA2.MMA
      {0x36, other},    {0x37, other},         {0x3a, other},         // VIADD, IMMA, MOVM
      {0x3b, other},    {0x3c, other},         {0x3f, other},         // LDSM, HMMA, DMMA
      {0xb9, once},     {0x119, once},         {0x182, once},         // ULDC, S2R, LDC
      {0x1ac, once},    {0x1c3, once},         {0x05, once},          // LDCU, S2UR, CS2R
      {0x100, special}, {0x101, special},      {0x102, special},      // FLO, BREV, FCHK
      {0x105, special}, {0x106, special},      {0x107, special},      // F2I, I2F, FRND
      {0x108, special}, {0x109, special},      {0x110, special},      // MUFU, POPC, F2F
      {0x111, special}, {0x112, special},      {0x113, special},      // 64-bit F2I, I2F, FRND
      {0x180, memory},  {0x181, memory},       {0x184, memory},       // LD, LDG, LDS
      {0x185, memory},  {0x186, memory},       {0x188, memory},       // ST, STG, STS
      {0x18a, memory},  {0x18b, memory},       {0x18c, memory},       // ATOM, ATOMS
      {0x18d, memory},  {0x18e, memory},       {0x1a3, memory},       // ATOMS.CAS, RED, ATOMG
      {0x1a6, memory},  {0x1a8, memory},       {0x1a9, memory},       // REDG, ATOMG
      {0x1ae, memory},  {0x183, local_load},   {0x187, local_store},  // LDGSTS, LDL, STL
      {0x189, shuffle}};                                              // SHFL
  const auto found = units.find(code);
  return found != units.end() ? found->second : code < 0x80 ? integer : other;
}

// Returns the unit of an instruction, whose low nine bits are its opcode. The next three bits give
// the kind of its operands:
// - 1: all operands are registers
// - 2, 3, 7: the third operand is an immediate, constant memory, or a uniform register
// - 4, 5, 6: the second operand is an immediate, constant memory, or a uniform register
MachineUnit unit_of(std::uint64_t instruction) {
  const auto code = static_cast<unsigned>(instruction & 0x1ff);
  const auto kind = static_cast<unsigned>(instruction >> 9 & 7);
  const bool has_constant = kind >= 2;
  const bool of_zero = (instruction >> 24 & 0xff) == 0xff;  // the first operand is RZ
  constexpr unsigned mov = 0x02, umov = 0x82;
  const MachineUnit unit = unit_of_code(code);
  const bool multiplies = unit == MachineUnit::multiply || unit == MachineUnit::half;
  const bool moves =
      code == mov || code == umov || (multiplies && of_zero && (kind < 4 || kind == 7));
  return moves && has_constant ? MachineUnit::once : unit;
}

bool is_load(unsigned code) {
  // LD, LDG, LDL, LDS; TEX, TLD, TLD4, TXD
  return code == 0x180 || code == 0x181 || code == 0x183 || code == 0x184 || code == 0x160 ||
         code == 0x161 || code == 0x163 || code == 0x164 || code == 0x166 || code == 0x167 ||
         code == 0x16c || code == 0x16d;
}

// CALL, BRA, BRX, JMP, JMX, EXIT, RET, BPT, KILL
bool is_jump(unsigned code) {
  return code == 0x143 || code == 0x144 || code == 0x147 || code == 0x149 || code == 0x14a ||
         code == 0x14c || code == 0x14d || code == 0x150 || code == 0x15b || code == 0x15c;
}

// Decodes an instruction of the machine code from its two halves. The bits of the second half that
// say how to issue it are laid out as on Volta and later. Source: Jia et al., Dissecting the NVIDIA
// Volta GPU Architecture via Microbenchmarking, 2018.
MachineOperation operation_of(int line, std::uint64_t low, std::uint64_t high) {
  const auto code = static_cast<unsigned>(low & 0x1ff);
  constexpr int none = 7;
  const auto clears = static_cast<int>(high >> 46 & 7);
  return {.ptx_line = line,
          .unit = unit_of(low),
          .loads = is_load(code),
          .jumps = is_jump(code),
          .clears = clears == none ? -1 : clears,
          .waits = static_cast<unsigned>(high >> 52 & 0x3f)};
}

}  // namespace

std::vector<MachineOperation> machine_operations(Bytes cubin, const std::string& kernel) {
  const Elf elf(cubin);
  const std::size_t text = elf.named(".text." + kernel);
  const Bytes code = elf.section(text);
  const Lines lines(elf, text);
  std::vector<Symbol> functions = symbols_of(elf);
  std::erase_if(functions, [&](const Symbol& each) {
    return each.section != text || !each.name.starts_with("$__internal");
  });
  std::vector<MachineOperation> operations;
  for (std::uint64_t at = 0; at + instruction_bytes <= code.size(); at += instruction_bytes) {
    const bool is_internal = std::ranges::any_of(
        functions, [&](const Symbol& each) { return at >= each.begin && at < each.end; });
    const auto instruction = number_at<std::uint64_t>(code, at);
    constexpr unsigned nop = 0x118;
    const int line = lines.of(at);
    if (is_internal || line == 0 || (instruction & 0x1ff) == nop) continue;
    operations.push_back(operation_of(line, instruction, number_at<std::uint64_t>(code, at + 8)));
  }
  return operations;
}

}  // namespace warpwise::lab
