#pragma once

// Random kernels for tests of machine code.

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace warpwise::test {

inline constexpr int registers = 6;  ///< number of registers of each width
inline constexpr int most_threads = 96;
inline constexpr int blocks = 2;
inline constexpr int words = 512;            ///< number of words that all threads access
inline constexpr int bytes_of_thread = 112;  ///< what a thread writes: its registers, and a gap

/// Instructions: w, l and h stand for a register of 32, 64 and 16 bits, p for a predicate, i for a
/// 32-bit register or literal, m for a 64-bit literal or register.
inline constexpr const char* instructions[] = {
    "add.s32 w, w, i",
    "add.u32 w, w, w",
    "sub.s32 w, w, i",
    "sub.u32 w, i, w",
    "mul.lo.s32 w, w, i",
    "mul.lo.u32 w, w, w",
    "mad.lo.s32 w, w, i, w",
    "mad.lo.u32 w, w, w, i",
    "mul.hi.s32 w, w, w",
    "mul.wide.s32 l, w, i",
    "mul.wide.u32 l, w, w",
    "mad.wide.s32 l, w, i, l",
    "mad.wide.u32 l, w, w, l",
    "mul.wide.u16 w, h, h",
    "mul.wide.s16 w, h, h",
    "min.s32 w, w, i",
    "max.s32 w, w, i",
    "min.u32 w, w, i",
    "max.u32 w, w, w",
    "abs.s32 w, w",
    "neg.s32 w, w",
    "and.b32 w, w, i",
    "or.b32 w, w, w",
    "xor.b32 w, w, i",
    "not.b32 w, w",
    "mov.b32 w, w",
    "mov.u32 w, i",
    "and.b64 l, l, m",
    "or.b64 l, l, l",
    "xor.b64 l, l, m",
    "not.b64 l, l",
    "mov.b64 l, l",
    "mov.u64 l, m",
    "shl.b32 w, w, i",
    "shr.u32 w, w, i",
    "shr.s32 w, w, w",
    "shr.b32 w, w, i",
    "shl.b64 l, l, i",
    "shr.u64 l, l, i",
    "shr.b64 l, l, w",
    "shr.s64 l, l, i",
    "add.s64 l, l, m",
    "sub.s64 l, l, l",
    "add.u64 l, l, l",
    "mul.lo.s64 l, l, m",
    "mul.lo.u64 l, l, l",
    "selp.b32 w, w, i, p",
    "selp.b64 l, l, m, p",
    "selp.f32 w, w, w, p",
    "cvt.s64.s32 l, w",
    "cvt.u64.u32 l, w",
    "cvt.u64.s32 l, w",
    "cvt.s64.u32 l, w",
    "cvt.u32.u64 w, l",
    "cvt.s32.s64 w, l",
    "cvt.u16.u32 h, w",
    "cvt.u32.u16 w, h",
    "cvt.s32.s16 w, h",
    "cvt.s32.s8 w, w",
    "cvt.u8.u32 w, w",
    "cvt.s8.s32 h, w",
    "cvt.u16.u8 h, h",
    "cvt.s16.s8 h, h",
    "cvt.rn.f32.s32 w, w",
    "cvt.rn.f32.u32 w, w",
    "cvt.rzi.s32.f32 w, w",
    "cvt.f64.f32 l, w",
    "cvt.rn.f32.f64 w, l",
    "add.f32 w, w, w",
    "sub.f32 w, w, w",
    "mul.f32 w, w, w",
    "div.rn.f32 w, w, w",
    "sqrt.rn.f32 w, w",
    "fma.rn.f32 w, w, w, w",
    "neg.f32 w, w",
    "abs.f32 w, w",
    "min.f32 w, w, w",
    "max.f32 w, w, w",
    "add.ftz.f32 w, w, w",
    "add.f64 l, l, l",
    "sub.f64 l, l, l",
    "mul.f64 l, l, l",
    "fma.rn.f64 l, l, l, l",
    "setp.eq.s32 p, w, i",
    "setp.ne.s32 p, w, w",
    "setp.lt.s32 p, w, i",
    "setp.le.s32 p, w, w",
    "setp.gt.s32 p, w, i",
    "setp.ge.s32 p, w, w",
    "setp.lt.u32 p, w, i",
    "setp.le.u32 p, w, w",
    "setp.gt.u32 p, w, i",
    "setp.ge.u32 p, w, w",
    "setp.lo.u32 p, w, w",
    "setp.hs.u32 p, w, w",
    "setp.eq.b32 p, w, w",
    "setp.eq.s64 p, l, l",
    "setp.ne.b64 p, l, m",
    "setp.lt.s64 p, l, m",
    "setp.ge.s64 p, l, l",
    "setp.gt.u64 p, l, m",
    "setp.le.u64 p, l, l",
    "setp.lt.u64 p, l, l",
    "setp.gt.s64 p, l, l",
    "setp.lt.f32 p, w, w",
    "setp.neu.f32 p, w, w",
    "setp.num.f32 p, w, w",
    "setp.gtu.f32 p, w, w",
    "setp.geu.ftz.f32 p, w, w",
    "setp.le.f64 p, l, l",
    "setp.nan.f64 p, l, l",
    "setp.ltu.f64 p, l, l",
    "setp.eq.f64 p, l, l",
    "setp.lt.and.s32 p, w, i, p",
    "setp.ge.or.u32 p, w, i, p",
    "setp.ne.xor.s32 p, w, i, !p",
    "setp.gt.s32 p|p, w, i",
    "setp.le.and.f32 p|p, w, w, p",
    "setp.gt.and.s32 %p3|%p4, w, w, %p3",
    "and.pred p, p, p",
    "or.pred p, p, p",
    "xor.pred p, p, p",
    "not.pred p, p",
    "mov.pred p, p",
    "popc.b32 w, w",
    "clz.b32 w, w",
    "brev.b32 w, w",
    "prmt.b32 w, w, w, i",
    "lop3.b32 w, w, w, w, 0x96",
    "bfe.u32 w, w, i, i",
    "add.s16 h, h, h",
    "and.b16 h, h, h",
    "mov.b16 h, h",
    "mov.b64 l, {w, w}",
    "mov.u32 w, %clock",
    "rem.u32 w, w, i",
};

/// Writes a random kernel with several types, masks, divergence, barriers and calls.
class RandomKernel {
 public:
  explicit RandomKernel(std::uint32_t seed) : random_(seed) {}

  std::string kernel() {
    text_ = ".version 8.4\n.target sm_90\n.address_size 64\n";
    if (calls_) function();
    text_ += ".visible .entry fuzz(.param .u64 memory, .param .u64 out, .param .u32 number)\n{\n" +
             std::string(register_text) +
             ".shared .align 16 .b8 tile[512];\n.local .align 16 .b8 own[512];\n";
    line("ld.param.u64 %l10, [memory]");
    line("ld.param.u64 %l11, [out]");
    line("ld.param.u32 %w10, [number]");
    line("mov.u32 %w11, %tid.x");
    line("mov.u32 %w12, %ctaid.x");
    line("mov.u32 %w13, tile");
    for (int i = 0; i < registers; ++i) start(i);
    if (rarely(2)) fill_tile();
    statements(3, 7);
    for (int i = 0; i < most_barriers_; ++i) {
      line("bar.sync 0");
      statements(2, 5);
    }
    write_registers();
    return text_ + "ret;\n}\n";
  }

 private:
  static constexpr const char* register_text =
      ".reg .pred %p<12>;\n.reg .b16 %h<12>;\n.reg .b32 %w<26>;\n.reg .b64 %l<20>;\n";

  /// Writes a function that calls itself up to three times, in each lane as often as its parameter
  /// says.
  void function() {
    text_ += ".func (.param .b32 r) down(.param .b32 n)\n{\n" + std::string(register_text);
    line("ld.param.u32 %w10, [n]");
    line("mov.u32 %w11, %tid.x");
    line("mov.u32 %w12, %ctaid.x");
    for (int i = 0; i < registers; ++i) start(i);
    some_instructions();
    line("and.b32 %w21, %w10, 3");
    line("setp.eq.u32 %p9, %w21, 0");
    line("st.param.b32 [r], " + one("%w"));
    line(rarely(2) ? "@%p9 ret" : "@%p9 bra END");
    line("sub.u32 %w21, %w21, 1");
    call("%w21");
    some_instructions();
    line("st.param.b32 [r], " + one("%w"));
    text_ += "END:\n";
    some_instructions();
    line("ret");
    text_ += "}\n";
  }

  /// Writes a call, a guarded call, or a call by a pointer.
  void call(const std::string& argument) {
    text_ += "{\n.param .b32 a;\n.param .b32 b;\n";
    line("st.param.b32 [a], " + argument);
    if (rarely(3)) {
      text_ += "same: .callprototype (.param .b32 _) _ (.param .b32 _);\n";
      line("mov.u64 %l14, down");
      line("call (b), %l14, (a), same");
    } else {
      line(guard() + "call (b), down, (a)");
    }
    line("ld.param.b32 " + one("%w") + ", [b]");
    text_ += "}\n";
  }

  void some_instructions() {
    for (std::uint32_t n = 1 + below(6); n > 0; --n)
      line(guard() + filled(instructions[below(std::size(instructions))]));
  }

  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  bool rarely(std::uint32_t n) { return below(n) == 0; }
  void line(const std::string& statement) { text_ += statement + ";\n"; }
  std::string one(const char* kind) { return kind + std::to_string(below(registers)); }

  void start(int i) {
    const std::string n = std::to_string(i);
    line("xor.b32 %w" + n + ", %w" + std::to_string(10 + below(3)) + ", " + literal());
    line("cvt.u16.u32 %h" + n + ", %w" + n);
    line("mul.wide.s32 %l" + n + ", %w" + n + ", " + literal());
    line("setp.lt.s32 %p" + n + ", %w11, " + std::to_string(below(most_threads)));
  }

  std::string literal() {
    static constexpr const char* some[] = {"0",          "1",          "-1",         "2",
                                           "31",         "32",         "33",         "64",
                                           "255",        "65535",      "2147483647", "-2147483648",
                                           "0x7f800000", "0x7fc00000", "0x80000000", "0x3f800000",
                                           "0x4f000000", "0xcf000000", "0x7f800001", "0x00000001"};
    return rarely(2) ? some[below(std::size(some))] : std::to_string(below(1000));
  }

  std::string filled(std::string_view form) {
    std::string result;
    for (std::size_t i = 0; i < form.size(); ++i) {
      const char before = i == 0 ? ' ' : form[i - 1];
      const char after = i + 1 == form.size() ? ' ' : form[i + 1];
      const bool alone = std::string_view(" {!|").find(before) != std::string_view::npos &&
                         std::string_view(" ,}|").find(after) != std::string_view::npos;
      if (!alone)
        result += form[i];
      else if (form[i] == 'i')
        result += rarely(2) ? literal() : one("%w");
      else if (form[i] == 'm')
        result += rarely(2) ? literal() : one("%l");
      else if (std::string_view("wlhp").find(form[i]) != std::string_view::npos)
        result += one(("%" + std::string(1, form[i])).c_str());
      else
        result += form[i];
    }
    return result;
  }

  std::string guard() {
    if (!rarely(8)) return {};
    return std::string(rarely(2) ? "@!" : "@") + one("%p") + " ";
  }

  void statements(int depth, std::uint32_t most) {
    for (std::uint32_t n = 1 + below(most); n > 0; --n) statement(depth);
  }

  void statement(int depth) {
    const std::uint32_t kind = below(calls_ ? 23 : 21);
    if (kind < 12 || depth == 0) {
      some_instructions();
    } else if (kind < 16) {
      access();
    } else if (kind < 18) {
      branch(depth);
    } else if (kind == 18) {
      loop(depth);
    } else if (kind == 19) {
      rows();
    } else if (kind > 20) {
      call(one("%w"));
    } else {
      line("bar.warp.sync 0xffffffff");
    }
  }

  void branch(int depth) {
    const std::string n = std::to_string(labels_++);
    if (rarely(3)) {  // all threads of a block branch alike
      line("setp.lt.u32 %p9, %w12, " + std::to_string(below(blocks + 1)));
      line("@%p9 bra L" + n);
    } else {
      line(std::string(rarely(2) ? "@!" : "@") + one("%p") + " bra L" + n);
    }
    statements(depth - 1, 5);
    text_ += "L" + n + ":\n";
  }

  void loop(int depth) {
    const std::string n = std::to_string(labels_++);
    const std::string counter = "%w" + std::to_string(14 + depth);
    line("mov.u32 " + counter + ", 0");
    const bool differs = rarely(2);
    if (differs) line("and.b32 %w20, %w11, 3");
    text_ += "L" + n + ":\n";
    statements(depth - 1, 4);
    line("add.u32 " + counter + ", " + counter + ", 1");
    if (differs) line("and.b32 %w20, %w11, 3");
    line("setp.lt.u32 %p10, " + counter + ", " +
         (differs ? std::string("%w20") : std::to_string(1 + below(4))));
    line("@%p10 bra L" + n);
  }

  /// Writes code in which each warp fills all of the shared memory.
  void fill_tile() {
    line("and.b32 %w21, %w11, 31");
    line("shl.b32 %w21, %w21, 2");
    line("add.u32 %w21, %w21, %w13");
    for (int at = 0; at < 512; at += 128)
      line("st.shared.u32 [%w21+" + std::to_string(at) + "], " + one("%w"));
    if (rarely(4)) return;
    line("bar.sync 0");
  }

  /// Writes code that computes a row or a column of a tile from the thread's number.
  void lanes_to(const std::string& to) {
    static constexpr const char* some[] = {
        "and.b32 W, %w11, 15",   "and.b32 W, %w11, 7", "shr.u32 W, %w11, 4", "shr.u32 W, %w11, 1",
        "mul.lo.u32 W, %w11, 3", "mov.u32 W, %w11",    "xor.b32 W, %w11, 5"};
    std::string form = some[below(std::size(some))];
    line(form.replace(form.find('W'), 1, to));
  }

  /// Writes loads from shared memory by one or two address registers, and sums between the loads.
  void rows() {
    for (const char* const to : {"%w24", "%w25"}) {
      lanes_to(to);
      line(std::string("and.b32 ") + to + ", " + to + ", 31");
      line(std::string("mad.lo.u32 ") + to + ", " + to + ", 4, %w13");
    }
    for (std::uint32_t n = 2 + below(20); n > 0; --n) {
      const int offset = 4 * static_cast<int>(below(90)) + (rarely(200) ? 300 : 0);
      line("ld.shared.u32 " + one("%w") + ", [" + (rarely(2) ? "%w24" : "%w25") + "+" +
           std::to_string(offset) + "]");
      if (rarely(2)) line(filled("add.s32 w, w, w"));
    }
  }

  /// Writes a load, a store or an atomic sum at neighbouring, equal, scattered or, rarely, invalid
  /// addresses.
  void access() {
    static constexpr const char* types[] = {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "f32"};
    static constexpr int sizes[] = {1, 1, 2, 2, 4, 4, 8, 4};
    const std::size_t which = below(std::size(types));
    const bool is_shared = rarely(3);
    const bool is_local = !is_shared && rarely(5);
    const int size = sizes[which];
    const int places = (is_shared || is_local ? 256 : 4 * words) / size / 2;
    const std::string limit = std::to_string(places - 1);
    if (rarely(3))
      line("mov.u32 %w21, %w11");
    else if (rarely(3))
      line("add.u32 %w21, %w12, " + std::to_string(below(100)));
    else if (rarely(3))
      lanes_to("%w21");
    else
      line("add.u32 %w21, " + one("%w") + ", %w11");
    if (rarely(60))
      line("and.b32 %w21, %w21, 0xfffff");
    else
      line("and.b32 %w21, %w21, " + limit);
    const int offset =
        size * static_cast<int>(below(16)) - (rarely(40) ? 64 : 0) + (rarely(60) ? 1 : 0);
    std::string at;
    if (is_shared && rarely(2)) {
      line("mul.lo.u32 %w21, %w21, " + std::to_string(size));
      line("add.u32 %w21, %w21, %w13");
      at = "[%w21+" + std::to_string(offset) + "]";
    } else {
      line("mul.wide.u32 %l12, %w21, " + std::to_string(size));
      if (is_shared) {
        line("cvt.u64.u32 %l13, %w13");
        line("add.u64 %l12, %l12, %l13");
      } else if (is_local) {
        line("mov.u64 %l13, own");
        line("add.u64 %l12, %l12, %l13");
      } else {
        line("add.u64 %l12, %l12, %l10");
      }
      at = "[%l12+" + std::to_string(offset) + "]";
    }
    const bool is_generic = !is_shared && !is_local && rarely(4);
    std::string form = is_shared    ? ".shared."
                       : is_local   ? ".local."
                       : is_generic ? "."
                                    : ".global.";
    const auto element = [&] {
      return size == 8 ? one("%l") : size <= 2 && rarely(2) ? one("%h") : one("%w");
    };
    std::string reg = element();
    if (size >= 4 && rarely(3)) {
      const int parts = size == 4 && rarely(2) ? 4 : 2;
      for (int i = 1; i < parts; ++i) reg += ", " + element();
      reg = "{" + reg + "}";
      form += "v" + std::to_string(parts) + ".";
    }
    const std::string type = types[which];
    const std::string guarded = guard();
    if (type == "u32" && !is_local && rarely(4))
      line(guarded + "atom" +
           (is_shared    ? ".shared"
            : is_generic ? ""
                         : ".global") +
           ".add.u32 " + one("%w") + ", " + at + ", " + one("%w"));
    else if (rarely(3))
      line(guarded + "st" + form + type + " " + at + ", " + reg);
    else
      line(guarded + "ld" + form + type + " " + reg + ", " + at);
  }

  void write_registers() {
    line("mad.lo.u32 %w21, %w12, %ntid.x, %w11");
    line("mul.wide.u32 %l12, %w21, " + std::to_string(bytes_of_thread));
    line("add.u64 %l12, %l12, %l11");
    for (int i = 0; i < registers; i += 2)
      line("st.global.v2.u64 [%l12+" + std::to_string(8 * i) + "], {" + pair("%l", i) + "}");
    line("st.global.v4.u32 [%l12+48], {" + pair("%w", 0) + ", " + pair("%w", 2) + "}");
    line("st.global.v2.u32 [%l12+64], {" + pair("%w", 4) + "}");
    line("st.global.v4.u16 [%l12+72], {" + pair("%h", 0) + ", " + pair("%h", 2) + "}");
    line("st.global.v2.u16 [%l12+80], {" + pair("%h", 4) + "}");
    line("mov.u32 %w22, 0");
    for (int i = 0; i < registers; ++i)
      line("@%p" + std::to_string(i) + " or.b32 %w22, %w22, " + std::to_string(1 << i));
    line("st.global.u32 [%l12+84], %w22");
  }
  static std::string pair(const std::string& kind, int first) {
    return kind + std::to_string(first) + ", " + kind + std::to_string(first + 1);
  }

  std::mt19937 random_;
  std::string text_;
  int labels_ = 0;
  const bool calls_ = rarely(4);
  const int most_barriers_ = static_cast<int>(below(3));
};

}  // namespace warpwise::test
