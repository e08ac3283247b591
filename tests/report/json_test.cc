#include "report/json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "golden.h"
#include "verdicts.h"

namespace edgeprobe::report {
namespace {

using Json = nlohmann::json;

TEST(RenderJson, IsWhatTheGoldensShow) {
  for (const char* name : {"channel_order", "two_faults", "empty"})
    for (const auto& [sample, verdict] : sample_verdicts())
      if (sample == name) expect_golden(sample + ".json", render_json(verdict));
}

TEST(RenderJson, CarriesTheValuesOfTheVerdict) {
  const Json report = Json::parse(render_json(channel_order_verdict()));
  EXPECT_EQ(report["schema_version"], "1.4");
  EXPECT_EQ(report["verdict"], "differs");
  EXPECT_EQ(report["task"]["target"], 0.4139);
  EXPECT_EQ(report["task"]["ci95"]["target"], Json::parse("[0.3642, 0.4654]"));
  EXPECT_EQ(report["task"]["n"], 360);
  EXPECT_EQ(report["causes"][0]["fix"]["step"], "color(rgb)");
  EXPECT_EQ(report["causes"][0]["evidence"].size(), report["causes"][0]["evidence_values"].size());
  EXPECT_EQ(report["causes"][0]["evidence_values"][0], Json::parse(R"({"kind": "input_distance", "values": {"distance": 50.83, "frames": 5}})"));
  EXPECT_EQ(report["layers"][0]["index"], -1);
  EXPECT_EQ(report["outputs"]["floor"], 0.0121);
  EXPECT_FALSE(report.contains("pictures"));
}

TEST(RenderJson, WritesNullForWhatIsNoNumber) {
  const Json report = Json::parse(render_json(extreme_verdict()));
  EXPECT_TRUE(report["task"]["reference"].is_null());         // NaN
  EXPECT_TRUE(report["task"]["target"].is_null());            // -inf
  EXPECT_TRUE(report["task"]["ci95"]["reference"].is_null()); // [NaN, inf]
  EXPECT_TRUE(report["causes"][0]["contribution"].is_null());
  EXPECT_TRUE(report["layers"][1]["rmse_over_range"].is_null());
  EXPECT_TRUE(report["layers"][1]["range"]["reference"].is_null());
  EXPECT_EQ(report["task"]["n"], ~std::uint64_t{0});
}

TEST(RenderJson, ReplacesBrokenUtf8AndKeepsNamesWhole) {
  const Json report = Json::parse(render_json(extreme_verdict()));
  EXPECT_EQ(report["layers"][3]["name"], "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");  // U+FFFD for each of ff fe fd
  EXPECT_EQ(report["layers"][2]["name"].get<std::string>().size(), std::size_t{1} << 20);
}

TEST(RenderJson, IsAsciiWithoutControlCharacters) {
  for (const auto& [name, verdict] : sample_verdicts())
    for (const char c : render_json(verdict)) ASSERT_TRUE((c >= 0x20 && c < 0x7f) || c == '\n') << name << " " << int{c};
}

}  // namespace
}  // namespace edgeprobe::report
