// Tests that the shipped rung of every ladder launches the same kernels as the library. The
// emulated CUDA runtime reports every launch to an observer. The test needs the emulated runtime
// instead of the toolkit's, and a compiler for the rung.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstring>
#include <iostream>
#include <memory>
#include <optional>
#include <set>

#include "warpwise/emulator/runtime/observe.hpp"
#include "warpwise/lab/compile/kernel_name.hpp"
#include "warpwise/lab/measure/gpu_executor.hpp"
#include "warpwise/lab/study/run/rung_code.hpp"
#include "warpwise/lab/study/run/rung_run.hpp"

namespace warpwise::lab {

// A launch in a form that GoogleTest can compare and print.
struct SeenLaunch {
  std::string kernel;
  std::uint32_t grid[3];
  std::uint32_t block[3];
  std::uint64_t shared_bytes;
};
bool operator==(const SeenLaunch& a, const SeenLaunch& b) {
  return a.kernel == b.kernel && std::equal(a.grid, a.grid + 3, b.grid) &&
         std::equal(a.block, a.block + 3, b.block) && a.shared_bytes == b.shared_bytes;
}
void PrintTo(const SeenLaunch& launch, std::ostream* os) {
  *os << launch.kernel;
  for (const std::uint32_t side : launch.grid) *os << ' ' << side;
  *os << " of";
  for (const std::uint32_t side : launch.block) *os << ' ' << side;
  *os << ", " << launch.shared_bytes << " bytes of shared memory";
}

namespace {

using ladders::Launch;
using ladders::Layout;
using ladders::Problem;
using ladders::Variables;

/// Runs a function, and records its launches.
class Observed {
 public:
  template <class Run>
  explicit Observed(const Run& run) {
    if (function() == nullptr) throw Error("this is not the emulated CUDA runtime");
    Observer observer;
    observer.see = [](void* own, const emulator::runtime::ObservedLaunch& launch) {
      static_cast<Observed*>(own)->note(launch);
    };
    observer.context = this;
    observer.options.count = false;
    function()(&observer);
    const std::unique_ptr<const Observer, void (*)(const Observer*)> end(
        &observer, [](const Observer*) { function()(nullptr); });
    run();
  }

  std::vector<SeenLaunch> launches;
  std::vector<std::vector<std::byte>> parameters;

 private:
  using Observer = emulator::runtime::Observer;

  static emulator::runtime::Observe function() {
    return reinterpret_cast<emulator::runtime::Observe>(
        ::dlsym(RTLD_DEFAULT, emulator::runtime::observe_name));
  }

  void note(const emulator::runtime::ObservedLaunch& launch) {
    // Leaves out the parameters' types: NVRTC's int64_t is another type of the same size.
    launches.push_back({plain_name(launch.kernel.name),
                        {launch.grid.x, launch.grid.y, launch.grid.z},
                        {launch.block.x, launch.block.y, launch.block.z},
                        launch.dynamic_shared_bytes});
    parameters.emplace_back(launch.parameters.begin(), launch.parameters.end());
  }
};

/// Compares addresses in scratch memory. The rung and the library each have their own scratch
/// memory, so equal addresses are those at the same distance from its start.
class Scratch {
 public:
  Scratch(std::uint64_t address, std::int64_t bytes)
      : address_(address), bytes_(static_cast<std::uint64_t>(bytes)) {}

  bool same(std::uint64_t library, std::uint64_t rung) {
    if (library == rung) return true;
    if (rung - address_ >= bytes_) return false;
    const std::uint64_t start = library - (rung - address_);
    if (other_ == 0) other_ = start;
    return start == other_;
  }

 private:
  std::uint64_t address_;
  std::uint64_t bytes_;
  std::uint64_t other_ = 0;  ///< start of the library's scratch memory, once it is known
};

/// Returns the offset of the first 8-byte word that differs, or nothing if all words are equal.
std::optional<std::size_t> first_difference(const std::vector<std::byte>& library,
                                            const std::vector<std::byte>& rung, Scratch& scratch) {
  for (std::size_t at = 0; at < rung.size(); at += 8) {
    std::uint64_t a = 0, b = 0;
    const std::size_t bytes = std::min<std::size_t>(8, rung.size() - at);
    std::memcpy(&a, library.data() + at, bytes);
    std::memcpy(&b, rung.data() + at, bytes);
    if (!scratch.same(a, b)) return at;
  }
  return std::nullopt;
}

std::string text_of(std::int64_t width, std::int64_t height, const Variables& parameters,
                    const Layout& layout) {
  std::string text = std::to_string(width) + "x" + std::to_string(height) + " offset " +
                     std::to_string(layout.offset_pixels) + " padding " +
                     std::to_string(layout.padding_pixels);
  for (const auto& [name, value] : parameters) text += " " + name + "=" + std::to_string(value);
  return text;
}

/// An additional problem. It needs a kernel or launch that no problem of a ladder's table needs.
struct AdditionalProblem {
  std::string_view ladder;
  Size size;
  Variables parameters;
};
const AdditionalProblem additional_problems[] = {
    {"threshold", {70, 200}, {{"window", 255}}},
    {"threshold", {70, 200}, {{"window", 63}}},
    {"threshold", {70, 200}, {{"window", 257}}},
    {"threshold", {8, 4200}, {{"window", 15}}},
    {"threshold", {300, 130}, {{"window", 301}, {"offset", -3}}},
    {"match", {40, 30}, {{"block", 8}, {"search_first", -4}, {"search_last", 3}}},
    {"match", {130, 70}, {{"block", 33}, {"search_first", -3}, {"search_last", 3}}},
    {"disparity", {300, 40}, {{"block", 11}, {"max_disparity", 200}}},
    {"find", {300, 200}, {{"side", 70}}},
    {"gemv", {5000, 9}, {}},
    {"gemv", {16384, 3}, {}},
    {"gemv", {20000, 2}, {}},
    {"gemv", {300, 2100}, {}},
    {"gemv", {9000, 2100}, {}},
    {"sobel", {4100, 40}, {}},
    {"convert", {1000, 40}, {}},
};
constexpr Layout layouts[] = {{0, 0}, {1, 0}, {0, 3}, {3, 5}};

class Shipped : public testing::TestWithParam<std::string_view> {
 protected:
  void compare(const Rung& shipped, const Problem& problem) {
    RungRun rung(executor_, table_, shipped, problem, shipped.blocks.front());
    const Observed by_rung([&] { rung.run(); });
    const Observed by_library([&] {
      table_.ladder->call(problem, rung.placement(), executor_.stream());
      executor_.stream().synchronize();
    });
    ASSERT_FALSE(by_rung.launches.empty());
    ASSERT_EQ(by_library.launches, by_rung.launches);
    Scratch scratch(rung.placement().scratch,
                    table_.ladder->shipped_scratch_bytes(problem, rung.placement()));
    for (std::size_t i = 0; i < by_rung.launches.size(); ++i) {
      ASSERT_EQ(by_library.parameters[i].size(), by_rung.parameters[i].size());
      ASSERT_EQ(first_difference(by_library.parameters[i], by_rung.parameters[i], scratch),
                std::nullopt)
          << "byte of the parameters of " << by_rung.launches[i].kernel;
      kernels_.insert(by_rung.launches[i].kernel);
    }
    ++compared_;
  }

  void compare(const Rung& shipped, const Size& size, const Variables& given) {
    Variables parameters = shipped.parameters;
    parameters.insert(given.begin(), given.end());
    parameters.merge(table_.ladder->parameters());
    for (const Layout& layout : layouts) {
      SCOPED_TRACE(shipped.name + " " + text_of(size.width, size.height, parameters, layout));
      std::optional<Problem> problem;
      try {
        problem = table_.ladder->problem(size.width, size.height, parameters, layout);
      } catch (const InvalidArgument&) {
        continue;  // the image is smaller than one image block
      }
      compare(shipped, *problem);
    }
  }

  void compare(const Rung& shipped) {
    for (const Size& size : table_.verify) {
      for (const Variables& parameters : table_.verify_parameters) {
        compare(shipped, size, parameters);
      }
    }
    for (const AdditionalProblem& each : additional_problems) {
      if (each.ladder == GetParam()) compare(shipped, each.size, each.parameters);
    }
  }

  GpuExecutor executor_;
  StudyTable table_ = find_study(GetParam());
  std::set<std::string> kernels_;
  int compared_ = 0;
};

TEST_P(Shipped, IsWhatTheLibraryLaunches) {
  require_compiler();
  for (const Rung& rung : table_.rungs) {
    if (rung.shipped) compare(rung);
  }
  std::cout << compared_ << " problems, " << kernels_.size() << " kernels\n";
  EXPECT_GT(compared_, 20);
}

std::vector<std::string_view> names() {
  std::vector<std::string_view> result;
  for (const ladders::Ladder* ladder : ladders::all()) result.push_back(ladder->name());
  return result;
}
INSTANTIATE_TEST_SUITE_P(Ladders, Shipped, testing::ValuesIn(names()),
                         [](const auto& name) { return std::string(name.param); });

}  // namespace
}  // namespace warpwise::lab
