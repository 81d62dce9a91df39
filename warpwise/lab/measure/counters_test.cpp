// Tests counters without a GPU: the message when there are none, the metrics' names, and the order
// of the calls. A library stands in for CUPTI.
#include "warpwise/lab/measure/counters.hpp"

#include <gtest/gtest.h>

#include <iostream>
#include <regex>
#include <set>

#include "tests/support/message_of.hpp"
#include "warpwise/lab/measure/fake_cupti.hpp"

namespace warpwise::lab {
namespace {

std::string why_unavailable(const std::function<void()>& action) {
  const std::string why = test::message_of<CountersUnavailable>(action);
  EXPECT_NE(why, "") << "counters could be read";
  return why;
}

TEST(Metrics, HaveNamesOfNsightCompute) {
  const std::regex form(
      "(smsp|sm|l1tex|lts|dram)__[a-z0-9_]+"
      "\\.(sum|pct|ratio|avg\\.pct_of_peak_sustained_(active|elapsed))");
  std::set<std::string_view> seen;
  for (const std::string_view each : counter_names()) {
    EXPECT_TRUE(std::regex_match(std::string(each), form)) << each;
    EXPECT_TRUE(seen.insert(each).second) << each << " is there twice";
  }
  EXPECT_EQ(stall_names().size(), 17U);
  EXPECT_EQ(
      stall_reason("smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"),
      "long scoreboard");
}

TEST(Counters, SayThatThereIsNoLibrary) {
  const std::string text = why_unavailable([] { Counters(0, nullptr, counter_names(), {}); });
  EXPECT_NE(text.find("scripts/get-cupti.sh"), std::string::npos) << text;
  Toolchain toolchain;
  toolchain.cupti_libraries = {"/nowhere/libcupti.so.13", "libm.so.6"};
  const std::string both =
      why_unavailable([&] { Counters(0, nullptr, counter_names(), toolchain); });
  EXPECT_NE(both.find("/nowhere/libcupti.so.13: cannot open"), std::string::npos) << both;
  EXPECT_NE(both.find("libm.so.6 has no cupti"), std::string::npos) << both;
}

TEST(Counters, SayWhatToDo) {
  EXPECT_NE(remedy_for(cupti::insufficient_privileges).find("RestrictProfilingToAdminUsers=0"),
            std::string::npos);
  EXPECT_NE(remedy_for(cupti::hardware_busy).find("another profiler"), std::string::npos);
  EXPECT_EQ(remedy_for(cupti::success), "");
}

// Loads NVIDIA's CUPTI, which knows the metrics of chips that are not installed.
std::shared_ptr<const cupti::Library> real_library() {
  std::string why_not;
  auto library = cupti::Library::load(find_toolchain().cupti_libraries, why_not);
  if (library == nullptr) std::cout << why_not << "\n";
  return library;
}

#ifdef __SANITIZE_ADDRESS__
constexpr bool address_sanitized = true;
#else
constexpr bool address_sanitized = false;
#endif

class WithNvidiasMetrics : public ::testing::Test {
 protected:
  void SetUp() override {
    // CUPTI opens its library of metrics with RTLD_DEEPBIND, at which AddressSanitizer ends a
    // program.
    if (address_sanitized) GTEST_SKIP() << "AddressSanitizer does not take RTLD_DEEPBIND";
    library = real_library();
    if (library == nullptr) GTEST_SKIP() << "no CUPTI here: scripts/get-cupti.sh brings it";
  }

  std::shared_ptr<const cupti::Library> library;
};

TEST_F(WithNvidiasMetrics, AllNamesAreKnown) {
  for (const char* chip : {"TU102", "GH100"}) {
    std::map<std::string, std::string> left_out;
    const auto groups = groups_of(library, chip, counter_names(), left_out);
    for (const auto& [metric, reason] : left_out) ADD_FAILURE() << metric << ": " << reason;
    ASSERT_EQ(groups.size(), 2U);
    EXPECT_GE(groups[0]->passes(), 2U);
    std::cout << chip << ": " << groups[0]->passes() << " + " << groups[1]->passes() << " passes\n";
    EXPECT_LE(groups[0]->passes() + groups[1]->passes(), 40U) << chip;
    for (const std::string& each : groups[0]->names()) EXPECT_FALSE(needs_patching(each));
    for (const std::string& each : groups[1]->names()) EXPECT_TRUE(needs_patching(each));
  }
}

TEST_F(WithNvidiasMetrics, WhatAChipLacksIsLeftOutWithTheReason) {
  std::map<std::string, std::string> left_out;
  const std::string_view metrics[] = {"smsp__inst_executed.sum", "smsp__nothing_executed.sum"};
  const auto groups = groups_of(library, "GH100", metrics, left_out);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0]->names(), std::vector<std::string>{"smsp__inst_executed.sum"});
  ASSERT_EQ(left_out.size(), 1U);
  const std::string& reason = left_out.at("smsp__nothing_executed.sum");
  EXPECT_EQ(reason.find("GH100 does not have it (cuptiProfilerHostConfigAddMetrics: CUPTI_ERROR_"),
            0U)
      << reason;
  const std::string none = why_unavailable([&] {
    const std::string_view unknown[] = {"smsp__nothing_executed.sum"};
    groups_of(library, "GH100", unknown, left_out);
  });
  EXPECT_NE(none.find("GH100 has none of the metrics"), std::string::npos) << none;
}

TEST(Counters, SayThatThereIsNoDriver) {
  if (real_library() == nullptr) GTEST_SKIP() << "no CUPTI here: scripts/get-cupti.sh brings it";
  const std::string text = why_unavailable([] { Counters(0, nullptr); });
  EXPECT_NE(text.find("no CUDA driver"), std::string::npos) << text;
}

// Uses a library with CUPTI's functions that counts calls of fake_kernel().
class WithFakeLibrary : public ::testing::Test {
 protected:
  static constexpr std::string_view metrics[] = {
      "smsp__inst_executed.sum", "smsp__nothing_executed.sum", "smsp__sass_branch_targets.sum",
      "sm__warps_active.avg.pct_of_peak_sustained_active"};

  void SetUp() override { fake_begin(""); }
  void TearDown() override { EXPECT_EQ(fake_hosts(), 0); }

  static Counters counters() {
    Toolchain toolchain;
    toolchain.cupti_libraries = {"/nowhere/libcupti.so.13", FAKE_CUPTI};
    static int context = 0;
    return {0, &context, metrics, toolchain};
  }
};

void two_kernels() {
  fake_kernel();
  fake_kernel();
}

TEST_F(WithFakeLibrary, EachPassRunsTheKernelsOnce) {
  Counters counted = counters();
  EXPECT_EQ(counted.passes(), 4U);
  EXPECT_TRUE(counted.library().ends_with("libfake_cupti.so")) << counted.library();
  fake_kernel();  // not counted, because read() does not run
  int runs = 0;
  const std::vector<CounterValues> values = counted.read(2, [&] {
    two_kernels();
    ++runs;
  });
  EXPECT_EQ(runs, 4);
  EXPECT_STREQ(fake_log(),
               "enable start stop start stop start stop decode "
               "disable enable start stop decode disable ");
  ASSERT_EQ(values.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(values[i].size(), 3U);
    for (const auto& [metric, value] : values[i]) {
      EXPECT_EQ(value, 100.0 * static_cast<double>(i) + static_cast<double>(metric.size()));
    }
  }
  EXPECT_EQ(counted.left_out().size(), 1U);
  EXPECT_TRUE(counted.left_out().contains("smsp__nothing_executed.sum"));
}

TEST_F(WithFakeLibrary, StaysOnFromOneReadingToTheNext) {
  Counters counted = counters();
  {
    const Counters::SwitchedOn switched_on(counted);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(counted.read(2, two_kernels, false)[1].size(), 2U);
    EXPECT_EQ(counted.read(2, two_kernels)[1].size(), 3U);
  }
  const std::string own = "start stop start stop start stop decode ";
  EXPECT_EQ(fake_log(), "enable " + own + own + own + "disable enable start stop decode disable ");
  counted.read(2, two_kernels, false);
  EXPECT_TRUE(std::string(fake_log()).ends_with("disable enable " + own + "disable "));
}

TEST_F(WithFakeLibrary, NoPermissionIsSaidWithWhatToDo) {
  fake_begin("enable");
  Counters counted = counters();
  const std::string text = why_unavailable([&] { counted.read(1, fake_kernel); });
  EXPECT_EQ(text.find("cuptiRangeProfilerEnable: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES: the driver "
                      "lets only administrators read counters"),
            0U)
      << text;
  EXPECT_STREQ(fake_log(), "enable ");
}

TEST_F(WithFakeLibrary, WhatNeedsPatchingMayFailAlone) {
  fake_begin("patching");
  Counters counted = counters();
  const std::vector<CounterValues> values = counted.read(2, two_kernels);
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(values[1].size(), 2U);
  EXPECT_EQ(counted.left_out().at("smsp__sass_branch_targets.sum"),
            "cuptiRangeProfilerSetConfig: CUPTI_ERROR_NOT_SUPPORTED");
  EXPECT_TRUE(std::string(fake_log()).ends_with("disable "));
  EXPECT_EQ(counted.passes(), 3U);  // the group of patched metrics is not tried again
}

TEST_F(WithFakeLibrary, KernelsThatAreMissingAreNotMadeUp) {
  Counters counted = counters();
  const std::string text = why_unavailable([&] { counted.read(3, two_kernels); });
  EXPECT_NE(text.find("2 kernels were counted of 3"), std::string::npos) << text;
  EXPECT_TRUE(std::string(fake_log()).ends_with("decode disable "));
}

TEST_F(WithFakeLibrary, PassesEnd) {
  fake_begin("stop");
  Counters counted = counters();
  const std::string text = why_unavailable([&] { counted.read(2, two_kernels); });
  EXPECT_NE(text.find("still not done after 9 of 3 passes"), std::string::npos) << text;
}

TEST_F(WithFakeLibrary, AKernelThatFailsLeavesTheProfilerOff) {
  Counters counted = counters();
  EXPECT_THROW(counted.read(2, [] { throw CudaError("a fault"); }), CudaError);
  EXPECT_STREQ(fake_log(), "enable start stop disable ");
}

}  // namespace
}  // namespace warpwise::lab
