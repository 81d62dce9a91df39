#include "warpwise/emulator/launched.hpp"
#include "warpwise/emulator/readable.hpp"

namespace warpwise::emulator {

void include_launched(LaunchResult& result) {
  for (const LaunchedKernel& kernel : result.launched) {
    result.printed += kernel.result.printed;
    for (Fault fault : kernel.result.faults) {
      fault.message =
          "in kernel '" + readable(kernel.name) + "', which it launched: " + fault.message;
      result.faults.push_back(std::move(fault));
    }
  }
}

}  // namespace warpwise::emulator
