// A tuning file has no effect but of known tunables, within their choices, and no throw; what is
// read of a line is written and read as the same again.
#include <string>

#include "fuzz/fuzz.hpp"
#include "warpwise/primitives/shared/tuning_file.hpp"

namespace {

constexpr std::string_view kinds[] = {"u8", "u16"};
constexpr int choices[] = {256, 128, 512};
constexpr warpwise::tuning::Tunable tunable{"copy", "threads", "", kinds, choices};
constexpr const warpwise::tuning::Tunable* known[] = {&tunable};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpwise;
  using fuzz::require;
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::vector<tuning::Line> lines = tuning::read_lines(text);
  const tuning::Gpu gpu{"G", "9.0", 132, 13000};
  const auto source = [](std::string_view) { return std::string_view("0"); };
  for (const tuning::Setting& each : tuning::settings_of(lines, known, source, gpu)) {
    require(each.key.tunable == &tunable && each.key.kind >= 0 && each.key.kind < 2,
            "a key is one of what is known");
    require(each.key.size >= 0 && each.key.size < 64, "a size is a power of two of 64 bits");
    require(each.value == 256 || each.value == 128 || each.value == 512, "a value is a choice");
  }
  for (const tuning::Line& line : lines) {
    require(line.number >= 1, "lines are numbered from 1");
    require(line.entry.has_value() || !line.ignored.empty(), "what is no entry says why");
    if (!line.entry) continue;
    const std::string written = tuning::line_of(*line.entry);
    const auto again = tuning::read_lines(std::string(tuning::file_header) + "\n" + written + "\n");
    if (again.size() == 1 && again[0].entry) {
      require(tuning::line_of(*again[0].entry) == written, "a line is read as the same again");
    }
  }
  return 0;
}
