// jpeg::scan_of() returns nothing, or a scan that the GPU's decoder can use: all its parts lie in
// the file, and its tables are valid for the kernels.
#include "fuzz/fuzz.hpp"
#include "warpwise/algorithms/jpeg/scan.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpwise;
  const auto content = fuzz::bytes(data, size);
  const auto scan = jpeg::scan_of(content);
  if (!scan) return 0;
  const auto lies_in_file = [&](std::span<const std::byte> part) {
    return part.data() >= content.data() && part.data() + part.size() <= content.data() + size;
  };
  for (const auto part : scan->app1) fuzz::require(lies_in_file(part), "Exif lies in the file");
  for (const auto part : scan->segments) fuzz::require(lies_in_file(part), "data lie in the file");
  const std::int64_t units = scan->units_in_row() * scan->rows_of_units();
  const auto segments = static_cast<std::int64_t>(scan->segments.size());
  fuzz::require(
      segments * scan->units_of_segment >= units && (segments - 1) * scan->units_of_segment < units,
      "the segments have all units");
  fuzz::require(units * scan->blocks_of_unit() <= static_cast<std::int64_t>(size),
                "memory follows from the file's size");
  for (const auto& codes : scan->tables.codes) {
    for (int length = 1; length <= kernels::jpeg::longest_code; ++length) {
      fuzz::require(codes.limit[length] <= 1U << kernels::jpeg::longest_code, "codes fit 16 bits");
    }
  }
  return 0;
}
