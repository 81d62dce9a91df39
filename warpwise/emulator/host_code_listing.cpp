#include "warpwise/emulator/host_code_listing.hpp"

#include <string>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/decode/decoder.hpp"
#include "warpwise/emulator/host_code/parts.hpp"
#include "warpwise/emulator/observe/sets.hpp"

namespace warpwise::emulator {

std::vector<HostCodePart> host_code_of(std::string_view ptx, std::string_view kernel) {
  const ptx::Module module = ptx::parse(ptx);
  for (const ptx::Function& function : module.functions) {
    if (!function.is_entry || !function.has_body || function.name != kernel) continue;
    const Code code = decode(module, function, ObserverSet::none, false);
    std::vector<HostCodePart> parts;
    for (OperationsCode& each : operations_code(code, ObserverSet::none)) {
      HostCodePart& part = parts.emplace_back();
      for (std::size_t i = each.first; i < each.end; ++i) {
        const int line = code.ptx_lines[i];
        if (line > 0 && (part.ptx_lines.empty() || part.ptx_lines.back() != line))
          part.ptx_lines.push_back(line);
      }
      part.offset = each.offset;
      part.bytes = std::move(each.bytes);
    }
    return parts;
  }
  throw InvalidArgument("there is no kernel '" + std::string(kernel) + "'");
}

}  // namespace warpwise::emulator
