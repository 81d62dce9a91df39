// Profiles of devices: those that are installed, and what is wrong with others.

#include "warpwise/lab/predict/device_profile.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "warpwise/base/error.hpp"

namespace warpwise {
namespace {

using lab::DeviceProfile;
using Json = nlohmann::json;

Json valid() {
  Json figures = Json::object();
  for (const std::string& name : lab::profile_figures())
    figures[name] = {{"value", 2.5}, {"source", "a test"}};
  return {{"gpu", "A GPU"}, {"compute_capability", "9.0"}, {"figures", figures}};
}

std::string complaint(const std::string& text) {
  try {
    lab::parse_device_profile(text, "p.json");
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
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
  says(with([](Json& json) { json["figures"]["l1_cycles"].erase("source"); }), "\"source\"");
  EXPECT_EQ(with([](Json& json) { json["figures"]["l2_gb_per_s"]["value"] = 0; }), "");
}

}  // namespace
}  // namespace warpwise
