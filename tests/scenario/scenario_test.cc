// SPDX-License-Identifier: Apache-2.0
#include "scenario/scenario.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.h"
#include "scenario/plan.h"
#include "source_dir.h"

namespace edgeprobe::scenario {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kWhole =
    "kind: inference_performance\n"
    "model:\n"
    "  file: net.tflite\n"
    "  state: [a=b, c=d]\n"
    "dataset: {data: pictures, labels: folders, frames: 12}\n"
    "recipe: 'resize(8x8) | scale(0..1)'\n"
    "compiler: {to: int8, out: net_int8.tflite, calibration_frames: 4}\n"
    "engine: {name: tflite, threads: 2, no_spinning: true}\n"
    "report: {folder: out, markdown: true, svg: true, bench: true, duration: 0.5}\n";

std::string refusal(const std::string& text) {
  const auto read = scenario_from_text(text);
  return read ? "" : read.error().what;
}

Scenario read(const std::string& text) {
  auto scenario = scenario_from_text(text);
  EXPECT_TRUE(scenario) << scenario.error().what;
  return scenario ? *scenario : Scenario{};
}

std::string line(const Step& step) {
  std::string text;
  for (const std::string& word : step.words) text += (text.empty() ? "" : " ") + word;
  return text;
}

TEST(Scenario, IsTheVerbsThatItNames) {
  const auto steps = plan(read(kWhole), {"out", "test", false});
  std::vector<std::string> lines;
  for (const Step& step : steps) lines.push_back(line(step));
  EXPECT_THAT(
      lines,
      ElementsAre(
          "convert net.tflite --data pictures --labels folders --frames 12 --recipe resize(8x8) | "
          "scale(0..1) --to int8 -o net_int8.tflite --calibration-frames 4 --target-engine tflite "
          "--json out/convert.json",
          "run net_int8.tflite --state a=b --state c=d --data pictures --labels folders --frames "
          "12 "
          "--recipe resize(8x8) | scale(0..1) --engine tflite --threads 2 --no-spinning --trace "
          "out/trace.mcap --measurements out/measurements.json --conversion out/convert.json",
          "bench net_int8.tflite --data pictures --labels folders --frames 12 --recipe resize(8x8) "
          "| scale(0..1) --engine tflite --threads 2 --no-spinning --duration 0.5 --json "
          "out/bench.json",
          "measurements out/measurements.json --markdown "
          "out/report.md --svg out/test",
          "report out"));
}

TEST(Scenario, ChecksAConversionOnItsTarget) {
  const auto steps =
      plan(read("{kind: inference_client, model: m.onnx, dataset: d, target: 'unix:/s', "
                "compiler: {to: int8, out: o.onnx}}"),
           {"out", "test", true});
  EXPECT_EQ(line(steps.at(0)),
            "convert m.onnx --data d --to int8 -o o.onnx --target unix:/s --json out/convert.json");
  EXPECT_EQ(line(steps.at(1)),
            "run o.onnx --data d --target unix:/s --trace out/trace.mcap --measurements "
            "out/measurements.json --conversion out/convert.json --force");
}

TEST(Scenario, SaysTheSameInYamlAndJson) {
  const Scenario scenario = read(kWhole);
  EXPECT_EQ(to_yaml(read(to_yaml(scenario))), to_yaml(scenario));
  EXPECT_EQ(to_yaml(read(to_json(scenario))), to_yaml(scenario));
  for (const char* const number :
       {"5", "5.0", "0.25", "1e3", "1e300", "007", "-0", "12345678901"}) {
    const Scenario one = read(
        "kind: inference_server\nengine: tflite\ntarget:\n  address: unix:/s\n"
        "  idle_limit: " +
        std::string(number) + "\n");
    EXPECT_EQ(to_yaml(read(to_json(one))), to_yaml(one)) << number;
    EXPECT_EQ(to_yaml(read(to_yaml(one))), to_yaml(one)) << number;
  }
  EXPECT_EQ(to_yaml(read("\t" + to_json(scenario))), to_yaml(scenario));  // JSON may have tabs
}

TEST(Scenario, KeepsTextsThatYamlTakesForSomethingElse) {
  const Scenario scenario =
      read("{kind: inference_performance, model: 'null', dataset: \"no\", engine: {cpus: '0'}}");
  EXPECT_EQ(scenario.value("model", "file"), "null");
  EXPECT_EQ(scenario.value("dataset", "data"), "no");
  EXPECT_EQ(to_yaml(read(to_yaml(scenario))), to_yaml(scenario));
}

TEST(Scenario, OfAServerListensAtItsTarget) {
  const auto steps =
      plan(read("kind: inference_server\ntarget: tcp://127.0.0.1:1\n"), {"", "", false});
  EXPECT_EQ(line(steps.at(0)), "serve --listen 127.0.0.1:1");
  const auto tls =
      plan(read("{kind: inference_server, target: {address: 'tls://0.0.0.0:1', tls_cert: c.pem, "
                "tls_client_ca: a.pem}}"),
           {"", "", false});
  EXPECT_EQ(line(tls.at(0)), "serve --listen 0.0.0.0:1 --tls-cert c.pem --tls-client-ca a.pem");
}

TEST(Scenario, OfATrainingAndOfConversionsAreOneVerb) {
  const auto training =
      plan(read("{kind: model_training, training: {model: signal, out: net.keras, num_epochs: 3, "
                "learning_rate: 0.001}, dataset: {data: d, labels: folders}}"),
           {"", "", true});
  EXPECT_EQ(line(training.at(0)),
            "train signal --model-path net.keras --learning-rate 0.001 --num-epochs 3 --data d "
            "--labels folders --restart");
  const auto grid = plan(
      read("{kind: onnx_conversion, conversions: {folder: m, out: [a.rst, a.json], frameworks: "
           "[keras, sklearn]}}"),
      {"", "", false});
  EXPECT_EQ(line(grid.at(0)),
            "onnx-conversion m a.rst a.json --frameworks keras --frameworks sklearn");
  EXPECT_THAT(refusal("{kind: model_training, engine: tflite}"),
              HasSubstr("belongs to inference_performance, inference_client and inference_server"));
  for (const char* const text : {"{kind: model_training, training: {model: signal}, dataset: d}",
                                 "{kind: onnx_conversion, conversions: {folder: m}}"})
    EXPECT_THAT(check_complete(read(text)).error().what, HasSubstr("out' is missing"));
}

TEST(Scenario, NamesTheNearestAndThePlace) {
  EXPECT_THAT(refusal("kind: inference_perfomance\n"),
              AllOf(HasSubstr("line 1, column 7"), HasSubstr("inference_performance")));
  EXPECT_THAT(refusal("kind: inference_server\nengin: tflite\n"),
              AllOf(HasSubstr("line 2, column 1"), HasSubstr("'engine'")));
  EXPECT_THAT(refusal("kind: inference_performance\ndataset:\n  lables: x\n"),
              AllOf(HasSubstr("line 3, column 3"), HasSubstr("'labels'")));
  EXPECT_THAT(refusal("kind: inference_performance\nengine: tflit\n"),
              AllOf(HasSubstr("line 2, column 9"), HasSubstr("'tflite'")));
  EXPECT_THAT(refusal("kind: inference_server\ndataset: x\n"), HasSubstr("inference_performance"));
  EXPECT_THAT(refusal("model_wrapper: {type: X}\n"), HasSubstr("from-command"));
}

TEST(Scenario, RefusesWhatOnlyYamlHas) {
  EXPECT_THAT(refusal("kind: inference_server\nkind: inference_server\n"),
              AllOf(HasSubstr("line 2"), HasSubstr("twice")));
  EXPECT_THAT(refusal("kind: &a inference_server\n"), HasSubstr("anchor"));
  EXPECT_THAT(refusal("kind: inference_server\nengine: !x tflite\n"), HasSubstr("tag"));
  // Two YAML escapes that the library turns into an invalid UTF-8 byte.
  for (const char* escape : {"a\\N", "a\\_"})
    EXPECT_THAT(refusal("kind: inference_server\nengine: \"" + std::string(escape) + "\"\n"),
                AllOf(HasSubstr("line 2, column 9"), HasSubstr("\\N and \\_ are not supported")));
  EXPECT_THAT(refusal("kind: inference_server\n---\nkind: inference_server\n"),
              HasSubstr("second document"));
  EXPECT_THAT(refusal("kind: inference_server\nengine:\n\tname: tflite\n"),
              AllOf(HasSubstr("line 3"), HasSubstr("tab")));
  EXPECT_THAT(refusal(""), HasSubstr("it is empty"));
  EXPECT_THAT(refusal("kind"), HasSubstr("map"));
  EXPECT_THAT(refusal("? [a]\n: b\n"), HasSubstr("key"));
  EXPECT_THAT(refusal("kind: \xff"), HasSubstr("UTF-8"));
}

TEST(Scenario, RefusesBombsWithinBounds) {
  EXPECT_THAT(refusal(std::string(100'000, '[')), HasSubstr("nested"));
  std::string deep = "kind:\n";
  for (int level = 1; level < 300; ++level) deep += std::string(level, ' ') + "a:\n";
  EXPECT_THAT(refusal(deep), HasSubstr("deeper than 16"));
  EXPECT_THAT(refusal(std::string(300'000, 'a')), HasSubstr("at most"));
  std::string laughs = "a: &a [x, x]\n";
  for (char name = 'b'; name < 'z'; ++name)
    laughs += std::string(1, name) + ": &" + name + " [*" + char(name - 1) + ", *" +
              char(name - 1) + "]\n";
  EXPECT_THAT(refusal(laughs), HasSubstr("anchor"));
}

TEST(Scenario, RefusesNumbersThatAreNone) {
  for (const char* const value : {"1e999", "-1", "nan", "1x", "'5'", "[1]", "{a: 1}", ""})
    EXPECT_THAT(
        refusal("kind: inference_performance\nengine:\n  time_limit: " + std::string(value) + "\n"),
        HasSubstr("line 3"))
        << value;
  for (const char* const value : {"0", "-1", "1.5", "99999999999", "true"})
    EXPECT_THAT(
        refusal("kind: inference_performance\ndataset:\n  frames: " + std::string(value) + "\n"),
        HasSubstr("whole number"))
        << value;
  EXPECT_THAT(refusal("kind: inference_performance\nreport:\n  bench: yes\n"),
              HasSubstr("true or false"));
}

TEST(Scenario, NeedsItsModelAndItsData) {
  const auto missing = [](const std::string& text) {
    const auto whole = check_complete(read(text));
    return whole ? "" : whole.error().what;
  };
  EXPECT_THAT(missing("kind: inference_performance\n"), HasSubstr("model.file"));
  EXPECT_THAT(missing("{kind: inference_performance, model: m}"), HasSubstr("dataset.data"));
  EXPECT_THAT(missing("{kind: inference_client, model: m, dataset: d}"),
              HasSubstr("target.address"));
  EXPECT_THAT(missing("{kind: inference_performance, model: m, dataset: d, compiler: int8}"),
              HasSubstr("compiler.out"));
  EXPECT_EQ(missing("kind: inference_server\n"), "");
}

TEST(Scenario, HasItsPathsBesideIt) {
  const Scenario scenario = below(
      read("{kind: inference_performance, model: /m.tflite, dataset: {data: d, labels: folders}, "
           "engine: 'tflite:lib/x.so', recipe: 'scale(0..1)'}"),
      "place");
  EXPECT_EQ(scenario.value("model", "file"), "/m.tflite");
  EXPECT_EQ(scenario.value("dataset", "data"), "place/d");
  EXPECT_EQ(scenario.value("dataset", "labels"), "folders");
  EXPECT_EQ(scenario.value("engine", "name"), "tflite:place/lib/x.so");
  EXPECT_EQ(scenario.value("recipe", ""), "scale(0..1)");
  const auto data_of = [](const std::string& data) {
    return below(read("{kind: inference_performance, model: m, dataset: '" + data + "'}"), "place")
        .value("dataset", "data");
  };
  EXPECT_EQ(data_of("pets:d/p?classify_by=species"), "pets:place/d/p?classify_by=species");
  EXPECT_EQ(data_of("pets:/d"), "pets:/d");
  EXPECT_EQ(data_of("random:?shape=4x4x3"), "random:?shape=4x4x3");
  EXPECT_EQ(data_of("a/b:c"), "place/a/b:c");
  const Scenario client = below(
      read("{kind: inference_client, target: 'tls://h:1?cert=a.pem&ca=/b.pem&server=x'}"), "place");
  EXPECT_EQ(client.value("target", "address"), "tls://h:1?cert=place/a.pem&ca=/b.pem&server=x");
  const auto engine = [](const std::string& name) {
    return below(
               read("{kind: inference_performance, model: m, dataset: d, engine: '" + name + "'}"),
               "place")
        .value("engine", "name");
  };
  EXPECT_EQ(engine("mine.py:Engine?rows=a.py:b"), "place/mine.py:Engine?rows=a.py:b");
  EXPECT_EQ(engine("jax?function=net.py:predict"), "jax?function=net.py:predict");
}

TEST(Scenario, TakesAnyKeyFromTheCommandLine) {
  const auto set = [](const std::string& text) {
    const auto setting = setting_from_text(text, Kind::kPerformance);
    return setting ? setting->values.front() : setting.error().what;
  };
  EXPECT_EQ(set("engine.threads=4"), "4");
  EXPECT_EQ(set("recipe=a=b"), "a=b");
  EXPECT_EQ(set("engine=tvm"), "tvm");
  EXPECT_THAT(set("engine.thread=4"), HasSubstr("'threads'"));
  EXPECT_THAT(set("engin.threads=4"), HasSubstr("'engine'"));
  EXPECT_THAT(set("engine.threads"), HasSubstr("BLOCK.KEY=VALUE"));
  EXPECT_THAT(set("target.insecure=true"), HasSubstr("inference_server"));
}

TEST(Scenario, SchemaIsTheOneThatIsPublished) {
  const auto file =
      read_file(std::string(test::source_dir()) + "/docs/reference/scenario.schema.json");
  ASSERT_TRUE(file) << file.error().what;
  EXPECT_EQ(std::string(ByteView(*file).text()), schema())
      << "edgeprobe scenario schema >docs/reference/scenario.schema.json";
}

}  // namespace
}  // namespace edgeprobe::scenario
