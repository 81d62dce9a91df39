#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Parses PTX to a syntax tree. The parser knows the grammar only. Meanings of instructions, and
/// refusal of unsupported ones, are in decoder.hpp.
namespace warpwise::ptx {

/// A location in a source file, stated by `.loc`.
///
/// - file: index into Module::files, -1 for none
/// - caller: index into Module::callers for inlined code, else -1
/// - function: index into Module::inlined_functions of the inlined function, else -1
struct SourceLine {
  int file = -1;
  int line = 0;
  int caller = -1;
  int function = -1;
  friend bool operator==(const SourceLine&, const SourceLine&) = default;
};

struct Operand {
  enum class Kind {
    name,     ///< register, variable, label, function or `%tid.x`; for `name+4`, offset is 4
    integer,  ///< value holds its bits, negative ones in two's complement
    f32,      ///< 0f3F800000: value holds the 32 bits
    f64,      ///< 0d... and decimal 1.5: value holds the 64 bits
    vector,   ///< {a, b, ...} in elements
    address,  ///< [base + offset]: elements[0] is a name or an integer; a texture [name, {x, y}]
              ///< has two elements
    list,     ///< (a, b) of a call
    pair,     ///< a|b, of setp, shfl, ...
    sink,     ///< _
  };
  Kind kind = Kind::name;
  bool negated = false;  ///< !%p
  std::string name;      ///< scoped names are made unique by the parser: see Module
  std::uint64_t value = 0;
  std::int64_t offset = 0;
  std::vector<Operand> elements;
};

struct Instruction {
  std::string opcode;                  ///< "ld"
  std::vector<std::string> modifiers;  ///< "global", "v2", "u32"; "::" stays inside ("shared::cta")
  std::vector<Operand> operands;
  std::string guard;  ///< the predicate register of `@%p`, empty for none
  bool guard_negated = false;
  SourceLine source;
  int ptx_line = 0;
};

/// A variable of any state space: `.shared .align 4 .b8 name[256];` `.param .u64 name`.
struct Variable {
  std::string space;  ///< "global", "const", "shared", "local", "param", "reg"
  std::string type;   ///< "b8", "u32", "f32", ..., "texref"
  std::string name;
  std::uint64_t alignment = 0;  ///< bytes; the alignment of the type if none is stated
  std::uint64_t bytes = 0;      ///< of all elements; 0 for `name[]` without values
  bool is_extern = false;
  bool is_weak = false;    ///< another definition may replace it
  bool is_common = false;  ///< weak; the largest of several definitions is used
  bool is_array = false;
  bool is_managed = false;            ///< the host reads and writes it too
  std::vector<std::uint8_t> initial;  ///< the initialised bytes; the rest is zero
  /// A field of `initial` at byte `offset`. It holds the address of another variable or function,
  /// plus `addend`. A field that is shorter than this sum holds `bytes` bytes of it, from byte
  /// `first_byte` on.
  struct Relocation {
    std::uint64_t offset = 0;
    std::string name;
    std::int64_t addend = 0;
    bool generic = false;
    int bytes = 8;
    int first_byte = 0;
  };
  std::vector<Relocation> relocations;
  int ptx_line = 0;
};

struct Function {
  std::string name;
  bool is_entry = false;
  bool has_body = false;
  bool is_weak = false;           ///< another definition may replace it
  std::vector<Variable> results;  ///< `.func (.param .b32 retval)`
  std::vector<Variable> parameters;
  std::vector<Variable>
      variables;  ///< registers and variables of any space that are declared in its body
  std::vector<Instruction> instructions;
  /// A label before instructions[index]; index may be the number of instructions.
  struct Label {
    std::string name;
    std::size_t index = 0;
    bool is_rolled = false;  ///< followed by `.pragma "nounroll"`: the loop is not unrolled
  };
  std::vector<Label> labels;
  /// `.branchtargets` and `.calltargets`: their label and the names that they list.
  struct Targets {
    std::string name;
    std::vector<std::string> targets;
  };
  std::vector<Targets> branch_targets;
  std::vector<int> max_threads;       ///< .maxntid, empty for none
  std::vector<int> required_threads;  ///< .reqntid
  std::vector<int> required_cluster;  ///< .reqnctapercluster, in blocks
  bool is_explicit_cluster = false;   ///< .explicitcluster: runs only with a cluster
  bool is_grid_of_clusters = false;   ///< .blocksareclusters
  SourceLine source;
  int ptx_line = 0;
};

/// A whole PTX file. Registers declared as `%r<4>` appear as %r0 ... %r3 in a function's variables.
/// Names declared in an inner `{ }` are made unique, also in their uses, by an appended "@" and a
/// number.
struct Module {
  std::string version;  ///< "9.0"
  std::string target;   ///< "sm_75"
  int address_bytes = 8;
  std::vector<std::string> files;  ///< paths of the `.file` directives
  /// Places where functions were inlined. The caller of each place, if any, comes before it.
  std::vector<SourceLine> callers;
  std::vector<std::string> inlined_functions;  ///< mangled; an empty name is not in the text
  std::vector<Variable> variables;
  std::vector<Function>
      functions;  ///< a function that is declared and defined appears once, with its body
};

/// Parses a PTX text. Never reads outside the text. Bounds nesting, counts and sizes, so that no
/// input exhausts stack or memory.
/// \throws InvalidArgument  with the PTX line and the reason
Module parse(std::string_view text);

}  // namespace warpwise::ptx
