#include "warpwise/emulator/ptx/lexer.hpp"

#include <algorithm>

#include "warpwise/base/error.hpp"

namespace warpwise::ptx {
namespace {

// Limit of nested scopes, expressions, operands and initialisers. nvcc nests far less: it opens a
// scope for each call and each inline assembly. Operands nest in two or three levels.
constexpr int max_depth = 64;

// <cctype> is unsuitable, because it depends on the locale.
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_name_start(char c) { return is_letter(c) || c == '_' || c == '$' || c == '%'; }
bool is_name_part(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '$'; }

std::string described(const Token& token) {
  constexpr std::size_t longest = 40;
  if (token.kind == Token::Kind::end) return "the end of the text";
  if (token.kind == Token::Kind::string) return "a string";
  const auto byte = static_cast<unsigned char>(token.text.front());
  if (byte < ' ' || byte > '~') return "a byte of value " + std::to_string(byte);
  const bool cut = token.text.size() > longest;
  return "'" + std::string(token.text.substr(0, longest)) + (cut ? "...'" : "'");
}

}  // namespace

Tokens::Tokens(std::string_view text) : text_(text) {
  // NVRTC includes the text's terminating zero.
  while (!text_.empty() && text_.back() == '\0') text_.remove_suffix(1);
  current_ = read();
  ahead_ = read();
}

void Tokens::skip_space() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c == '\n') {
      ++line_;
      ++position_;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++position_;
    } else if (text_.compare(position_, 2, "//") == 0) {
      const std::size_t end = std::min(text_.find('\n', position_), text_.size());
      const std::string_view comment = text_.substr(position_, end - position_);
      in_inline_assembly_ = (in_inline_assembly_ || comment.starts_with("// begin inline asm")) &&
                            !comment.starts_with("// end inline asm");
      position_ = end;
    } else if (text_.compare(position_, 2, "/*") == 0) {
      const int begin_line = line_;
      const std::size_t end = text_.find("*/", position_ + 2);
      if (end == std::string_view::npos) fail_at(begin_line, "a comment without an end");
      for (; position_ < end + 2; ++position_) line_ += text_[position_] == '\n';
    } else {
      return;
    }
  }
}

void Tokens::read_number(std::size_t begin) {
  const auto at = [&](std::size_t index) { return index < text_.size() ? text_[index] : '\0'; };
  const auto take_name_parts = [&] {
    while (is_name_part(at(position_))) ++position_;
  };
  const auto take_signed_exponent = [&] {
    const char last = text_[position_ - 1];
    const char sign = at(position_);
    if ((last != 'e' && last != 'E') || (sign != '+' && sign != '-')) return;
    if (!is_digit(at(position_ + 1))) return;
    ++position_;
    take_name_parts();
  };
  take_name_parts();
  // After a prefix like 0x, 0f or 0d, all characters are digits.
  if (text_[begin] == '0' && position_ > begin + 1 && is_letter(at(begin + 1)) &&
      at(begin + 1) != 'e' && at(begin + 1) != 'E') {
    return;
  }
  if (at(position_) == '.' && is_digit(at(position_ + 1))) {
    ++position_;
    take_name_parts();
  }
  take_signed_exponent();
}

Token Tokens::read() {
  skip_space();
  Token token;
  token.line = line_;
  token.is_inline_assembly = in_inline_assembly_;
  if (position_ == text_.size()) {
    token.text = text_.substr(position_, 0);
    return token;
  }
  const std::size_t begin = position_++;
  const char first = text_[begin];
  const char second = position_ < text_.size() ? text_[position_] : '\0';
  // After a number or a closing parenthesis, `%` is the remainder operator.
  const bool after_value = begin > 0 && (ahead_.kind == Token::Kind::number || ahead_.text == ")");
  const bool is_operator = first == '%' && (after_value || !is_name_part(second));
  if (is_name_start(first) && !is_operator) {
    token.kind = Token::Kind::name;
    while (position_ < text_.size() && is_name_part(text_[position_])) ++position_;
  } else if (is_digit(first)) {
    token.kind = Token::Kind::number;
    read_number(begin);
  } else if (first == '.' && is_name_part(second)) {
    token.kind = Token::Kind::directive;
    while (position_ < text_.size()) {
      if (is_name_part(text_[position_])) {
        ++position_;
      } else if (text_.compare(position_, 2, "::") == 0 && position_ + 2 < text_.size() &&
                 is_name_part(text_[position_ + 2])) {
        position_ += 2;
      } else {
        break;
      }
    }
  } else if (first == '"') {
    token.kind = Token::Kind::string;
    std::size_t end = text_.find_first_of("\"\\\n", position_);
    while (end != std::string_view::npos && text_[end] == '\\')
      end = text_.find_first_of("\"\\\n", end + 2);
    if (end == std::string_view::npos || text_[end] == '\n') {
      fail_at(line_, "a string without an end");
    }
    position_ = end + 1;
    token.text = text_.substr(begin + 1, end - begin - 1);
    return token;
  } else {
    token.kind = Token::Kind::punctuation;
    const bool doubled = first == second && (first == '<' || first == '>' || first == '=' ||
                                             first == '&' || first == '|');
    const bool compared = second == '=' && (first == '<' || first == '>' || first == '!');
    if (doubled || compared) ++position_;
  }
  token.text = text_.substr(begin, position_ - begin);
  return token;
}

bool Tokens::at(std::string_view text) const {
  return current_.text == text && current_.kind != Token::Kind::string &&
         current_.kind != Token::Kind::end;
}

bool Tokens::accept(std::string_view text) {
  if (!at(text)) return false;
  take();
  return true;
}

Token Tokens::take() {
  const Token taken = current_;
  taken_end_ = taken.text.data() + taken.text.size();
  current_ = ahead_;
  if (current_.kind != Token::Kind::end) ahead_ = read();
  return taken;
}

Token Tokens::expect(Token::Kind kind, const char* expected) {
  if (current_.kind != kind) fail_expected(expected);
  return take();
}

void Tokens::expect(std::string_view text) {
  if (!accept(text)) fail_expected("'" + std::string(text) + "'");
}

void Tokens::fail_expected(std::string_view expected) const {
  fail("expected " + std::string(expected) + ", found " + described(current_));
}

void Tokens::fail(std::string_view message) const { fail_at(current_.line, message); }

void Tokens::fail_at(int line, std::string_view message) {
  throw InvalidArgument("PTX line " + std::to_string(line) + ": " + std::string(message));
}

Nested::Nested(Tokens& tokens) : tokens_(tokens) {
  if (tokens_.depth_ >= max_depth) {
    tokens_.fail("nested more than " + std::to_string(max_depth) + " deep");
  }
  ++tokens_.depth_;
}

}  // namespace warpwise::ptx
