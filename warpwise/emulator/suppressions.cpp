#include "warpwise/emulator/suppressions.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/readable.hpp"

namespace warpwise::emulator {
namespace {

constexpr std::string_view form = "KIND [at FILE[:LINE]] [in FUNCTION] because REASON";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

/// Removes and returns the text before `word`, and removes `word`. Without `word`, takes the whole
/// text.
std::string_view take_before(std::string_view& text, std::string_view word, bool& found) {
  const std::size_t at = text.find(word);
  found = at != std::string_view::npos;
  const std::string_view before = trimmed(text.substr(0, at));
  text = found ? trimmed(text.substr(at + word.size())) : std::string_view();
  return before;
}

class Line {
 public:
  Line(std::string_view text, int number) : number_(number) {
    result_.line = number;
    result_.text = text;
  }

  Suppression read() {
    std::string_view rest = result_.text;
    bool has_reason = false;
    std::string_view what = take_before(rest, " because ", has_reason);
    if (!has_reason || rest.empty()) fail("it gives no reason");
    result_.reason = rest;
    const std::size_t end = std::min(what.find(' '), what.size());
    kind(what.substr(0, end));
    places(trimmed(what.substr(end)));
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw InvalidArgument("line " + std::to_string(number_) + ", '" + result_.text + "': " + why +
                          "; a suppression is " + std::string(form));
  }

  void kind(std::string_view name) {
    if (name == "any") return;
    result_.kind = value_named<FaultKind>(name);
    if (result_.kind) return;
    std::string names = "any";
    for (const FaultKind each : all_values<FaultKind>()) names += ", " + std::string(name_of(each));
    fail("'" + std::string(name) + "' is no kind of fault; the kinds are " + names);
  }

  void places(std::string_view text) {
    if (text == "in" || text.ends_with(" in")) fail("it names no function after 'in'");
    bool has_function = text.starts_with("in ");
    if (text.starts_with("at ")) {
      text.remove_prefix(3);
      file(take_before(text, " in ", has_function));
    } else if (has_function) {
      text.remove_prefix(3);
    }
    text = trimmed(text);
    if (has_function && !text.empty()) {
      result_.in_program = text == "the program";
      if (!result_.in_program) result_.function = text;
    } else if (has_function || !text.empty() || result_.file.empty()) {
      fail("it names no place (at FILE or in FUNCTION) after the kind");
    }
  }

  void file(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon != std::string_view::npos) {
      const char* const begin = text.data() + colon + 1;
      const char* const end = text.data() + text.size();
      const auto [stop, error] = std::from_chars(begin, end, result_.source_line);
      if (error != std::errc() || stop != end || result_.source_line < 1)
        fail("'" + std::string(begin, end) + "' is no line's number");
      text = trimmed(text.substr(0, colon));
    }
    if (text.empty()) fail("it names no file after 'at'");
    result_.file = text;
  }

  int number_;
  Suppression result_;
};

bool is_at(const Suppression& known, const SourcePlace& place) {
  if (known.source_line != 0 && known.source_line != place.line) return false;
  if (!place.file.ends_with(known.file)) return false;
  const std::size_t before = place.file.size() - known.file.size();
  return before == 0 || known.file.front() == '/' || place.file[before - 1] == '/';
}

void remove_all(std::string& text, std::string_view part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part))
    text.erase(at, part.size());
}

/// Finds the first or last `c` outside all brackets < >.
std::size_t find_outside(std::string_view text, char c, bool last) {
  std::size_t found = std::string_view::npos;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '<' ? 1 : text[i] == '>' ? -1 : 0;
    if (text[i] != c || depth != 0) continue;
    found = i;
    if (!last) break;
  }
  return found;
}

/// Removes the template arguments at the end of a name.
void remove_arguments(std::string& name) {
  if (!name.ends_with('>')) return;
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    depth += name[i] == '>' ? 1 : name[i] == '<' ? -1 : 0;
    if (depth == 0) return name.resize(i);
  }
}

/// Returns all accepted names of a function: "void a::b<int>(int*)", "a::b<int>", "a::b", "b<int>",
/// "b"; for a function of Python "a.b(float32[::1])", "a.b", "b".
std::vector<std::string> names_of(std::string_view mangled) {
  std::vector<std::string> names{readable(mangled)};
  std::string own = names.front();
  remove_all(own, "(anonymous namespace)::");
  own.resize(std::min(find_outside(own, '(', false), own.size()));
  const std::size_t result = find_outside(own, ' ', true);
  if (result != std::string::npos) own.erase(0, result + 1);
  const std::size_t last =  // after "namespace::", or after "module." of Python
      std::max(find_outside(own, ':', true) + 1, find_outside(own, '.', true) + 1);
  for (std::string name : {own, own.substr(last)}) {
    names.push_back(name);
    remove_arguments(name);
    names.push_back(std::move(name));
  }
  return names;
}

bool is_called(std::string_view mangled, const std::string& name) {
  return mangled == name || std::ranges::count(names_of(mangled), name) > 0;
}

bool covers(const Suppression& known, std::string_view kernel, const Fault& fault) {
  if (known.kind && *known.kind != fault.kind) return false;
  if (known.in_program && !kernel.empty()) return false;
  if (!known.file.empty() && !is_at(known, {fault.file, fault.line}) &&
      !std::ranges::any_of(fault.called_from,
                           [&](const SourcePlace& place) { return is_at(known, place); }))
    return false;
  return known.function.empty() || is_called(kernel, known.function) ||
         std::ranges::any_of(fault.functions, [&](const std::string& function) {
           return is_called(function, known.function);
         });
}

}  // namespace

Suppressions::Suppressions(std::string_view text) {
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && line.front() != '#') all_.push_back(Line(line, number).read());
  }
}

std::optional<std::size_t> Suppressions::covering(std::string_view kernel,
                                                  const Fault& fault) const {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (covers(all_[i], kernel, fault)) return i;
  }
  return std::nullopt;
}

}  // namespace warpwise::emulator
