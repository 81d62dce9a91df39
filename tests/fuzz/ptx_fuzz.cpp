// ptx::parse() refuses a text only with InvalidArgument, whose message names a line. Otherwise it
// returns a syntax tree whose indices are all valid.
#include <string>
#include <string_view>

#include "fuzz/fuzz.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/emulator/ptx/parser.hpp"

namespace {

using namespace warpwise;

void check(const ptx::Variable& variable) {
  fuzz::require(!variable.name.empty(), "a variable has a name");
  fuzz::require(variable.initial.size() <= variable.bytes, "no more initial bytes than bytes");
  for (const auto& each : variable.relocations) {
    fuzz::require(each.offset + static_cast<std::uint64_t>(each.bytes) <= variable.initial.size(),
                  "an address lies inside its variable");
  }
}

void check(const ptx::Operand& operand) {
  fuzz::require(operand.kind != ptx::Operand::Kind::name || !operand.name.empty(),
                "a name has letters");
  fuzz::require(operand.kind != ptx::Operand::Kind::pair || operand.elements.size() == 2,
                "a pair has two elements");
  for (const ptx::Operand& element : operand.elements) check(element);
}

void check(const ptx::Module& module, const ptx::SourceLine& source) {
  fuzz::require(source.file >= -1 && source.file < static_cast<int>(module.files.size()),
                "a source line is of a file");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const ptx::Module module =
        ptx::parse(std::string_view(reinterpret_cast<const char*>(data), size));
    for (const ptx::Variable& variable : module.variables) check(variable);
    for (const ptx::Function& function : module.functions) {
      for (const ptx::Variable& variable : function.variables) check(variable);
      for (const auto& label : function.labels) {
        fuzz::require(label.index <= function.instructions.size(), "a label is in its function");
      }
      for (const ptx::Instruction& instruction : function.instructions) {
        fuzz::require(!instruction.opcode.empty() && instruction.ptx_line > 0,
                      "an instruction has a name and a line");
        check(module, instruction.source);
        for (const ptx::Operand& operand : instruction.operands) check(operand);
      }
    }
  } catch (const InvalidArgument& error) {
    fuzz::require(std::string_view(error.what()).substr(0, 9) == "PTX line ",
                  "an error has a line");
  }
  return 0;
}
