#include "warpwise/lab/study/run/transfer_run.hpp"

#include <cstring>
#include <memory>
#include <vector>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/study/run/rung_run.hpp"
#include "warpwise/lab/study/show/bands.hpp"

namespace warpwise::lab {
namespace {

using ladders::Problem;

// Holds the operands in host memory, which is ordinary memory for a pageable transfer, and
// page-locked otherwise.
class HostOperands {
 public:
  HostOperands(const Problem& problem, TransferWay way) {
    for (const ladders::Operand& each : problem.operands) {
      const std::span<const std::byte> from = each.memory();
      if (way == TransferWay::pageable) {
        pageable_.emplace_back(from.begin(), from.end());
        memory_.emplace_back(pageable_.back());
        continue;
      }
      pinned_.emplace_back(static_cast<std::int64_t>(from.size()));
      memory_.emplace_back(pinned_.back().data(), from.size());
      std::memcpy(pinned_.back().data(), from.data(), from.size());
    }
  }

  std::byte* data(std::size_t operand) const { return memory_[operand].data(); }

  std::string first_difference(const Problem& expected) const {
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      if (!expected.operands[i].is_output()) continue;
      std::string difference = difference_of(expected.operands[i], memory_[i]);
      if (!difference.empty()) return difference;
    }
    return {};
  }

 private:
  std::vector<std::vector<std::byte>> pageable_;
  std::vector<gpu::HostBuffer> pinned_;
  std::vector<std::span<std::byte>> memory_;
};

// Prepares a run whose kernels read and write host memory themselves.
RungRun mapped_run(GpuExecutor& executor, const StudyTable& table, const Rung& rung,
                   const Problem& problem, const emulator::Dim3& block, const HostOperands& host) {
  if (!rung.textures.empty()) {
    throw Unsupported("a texture needs the GPU's own memory, not the host's");
  }
  std::vector<std::uint64_t> memory;
  for (std::size_t i = 0; i < problem.operands.size(); ++i) {
    memory.push_back(reinterpret_cast<std::uint64_t>(host.data(i)));
  }
  return {executor, table, rung, problem, block, std::move(memory)};
}

// Returns one band (a part of the problem's rows) for each chunk of the transfer. Without chunks,
// the whole problem is one band.
std::vector<BandProblem> bands_for(const StudyTable& table, const Problem& problem,
                                   const ladders::Variables& parameters, const Transfer& transfer) {
  if (table.ladder != nullptr) {
    return band_problems(*table.ladder, problem, parameters, transfer.chunks);
  }
  if (transfer.chunks > 1) {
    throw Unsupported("only a ladder defines how its problem divides into chunks");
  }
  BandProblem whole{problem, {}};
  for (const ladders::Operand& each : problem.operands) {
    whole.slices.push_back({0, 0, static_cast<std::int64_t>(each.memory().size())});
  }
  std::vector<BandProblem> result;
  result.push_back(std::move(whole));
  return result;
}

}  // namespace

TransferRun run_with_transfers(GpuExecutor& executor, const StudyTable& table, const Rung& rung,
                               const Problem& problem, const ladders::Variables& parameters,
                               const Problem& expected, const emulator::Dim3& block,
                               const Transfer& transfer) {
  const HostOperands host(problem, transfer.way);
  executor.clear();
  std::vector<RungRun> runs;
  std::vector<TransferStep> steps;
  if (transfer.way == TransferWay::mapped) {
    runs.push_back(mapped_run(executor, table, rung, problem, block, host));
    steps.emplace_back();
  } else {
    for (const BandProblem& band : bands_for(table, problem, parameters, transfer)) {
      TransferStep& step = steps.emplace_back();
      std::vector<std::uint64_t> memory;
      for (std::size_t i = 0; i < band.slices.size(); ++i) {
        const ladders::Operand& operand = band.problem.operands[i];
        const BandProblem::Slice& slice = band.slices[i];
        memory.push_back(executor.allocate(operand.memory().size(), operand.name()));
        auto* const device = ladders::pointer<std::byte>(memory.back());
        (operand.is_output() ? step.down : step.up)
            .push_back({host.data(i) + slice.in_whole, device + slice.in_band, slice.bytes});
      }
      runs.emplace_back(executor, table, rung, band.problem, block, std::move(memory));
    }
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    steps[i].kernels = [&executor, &run = runs[i]](gpu::StreamHandle stream) {
      executor.launch(run.code(), run.launches(), stream);
    };
  }
  TransferRun result;
  result.times = time_end_to_end(steps);
  result.wrong = host.first_difference(expected);
  return result;
}

}  // namespace warpwise::lab
