#pragma once

#include <cstdint>
#include <vector>

#include "warpwise/emulator/ptx/constant.hpp"
#include "warpwise/emulator/ptx/lexer.hpp"
#include "warpwise/emulator/ptx/parser.hpp"

namespace warpwise::ptx {

struct Linkage {
  bool is_extern = false;
  bool is_weak = false;    ///< another definition may replace it
  bool is_common = false;  ///< weak; the largest of several definitions is used
};

/// Reads declarations of variables, registers and parameters. Bounds the total memory of a module's
/// declarations.
class Declarations {
 public:
  explicit Declarations(Tokens& tokens) : tokens_(tokens) {}

  bool at_space() const;
  /// Reads `.shared .align 4 .b8 a[256], b[4];` `.reg .b32 %r<24>;` `.global .u32 x = 1;`
  void read(std::vector<Variable>& into, const Linkage& linkage);
  /// Reads `(.param .b32 a, .param .align 8 .b8 b[24])`
  void read_list(std::vector<Variable>& into);
  /// Reads the list `(.unified(1, 2))` after `.attribute`. Returns true if it includes `.managed`.
  bool read_attribute();

 private:
  /// A declaration up to and including the name and its dimensions.
  struct Declared {
    Variable variable;
    std::uint64_t element_bytes = 0;
    std::uint64_t vector = 1;
    std::vector<std::uint64_t> extents;  ///< 0 for `[]`
  };
  struct Initialiser {
    Variable& variable;
    const Declared& declared;
    std::vector<std::uint64_t> strides;  ///< number of elements in one item of each level of braces
  };

  Declared read_type();
  void read_pointer();
  void read_extents(Declared& declared);
  void read_registers(std::vector<Variable>& into, const Declared& declared);
  void read_initial(Declared& declared);
  std::uint64_t read_braces(Initialiser& initialiser, std::size_t level, std::uint64_t begin,
                            std::uint64_t end);
  void read_item(Initialiser& initialiser, std::uint64_t index);
  void read_relocation(Initialiser& initialiser, std::uint64_t offset);
  std::uint64_t converted(const Constant& value, const Declared& declared) const;
  void set_size(Declared& declared);

  Tokens& tokens_;
  std::uint64_t registers_ = 0;
  std::uint64_t initial_bytes_ = 0;
};

}  // namespace warpwise::ptx
