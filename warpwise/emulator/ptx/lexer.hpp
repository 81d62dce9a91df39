#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Splits PTX text into tokens for the parser.
namespace warpwise::ptx {

struct Token {
  enum class Kind {
    end,
    name,         ///< `ld`, `%r1`, `$L__BB0_2`, `_`
    directive,    ///< `.global`, `.L1::no_allocate`: a dot and the name after it
    number,       ///< `12`, `0x1FU`, `0f3F800000`, `9.0`, `1e-3`
    string,       ///< without its quotes, with its escapes: `a\"b`
    punctuation,  ///< one character, or one of `<< >> <= >= == != && ||`
  };
  Kind kind = Kind::end;
  std::string_view text;
  int line = 1;
  /// The token lies between a compiler's comments "begin inline asm" and "end inline asm".
  bool is_inline_assembly = false;
};

/// The current token and the one after it.
class Tokens {
 public:
  explicit Tokens(std::string_view text);

  std::size_t text_bytes() const { return text_.size(); }
  const Token& current() const { return current_; }
  const Token& ahead() const { return ahead_; }
  /// Returns true if the current token begins where the last taken token ended, as in `%tid.x`.
  bool adjacent() const { return current_.text.data() == taken_end_; }

  bool at(std::string_view text) const;
  bool at(Token::Kind kind) const { return current_.kind == kind; }
  /// Takes the current token if it has this text and is no string. Returns true if it was taken.
  bool accept(std::string_view text);
  Token take();
  Token expect(Token::Kind kind, const char* expected);
  void expect(std::string_view text);

  /// \throws InvalidArgument  "PTX line 12: expected ..., found ..."
  [[noreturn]] void fail_expected(std::string_view expected) const;
  /// \throws InvalidArgument  "PTX line 12: ..."
  [[noreturn]] void fail(std::string_view message) const;
  [[noreturn]] static void fail_at(int line, std::string_view message);

 private:
  friend class Nested;
  void skip_space();
  Token read();
  void read_number(std::size_t begin);

  std::string_view text_;
  std::size_t position_ = 0;
  int line_ = 1;
  int depth_ = 0;
  bool in_inline_assembly_ = false;
  Token current_;
  Token ahead_;
  const char* taken_end_ = nullptr;
};

/// Counts one level of nesting during its lifetime. Refuses too many levels, to bound the stack.
class Nested {
 public:
  explicit Nested(Tokens& tokens);
  ~Nested() { --tokens_.depth_; }
  Nested(const Nested&) = delete;
  Nested& operator=(const Nested&) = delete;

 private:
  Tokens& tokens_;
};

}  // namespace warpwise::ptx
