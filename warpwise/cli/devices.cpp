#include "warpwise/gpu/device.hpp"

#include <fmt/format.h>
#include <tbb/info.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/commands.hpp"
#include "warpwise/cli/pictures/report.hpp"
#include "warpwise/io/output_file.hpp"
#include "warpwise/lab/predict/measured_profile.hpp"
#include "warpwise/live/video_module.hpp"

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

struct Camera {
  std::string path;
  std::vector<live::CameraMode> modes;
};

// Returns the cameras that deliver pictures, in the order of /dev/video0, /dev/video1, …
std::vector<Camera> cameras() {
  constexpr int most = 64;
  std::vector<Camera> found;
  for (int number = 0; number < most; ++number) {
    const std::string path = fmt::format("/dev/video{}", number);
    std::vector<live::CameraMode> modes = live::camera_modes(path);
    if (!modes.empty()) found.push_back({path, std::move(modes)});
  }
  return found;
}

std::string text_of(const live::CameraMode& mode) {
  const std::string rate = mode.rate.is_known() ? " at " + mode.rate.text() + " fps" : "";
  return fmt::format("{} {}x{}{}", mode.format, mode.width, mode.height, rate);
}

std::string text_of(const Camera& camera) {
  std::string text;
  for (const live::CameraMode& mode : camera.modes) {
    text += fmt::format("camera  {}: {}\n", camera.path, text_of(mode));
  }
  return text;
}

nlohmann::ordered_json json_of(const Camera& camera) {
  nlohmann::ordered_json modes = nlohmann::ordered_json::array();
  for (const live::CameraMode& mode : camera.modes) {
    nlohmann::ordered_json json = {
        {"format", mode.format}, {"width", mode.width}, {"height", mode.height}};
    if (mode.rate.is_known()) json["fps"] = mode.rate.per_second();
    modes.push_back(json);
  }
  return {{"path", camera.path}, {"modes", modes}};
}

class DevicesCommand final : public Command {
 public:
  explicit DevicesCommand(CLI::App& app) {
    app.add_flag("--json", json_, "Print one JSON object");
    app.add_option("--write-profile", profile_,
                   "Measure the GPU's peak rates and write them as a profile for `lab predict` and "
                   "`explain --profile`; takes some seconds")
        ->type_name("FILE.json")
        ->check(refuse_empty_name);
  }

  void execute() const override {
    if (!profile_.empty()) {
      write_profile();
      return;
    }
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
    object["cameras"] = nlohmann::ordered_json::array();
    for (const Camera& camera : cameras()) {
      text += text_of(camera);
      object["cameras"].push_back(json_of(camera));
    }
    print(json_ ? text_of_json(object) : text);
  }

 private:
  void write_profile() const {
    if (!profile_.ends_with(".json"))
      throw UsageError("--write-profile " + profile_ + ": a profile is a FILE.json");
    io::OutputFile file(profile_);
    const lab::DeviceProfile profile =
        lab::measure_profile([](std::string_view name, double value) {
          print(fmt::format("{:<24} {:.4g}\n", name, value));
        });
    const std::string text = lab::json_of(profile);
    file.write(std::as_bytes(std::span(text)));
    file.finish();
  }

  bool json_ = false;
  std::string profile_;
};

}  // namespace

std::unique_ptr<Command> add_devices(CLI::App& app) {
  return std::make_unique<DevicesCommand>(
      *app.add_subcommand("devices", "List this machine's CPU, GPUs and cameras"));
}

}  // namespace warpwise::cli
