// SPDX-License-Identifier: Apache-2.0
#include "measurements/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace edgeprobe::measurements {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

std::string why(const std::string& text) {
  const auto read = from_json(text);
  return read ? "" : read.error().what;
}

TEST(MeasurementsJson, ReadsWhatAServerOfKenningAnswersToStats) {
  const auto read = from_json(R"({
    "target_inference_step": [0.001, 0.002], "target_inference_step_timestamp": [10.5, 10.6],
    "session_utilization_cpus_percent": [[10.0, 20.5]], "session_utilization_mem_percent": [33.3],
    "session_utilization_timestamp": [10.4]})");
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_THAT(read->target_inference->values, ElementsAre(0.001, 0.002));
  EXPECT_THAT(read->target_inference->at, ElementsAre(10.5, 10.6));
  EXPECT_THAT(read->machine->cpu_percent, ElementsAre(ElementsAre(10.0, 20.5)));
  EXPECT_FALSE(read->protocol_inference);
  EXPECT_FALSE(read->gpu);
}

TEST(MeasurementsJson, KeepsKeysThatItDoesNotRead) {
  const auto read = from_json(
      R"({"total": 7, "protocol_inference_step": [1], "cfg_path": "a.yml", "rouge1": 0.5,
          "inferencetime_mean": 9, "unoptimized": {"total": 3}})");
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_THAT(read->others, ElementsAre(Pair("cfg_path", "\"a.yml\""), Pair("rouge1", "0.5"),
                                        Pair("total", "7"), Pair("unoptimized", "{\"total\":3}")));
  const std::string written = to_json(*read, "1");
  EXPECT_THAT(written, HasSubstr("\"unoptimized\": {\"total\":3}"));
  EXPECT_THAT(written, HasSubstr("\"inferencetime_mean\": 1.0"));  // the mean of the list, not the
                                                                   // file's 9
}

TEST(MeasurementsJson, GivesBackWhatItWrote) {
  Measurements all;
  all.model_name = "net \"1\" |`<b>\n";
  all.model_framework = "tflite";
  all.command = {"edgeprobe run \\", "  net.tflite"};
  all.target_inference = Series{{0, 0.5}, {0.1, 1e-9}};
  all.protocol_inference = Series{{}, {0.25}};
  all.machine = Machine{{1, 2}, {3, 4}, {{5, 6}, {7, 8}}};
  all.gpu = Gpu{{1}, {2}, {}};
  all.class_names = {"a", "b"};
  all.classification = Classification{2, {1, 2, 3, 4}, 9, 10};
  all.not_measured["session_utilization_gpu_mem_utilization"] = "no driver";
  all.facts = {{"z", "first"}, {"a", "second"}};
  all.compilers = {{"onnxruntime", "1.31.1"}, {"own", ""}};
  all.others = {{"build_cfg", "{\"x\":[1]}"}};
  const std::string once = to_json(all, "1");
  const auto read = from_json(once);
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(to_json(*read, "1"), once);
  EXPECT_THAT(read->facts, ElementsAre(Pair("z", "first"), Pair("a", "second")));
  EXPECT_EQ(read->compilers, all.compilers);
}

TEST(MeasurementsJson, ReadsTheOptimizersOfKenning) {
  const auto read = from_json(
      R"({"optimizers": [{"compiler_framework": "tflite", "compiler_version": "2.12"},
                         {"compiler_framework": "tvm", "compiler_version": "0.14"}]})");
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_THAT(read->compilers, ElementsAre(Pair("tflite", "2.12"), Pair("tvm", "0.14")));
  const auto other = from_json(R"({"model_name": "m", "optimizers": [{"type": "TVMCompiler"}]})");
  ASSERT_TRUE(other) << other.error().what;
  EXPECT_TRUE(other->compilers.empty());
  EXPECT_THAT(other->others, ElementsAre(Pair("optimizers", "[{\"type\":\"TVMCompiler\"}]")));
}

TEST(MeasurementsJson, WritesNoKeyForWhatWasNotMeasured) {
  Measurements all;
  all.target_inference = Series{{0}, {0.1}};
  all.not_measured["session_utilization_gpu_utilization"] = "no driver of a GPU";
  const std::string written = to_json(all, "1");
  // Kenning takes every key for a measurement, and stops with an error at null.
  EXPECT_THAT(written, Not(HasSubstr("\n  \"session_utilization")));
  EXPECT_THAT(written, HasSubstr("\"session_utilization_gpu_utilization\":{\"value\":null,\"why\":"
                                 "\"no driver of a GPU\"}"));
}

TEST(MeasurementsJson, TakesANullForNotMeasured) {
  const auto read = from_json(
      R"({"target_inference_step": null, "top_5_count": null,
          "edgeprobe": {"not_measured": {"target_inference_step": {"value": null, "why": "w"}}}})");
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_FALSE(read->target_inference);
  EXPECT_THAT(read->not_measured,
              ElementsAre(Pair("target_inference_step", "w"),
                          Pair("top_5_count", "null in the file, without a reason")));
}

TEST(MeasurementsJson, ReadsDetectionsOfClassesInTheOrderOfTheirNames) {
  const auto read = from_json(
      R"({"class_names": ["dog", "cat"], "eval_gtcount/cat": 2, "eval_gtcount/owl": 1,
          "eval_det/cat": [[0.9, 1.0, 0.8], [0.4, false, 0]], "eval_det/dog": [[0.3, 0.0, 0.1]]})");
  ASSERT_TRUE(read) << read.error().what;
  ASSERT_EQ(read->detection.size(), 3u);
  EXPECT_EQ(read->detection[0].name, "dog");
  EXPECT_EQ(read->detection[1].name, "cat");
  EXPECT_EQ(read->detection[2].name, "owl");
  EXPECT_EQ(read->detection[1].there, 2);
  EXPECT_TRUE(read->detection[1].found[0].right);
  EXPECT_FALSE(read->detection[1].found[1].right);
}

TEST(MeasurementsJson, SaysWhereAFileIsWrong) {
  EXPECT_THAT(why("{\"target_inference_step\": [0.1"), HasSubstr("it is cut off"));
  EXPECT_THAT(why("{\n\"target_inference_step\": [0.1, NaN]}"), HasSubstr("line 2"));
  EXPECT_THAT(why("{\n\"target_inference_step\": [0.1, NaN]}"), HasSubstr("it contains NaN"));
  EXPECT_THAT(why("[1]"), HasSubstr("is not a JSON object"));
  EXPECT_THAT(why("{\"a\": 1}"), HasSubstr("none of the keys of measurements"));
  EXPECT_THAT(why("{\"target_inference_step\": [1e999]}"), HasSubstr("beyond float64"));
  EXPECT_EQ(why("{\"target_inference_step\": [1, -2]}"),
            "'target_inference_step' [1] is -2; expected 0 or more");
  EXPECT_EQ(why("{\"target_inference_step\": [1, \"2\"]}"),
            "'target_inference_step' [1] is \"2\"; expected a number");
  EXPECT_EQ(why("{\"target_inference_step\": 3}"),
            "'target_inference_step' is 3; expected a list of numbers");
  EXPECT_EQ(why("{\"target_inference_step\": [1, 2], \"target_inference_step_timestamp\": [1]}"),
            "'target_inference_step' has 2 values and 'target_inference_step_timestamp' 1; each "
            "value has one moment");
  EXPECT_THAT(why("{\"session_utilization_mem_percent\": [101], "
                  "\"session_utilization_timestamp\": [1]}"),
              HasSubstr("[0] is 101; expected 0 to 100"));
  EXPECT_THAT(why("{\"session_utilization_cpus_percent\": [[1], [2, null]], "
                  "\"session_utilization_timestamp\": [1, 2]}"),
              HasSubstr("[1][1] is null; expected a number"));
  EXPECT_THAT(why("{\"eval_confusion_matrix\": [[1, 2], [3]]}"),
              HasSubstr("[1] has 1 values; expected 2"));
  EXPECT_THAT(why("{\"eval_confusion_matrix\": [[1]], \"class_names\": [\"a\", \"b\"]}"),
              HasSubstr("has 1 rows and 'class_names' 2 names"));
  EXPECT_THAT(why("{\"eval_confusion_matrix\": [[1]], \"top_5_count\": 2}"),
              HasSubstr("is 2 of 1 frames"));
  EXPECT_THAT(why("{\"eval_det/a\": [[0.1]]}"), HasSubstr("expected [score, is right, overlap]"));
  EXPECT_THAT(why("{\"model_name\": 3}"), HasSubstr("expected a text"));
  EXPECT_THAT(why(std::string(100, '[')), HasSubstr("is nested deeper than"));
}

TEST(MeasurementsJson, ReadsAFileOfVeryManyKeys) {
  std::string text = "{\"total\": 1";
  for (int i = 0; i < 200'000; ++i) text += ",\"eval_gtcount/" + std::to_string(i) + "\":1";
  const auto read = from_json(text + "}");
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->detection.size(), 200'000u);
}

}  // namespace
}  // namespace edgeprobe::measurements
