#include "warpwise/emulator/ptx/operand.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "warpwise/emulator/ptx/constant.hpp"

namespace warpwise::ptx {
namespace {

using Kind = Operand::Kind;

Operand read_name(Tokens& tokens) {
  Operand result;
  if (tokens.accept("_")) {
    result.kind = Kind::sink;
    return result;
  }
  result.name = tokens.expect(Token::Kind::name, "an operand").text;
  // Reads the suffix of names like `%tid.x` and `%r1.b0`.
  while (tokens.at(Token::Kind::directive) && tokens.adjacent()) {
    result.name += tokens.take().text;
  }
  if (tokens.at("+") || tokens.at("-")) {
    result.offset = static_cast<std::int64_t>(read_integer(tokens));
  }
  return result;
}

Operand read_number(Tokens& tokens) {
  const Constant value = read_constant(tokens);
  Operand result;
  result.kind = value.is_integer()                  ? Kind::integer
                : value.kind == Constant::Kind::f32 ? Kind::f32
                                                    : Kind::f64;
  result.value = value.bits;
  return result;
}

void read_elements(Tokens& tokens, Operand& result, std::string_view end) {
  if (tokens.accept(end)) return;
  do {
    result.elements.push_back(read_operand(tokens, false));
  } while (tokens.accept(","));
  if (!tokens.accept(end)) tokens.fail_expected("',' or '" + std::string(end) + "'");
}

Operand read_address(Tokens& tokens) {
  tokens.expect("[");
  Operand result;
  result.kind = Kind::address;
  read_elements(tokens, result, "]");
  if (result.elements.empty()) tokens.fail("an empty address, []");
  // The offset belongs to the whole address, not to its first element.
  std::swap(result.offset, result.elements.front().offset);
  return result;
}

Operand read_unpaired(Tokens& tokens, bool in_call) {
  const Nested nested(tokens);
  Operand result;
  if (in_call && tokens.accept("(")) {
    result.kind = Kind::list;
    read_elements(tokens, result, ")");
  } else if (tokens.accept("{")) {
    result.kind = Kind::vector;
    read_elements(tokens, result, "}");
    if (result.elements.empty()) tokens.fail("an empty vector, {}");
  } else if (tokens.at("[")) {
    result = read_address(tokens);
  } else if (at_constant(tokens)) {
    result = read_number(tokens);
  } else {
    const bool negated = tokens.accept("!");
    result = read_name(tokens);
    result.negated = negated;
  }
  return result;
}

}  // namespace

Operand read_operand(Tokens& tokens, bool in_call) {
  Operand first = read_unpaired(tokens, in_call);
  if (!tokens.at("|") || (first.kind != Kind::name && first.kind != Kind::sink)) return first;
  tokens.take();
  Operand pair;
  pair.kind = Kind::pair;
  pair.elements.push_back(std::move(first));
  pair.elements.push_back(read_name(tokens));
  return pair;
}

}  // namespace warpwise::ptx
