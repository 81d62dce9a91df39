#include "warpwise/lab/study/run/method.hpp"

namespace warpwise::lab {
namespace {

constexpr const char* compared_with_cpu =
    "Each rung's result is compared with the CPU's before it is timed. ";
constexpr const char* compared_with_reference =
    "Each kernel's result is compared with the reference kernel's before it is timed. ";
constexpr const char* gpu_method =
    "Cold: L2 is flushed before each run, a spinning kernel hides the launch, events stand around "
    "the run's launches; at least 10 samples and 0.5 s of GPU time, without those at a clock 5 % "
    "below the median. Batch: run after run on the same operands, as a CUDA graph where a run is "
    "short. Median, 5th and 95th percentile. GB/s counts each input read once and each output "
    "written once, by the cold time; the roof is measured in the same run. Counts are the "
    "emulator's, at the size that they name.";
constexpr const char* share_method =
    " On a share of the GPU: sm_percent of its multiprocessors, set apart as a green context; a "
    "neighbour kernel on the others reads memory, and what it read was measured while the kernel "
    "ran over and over; bandwidth left is the copy roof less that. Batches are no graphs there.";
constexpr const char* transfer_method =
    "Each rung's result is compared with the CPU's as it arrives in the host's memory. Inputs go "
    "up, kernels run, outputs come down, by the host's clock, again and again: at least 5 times "
    "and for a quarter of a second. Their parts are timed by events. pageable: memory as a "
    "program has it; pinned: page-locked; mapped: kernels access page-locked memory themselves; "
    "overlapped N: page-locked, in N bands of rows on three streams. The bus: page-locked copies "
    "of 256 MiB in the same run. Medians.";
constexpr const char* emulator_method =
    "No GPU: these are the emulator's counts, at the size given. Times are modelled, not measured. "
    "Registers are those of the machine code that registers_from names: a compute capability that "
    "none can be built for has the nearest one's.";

}  // namespace

std::string method_of(const StudyTable& table, const StudyRun& run) {
  if (!run.on_gpu) return emulator_method;
  if (run.varies_transfer) return transfer_method;
  std::string method = table.ladder != nullptr ? compared_with_cpu : compared_with_reference;
  method += gpu_method;
  if (run.varies_gpu_share) method += share_method;
  return method;
}

}  // namespace warpwise::lab
