#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "warpwise/lab/explain/programs/emulated_runtime.hpp"
#include "warpwise/lab/explain/programs/primitive.hpp"

namespace warpwise::lab {
namespace {

constexpr const char* restarted = "WARPWISE_RESTARTED_ON_EMULATOR";

}  // namespace

void restart_on_emulated_runtime(char* const* arguments, rules::ComputeCapability cc) {
  const std::filesystem::path folder = emulated_runtime_folder();
  if (std::getenv(restarted) != nullptr) {
    throw Error("the emulated CUDA runtime in " + folder.string() +
                " was not loaded: another library comes before it");
  }
  search_first(folder);
  constexpr rules::ComputeCapability least = {7, 5};
  ::setenv("WARPWISE_EMULATED_CC", rules::to_string(std::max(cc, least)).c_str(), 0);
  ::setenv(restarted, "1", 1);
  ::execv("/proc/self/exe", arguments);
  throw Error(std::string("the command could not be started again: ") + std::strerror(errno));
}

}  // namespace warpwise::lab
