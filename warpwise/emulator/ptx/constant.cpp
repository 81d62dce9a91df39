#include "warpwise/emulator/ptx/constant.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <limits>

namespace warpwise::ptx {
namespace {

using ConstantKind = Constant::Kind;

Constant of(bool value) { return {ConstantKind::s64, value ? 1u : 0u}; }
Constant of(double value) { return {ConstantKind::f64, std::bit_cast<std::uint64_t>(value)}; }

bool is_true(const Constant& constant) {
  return constant.is_integer() ? constant.bits != 0 : to_double(constant) != 0;
}

Constant cast(const Tokens& tokens, bool to_signed, const Constant& from) {
  const ConstantKind kind = to_signed ? ConstantKind::s64 : ConstantKind::u64;
  if (from.is_integer()) return {kind, from.bits};
  const double value = to_double(from);
  const double low = to_signed ? -0x1p63 : 0;
  const double high = to_signed ? 0x1p63 : 0x1p64;
  if (!(value >= low && value < high)) tokens.fail("a number out of the range of the cast's type");
  return {kind, to_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value))
                          : static_cast<std::uint64_t>(value)};
}

Constant read_unary(Tokens& tokens) {
  const Nested nested(tokens);
  if (tokens.accept("+")) return read_unary(tokens);
  if (tokens.accept("!")) return of(!is_true(read_unary(tokens)));
  if (tokens.accept("-")) {
    Constant value = read_unary(tokens);
    if (value.is_integer()) {
      value.bits = 0 - value.bits;
    } else {
      value.bits ^=
          value.kind == ConstantKind::f32 ? std::uint64_t{1} << 31 : std::uint64_t{1} << 63;
    }
    return value;
  }
  if (tokens.accept("~")) {
    Constant value = read_unary(tokens);
    if (!value.is_integer()) tokens.fail("'~' of a number that is no integer");
    value.bits = ~value.bits;
    return value;
  }
  if (tokens.accept("(")) {
    for (const bool to_signed : {true, false}) {
      if (!tokens.accept(to_signed ? ".s64" : ".u64")) continue;
      tokens.expect(")");
      return cast(tokens, to_signed, read_unary(tokens));
    }
    const Constant value = read_constant(tokens);
    tokens.expect(")");
    return value;
  }
  if (tokens.at(Token::Kind::number)) return read_literal(tokens);
  if (tokens.accept("WARP_SZ")) return {ConstantKind::s64, 32};
  tokens.fail_expected("a constant");
}

Constant divide(const Tokens& tokens, bool remainder, bool is_signed, std::uint64_t a,
                std::uint64_t b) {
  if (b == 0) tokens.fail("a division by zero");
  if (!is_signed) return {ConstantKind::u64, remainder ? a % b : a / b};
  // The smallest number divided by -1 does not fit, and wraps.
  if (b == ~std::uint64_t{0}) return {ConstantKind::s64, remainder ? 0 : 0 - a};
  const auto x = static_cast<std::int64_t>(a);
  const auto y = static_cast<std::int64_t>(b);
  return {ConstantKind::s64, static_cast<std::uint64_t>(remainder ? x % y : x / y)};
}

Constant shift(bool left, const Constant& value, std::uint64_t by) {
  const bool negative =
      value.kind == ConstantKind::s64 && static_cast<std::int64_t>(value.bits) < 0;
  if (by > 63) return {value.kind, !left && negative ? ~std::uint64_t{0} : 0};
  if (left) return {value.kind, value.bits << by};
  const std::uint64_t fill = negative && by > 0 ? ~std::uint64_t{0} << (64 - by) : 0;
  return {value.kind, value.bits >> by | fill};
}

template <typename T>
bool compare(std::string_view operation, T a, T b) {
  if (operation == "==") return a == b;
  if (operation == "!=") return a != b;
  if (operation == "<") return a < b;
  if (operation == "<=") return a <= b;
  if (operation == ">") return a > b;
  return a >= b;
}

bool is_comparison(std::string_view operation) {
  return operation == "==" || operation == "!=" || operation == "<" || operation == "<=" ||
         operation == ">" || operation == ">=";
}

Constant of_doubles(const Tokens& tokens, std::string_view operation, double a, double b) {
  if (is_comparison(operation)) return of(compare(operation, a, b));
  if (operation == "+") return of(a + b);
  if (operation == "-") return of(a - b);
  if (operation == "*") return of(a * b);
  if (operation == "/") {
    if (b == 0) tokens.fail("a division by zero");
    return of(a / b);
  }
  tokens.fail("'" + std::string(operation) + "' of a number that is no integer");
}

Constant calculate(const Tokens& tokens, std::string_view operation, const Constant& a,
                   const Constant& b) {
  if (operation == "&&") return of(is_true(a) && is_true(b));
  if (operation == "||") return of(is_true(a) || is_true(b));
  if (!a.is_integer() || !b.is_integer()) {
    return of_doubles(tokens, operation, to_double(a), to_double(b));
  }
  if (operation == "<<" || operation == ">>") return shift(operation == "<<", a, b.bits);
  const bool is_signed = a.kind == ConstantKind::s64 && b.kind == ConstantKind::s64;
  if (is_comparison(operation)) {
    return of(is_signed ? compare(operation, static_cast<std::int64_t>(a.bits),
                                  static_cast<std::int64_t>(b.bits))
                        : compare(operation, a.bits, b.bits));
  }
  const ConstantKind kind = is_signed ? ConstantKind::s64 : ConstantKind::u64;
  switch (operation.front()) {
    case '+': return {kind, a.bits + b.bits};
    case '-': return {kind, a.bits - b.bits};
    case '*': return {kind, a.bits * b.bits};
    case '/': return divide(tokens, false, is_signed, a.bits, b.bits);
    case '%': return divide(tokens, true, is_signed, a.bits, b.bits);
    case '&': return {kind, a.bits & b.bits};
    case '^': return {kind, a.bits ^ b.bits};
    default: return {kind, a.bits | b.bits};
  }
}

/// Returns the precedence of the current operator, 0 for none.
int precedence(const Tokens& tokens) {
  struct Level {
    std::string_view operation;
    int level;
  };
  static constexpr std::array<Level, 18> levels{{{"||", 1},
                                                 {"&&", 2},
                                                 {"|", 3},
                                                 {"^", 4},
                                                 {"&", 5},
                                                 {"==", 6},
                                                 {"!=", 6},
                                                 {"<", 7},
                                                 {">", 7},
                                                 {"<=", 7},
                                                 {">=", 7},
                                                 {"<<", 8},
                                                 {">>", 8},
                                                 {"+", 9},
                                                 {"-", 9},
                                                 {"*", 10},
                                                 {"/", 10},
                                                 {"%", 10}}};
  // Usually no operator follows a literal, so this test saves the search below.
  if (!tokens.at(Token::Kind::punctuation)) return 0;
  for (const Level& entry : levels) {
    if (tokens.at(entry.operation)) return entry.level;
  }
  return 0;
}

Constant read_binary(Tokens& tokens, int lowest) {
  Constant value = read_unary(tokens);
  for (int level = precedence(tokens); level >= lowest && level > 0; level = precedence(tokens)) {
    const std::string_view operation = tokens.take().text;
    const Constant right = read_binary(tokens, level + 1);
    value = calculate(tokens, operation, value, right);
  }
  return value;
}

}  // namespace

double to_double(const Constant& constant) {
  switch (constant.kind) {
    case ConstantKind::s64: return static_cast<double>(static_cast<std::int64_t>(constant.bits));
    case ConstantKind::u64: return static_cast<double>(constant.bits);
    case ConstantKind::f32: return std::bit_cast<float>(static_cast<std::uint32_t>(constant.bits));
    case ConstantKind::f64: return std::bit_cast<double>(constant.bits);
  }
  return 0;
}

bool at_constant(const Tokens& tokens) {
  if (tokens.at(Token::Kind::number) || tokens.at("WARP_SZ")) return true;
  return tokens.at("-") || tokens.at("+") || tokens.at("~") || tokens.at("(") ||
         (tokens.at("!") && tokens.ahead().kind != Token::Kind::name);
}

Constant read_literal(Tokens& tokens) {
  if (!tokens.at(Token::Kind::number)) tokens.fail_expected("a number");
  std::string_view text = tokens.current().text;
  const auto digits = [&](std::string_view part, int base) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value, base);
    if (part.empty() || error != std::errc() || end != part.data() + part.size()) {
      tokens.fail_expected("a number of at most 64 bits");
    }
    return value;
  };
  const char prefix = text.size() > 1 && text[0] == '0' ? text[1] : '\0';
  Constant constant;
  if (prefix == 'f' || prefix == 'F' || prefix == 'd' || prefix == 'D') {
    const bool single = prefix == 'f' || prefix == 'F';
    if (text.size() != (single ? 10u : 18u)) {
      tokens.fail_expected(single ? "0f and 8 hexadecimal digits" : "0d and 16 hexadecimal digits");
    }
    constant = {single ? ConstantKind::f32 : ConstantKind::f64, digits(text.substr(2), 16)};
  } else if (prefix != 'x' && prefix != 'X' && text.find_first_of(".eE") != text.npos) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
      tokens.fail_expected("a number");
    }
    constant = of(value);
  } else {
    const bool is_unsigned = text.back() == 'U' || text.back() == 'u';
    if (is_unsigned) text.remove_suffix(1);
    if (prefix == 'x' || prefix == 'X') {
      constant.bits = digits(text.substr(2), 16);
    } else if (prefix == 'b' || prefix == 'B') {
      constant.bits = digits(text.substr(2), 2);
    } else {
      constant.bits = digits(text, text.size() > 1 && text[0] == '0' ? 8 : 10);
    }
    const bool wide = constant.bits > std::uint64_t{std::numeric_limits<std::int64_t>::max()};
    constant.kind = is_unsigned || wide ? ConstantKind::u64 : ConstantKind::s64;
  }
  tokens.take();
  return constant;
}

Constant read_constant(Tokens& tokens) {
  const Nested nested(tokens);
  const Constant value = read_binary(tokens, 1);
  if (!tokens.accept("?")) return value;
  const Constant if_true = read_constant(tokens);
  tokens.expect(":");
  const Constant if_false = read_constant(tokens);
  return is_true(value) ? if_true : if_false;
}

std::uint64_t read_integer(Tokens& tokens) {
  const Constant value = read_constant(tokens);
  if (!value.is_integer()) tokens.fail("expected an integer, found a floating-point number");
  return value.bits;
}

}  // namespace warpwise::ptx
