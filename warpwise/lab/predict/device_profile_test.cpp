// Tests the installed profiles of devices, and errors in other profiles.

#include "warpwise/lab/predict/device_profile.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/message_of.hpp"
#include "warpwise/base/error.hpp"

namespace warpwise {
namespace {

using lab::DeviceProfile;
using Json = nlohmann::json;

Json valid() {
  Json figures = Json::object();
  for (const std::string& name : lab::profile_figures())
    figures[name] = {{"value", 2}, {"source", "a test"}};
  return {{"gpu", "A GPU"}, {"compute_capability", "9.0"}, {"figures", figures}};
}

std::string complaint(const std::string& text) {
  return test::message_of<InvalidArgument>([&] { lab::parse_device_profile(text, "p.json"); });
}

TEST(DeviceProfile, TheInstalledOnesAreRead) {
  const std::vector<std::string> names = lab::device_profile_names();
  ASSERT_FALSE(names.empty());
  for (const std::string& name : names) {
    const DeviceProfile profile = lab::find_device_profile(name);
    EXPECT_EQ(profile.name, name);
    EXPECT_EQ(profile.figures.size(), lab::profile_figures().size());
    EXPECT_FALSE(profile.gpu.empty());
  }
}

TEST(DeviceProfile, TheInstalledOnesArePlausible) {
  for (const std::string& name : lab::device_profile_names()) {
    SCOPED_TRACE(name);
    const DeviceProfile profile = lab::find_device_profile(name);
    const auto figure = [&](const char* which) { return profile.figure(which); };
    // L1 and shared memory together have at most 256 KB.
    EXPECT_LE(figure("l1_bytes"), 256 << 10);
    EXPECT_LE(figure("arithmetic_cycles"), figure("float64_cycles"));
    EXPECT_LE(figure("arithmetic_cycles"), figure("special_cycles"));
    EXPECT_LE(figure("arithmetic_cycles"), figure("shared_cycles"));
    EXPECT_LE(figure("shared_cycles"), figure("l1_cycles"));
    EXPECT_LE(figure("l1_cycles"), figure("l2_cycles"));
    EXPECT_LE(figure("l2_cycles"), figure("dram_cycles"));
    for (const std::string& each : lab::profile_figures()) {
      // Skips rates of bytes, lines and passes, which are no instructions.
      if (!each.ends_with("_per_cycle") || each.starts_with("l1") || each.starts_with("l2") ||
          each.find("passes") != std::string::npos) {
        continue;
      }
      EXPECT_LE(profile.figure(each), figure("issue_per_cycle")) << each;
    }
    EXPECT_LE(figure("float64_per_cycle"), figure("float32_per_cycle"));
    EXPECT_LE(figure("special_per_cycle"), figure("float32_per_cycle"));
    if (profile.has_l2()) {
      EXPECT_GT(figure("l2_gb_per_s"), figure("dram_gb_per_s"));
    }
  }
}

TEST(DeviceProfile, TheInstalledOnesReachWhatIsPublished) {
  // Published peaks. Single precision counts a fused multiplication and addition twice. The K40's
  // peak is at its base clock. The source is TechPowerUp's GPU database; for DRAM of the H200 and
  // the B200 it is NVIDIA.
  struct Published {
    const char* name;
    double gflop_per_s;
    double dram_gb_per_s;
  };
  constexpr Published all[] = {{"gtx580", 1581, 192.4},     {"k40", 5046.0 * 745 / 876, 288.4},
                               {"gtx980", 4981, 224.4},     {"p100", 10610, 732.2},
                               {"gtx1080ti", 11340, 484.4}, {"v100", 15670, 900},
                               {"t4", 8141, 320},           {"rtx2080ti", 13450, 616},
                               {"a100", 19490, 2039},       {"rtx3090", 35580, 936.2},
                               {"rtx3080", 29770, 760.3},   {"orin", 5325, 204.8},
                               {"rtx4090", 82580, 1008},    {"l4", 30290, 300.1},
                               {"h100", 66910, 3360},       {"h200", 66910, 4800},
                               {"b200", 74450, 8000},       {"rtx5090", 104800, 1792}};
  for (const Published& each : all) {
    SCOPED_TRACE(each.name);
    const DeviceProfile profile = lab::find_device_profile(each.name);
    constexpr double operations = 2.0 * 32;  // operations of a warp instruction
    const double gflop_per_s = profile.figure("multiprocessors") *
                               profile.figure("float32_per_cycle") * operations *
                               profile.figure("sm_clock_mhz") / 1e3;
    EXPECT_NEAR(gflop_per_s, each.gflop_per_s, each.gflop_per_s / 100);
    // Copies reach less than the peak; the T4 reaches the smallest share.
    EXPECT_LT(profile.figure("dram_gb_per_s"), 0.95 * each.dram_gb_per_s);
    EXPECT_GT(profile.figure("dram_gb_per_s"), 0.65 * each.dram_gb_per_s);
  }
}

TEST(DeviceProfile, AnUnknownNameSaysWhichThereAre) {
  try {
    lab::find_device_profile("h20");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("h200"), std::string::npos) << error.what();
  }
  EXPECT_THROW(lab::find_device_profile("no/such.json"), IoError);
}

TEST(DeviceProfile, ABlocksPartOfL1IsItsShare) {
  DeviceProfile profile = lab::find_device_profile("h200");
  EXPECT_EQ(profile.pace(4).l1_bytes * 4, profile.pace(1).l1_bytes);
  EXPECT_EQ(profile.pace(1).dram_cycles, profile.figure("dram_cycles"));
}

TEST(DeviceProfile, EveryMistakeIsNamed) {
  EXPECT_EQ(complaint(valid().dump()), "");
  const auto with = [](auto change) {
    Json json = valid();
    change(json);
    return complaint(json.dump());
  };
  const auto says = [](const std::string& message, const std::string& part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
    EXPECT_NE(message.find("p.json"), std::string::npos) << message;
  };
  says(complaint("{"), "no JSON");
  says(complaint("[]"), "an object");
  says(with([](Json& json) { json.erase("gpu"); }), "\"gpu\"");
  says(with([](Json& json) { json["compute_capability"] = "9.7"; }), "9.7");
  says(with([](Json& json) { json["clock"] = 1; }), "\"clock\"");
  says(with([](Json& json) { json["figures"] = 1; }), "\"figures\"");
  says(with([](Json& json) { json["figures"].erase("l1_cycles"); }), "l1_cycles");
  says(with([](Json& json) { json["figures"]["l1_cycle"] = json["figures"]["l1_cycles"]; }),
       "l1_cycles");
  says(with([](Json& json) { json["figures"]["l1_cycles"]["value"] = -1; }), "above 0");
  says(with([](Json& json) { json["figures"]["l1_cycles"]["value"] = 0; }), "above 0");
  says(with([](Json& json) { json["figures"]["l1_cycles"]["value"] = 1e300; }), "above 0");
  for (const double number : {0.5, 131.5, 65536.0, 1e12}) {
    says(with([&](Json& json) { json["figures"]["multiprocessors"]["value"] = number; }),
         "multiprocessors: \"value\" has to be a whole number from 1 to 65535");
  }
  says(with([](Json& json) { json["figures"]["l1_cycles"].erase("source"); }), "\"source\"");
  EXPECT_EQ(with([](Json& json) { json["figures"]["l2_gb_per_s"]["value"] = 0; }), "");
}

}  // namespace
}  // namespace warpwise
