// Fuzzes the parsers of `warpwise explain`. Texts of a launch are refused only with
// InvalidArgument, or give values within their ranges. The search for host code in a text, and for
// instructions in a listing, never reads outside. The first byte picks the parser.
#include <algorithm>
#include <string>

#include "fuzz/fuzz.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/lab/compile/host_code.hpp"
#include "warpwise/lab/compile/machine_code.hpp"
#include "warpwise/lab/explain/launch/argument_spec.hpp"

namespace warpwise {
namespace {

using fuzz::require;
using lab::ArgumentSpec;

void check_argument(const ArgumentSpec& spec) {
  const lab::Extent extent = lab::extent_of(spec);
  require(extent.bytes > 0 && extent.bytes % extent.alignment == 0, "an argument has a size");
  for (const ArgumentSpec& member : spec.members) check_argument(member);
  if (!spec.members.empty()) return;
  if (spec.kind == ArgumentSpec::Kind::scalar) {
    const int bits = 8 * lab::size_of(spec.type);
    require(bits == 64 || spec.bits >> bits == 0, "a scalar has no bits beyond its type");
    return;
  }
  require(spec.width >= 1 && spec.height >= 1, "a buffer has elements");
  require(spec.bytes() / spec.width / spec.height ==
              static_cast<std::uint64_t>(lab::size_of(spec.type)),
          "a buffer's bytes do not overflow");
  require((spec.fill == ArgumentSpec::Fill::file) == !spec.path.empty(), "a file has a name");
}

void argument(std::string_view text) {
  const ArgumentSpec spec = lab::parse_argument(text);
  require(spec.text == text, "a specification keeps its text");
  check_argument(spec);
}

void dimensions(std::string_view text) {
  const emulator::Dim3 size = lab::parse_dimensions("--grid", text);
  require(size.x >= 1 && size.y >= 1 && size.z >= 1, "a dimension is at least 1");
}

void compute_capabilities(std::string_view text) {
  require(!lab::parse_compute_capabilities(text).empty(), "a list has an entry");
}

void dump(std::string_view text) {
  require(lab::parse_dump(text).path.size() > 4, "a dump has a name before .npy");
}

void host_code(std::string_view text) {
  const lab::DeviceCode code = lab::without_host_functions(text);
  require(code.text.size() == text.size(), "a source keeps its length");
  for (std::size_t i = 0; i < text.size(); ++i) {
    require(code.text[i] == text[i] || (code.text[i] == ' ' && text[i] != '\n'),
            "a source loses characters and no lines");
  }
}

void machine_code(std::string_view text) {
  std::string listing = "\t.section\t.text.k,\"ax\"\n";
  listing += text;
  for (const lab::MachineInstruction& each : lab::machine_code_in(listing, "k")) {
    require(!each.text.empty(), "an instruction has a text");
    require(each.line >= 0, "a line is counted from 1, or not known");
    require(each.text.find('\n') == std::string::npos, "an instruction is a line");
  }
}

}  // namespace
}  // namespace warpwise

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpwise;
  constexpr void (*parsers[])(std::string_view) = {argument, dimensions, compute_capabilities,
                                                   dump,     host_code,  machine_code};
  return fuzz::parse_by_first_byte<InvalidArgument>(data, size, parsers);
}
