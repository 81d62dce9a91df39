// Compares the emulator with a real GPU: a profiler's counts for small kernels, and results of
// arithmetic kernels bit for bit. tests/golden/ has the data, and tests/golden/README.md describes
// the measurements.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "warpwise/base/float16.hpp"
#include "warpwise/emulator/emulator.hpp"

namespace warpwise::emulator {
namespace {

using Json = nlohmann::json;

std::filesystem::path golden_folder() { return WARPWISE_GOLDEN; }
std::filesystem::path generated_folder() { return WARPWISE_GOLDEN_KERNELS; }

std::string contents(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Returns a GPU's measured data; nothing if there is no such file.
std::optional<Json> measured(const std::string& name) {
  const std::filesystem::path path = golden_folder() / name;
  if (!std::filesystem::exists(path)) return std::nullopt;
  return Json::parse(contents(path));
}

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span<const T>(values));
}

std::string fault_text(const LaunchResult& result) {
  return result.faults.empty() ? ""
                               : std::string(name_of(result.faults.front().kind)) + ": " +
                                     result.faults.front().message;
}

// ---- counts

/// Runs a case of access_cases.json.
LaunchResult run_access(Program& program, const Json& access) {
  Device device;
  const std::string kernel = access.at("kernel");
  const KernelInfo& info = program.kernel(kernel);
  std::vector<std::byte> parameters;
  std::size_t next = 0;
  for (const Json& argument : access.at("arguments")) {
    std::vector<std::uint32_t> words;
    if (argument.contains("words")) {
      words = argument.at("words").get<std::vector<std::uint32_t>>();
    } else {
      std::vector<std::uint32_t> table;
      if (argument.contains("table"))
        table = argument.at("table").get<std::vector<std::uint32_t>>();
      const Address address =
          device.allocate(argument.contains("table") ? 4 * table.size()
                                                     : argument.at("buffer").get<std::uint64_t>());
      if (!table.empty()) device.write(address, bytes_of(table));
      words = {static_cast<std::uint32_t>(address), static_cast<std::uint32_t>(address >> 32)};
    }
    const std::uint64_t offset = info.parameter_offsets.at(next);
    EXPECT_EQ(info.parameter_bytes.at(next), 4 * words.size()) << kernel << " argument " << next;
    parameters.resize(offset + 4 * words.size());
    std::memcpy(parameters.data() + offset, words.data(), 4 * words.size());
    ++next;
  }
  const auto dimensions = [](const Json& json) {
    const auto n = json.get<std::vector<std::uint32_t>>();
    return Dim3{n.at(0), n.at(1), 1};
  };
  LaunchOptions options;
  options.compute_capabilities = {{9, 0}};
  options.threads = 1;
  return program.launch(device, kernel, dimensions(access.at("grid")),
                        dimensions(access.at("block")), access.at("shared").get<std::uint64_t>(),
                        parameters, options);
}

/// Returns the emulator's counts under the profiler's names.
std::map<std::string, std::uint64_t> counted(const LaunchResult& result) {
  const MemoryCounts& memory = result.memory.at(0);
  return {{"l1tex__t_requests_pipe_lsu_mem_global_op_ld", memory.global_load.requests},
          {"l1tex__t_requests_pipe_lsu_mem_global_op_st", memory.global_store.requests},
          {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld", memory.global_load.transactions_32},
          {"l1tex__t_sectors_pipe_lsu_mem_global_op_st", memory.global_store.transactions_32},
          {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld", memory.shared_load.passes},
          {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st", memory.shared_store.passes},
          {"smsp__inst_executed_op_shared_ld", memory.shared_load.requests},
          {"smsp__inst_executed_op_shared_st", memory.shared_store.requests}};
}

TEST(GoldenAccess, EveryCaseRunsWithoutFaults) {
  const Json cases = Json::parse(contents(golden_folder() / "access_cases.json")).at("cases");
  Program program(contents(golden_folder() / "access.ptx"));
  EXPECT_GE(cases.size(), 25U);
  for (const Json& access : cases) {
    const LaunchResult result = run_access(program, access);
    EXPECT_TRUE(result.faults.empty()) << access.at("name") << ": " << fault_text(result);
    std::uint64_t accesses = 0;
    for (const auto& [metric, count] : counted(result)) accesses += count;
    EXPECT_GT(accesses, 0U) << access.at("name");
  }
}

TEST(GoldenAccess, CountsEqualThoseOfTheProfiler) {
  const std::optional<Json> golden = measured("golden_access.json");
  if (!golden)
    GTEST_SKIP()
        << "tests/golden/golden_access.json is not there: no GPU has counted the cases yet";
  const Json cases = Json::parse(contents(golden_folder() / "access_cases.json")).at("cases");
  Program program(contents(golden_folder() / "access.ptx"));
  const Json& all = golden->at("counts");
  std::size_t compared = 0;
  for (const Json& access : cases) {
    const std::string name = access.at("name");
    if (!all.contains(name)) continue;
    const Json& of_gpu = all.at(name);
    for (const auto& [metric, count] : counted(run_access(program, access))) {
      if (!of_gpu.contains(metric)) continue;
      // The PTX of the reductions branches around these accesses. ptxas predicates them instead,
      // and the profiler counts a predicated instruction even if no lane executes it.
      const bool guarded = name.starts_with("reduction");
      if (guarded && metric.starts_with("smsp__inst_executed_op_shared")) continue;
      EXPECT_EQ(count, of_gpu.at(metric).get<std::uint64_t>()) << name << ": " << metric;
      ++compared;
    }
  }
  EXPECT_EQ(all.size(), cases.size()) << "cases without a GPU's counts";
  EXPECT_GE(compared, 6 * cases.size());
}

// ---- arithmetic

struct ArithmeticKernel {
  std::string name;
  std::string file;
  std::uint64_t bytes = 0;
};

/// Runs the kernels of a list that random_kernels.py or form_kernels.py wrote, file by file.
/// WARPWISE_GOLDEN_WRITE names a file to which their outputs are added.
template <class Visit>
void for_each_result(const std::string& prefix, Visit visit,
                     const std::string& list_name = "kernels.json") {
  const Json list = Json::parse(contents(generated_folder() / list_name));
  const std::string inputs = contents(generated_folder() / "inputs.bin");
  const auto threads = list.at("threads").get<std::uint32_t>();
  std::ofstream all;
  if (const char* path = std::getenv("WARPWISE_GOLDEN_WRITE"))
    all.open(path, std::ios::binary | std::ios::app);
  std::string loaded;
  std::optional<Program> program;
  for (const Json& entry : list.at("kernels")) {
    const ArithmeticKernel kernel{entry.at("name"), entry.at("file"), entry.at("bytes")};
    if (!kernel.name.starts_with(prefix)) continue;
    if (kernel.file != loaded) {
      program.emplace(contents(generated_folder() / (kernel.file + ".ptx")));
      loaded = kernel.file;
    }
    SCOPED_TRACE(kernel.name);
    Device device;
    std::vector<Address> parameters{device.allocate(inputs.size()), device.allocate(kernel.bytes)};
    parameters.resize(program->kernel(kernel.name).parameter_bytes.size());  // the rest is 0
    device.write(parameters[0], std::as_bytes(std::span(inputs)));
    LaunchOptions options;
    options.count = false;
    options.threads = 1;
    try {
      const LaunchResult result = program->launch(device, kernel.name, {1, 1, 1}, {threads, 1, 1},
                                                  0, bytes_of(parameters), options);
      EXPECT_TRUE(result.faults.empty()) << fault_text(result);
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
      continue;
    }
    std::vector<std::uint32_t> words(kernel.bytes / 4);
    device.read(parameters[1], std::as_writable_bytes(std::span(words)));
    if (all.is_open()) {
      all.write(reinterpret_cast<const char*>(words.data()),
                static_cast<std::streamsize>(4 * words.size()));
    }
    visit(kernel, words);
  }
}

std::string hash_of(const std::vector<std::uint32_t>& words) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const std::uint32_t word : words) hash = (hash ^ word) * 0x100000001b3U;
  std::ostringstream text;
  text << std::hex << std::setw(16) << std::setfill('0') << hash;
  return text.str();
}

/// Lists up to six words that differ from the GPU's, and the number of all differing words. Returns
/// an empty text unless WARPWISE_GOLDEN_OUTPUTS names measure.py's file of all outputs.
std::string differences(const ArithmeticKernel& kernel, const std::vector<std::uint32_t>& words,
                        const std::string& list_name = "kernels.json") {
  const char* path = std::getenv("WARPWISE_GOLDEN_OUTPUTS");
  if (path == nullptr) return "";
  std::uint64_t offset = 0;
  const Json list = Json::parse(contents(generated_folder() / list_name));
  for (const Json& entry : list.at("kernels")) {
    if (entry.at("name") == kernel.name) break;
    offset += entry.at("bytes").get<std::uint64_t>();
  }
  std::vector<std::uint32_t> of_gpu(words.size());
  std::ifstream in(path, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(offset));
  in.read(reinterpret_cast<char*>(of_gpu.data()), static_cast<std::streamsize>(4 * of_gpu.size()));
  std::ostringstream text;
  int shown = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == of_gpu[i]) continue;
    ++count;
    if (++shown <= 6)
      text << "\n  word " << i << ": " << std::hex << words[i] << ", GPU " << of_gpu[i] << std::dec;
  }
  text << "\n  " << count << " of " << words.size() << " words differ";
  return text.str();
}

void compare_hashes(const std::string& prefix, std::size_t least) {
  const std::optional<Json> golden = measured("golden_arithmetic.json");
  std::size_t count = 0;
  for_each_result(
      prefix, [&](const ArithmeticKernel& kernel, const std::vector<std::uint32_t>& words) {
        ++count;
        if (!golden) return;
        ASSERT_TRUE(golden->at("hashes").contains(kernel.name));
        EXPECT_EQ(hash_of(words), golden->at("hashes").at(kernel.name).get<std::string>())
            << kernel.name << differences(kernel, words);
      });
  EXPECT_GE(count, least);
  if (!golden) {
    GTEST_SKIP() << "tests/golden/golden_arithmetic.json is not there: the kernels ran, with no "
                    "GPU's results to "
                    "compare theirs with";
  }
}

TEST(GoldenArithmetic, EachInstructionGivesTheBitsOfTheGpu) { compare_hashes("op_", 800); }
TEST(GoldenArithmetic, RandomKernelsGiveTheBitsOfTheGpu) { compare_hashes("random_", 1000); }

// ---- forms of instructions

TEST(GoldenForms, EachFormGivesTheBitsOfTheGpu) {
  const std::optional<Json> golden = measured("golden_forms.json");
  std::map<std::string, std::string> form_of;
  const Json forms = Json::parse(contents(generated_folder() / "forms.json"));
  for (const Json& entry : forms.at("kernels")) form_of[entry.at("name")] = entry.at("form");
  std::size_t compared = 0;
  for_each_result(
      "form_",
      [&](const ArithmeticKernel& kernel, const std::vector<std::uint32_t>& words) {
        const std::string& form = form_of.at(kernel.name);
        if (!golden || !golden->at("hashes").contains(form)) return;
        ++compared;
        EXPECT_EQ(hash_of(words), golden->at("hashes").at(form).get<std::string>())
            << form << differences(kernel, words, "forms.json");
      },
      "forms.json");
  if (!golden) GTEST_SKIP() << "tests/golden/golden_forms.json is not there: nothing to compare";
  EXPECT_EQ(compared, golden->at("hashes").size()) << "a recorded form has no kernel";
}

// ---- approximations

/// Error bound in PTX's documentation for an approximate instruction: relative to the exact result,
/// or absolute. The emulator instead rounds the exact result to the nearest.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

/// Returns the documented tolerance; nothing if the documentation promises none. \param x, y  the
/// operands
std::optional<Tolerance> documented(const std::string& name, double x, double y) {
  const auto is = [&](const char* instruction) { return name.starts_with(instruction); };
  if (is("rcp_approx")) return Tolerance{std::ldexp(1, -23), 0};
  if (is("sqrt_approx")) return Tolerance{std::ldexp(1, -23), 0};
  if (is("rsqrt_approx")) return Tolerance{std::exp2(-22.9), 0};
  if (is("sin_approx") || is("cos_approx")) {
    constexpr double pi = 3.14159265358979;
    if (std::fabs(x) <= 2 * pi) return Tolerance{0, std::exp2(-20.5)};
    if (std::fabs(x) <= 100 * pi) return Tolerance{0, std::exp2(-14.7)};
    return std::nullopt;
  }
  if (is("lg2_approx")) {
    if (x > 0.5 && x < 2) return Tolerance{0, std::ldexp(1, -22)};
    return Tolerance{std::ldexp(1, -22), 0};
  }
  if (is("ex2_approx_bf16") || is("ex2_approx_ftz_bf16")) return Tolerance{std::ldexp(1, -7), 0};
  if (is("ex2_approx_f16")) return Tolerance{std::exp2(-9.9), 0};
  if (is("ex2_approx")) return Tolerance{std::ldexp(1, -22), 0};
  if (is("tanh_approx_bf16")) return Tolerance{0, std::ldexp(1, -8)};
  if (is("tanh_approx_f16")) return Tolerance{0, std::exp2(-10.987)};
  if (is("tanh_approx")) return Tolerance{std::ldexp(1, -11), 0};
  if (is("div_approx")) {
    if (std::fabs(y) < std::ldexp(1, -126) || std::fabs(y) > std::ldexp(1, 126))
      return std::nullopt;
    return Tolerance{std::ldexp(1, -22), 0};
  }
  if (is("div_full")) return Tolerance{std::ldexp(1, -22), 0};
  ADD_FAILURE() << "no tolerance for " << name;
  return std::nullopt;
}

enum class Number { single, half, bfloat };

Number number_of(const std::string& name) {
  if (name.ends_with("_bf16") || name.ends_with("_bf16x2")) return Number::bfloat;
  return name.ends_with("_f32") ? Number::single : Number::half;
}

/// Returns a number of a word: the whole word, or one half of it.
double value_of(std::uint32_t word, int half, Number number) {
  const auto bits = static_cast<std::uint16_t>(word >> (16 * half));
  switch (number) {
    case Number::single: return std::bit_cast<float>(word);
    case Number::half: return to_float(Float16{bits});
    case Number::bfloat: return to_float(BFloat16{bits});
  }
  return 0;
}

double largest(Number number) {
  return number == Number::half ? 65504.0 : static_cast<double>(std::numeric_limits<float>::max());
}

/// Checks that the GPU's result is as near to the exact one as documented. \param nearest  the
/// number nearest to the exact result
void expect_close(const std::string& name, Number number, double x, double y, double nearest,
                  double of_gpu) {
  SCOPED_TRACE(::testing::Message() << name << " of " << x << ", " << y);
  const std::optional<Tolerance> tolerance = documented(name, x, y);
  if (!tolerance) return;
  if (std::isnan(nearest) || std::isinf(nearest) || std::isnan(of_gpu)) {
    if (std::isnan(nearest))
      EXPECT_TRUE(std::isnan(of_gpu)) << of_gpu;
    else if (std::isnan(of_gpu))
      ADD_FAILURE() << nearest << " is not a number for the GPU";
    else
      EXPECT_TRUE(of_gpu == nearest || std::fabs(of_gpu) > 0.99 * largest(number)) << of_gpu;
    return;
  }
  // `nearest` is up to half a unit in the last place from the exact result. Subnormals may be zero.
  const int digits = number == Number::single ? 24 : number == Number::half ? 11 : 8;
  const double own = std::ldexp(std::fabs(nearest), -digits);
  const bool flushes = name.find("ftz") != std::string::npos;
  const int least = number == Number::half ? -24 : number == Number::bfloat ? -133 : -149;
  const double smallest = std::ldexp(1, flushes && number != Number::half ? -126 : least);
  EXPECT_LE(std::fabs(of_gpu - nearest),
            tolerance->relative * std::fabs(nearest) + tolerance->absolute + own + smallest)
      << nearest << ", GPU " << of_gpu;
}

std::vector<std::uint32_t> words_of_hex(const std::string& hex) {
  std::vector<std::uint32_t> words(hex.size() / 8);
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = __builtin_bswap32(
        static_cast<std::uint32_t>(std::stoul(hex.substr(8 * i, 8), nullptr, 16)));
  }
  return words;
}

TEST(GoldenArithmetic, ApproximationsLieWithinTheirDocumentedError) {
  const std::optional<Json> golden = measured("golden_arithmetic.json");
  const std::string inputs = contents(generated_folder() / "inputs.bin");
  std::size_t count = 0;
  for_each_result(
      "approx_", [&](const ArithmeticKernel& kernel, const std::vector<std::uint32_t>& words) {
        ++count;
        const std::string name = kernel.name.substr(std::strlen("approx_"));
        const Number number = number_of(name);
        // The byte offset in inputs.bin at which random_kernels.py puts the inputs of this kind of
        // number. input() returns one of them.
        const std::size_t section = number == Number::single ? 12288
                                    : number == Number::half ? 24576
                                                             : 28672;
        const auto input = [&](std::size_t index) {
          std::uint32_t word = 0;
          std::memcpy(&word, inputs.data() + section + 4 * (index % words.size()), 4);
          return word;
        };
        if (!golden) return;
        const std::vector<std::uint32_t> of_gpu =
            words_of_hex(golden->at("approximate").at(kernel.name));
        ASSERT_EQ(of_gpu.size(), words.size());
        for (std::size_t i = 0; i < words.size(); ++i) {
          for (int half = 0; half < (number == Number::single ? 1 : 2); ++half) {
            // A kernel for single 16-bit numbers writes its result to both halves of a word.
            const int from = name.ends_with("x2") ? half : 0;
            expect_close(name, number, value_of(input(i), from, number),
                         value_of(input(5 * i + 77), from, number),
                         value_of(words[i], half, number), value_of(of_gpu[i], half, number));
          }
        }
      });
  EXPECT_GE(count, 20U);
  if (!golden)
    GTEST_SKIP() << "tests/golden/golden_arithmetic.json is not there: nothing to compare with";
}

}  // namespace
}  // namespace warpwise::emulator
