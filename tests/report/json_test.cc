// SPDX-License-Identifier: Apache-2.0
#include "report/json/verdict.h"

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
      if (sample == name) expect_golden(sample + ".json", render_json(verdict, {Images::kNone}));
}

TEST(RenderJson, CarriesTheValuesOfTheVerdict) {
  const Json report = Json::parse(render_json(channel_order_verdict()));
  EXPECT_EQ(report["schema_version"], "1.5");
  EXPECT_EQ(report["verdict"], "differs");
  EXPECT_EQ(report["task"]["target"], 0.4139);
  EXPECT_EQ(report["task"]["ci95"]["target"], Json::parse("[0.3642, 0.4654]"));
  EXPECT_EQ(report["task"]["n"], 360);
  EXPECT_EQ(report["causes"][0]["fix"]["step"], "color(rgb)");
  EXPECT_EQ(report["causes"][0]["evidence"].size(), report["causes"][0]["evidence_values"].size());
  EXPECT_EQ(
      report["causes"][0]["evidence_values"][0],
      Json::parse(R"({"kind": "input_distance", "values": {"distance": 50.83, "frames": 5}})"));
  EXPECT_EQ(report["layers"][0]["index"], -1);
  EXPECT_EQ(report["outputs"]["floor"], 0.0121);
  EXPECT_FALSE(report.contains("pictures"));
}

TEST(RenderJson, CarriesPicturesAndAnswersOfTheSamples) {
  const Json report = Json::parse(render_json(channel_order_verdict()));
  ASSERT_EQ(report["samples"].size(), 2u);
  const Json& sample = report["samples"][0];
  EXPECT_EQ(sample["name"], "signs/stop_0001.png");
  EXPECT_EQ(sample["label"], 2);
  EXPECT_EQ(sample["answers"],
            Json::parse(R"({"target": [{"class": 5, "score": 0.61}, {"class": 2, "score": 0.3}],
                                               "reference": [{"class": 2, "score": 0.97}, {"class": 5, "score": 0.01}]})"));
  for (const char* role : {"target_input", "reference_input", "difference"}) {
    EXPECT_EQ(sample["pictures"][role]["width"], 32) << role;
    EXPECT_EQ(sample["pictures"][role]["png"].get<std::string>().rfind("iVBORw0KGgo", 0), 0u)
        << role;
  }
  EXPECT_TRUE(report["samples"][1]["label"].is_null());
}

TEST(RenderJson, CarriesWhatTheAppAnswered) {
  diagnose::Verdict verdict;
  verdict.samples = {{"a", 0, {}, {}, {}, R"({"labels":["cat"],"scores":[null]})", "cat nan"},
                     {"b", 1, {}, {}, {}}};
  const Json samples = Json::parse(render_json(verdict))["samples"];
  EXPECT_EQ(samples[0]["answers"]["app"], Json::parse(R"({"labels":["cat"],"scores":[null]})"));
  EXPECT_FALSE(samples[1]["answers"].contains("app"));
}

TEST(RenderJson, HasNoPixelWithoutPictures) {
  const Json report = Json::parse(render_json(channel_order_verdict(), {Images::kNone}));
  for (const Json& sample : report["samples"]) EXPECT_TRUE(sample["pictures"].is_null());
}

TEST(RenderJson, ShrinksLargePictures) {
  diagnose::Verdict verdict;
  verdict.samples = {{"wide", 0, {}, {}, {}}};
  verdict.pictures = {{"target_input", "wide", 100, 400, std::vector<std::uint8_t>(120000, 90)}};
  const Json pictures = Json::parse(render_json(verdict))["samples"][0]["pictures"];
  EXPECT_EQ(pictures["target_input"]["width"], 400);
  EXPECT_EQ(pictures["target_input"]["png_width"], kMostJsonPictureEdge);
  EXPECT_EQ(pictures["target_input"]["png_height"], kMostJsonPictureEdge / 4);
  EXPECT_TRUE(pictures["reference_input"].is_null());
  EXPECT_TRUE(pictures["difference"].is_null());
}

TEST(RenderJson, WritesNullForWhatIsNoNumber) {
  const Json report = Json::parse(render_json(extreme_verdict()));
  EXPECT_TRUE(report["task"]["reference"].is_null());          // NaN
  EXPECT_TRUE(report["task"]["target"].is_null());             // -inf
  EXPECT_TRUE(report["task"]["ci95"]["reference"].is_null());  // [NaN, inf]
  EXPECT_TRUE(report["causes"][0]["contribution"].is_null());
  EXPECT_TRUE(report["layers"][1]["rmse_over_range"].is_null());
  EXPECT_TRUE(report["layers"][1]["range"]["reference"].is_null());
  EXPECT_EQ(report["task"]["n"], ~std::uint64_t{0});
}

TEST(RenderJson, SampleWithSeveralTrueClassesHasNoSingleLabel) {
  const Json samples = Json::parse(render_json(extreme_verdict()))["samples"];
  EXPECT_TRUE(samples[1]["label"].is_null());
  EXPECT_EQ(samples[1]["labels"], Json({2, 7}));
  EXPECT_EQ(samples[2]["label"], 3);
  EXPECT_EQ(samples[2]["labels"], Json({3}));
}

TEST(RenderJson, ReplacesBrokenUtf8AndKeepsNamesWhole) {
  const Json report = Json::parse(render_json(extreme_verdict()));
  // U+FFFD for each of ff fe fd
  EXPECT_EQ(report["layers"][3]["name"], "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(report["layers"][2]["name"].get<std::string>().size(), std::size_t{1} << 20);
}

TEST(RenderJson, IsAsciiWithoutControlCharacters) {
  for (const auto& [name, verdict] : sample_verdicts())
    for (const char c : render_json(verdict))
      ASSERT_TRUE((c >= 0x20 && c < 0x7f) || c == '\n') << name << " " << int{c};
}

}  // namespace
}  // namespace edgeprobe::report
