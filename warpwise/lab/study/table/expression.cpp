#include "warpwise/lab/study/table/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>

#include "warpwise/base/error.hpp"

namespace warpwise::lab {
namespace {

using ladders::Variables;

// A type that can hold every sum and product of two 64-bit numbers.
__extension__ using Wide = __int128;

constexpr int deepest = 64;  // limit of nested parentheses, which protects the stack

// A parser that computes while it reads, with one function for each level of precedence. Without
// variables it only checks the syntax: it accepts any name and any value.
class Evaluation {
 public:
  Evaluation(std::string_view text, const Variables* variables)
      : text_(text), variables_(variables) {}

  std::int64_t run() {
    const std::int64_t value = conjunction();
    if (at_ < text_.size()) fail("an operator is missing");
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw InvalidArgument(
        fmt::format("the expression \"{}\" is wrong at character {}: {}", shown(), at_ + 1, why));
  }

  // Returns the whole expression or, if it is long, the part around the error.
  std::string shown() const {
    constexpr std::size_t around = 100;
    const std::size_t begin = at_ > around ? at_ - around : 0;
    const std::string_view part = text_.substr(begin, 2 * around);
    return (begin > 0 ? "..." : "") + std::string(part) +
           (begin + part.size() < text_.size() ? "..." : "");
  }

  static std::string shown(std::string_view name) {
    constexpr std::size_t enough = 60;
    return std::string(name.substr(0, enough)) + (name.size() > enough ? "..." : "");
  }

  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  bool take(std::string_view token) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  std::int64_t conjunction() {
    if (++depth_ > deepest) fail("too many parentheses");
    std::int64_t value = comparison();
    while (take("&&")) {
      const std::int64_t right = comparison();
      value = value != 0 && right != 0 ? 1 : 0;
    }
    skip_blanks();
    --depth_;
    return value;
  }

  std::int64_t comparison() {
    const std::int64_t left = sum();
    // Longer operators are tried before shorter ones that begin alike, such as <= before <.
    if (take("==")) return left == sum() ? 1 : 0;
    if (take("!=")) return left != sum() ? 1 : 0;
    if (take("<=")) return left <= sum() ? 1 : 0;
    if (take(">=")) return left >= sum() ? 1 : 0;
    if (take("<")) return left < sum() ? 1 : 0;
    if (take(">")) return left > sum() ? 1 : 0;
    return left;
  }

  std::int64_t sum() {
    std::int64_t value = product();
    while (true) {
      if (take("+"))
        value = checked(Wide{value} + product());
      else if (take("-"))
        value = checked(Wide{value} - product());
      else
        return value;
    }
  }

  std::int64_t product() {
    std::int64_t value = factor();
    while (true) {
      if (take("*"))
        value = checked(Wide{value} * factor());
      else if (take("/"))
        value = quotient(value, factor());
      else if (take("%"))
        value = remainder(value, factor());
      else
        return value;
    }
  }

  std::int64_t factor() {
    skip_blanks();
    if (at_ == text_.size()) fail("a number or a name is expected at its end");
    const auto c = static_cast<unsigned char>(text_[at_]);
    if (std::isdigit(c) != 0) return number();
    if (std::isalpha(c) != 0 || c == '_') return name();
    if (!take("(")) fail(fmt::format("'{}' is neither a number nor a name", text_[at_]));
    const std::int64_t value = conjunction();
    if (!take(")")) fail("a ')' is missing");
    return value;
  }

  std::int64_t number() {
    std::int64_t value = 0;
    const char* const end = text_.data() + text_.size();
    const auto [rest, error] = std::from_chars(text_.data() + at_, end, value);
    if (error != std::errc{}) fail("a number beyond 64 bits");
    at_ = static_cast<std::size_t>(rest - text_.data());
    return value;
  }

  std::int64_t name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_')) {
      ++at_;
    }
    const std::string_view found = text_.substr(begin, at_ - begin);
    if (take("(")) return function(found);
    if (variables_ == nullptr) return 1;
    const auto variable = variables_->find(found);
    if (variable != variables_->end()) return variable->second;
    at_ = begin;
    std::string known;
    for (const auto& [each, value] : *variables_) known += (known.empty() ? "" : ", ") + each;
    fail(fmt::format("'{}' is not known; known are {}", shown(found), known));
  }

  std::int64_t function(std::string_view called) {
    const std::int64_t a = conjunction();
    if (!take(",")) fail("a ',' is missing");
    const std::int64_t b = conjunction();
    if (!take(")")) fail("a ')' is missing");
    if (called == "min") return std::min(a, b);
    if (called == "max") return std::max(a, b);
    if (called == "ceil_div") return ceil_div(a, b);
    if (called == "round_up") return checked(Wide{ceil_div(a, b)} * b);
    fail(fmt::format("there is no function '{}'; there are min, max, ceil_div, round_up",
                     shown(called)));
  }

  std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
    const std::int64_t rounded = quotient(a, b);
    const std::int64_t rest = remainder(a, b);
    return rest != 0 && (rest < 0) == (b < 0) ? rounded + 1 : rounded;
  }

  std::int64_t quotient(std::int64_t a, std::int64_t b) {
    return b == 0 ? no_value("a division by zero") : checked(Wide{a} / b);
  }

  // Computes in 128 bits, because the least 64-bit number divided by -1 exceeds 64 bits.
  std::int64_t remainder(std::int64_t a, std::int64_t b) {
    return b == 0 ? no_value("a division by zero") : static_cast<std::int64_t>(Wide{a} % b);
  }

  std::int64_t checked(Wide value) {
    const auto result = static_cast<std::int64_t>(value);
    return value == result ? result : no_value("a result beyond 64 bits");
  }

  std::int64_t no_value(const std::string& why) const {
    if (variables_ == nullptr) return 0;
    fail(why);
  }

  std::string_view text_;
  const Variables* variables_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::int64_t evaluate(std::string_view expression, const Variables& variables) {
  return Evaluation(expression, &variables).run();
}

void require_expression(std::string_view expression) { Evaluation(expression, nullptr).run(); }

}  // namespace warpwise::lab
