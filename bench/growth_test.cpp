#include "bench/growth.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "warpwise/base/error.hpp"

namespace warpwise::bench {
namespace {

nlohmann::json row(const char* primitive, const char* implementation, double bytes, double us) {
  return {{"primitive", primitive}, {"variant", "u8"}, {"implementation", implementation},
          {"bytes", bytes},         {"median_us", us}, {"p5_us", us * 0.9},
          {"p95_us", us * 1.1}};
}

nlohmann::json report() {
  return {{"machine", {{"gpu", "NVIDIA Test"}}},
          {"growth", true},
          {"roof_gb_per_s", 4000},
          {"read_roof_gb_per_s", 4500},
          {"rows",
           {row("copy", "warpwise", 65536, 4),
            row("copy", "peer", 65536, 8),
            row("copy", "warpwise", 262144, 4),
            row("gemv", "warpwise", 65536, 2),
            row("find", "warpwise", 65536, 50),
            {{"primitive", "gemv"},
             {"variant", "u8"},
             {"implementation", "peer"},
             {"bytes", 65536},
             {"not_timed", "it is not here"}}}}};
}

TEST(Growth, IsAPanelAPrimitiveWithItsRoof) {
  const lab::Plot plot = growth_plot(report());
  ASSERT_EQ(plot.panels.size(), 3U);
  const lab::PlotPanel& copies = plot.panels[0];
  EXPECT_EQ(copies.title, "copy");
  EXPECT_EQ(copies.series[0].name, "warpwise: u8");
  ASSERT_EQ(copies.series.size(), 3U);
  EXPECT_EQ(copies.series[0].points.size(), 2U);
  EXPECT_DOUBLE_EQ(copies.series[0].points[0].value, 65536 / 4.0 / 1000);
  EXPECT_GT(copies.series[0].points[0].high, copies.series[0].points[0].low);
  EXPECT_TRUE(copies.series[2].is_level);
  EXPECT_DOUBLE_EQ(copies.series[2].points[0].value, 4000);
  // Cases without times are not drawn; a case that hardly writes has the roof of reads.
  ASSERT_EQ(plot.panels[1].series.size(), 2U);
  EXPECT_DOUBLE_EQ(plot.panels[1].series[1].points[0].value, 4500);
  // A panel that is bound by arithmetic has no roof.
  EXPECT_EQ(plot.panels[2].title, "find");
  EXPECT_EQ(plot.panels[2].series.size(), 1U);
  EXPECT_EQ(plot.x.values, (std::vector<double>{65536, 262144}));
}

TEST(Growth, RefusesWhatIsNoSuchRecord) {
  nlohmann::json other = report();
  other["growth"] = false;
  EXPECT_THROW(growth_plot(other), InvalidArgument);
  EXPECT_THROW(growth_plot(nlohmann::json::object()), InvalidArgument);
  EXPECT_THROW(growth_plot(nlohmann::json::array()), InvalidArgument);
  nlohmann::json broken = report();
  broken["rows"][0].erase("bytes");
  EXPECT_THROW(growth_plot(broken), InvalidArgument);
  broken = report();
  broken["rows"] = nlohmann::json::array();
  EXPECT_THROW(growth_plot(broken), InvalidArgument);
}

}  // namespace
}  // namespace warpwise::bench
