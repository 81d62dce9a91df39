#include "warpwise/gpu/device.hpp"

#include <fmt/format.h>
#include <tbb/info.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "warpwise/cli/commands.hpp"
#include "warpwise/cli/report.hpp"

namespace warpwise::cli {
namespace {

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "CPU";
}

std::string cuda_version(int number) {
  return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

class DevicesCommand final : public Command {
 public:
  explicit DevicesCommand(CLI::App& app) { app.add_flag("--json", json_, "Print one JSON object"); }

  void execute() const override {
    std::string text =
        fmt::format("cpu     {}, {} threads\n", cpu_name(), tbb::info::default_concurrency());
    nlohmann::ordered_json object = {
        {"cpu", {{"name", cpu_name()}, {"threads", tbb::info::default_concurrency()}}},
        {"cuda", nlohmann::ordered_json::array()}};
    for (int device = 0; device < gpu::device_count(); ++device) {
      const gpu::DeviceInfo info = gpu::device_info(device);
      const std::string capability =
          fmt::format("{}.{}", info.compute_capability_major, info.compute_capability_minor);
      text += fmt::format(
          "cuda {}  {}, CC {}, {} SMs, {:.1f} GiB, L2 {:.1f} MiB, driver CUDA {}, "
          "runtime CUDA {}\n",
          device, info.name, capability, info.multiprocessors,
          static_cast<double>(info.memory_bytes) / (1 << 30),
          static_cast<double>(info.l2_bytes) / (1 << 20), cuda_version(info.driver_version),
          cuda_version(info.runtime_version));
      object["cuda"].push_back({{"device", device},
                                {"name", info.name},
                                {"compute_capability", capability},
                                {"multiprocessors", info.multiprocessors},
                                {"memory_bytes", info.memory_bytes},
                                {"l2_bytes", info.l2_bytes},
                                {"driver_cuda", cuda_version(info.driver_version)},
                                {"runtime_cuda", cuda_version(info.runtime_version)}});
    }
    if (object["cuda"].empty()) {
      text += fmt::format("cuda    {}\n", gpu::why_no_device());
      object["why_no_cuda"] = gpu::why_no_device();
    }
    print(json_ ? object.dump(2) + "\n" : text);
  }

 private:
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> add_devices(CLI::App& app) {
  return std::make_unique<DevicesCommand>(
      *app.add_subcommand("devices", "List what can compute on this machine"));
}

}  // namespace warpwise::cli
