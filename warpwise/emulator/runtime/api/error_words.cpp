// Prints a row for each of the runtime's errors, with its name and the description that the
// toolkit's own runtime returns: {700, "cudaErrorIllegalAddress", "…"}.

#include <cuda_runtime_api.h>

#include <cstdio>

int main() {
  struct NamedError {
    cudaError_t value;
    const char* name;
  };
  constexpr NamedError all[] = {
#include "runtime_errors.inc"
  };
  for (const NamedError& each : all)
    std::printf("{%d, \"%s\", \"%s\"},\n", each.value, each.name, cudaGetErrorString(each.value));
}
