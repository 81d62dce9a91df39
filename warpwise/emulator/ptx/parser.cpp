#include "warpwise/emulator/ptx/parser.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "warpwise/emulator/ptx/constant.hpp"
#include "warpwise/emulator/ptx/lexer.hpp"
#include "warpwise/emulator/ptx/operand.hpp"
#include "warpwise/emulator/ptx/variable.hpp"

namespace warpwise::ptx {
namespace {

// Limit of instructions that `.alias` directives copy. Without it, a short text could copy a large
// function many times.
constexpr std::size_t max_aliased = std::size_t{1} << 20;

void append_number(std::vector<int>& numbers, Tokens& tokens) {
  const std::uint64_t value = read_integer(tokens);
  if (value > 0x7fffffff) tokens.fail("a number above 2147483647");
  numbers.push_back(static_cast<int>(value));
}

// Replaces the escapes of a string: "\303\274" by the two bytes of a letter, "\\" by a backslash.
std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      result += text[i++];
      continue;
    }
    ++i;
    const auto is_octal = [&](std::size_t at) {
      return at < text.size() && text[at] >= '0' && text[at] <= '7';
    };
    if (is_octal(i)) {
      int byte = 0;
      for (const std::size_t end = i + 3; i < end && is_octal(i); ++i)
        byte = 8 * byte + (text[i] - '0');
      result += static_cast<char>(byte);
      continue;
    }
    constexpr std::string_view letters = "bfnrt";
    const std::size_t letter = letters.find(text[i]);
    result += letter == std::string_view::npos ? text[i] : "\b\f\n\r\t"[letter];
    ++i;
  }
  return result;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(text) {}

  Module parse() {
    header();
    while (!tokens_.at(Token::Kind::end)) statement();
    alias();
    number_files();
    return std::move(module_);
  }

 private:
  /// One `{ }` of a function's body: its names and its start in the function.
  struct Scope {
    std::unordered_set<std::string> names;
    std::size_t first_instruction = 0;
    std::size_t first_variable = 0;
    std::size_t first_label = 0;
    std::size_t first_targets = 0;
  };
  struct Alias {
    std::string name;
    std::string aliased;
    int line = 0;
  };

  // The module.
  void header();
  void statement();
  void file();
  void section();
  void pragma();
  void skip_line();
  void linked();
  void module_variable(const Linkage& linkage);
  void function(bool is_entry, const Linkage& linkage);
  void performance_directives(Function& result);
  void add(Function&& added);
  void alias();
  void number_files();

  // A function's body.
  void body(Function& function);
  void body_statement(Function& function);
  void body_directive(Function& function);
  void label(Function& function);
  void loop_pragma(Function& function);
  bool targets(Function& function, const Token& name);
  void instruction(Function& function);
  void location(Function& function);
  std::array<int, 3> position();
  int caller_at(const std::array<int, 3>& place);
  void declare(std::string_view name, int line);
  void open(const Function& function);
  void close(Function& function);

  Tokens tokens_;
  Module module_;
  Declarations declarations_{tokens_};
  std::unordered_map<std::string, std::size_t> function_index_;
  std::unordered_map<std::string, std::size_t> variable_index_;
  std::unordered_map<std::uint64_t, int> file_index_;
  std::vector<Alias> aliases_;
  std::vector<Scope> scopes_;
  int scope_count_ = 0;
  SourceLine location_;
  /// The last `.loc` at each place: a file, a line and a column. The `.loc` of inlined code names
  /// only the place of the call. This map then gives the caller of the calling function.
  std::map<std::array<int, 3>, SourceLine> inlined_;
  /// Indices into Module::callers, by file, line and outer caller.
  std::map<std::array<int, 3>, int> caller_index_;
  /// Indices into Module::inlined_functions of the names that a later `.debug_str` defines, by the
  /// label and offset of each name.
  std::map<std::pair<std::string, std::uint64_t>, int> names_to_come_;
};

void Parser::header() {
  tokens_.expect(".version");
  module_.version = tokens_.expect(Token::Kind::number, "a version such as 9.0").text;
  tokens_.expect(".target");
  module_.target = tokens_.expect(Token::Kind::name, "a target such as sm_75").text;
  while (tokens_.accept(",")) tokens_.expect(Token::Kind::name, "a target's option");
}

void Parser::statement() {
  if (tokens_.accept(";")) return;
  if (tokens_.accept(".address_size")) {
    const std::uint64_t bits = read_integer(tokens_);
    if (bits != 32 && bits != 64) tokens_.fail("expected .address_size 32 or 64");
    module_.address_bytes = static_cast<int>(bits / 8);
  } else if (tokens_.accept(".file")) {
    file();
  } else if (tokens_.accept(".section")) {
    section();
  } else if (tokens_.at(".language")) {
    skip_line();
  } else if (tokens_.accept(".pragma")) {
    pragma();
  } else if (tokens_.at(".alias")) {
    const int line = tokens_.take().line;
    std::string name(tokens_.expect(Token::Kind::name, "a function's name").text);
    tokens_.expect(",");
    std::string aliased(tokens_.expect(Token::Kind::name, "a function's name").text);
    tokens_.expect(";");
    aliases_.push_back({std::move(name), std::move(aliased), line});
  } else {
    linked();
  }
}

void Parser::file() {
  const int line = tokens_.current().line;
  const std::uint64_t number = read_integer(tokens_);
  const Token path = tokens_.expect(Token::Kind::string, "a file's path in quotes");
  while (tokens_.accept(",")) read_integer(tokens_);  // the file's time and size
  if (!file_index_.emplace(number, static_cast<int>(module_.files.size())).second) {
    Tokens::fail_at(line, "a second .file " + std::to_string(number));
  }
  module_.files.push_back(unescaped(path.text));
}

void Parser::section() {
  const bool has_names = tokens_.take().text == ".debug_str";
  tokens_.expect("{");
  std::string text;
  std::map<std::string, std::size_t, std::less<>> labels;
  for (int depth = 1; depth > 0;) {
    if (tokens_.at(Token::Kind::end)) tokens_.fail_expected("'}'");
    depth += tokens_.at("{") ? 1 : tokens_.at("}") ? -1 : 0;
    if (has_names && tokens_.at(Token::Kind::number)) {
      text += static_cast<char>(read_integer(tokens_));
      continue;
    }
    const Token token = tokens_.take();
    if (has_names && token.kind == Token::Kind::name)
      labels.insert_or_assign(std::string(token.text), text.size());
  }
  if (!has_names) return;
  for (const auto& [place, index] : names_to_come_) {
    const auto label = labels.find(place.first);
    if (label == labels.end() || place.second >= text.size() - label->second) continue;
    module_.inlined_functions[static_cast<std::size_t>(index)] =
        text.c_str() + label->second + place.second;
  }
  names_to_come_.clear();
}

/// Skips a directive that only describes the source, to the end of its line.
void Parser::skip_line() {
  const int line = tokens_.current().line;
  while (tokens_.current().line == line && !tokens_.at(Token::Kind::end)) tokens_.take();
}

void Parser::pragma() {
  do {
    tokens_.expect(Token::Kind::string, "a pragma's text in quotes");
  } while (tokens_.accept(","));
  tokens_.expect(";");
}

void Parser::linked() {
  Linkage linkage;
  for (;; tokens_.take()) {
    if (tokens_.at(".extern")) {
      linkage.is_extern = true;
    } else if (tokens_.at(".weak") || tokens_.at(".common")) {
      linkage.is_weak = true;
      linkage.is_common = tokens_.at(".common");
    } else if (!tokens_.at(".visible")) {
      break;
    }
  }
  if (tokens_.at(".entry") || tokens_.at(".func")) {
    const bool is_entry = tokens_.take().text == ".entry";
    function(is_entry, linkage);
  } else if (declarations_.at_space()) {
    module_variable(linkage);
  } else {
    tokens_.fail_expected("a directive of the module");
  }
}

void Parser::module_variable(const Linkage& linkage) {
  const int line = tokens_.current().line;
  std::vector<Variable> declared;
  declarations_.read(declared, linkage);
  for (Variable& variable : declared) {
    if (function_index_.contains(variable.name)) {
      Tokens::fail_at(line, "variable '" + variable.name + "' has the name of a function");
    }
    const auto [place, is_new] = variable_index_.emplace(variable.name, module_.variables.size());
    if (is_new) {
      module_.variables.push_back(std::move(variable));
      continue;
    }
    Variable& first = module_.variables[place->second];
    if (!first.is_extern && !variable.is_extern && !first.is_weak && !variable.is_weak) {
      Tokens::fail_at(line, "variable '" + variable.name + "' is defined twice");
    }
    const bool are_weak = first.is_weak && variable.is_weak;
    if (are_weak && !first.is_common && !variable.is_common && first.bytes != variable.bytes) {
      Tokens::fail_at(line, "a weak variable '" + variable.name + "' of " +
                                std::to_string(variable.bytes) + " bytes, which has " +
                                std::to_string(first.bytes) + " elsewhere");
    }
    // The largest of several common definitions is kept.
    const bool is_larger = variable.is_weak && variable.bytes > first.bytes;
    if (first.is_extern ||
        (first.is_weak && !variable.is_extern && (!variable.is_weak || is_larger))) {
      first = std::move(variable);
    }
  }
}

void Parser::function(bool is_entry, const Linkage& linkage) {
  Function result;
  result.is_entry = is_entry;
  result.is_weak = linkage.is_weak;
  while (tokens_.accept(".attribute")) declarations_.read_attribute();
  scopes_.clear();
  scope_count_ = 0;
  open(result);
  if (!is_entry && tokens_.at("(")) declarations_.read_list(result.results);
  result.ptx_line = tokens_.current().line;
  result.name = tokens_.expect(Token::Kind::name, "a function's name").text;
  if (tokens_.at("(")) declarations_.read_list(result.parameters);
  for (const auto* list : {&result.results, &result.parameters}) {
    for (const Variable& variable : *list) {
      if (variable.name != "_") declare(variable.name, result.ptx_line);
    }
  }
  performance_directives(result);
  if (tokens_.at("{")) {
    if (linkage.is_extern) tokens_.fail("a body of an .extern function");
    result.has_body = true;
    body(result);
  } else {
    tokens_.expect(";");
  }
  add(std::move(result));
}

void Parser::performance_directives(Function& result) {
  while (tokens_.at(Token::Kind::directive)) {
    const Token directive = tokens_.take();
    if (directive.text == ".attribute") {
      declarations_.read_attribute();
    } else if (directive.text == ".pragma") {
      pragma();
    } else {
      // Reads .maxntid 256, 1, 1 and similar directives, and .noreturn, which has no numbers.
      std::vector<int> numbers;
      if (tokens_.at(Token::Kind::number)) {
        do {
          append_number(numbers, tokens_);
        } while (tokens_.accept(","));
      }
      if (directive.text == ".maxntid") {
        result.max_threads = std::move(numbers);
      } else if (directive.text == ".reqntid") {
        result.required_threads = std::move(numbers);
      } else if (directive.text == ".reqnctapercluster") {
        result.required_cluster = std::move(numbers);
      } else if (directive.text == ".explicitcluster") {
        result.is_explicit_cluster = true;
      } else if (directive.text == ".blocksareclusters") {
        result.is_grid_of_clusters = true;
      }
    }
  }
}

void Parser::add(Function&& added) {
  if (variable_index_.contains(added.name)) {
    Tokens::fail_at(added.ptx_line, "function '" + added.name + "' has the name of a variable");
  }
  const auto [place, is_new] = function_index_.emplace(added.name, module_.functions.size());
  if (is_new) {
    module_.functions.push_back(std::move(added));
    return;
  }
  Function& first = module_.functions[place->second];
  if (!added.has_body) return;
  if (first.has_body && added.is_weak) return;
  if (first.has_body && !first.is_weak)
    Tokens::fail_at(added.ptx_line, "function '" + added.name + "' is defined twice");
  first = std::move(added);
}

void Parser::alias() {
  std::size_t copied = 0;
  for (const Alias& entry : aliases_) {
    const auto from = function_index_.find(entry.aliased);
    if (from == function_index_.end() || !module_.functions[from->second].has_body) {
      Tokens::fail_at(entry.line, "an alias of '" + entry.aliased + "', which is not defined");
    }
    Function copy = module_.functions[from->second];
    copied += 1 + copy.instructions.size() + copy.variables.size();
    if (copied > max_aliased) Tokens::fail_at(entry.line, "too many aliases of large functions");
    copy.name = entry.name;
    add(std::move(copy));
  }
}

void Parser::number_files() {
  const auto number = [&](SourceLine& source) {
    if (source.file < 0) return;
    const auto place = file_index_.find(static_cast<std::uint64_t>(source.file));
    source.file = place == file_index_.end() ? -1 : place->second;
  };
  for (SourceLine& caller : module_.callers) number(caller);
  for (Function& function : module_.functions) {
    number(function.source);
    for (Instruction& instruction : function.instructions) number(instruction.source);
  }
}

// A scope's names are renamed when it closes, so that a label may be used before its definition.

void Parser::open(const Function& function) {
  scopes_.push_back({{},
                     function.instructions.size(),
                     function.variables.size(),
                     function.labels.size(),
                     function.branch_targets.size()});
}

void Parser::declare(std::string_view name, int line) {
  if (!scopes_.back().names.emplace(name).second) {
    Tokens::fail_at(line, "'" + std::string(name) + "' is declared twice in one scope");
  }
}

/// Appends `suffix` to a name that is in `names`. If `%v` is in `names`, `%v.x` becomes `%v@1.x`.
void rename(std::string& name, const std::unordered_set<std::string>& names,
            const std::string& suffix) {
  const std::size_t end = std::min(name.find('.'), name.size());
  if (end == 0) return;
  if (names.contains(end == name.size() ? name : name.substr(0, end))) name.insert(end, suffix);
}

void rename(Operand& operand, const std::unordered_set<std::string>& names,
            const std::string& suffix) {
  if (operand.kind == Operand::Kind::name) rename(operand.name, names, suffix);
  for (Operand& element : operand.elements) rename(element, names, suffix);
}

void Parser::close(Function& function) {
  const Scope scope = std::move(scopes_.back());
  scopes_.pop_back();
  if (scope.names.empty()) return;
  const std::string suffix = "@" + std::to_string(++scope_count_);
  const auto renamed = [&](std::string& name) { rename(name, scope.names, suffix); };
  for (std::size_t i = scope.first_variable; i < function.variables.size(); ++i) {
    renamed(function.variables[i].name);
  }
  for (std::size_t i = scope.first_label; i < function.labels.size(); ++i) {
    renamed(function.labels[i].name);
  }
  for (std::size_t i = scope.first_targets; i < function.branch_targets.size(); ++i) {
    renamed(function.branch_targets[i].name);
    for (std::string& target : function.branch_targets[i].targets) renamed(target);
  }
  for (std::size_t i = scope.first_instruction; i < function.instructions.size(); ++i) {
    renamed(function.instructions[i].guard);
    for (Operand& each : function.instructions[i].operands) rename(each, scope.names, suffix);
  }
}

void Parser::body(Function& function) {
  location_ = {};
  tokens_.expect("{");
  // The outermost braces share the parameters' scope, and their names stay unchanged.
  std::vector<std::unique_ptr<Nested>> nesting;
  for (;;) {
    if (tokens_.accept("{")) {
      nesting.push_back(std::make_unique<Nested>(tokens_));
      open(function);
    } else if (tokens_.accept("}")) {
      if (nesting.empty()) return;
      nesting.pop_back();
      close(function);
    } else {
      body_statement(function);
    }
  }
}

void Parser::body_statement(Function& function) {
  if (tokens_.accept(";")) return;
  if (tokens_.at(Token::Kind::directive)) {
    body_directive(function);
  } else if (tokens_.at(Token::Kind::name) && tokens_.ahead().text == ":" &&
             tokens_.ahead().kind == Token::Kind::punctuation) {
    label(function);
  } else {
    instruction(function);
  }
}

void Parser::body_directive(Function& function) {
  if (declarations_.at_space() || tokens_.at(".extern")) {
    const int line = tokens_.current().line;
    Linkage linkage;
    linkage.is_extern = tokens_.accept(".extern");
    const std::size_t before = function.variables.size();
    declarations_.read(function.variables, linkage);
    for (std::size_t i = before; i < function.variables.size(); ++i) {
      declare(function.variables[i].name, line);
    }
  } else if (tokens_.at(".loc") && tokens_.current().is_inline_assembly) {
    skip_line();  // a wrong line: LLVM adds the line within the assembly to the call's line
  } else if (tokens_.accept(".loc")) {
    location(function);
  } else if (tokens_.accept(".pragma")) {
    loop_pragma(function);
  } else if (tokens_.accept(".file")) {
    file();
  } else if (tokens_.at(".loc_intermediate")) {
    skip_line();
  } else {
    tokens_.fail_expected("an instruction, a label, a declaration or '}'");
  }
}

void Parser::location(Function& function) {
  const std::array<int, 3> place = position();
  SourceLine here{place[0], place[1]};
  while (tokens_.accept(",")) {
    if (tokens_.accept("function_name")) {
      std::string label(tokens_.expect(Token::Kind::name, "a label").text);
      const std::uint64_t offset = tokens_.accept("+") ? read_integer(tokens_) : 0;
      const auto [found, is_new] = names_to_come_.try_emplace(
          {std::move(label), offset}, static_cast<int>(module_.inlined_functions.size()));
      if (is_new) module_.inlined_functions.emplace_back();
      here.function = found->second;
    } else {
      tokens_.expect("inlined_at");
      here.caller = caller_at(position());
    }
  }
  inlined_[place] = here;
  if (place[1] == 0) return;  // compiler-made code without a source line
  location_ = here;
  if (function.source == SourceLine{}) function.source = location_;
}

/// Reads the file, the line and the column of a `.loc`.
std::array<int, 3> Parser::position() {
  std::vector<int> numbers;
  for (int i = 0; i < 3; ++i) append_number(numbers, tokens_);
  return {numbers[0], numbers[1], numbers[2]};
}

/// Returns the index in Module::callers of a call at a place. The last `.loc` at that place tells
/// who called the function that contains the call.
int Parser::caller_at(const std::array<int, 3>& place) {
  const auto known = inlined_.find(place);
  const SourceLine own = known == inlined_.end() ? SourceLine{} : known->second;
  const int outer = own.caller;
  const auto [found, is_new] = caller_index_.try_emplace({place[0], place[1], outer},
                                                         static_cast<int>(caller_index_.size()));
  if (is_new) module_.callers.push_back({place[0], place[1], outer, own.function});
  return found->second;
}

void Parser::label(Function& function) {
  const Token name = tokens_.take();
  tokens_.take();
  declare(name.text, name.line);
  if (targets(function, name)) return;
  function.labels.push_back({std::string(name.text), function.instructions.size()});
}

/// Reads a pragma of a function's body.
void Parser::loop_pragma(Function& function) {
  if (!function.labels.empty() && function.labels.back().index == function.instructions.size())
    function.labels.back().is_rolled |=
        tokens_.current().text.find("nounroll") != std::string::npos;
  pragma();
}

/// Reads a list of targets after a label, or skips a prototype, which repeats the call's
/// information. Returns false if the label marks an instruction.
bool Parser::targets(Function& function, const Token& name) {
  if (tokens_.accept(".callprototype")) {
    while (!tokens_.at(";")) {
      if (tokens_.at(Token::Kind::end)) tokens_.fail_expected("';'");
      tokens_.take();
    }
  } else if (tokens_.accept(".branchtargets") || tokens_.accept(".calltargets")) {
    Function::Targets result{std::string(name.text), {}};
    do {
      result.targets.emplace_back(tokens_.expect(Token::Kind::name, "a target's name").text);
    } while (tokens_.accept(","));
    function.branch_targets.push_back(std::move(result));
  } else {
    return false;
  }
  tokens_.expect(";");
  return true;
}

void Parser::instruction(Function& function) {
  Instruction result;
  result.ptx_line = tokens_.current().line;
  result.source = location_;
  if (tokens_.accept("@")) {
    result.guard_negated = tokens_.accept("!");
    result.guard = tokens_.expect(Token::Kind::name, "a predicate").text;
  }
  result.opcode = tokens_.expect(Token::Kind::name, "an instruction, a label or '}'").text;
  while (tokens_.at(Token::Kind::directive)) {
    result.modifiers.emplace_back(tokens_.take().text.substr(1));
  }
  const bool is_call = result.opcode == "call";
  if (!tokens_.at(";")) {
    do {
      result.operands.push_back(read_operand(tokens_, is_call));
    } while (tokens_.accept(","));
  }
  if (!tokens_.accept(";")) tokens_.fail_expected("',' or ';'");
  function.instructions.push_back(std::move(result));
}

}  // namespace

Module parse(std::string_view text) { return Parser(text).parse(); }

}  // namespace warpwise::ptx
