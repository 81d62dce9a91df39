// `faults NAME` runs one program. `faults --list` prints the name and the kind of each program,
// whether it hangs a GPU, and why the emulator misses its fault.

#include <cstdio>
#include <cstring>

#include "cases.hpp"

namespace faults {

void check(cudaError_t error) {
  if (error != cudaSuccess) std::printf("error: %s\n", cudaGetErrorName(error));
}

void finish() {
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
}

}  // namespace faults

int main(int argc, char** argv) {
  using namespace faults;
  const char* const wanted = argc == 2 ? argv[1] : "";
  for (const auto part :
       {memory_cases, lifetime_cases, init_cases, race_cases, lane_cases, copy_cases, order_cases,
        sync_cases, runtime_cases, stream_cases, graph_cases}) {
    for (const Case& each : part()) {
      if (std::strcmp(wanted, "--list") == 0) {
        std::printf("%s\t%s\t%s\t%s\n", each.name, each.kind, each.hangs_gpu ? "hangs" : "ends",
                    each.missed);
      } else if (std::strcmp(wanted, each.name) == 0) {
        each.run();
        return 0;
      }
    }
  }
  if (std::strcmp(wanted, "--list") == 0) return 0;
  std::fprintf(stderr, "faults NAME, or faults --list\n");
  return 2;
}
