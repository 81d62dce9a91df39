// Parses the input as a file of suppressions, which may be refused only with InvalidArgument. Each
// suppression has a reason and a place. Its line, parsed alone, gives the same reason. The input is
// also demangled as a name from numba: alone, and behind two usual beginnings of such a name.
#include <string>

#include "fuzz/fuzz.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/emulator/numba_name.hpp"
#include "warpwise/emulator/suppressions.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpwise;
  using fuzz::require;
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const std::string& name : {text, "_ZN" + text, "_ZN4blurB2v1B2cwE" + text}) {
    const auto read = emulator::numba_name(name);
    require(!read || (read->find('(') != std::string::npos && read->ends_with(')')),
            "a name has its types in brackets");
  }
  try {
    const emulator::Suppressions read(text);
    for (const emulator::Suppression& each : read.all()) {
      require(!each.reason.empty(), "each has a reason");
      require(!each.file.empty() || !each.function.empty() || each.in_program,
              "each names a place");
      require(each.source_line >= 0 && each.line >= 1, "lines are numbered from 1");
      const emulator::Suppressions again(each.text);
      require(again.all().size() == 1 && again.all().front().reason == each.reason,
              "a line is read as the same again");
      emulator::Fault fault;
      fault.kind = each.kind.value_or(emulator::FaultKind::race);
      fault.file = each.file;
      fault.line = each.source_line;
      require(read.covering(each.in_program ? "" : each.function, fault).has_value(),
              "a fault at its place is covered");
      // Names that C++ has mangled are left out, because the C++ library demangles them.
      fault.functions = {"f" + text};
      static_cast<void>(read.covering("f" + text, fault));
    }
  } catch (const InvalidArgument&) {
  }
  return 0;
}
