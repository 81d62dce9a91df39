// Tests the settings of points: names of transfers, axes of settings, and the loss of speed with
// half of a resource.
#include "warpwise/lab/study/table/setting.hpp"

#include <gtest/gtest.h>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/study/show/halved.hpp"
#include "warpwise/lab/study/show/messages_testing.hpp"
#include "warpwise/lab/study/show/study_report.hpp"
#include "warpwise/lab/study/table/points.hpp"
#include "warpwise/lab/study/table/small_table_testing.hpp"

namespace warpwise::lab {
namespace {

TEST(Setting, TransfersHaveNames) {
  for (const char* name : {"pageable", "pinned", "mapped", "overlapped 1", "overlapped 64"}) {
    const std::optional<Transfer> transfer = transfer_named(name);
    ASSERT_TRUE(transfer) << name;
    EXPECT_EQ(text_of(*transfer), name);
  }
  EXPECT_EQ(transfer_named("overlapped 16")->chunks, 16);
  for (const char* name : {"", "fast", "pinned 2", "overlapped", "overlapped ", "overlapped 0",
                           "overlapped -1", "overlapped 65", "overlapped 4x", "overlapped 4 4",
                           " pinned", "overlapped 99999999999999999999"}) {
    EXPECT_FALSE(transfer_named(name)) << name;
  }
}

std::string table_with_axes(const std::string& axes) {
  std::string text = small_table;
  const std::string before = R"({"sizes": [[1, 2], [3, 4]], "blocks": [[32], [8, 8]]})";
  const std::size_t at = text.find(before);
  EXPECT_NE(at, std::string::npos);
  return text.replace(at, before.size(), axes);
}

Axes axes_of(const std::string& axes) {
  return parse_study(table_with_axes(axes), "/nowhere/ladder.json").experiments.at(1).axes;
}

TEST(Setting, AxesMakeAllCombinations) {
  EXPECT_EQ(settings_of(Axes{}), std::vector<Setting>{Setting{}});
  const Axes shares = axes_of(R"({"sm_percent": [100, 50], "neighbour_percent": [0, 25, 75]})");
  const std::vector<Setting> settings = settings_of(shares);
  ASSERT_EQ(settings.size(), 6U);
  EXPECT_EQ(settings[0], Setting{});
  EXPECT_EQ(settings[2], (Setting{100, 75, std::nullopt}));
  EXPECT_EQ(settings[5], (Setting{50, 75, std::nullopt}));
  EXPECT_EQ(text_of(settings[0]), "");
  EXPECT_EQ(text_of(settings[2]), "neighbour_percent 75");
  EXPECT_EQ(text_of(settings[5]), "sm_percent 50, neighbour_percent 75");
  const std::vector<Setting> transfers =
      settings_of(axes_of(R"({"transfer": ["pageable", "overlapped 4"]})"));
  ASSERT_EQ(transfers.size(), 2U);
  EXPECT_EQ(text_of(transfers[1]), "overlapped 4");
}

TEST(Setting, MistakesInAxesSayWhatIsPossible) {
  const auto complaint = [](const std::string& axes) {
    return message_of<InvalidArgument>([&] { axes_of(axes); });
  };
  expect_words(complaint(R"({"sm_percent": [0]})"), {"sm_percent", "from 1"});
  expect_words(complaint(R"({"sm_percent": [101]})"), {"sm_percent", "101", "1 to 100"});
  expect_words(complaint(R"({"sm_percent": []})"), {"no value", "sm_percent"});
  expect_words(complaint(R"({"neighbour_percent": [101]})"), {"neighbour_percent", "0 to 100"});
  expect_words(complaint(R"({"transfer": ["pined"]})"), {"pined", "pinned", "overlapped N", "64"});
  expect_words(complaint(R"({"transfer": []})"), {"no value", "transfer"});
  expect_words(complaint(R"({"transfer": [3]})"), {"transfer", "list of texts"});
  expect_words(complaint(R"({"transfer": ["pinned"], "sm_percent": [50]})"),
               {"transfer", "sm_percent", "whole GPU"});
  expect_words(complaint(R"({"sm_percents": [50]})"), {"sm_percents", "sm_percent"});
}

TEST(Setting, ACollectionNamesExperiments) {
  const StudyTable table = parse_study(
      R"({"study": "some", "about": "of others", "collects": ["convert/table5", "match/blocks"]})",
      "/nowhere/study.json");
  EXPECT_TRUE(table.is_collection());
  EXPECT_EQ(table.name(), "some");
  EXPECT_EQ(table.collects.size(), 2U);
  const auto complaint = [](const std::string& fields) {
    return message_of<InvalidArgument>([&] {
      parse_study(R"({"study": "some", "about": "of others", )" + fields + "}",
                  "/nowhere/study.json");
    });
  };
  expect_words(complaint(R"("collects": [])"), {"collects", "without"});
  expect_words(complaint(R"("collects": ["convert"])"), {"convert", "LADDER/EXPERIMENT"});
  expect_words(complaint(R"("collects": ["converter/table5"])"), {"no ladder", "converter"});
  expect_words(complaint(R"("collects": ["convert/table5"], "size": [1, 1])"), {"size"});
}

// A modelled kernel. Its instructions take `work` µs on one multiprocessor, and its bytes take
// `bytes` µs at the full bandwidth. The longer of the two times counts.
struct Kernel {
  const char* name;
  double work;
  double bytes;
};

StudyRun run_of(const std::vector<Kernel>& kernels) {
  StudyRun run;
  run.on_gpu = true;
  run.varies_gpu_share = true;
  run.device = "a GPU";
  for (const int sms : {88, 44, 10}) {
    for (const double left : {1.0, 0.8, 0.4}) {
      for (const Kernel& each : kernels) {
        RungRow row;
        row.rung = each.name;
        row.size = {8, 8};
        row.block = {32, 1, 1};
        row.setting = {sms, static_cast<int>(100 - 100 * left), std::nullopt};
        row.multiprocessors = sms;
        if (left < 1) row.bandwidth_left = left;
        const double us = std::max(each.work / sms, each.bytes / left);
        row.cold = row.batch = Timing{us, us, us, 10, 0};
        run.rows.push_back(row);
      }
    }
  }
  return run;
}

TEST(Halved, SaysWhatAKernelHangsOn) {
  const std::vector<Halved> halved = halved_of(run_of(
      {{"computes", 88'000, 1}, {"moves", 1, 1000}, {"balanced", 88'000, 1000}, {"waits", 0, 0}}));
  ASSERT_EQ(halved.size(), 4U);
  for (const Halved& each : halved) {
    EXPECT_EQ(each.many, 88);
    EXPECT_EQ(each.half, 44);
  }
  const Halved& computes = halved[0];
  EXPECT_DOUBLE_EQ(*computes.sms_at_all_bandwidth, 0.5);
  EXPECT_DOUBLE_EQ(*computes.sms_at_half_bandwidth, 0.5);
  EXPECT_DOUBLE_EQ(*computes.bandwidth_at_many_sms, 0);
  EXPECT_DOUBLE_EQ(*computes.bandwidth_at_half_sms, 0);
  EXPECT_EQ(computes.bound_by(), "multiprocessors");
  // No time was measured at half of the bandwidth, but it lies between two measured bandwidths.
  const Halved& moves = halved[1];
  EXPECT_DOUBLE_EQ(*moves.sms_at_all_bandwidth, 0);
  EXPECT_NEAR(*moves.bandwidth_at_many_sms, 0.5, 1e-12);
  EXPECT_NEAR(*moves.bandwidth_at_half_sms, 0.5, 1e-12);
  EXPECT_EQ(moves.bound_by(), "bandwidth");
  EXPECT_EQ(halved[2].bound_by(), "both");
  // The time has a knee between the two measured bandwidths, which the linear interpolation misses.
  EXPECT_LT(*halved[2].bandwidth_at_half_sms, 0.15);
}

// The losses are those of the document's table 6. The rule has to give the document's conclusions.
TEST(Halved, JudgesTheDocumentsFigures) {
  const auto verdict = [](double sms, double bandwidth) {
    Halved halved;
    halved.sms_at_all_bandwidth = sms;
    halved.bandwidth_at_many_sms = bandwidth;
    return halved.bound_by();
  };
  EXPECT_EQ(verdict(0.0000, 0.5928), "bandwidth");
  EXPECT_EQ(verdict(0.0547, 0.0645), "neither");
  EXPECT_EQ(verdict(0.3890, 0.0054), "multiprocessors");
  EXPECT_EQ(verdict(0.3241, 0.0002), "multiprocessors");
}

TEST(Halved, LeavesOutWhatWasNotMeasured) {
  StudyRun run = run_of({{"moves", 1, 1000}});
  // Without the strongest neighbour, half of the bandwidth lies outside the measured bandwidths.
  std::erase_if(run.rows, [](const RungRow& row) { return row.bandwidth_left == 0.4; });
  std::vector<Halved> halved = halved_of(run);
  ASSERT_EQ(halved.size(), 1U);
  EXPECT_TRUE(halved[0].sms_at_all_bandwidth);
  EXPECT_FALSE(halved[0].bandwidth_at_many_sms);
  EXPECT_EQ(halved[0].bound_by(), "");
  // Without the run on 44 multiprocessors, no number of multiprocessors is half of another one.
  std::erase_if(run.rows, [](const RungRow& row) { return row.multiprocessors == 44; });
  EXPECT_TRUE(halved_of(run).empty());
  EXPECT_EQ(halved_text(run), "");
  EXPECT_FALSE(json_of(run).contains("halved"));
}

TEST(Halved, IsInEveryReport) {
  const StudyRun run = run_of({{"computes", 88'000, 1}});
  const std::string text = halved_text(run);
  expect_words(text, {"computes (32)", "88, 44", "50%", "0%", "multiprocessors"});
  const auto json = json_of(run);
  EXPECT_EQ(json.at("halved").size(), 1U);
  EXPECT_EQ(json.at("halved").at(0).at("hangs_on"), "multiprocessors");
  EXPECT_EQ(json.at("results").at(4).at("setting").at("sm_percent"), 44);
  EXPECT_EQ(json.at("results").at(4).at("multiprocessors"), 44);
  EXPECT_EQ(json.at("results").at(4).at("bandwidth_left"), 0.8);
  expect_words(line_of(run, run.rows[4]), {"sm_percent 44", "80%"});
  const std::string csv = csv_of(run);
  expect_words(csv.substr(0, csv.find('\n')), {"sm_percent", "bandwidth_left"});
}

TEST(Setting, TransfersAreReported) {
  StudyRun run;
  run.on_gpu = run.varies_transfer = true;
  run.bus = BusLimit{55, 54, 100};
  RungRow row;
  row.rung = "shipped";
  row.block = {32, 4, 1};
  row.setting.transfer = Transfer{TransferWay::pinned, 1};
  row.end_to_end = EndToEnd{.total = {1000, 990, 1100, 10, 0},
                            .upload_us = 300,
                            .kernel_us = 550,
                            .download_us = 150,
                            .bytes_up = 15'000'000,
                            .bytes_down = 5'000'000};
  run.rows.push_back(row);
  EXPECT_DOUBLE_EQ(*kernel_share(*row.end_to_end), 0.55);
  expect_words(heading_of(run), {"55.0 GB/s up", "54.0 down", "100.0 both"});
  expect_words(line_of(run, row), {"shipped (32x4) pinned", "1000", "[990, 1100]", "300", "550",
                                   "150", "55%", "20.0"});
  const auto json = json_of(run);
  EXPECT_EQ(json.at("bus").at("both_gb_per_s"), 100);
  const auto& times = json.at("results").at(0).at("end_to_end");
  EXPECT_EQ(times.at("median_us"), 1000);
  EXPECT_EQ(times.at("kernel_share"), 0.55);
  EXPECT_EQ(json.at("results").at(0).at("setting").at("transfer"), "pinned");
  const std::string csv = csv_of(run);
  expect_words(csv,
               {"transfer,total_us", "pinned,1000,990,1100,300,550,150,0.55,15000000,5000000"});
  // If copies were not timed, the kernels' share is not known.
  row.end_to_end->upload_us.reset();
  EXPECT_EQ(kernel_share(*row.end_to_end), std::nullopt);
}

}  // namespace
}  // namespace warpwise::lab
