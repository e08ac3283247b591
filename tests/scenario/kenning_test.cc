// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "core/file.h"
#include "scenario/kenning/translate.h"
#include "scenario/scenario.h"
#include "source_dir.h"

namespace edgeprobe::scenario::kenning {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

struct Answer {
  std::string yaml, failure;
  std::vector<std::string> notes;
};

Answer answer(const Result<Source>& source) {
  if (!source) return {"", source.error().what, {}};
  const auto done = translate(*source);
  if (!done) return {"", done.error().what, {}};
  Answer answer{to_yaml(done->scenario), "", {}};
  for (const Note& note : done->notes) answer.notes.push_back(note.what + ": " + note.why);
  return answer;
}

Answer of_command(const std::string& line) { return answer(source_from_command(line)); }

Answer of_file(const std::string& text) {
  const auto document = document_from_text(text);
  EXPECT_TRUE(document) << document.error().what;
  return answer(source_from_document(*document));
}

TEST(ShellWords, AreThoseOfAShell) {
  EXPECT_THAT(*shell_words("a 'b c'  \"d \\\" e\" f\\ g \\\n h ''"),
              ElementsAre("a", "b c", "d \" e", "f g", "h", ""));
  for (const char* const line : {"a 'b", "a | b", "$HOME", "a; b", "`x`", "\"$x\""})
    EXPECT_FALSE(shell_words(line)) << line;
  EXPECT_TRUE(shell_words("'$a | b'"));
}

TEST(Command, OfTheFirstReadmeRunsAModelOnData) {
  const Answer done = of_command(
      "python -m edge_ai_tester.scenarios.inference_performance "
      "edge_ai_tester.modelwrappers.classification.tensorflow.TensorFlowPetDatasetMobileNetV2 "
      "edge_ai_tester.datasets.pet_dataset.PetDataset results name --model-path net.tflite "
      "--dataset-root pets");
  EXPECT_EQ(done.failure, "");
  EXPECT_THAT(done.yaml, AllOf(HasSubstr("kind: inference_performance\n"),
                               HasSubstr("file: net.tflite\n"), HasSubstr("data: \"pets:pets\"\n"),
                               HasSubstr("normalize(mean=[0.485"), HasSubstr("folder: results\n")));
  EXPECT_THAT(done.notes, Contains(HasSubstr("pets:ROOT")));
  EXPECT_THAT(done.notes, Contains(HasSubstr("mean=[0.48136492, 0.44937421, 0.39576963]")));
  const Answer later = of_command(
      "python -m kenning.scenarios.inference_performance "
      "kenning.modelwrappers.classification.tensorflow.TensorFlowPetDatasetMobileNetV2 "
      "kenning.datasets.pet_dataset.PetDataset results name --model-path net.tflite "
      "--dataset-root pets");
  EXPECT_THAT(later.notes, Not(Contains(HasSubstr("0.48136492"))));
}

TEST(Command, NamesTheLayoutAndThePartsOfAPublishedDataSet) {
  const Answer pets = of_command(
      "kenning test --dataset-cls PetDataset --model-path a.onnx --dataset-root d --classify-by "
      "species --download-dataset --split-fraction-test 0.3 --split-fraction-val 0.1 --split-seed "
      "5");
  EXPECT_EQ(pets.failure, "");
  EXPECT_THAT(pets.yaml,
              AllOf(HasSubstr("data: \"pets:d?classify_by=species\"\n"),
                    HasSubstr("download: true\n"), HasSubstr("split_fraction_test: 0.3\n"),
                    HasSubstr("split_fraction_val: 0.1\n"), HasSubstr("split_seed: 5\n")));
  const Answer wake = of_command(
      "kenning test --dataset-cls VisualWakeWordsDataset --model-path a.onnx --dataset-root d "
      "--objects-class dog --area-threshold 0.01");
  EXPECT_THAT(wake.yaml,
              HasSubstr("data: \"visual_wake_words:d?set=val2017&object=dog&area=0.01\"\n"));
  const Answer other = of_command(
      "kenning test --dataset-cls ImageNetDataset --model-path a.onnx --dataset-root d "
      "--download-dataset");
  EXPECT_THAT(other.yaml, Not(HasSubstr("download")));
  EXPECT_THAT(other.notes, Contains(HasSubstr("only data sets with a published hash")));
}

TEST(Command, WithAProtocolIsAClient) {
  const Answer done = of_command(
      "python3 -m kenning.scenarios.inference_tester "
      "kenning.modelwrappers.x.PyTorchPetDatasetMobileNetV2 "
      "kenning.compilers.tflite.TFLiteCompiler kenning.runtimes.tflite.TFLiteRuntime "
      "kenning.datasets.pet_dataset.PetDataset build/out.json --protocol-cls "
      "kenning.runtimeprotocols.network.NetworkProtocol --model-path a.tflite --target int8 "
      "--compiled-model-path b.tflite --host 192.0.2.1 --port 777 --packet-size 32768 "
      "--dataset-root d");
  EXPECT_THAT(done.yaml, AllOf(HasSubstr("kind: inference_client\n"), HasSubstr("to: int8\n"),
                               HasSubstr("out: b.tflite\n"), HasSubstr("tcp://192.0.2.1:777"),
                               HasSubstr("folder: build/out\n"), Not(HasSubstr("engine"))));
  EXPECT_THAT(done.notes,
              AllOf(Contains(HasSubstr("--packet-size")), Contains(HasSubstr("operator"))));
}

TEST(Command, OfAServerServes) {
  const Answer done = of_command(
      "kenning server --protocol-cls NetworkProtocol --runtime-cls TFLiteRuntime --host 0.0.0.0 "
      "--port 12344 "
      "--delegates-list libedgetpu.so.1 --num-threads 2");
  EXPECT_EQ(done.failure, "");
  EXPECT_EQ(
      done.yaml,
      "kind: inference_server\nengine:\n  name: tflite\n  threads: 2\n  delegate: "
      "\"external:libedgetpu.so.1\"\ntarget:\n  address: \"tcp://0.0.0.0:12344\"\n  insecure: "
      "true\n");
}

TEST(Command, OfASerialLineIsAClientOfIt) {
  const Answer done = of_command(
      "kenning test --protocol-cls kenning.protocols.uart.UARTProtocol --port /dev/ttyACM0 "
      "--baudrate 115200 "
      "--modelwrapper-cls MagicWandModelWrapper --model-path m.tflite");
  EXPECT_THAT(done.yaml, AllOf(HasSubstr("kind: inference_client\n"),
                               HasSubstr("address: \"kenning:/dev/ttyACM0?baud=115200\"\n")));
}

TEST(Command, LeavesAKerasModelToKenning) {
  const Answer done = of_command(
      "kenning optimize test --modelwrapper-cls TensorFlowPetDatasetMobileNetV2 --runtime-cls "
      "TFLiteRuntime "
      "--dataset-cls PetDataset --compiler-cls TFLiteCompiler --model-path kenning:///models/a.h5 "
      "--target default --compiled-model-path build/a.tflite --dataset-root d --measurements "
      "m.json");
  EXPECT_THAT(done.yaml, AllOf(HasSubstr("file: build/a.tflite\n"), Not(HasSubstr("compiler"))));
  EXPECT_THAT(done.notes, Contains(HasSubstr("which Kenning makes")));
}

TEST(Command, CompilesAKerasModelByItsChain) {
  const std::string common =
      "python3 -m edge_ai_tester.scenarios.inference_tester "
      "edge_ai_tester.modelwrappers.classification.tensorflow_pet_dataset."
      "TensorFlowPetDatasetMobileNetV2 edge_ai_tester.datasets.pet_dataset.PetDataset "
      "./build/out.json ";
  const std::string files = " --model-path pets.h5 --dataset-root d";
  const auto yaml = [&](const std::string& rest) { return of_command(common + rest + files).yaml; };
  EXPECT_THAT(
      yaml("edge_ai_tester.compilers.tflite.TFLiteCompiler --model-framework keras --target "
           "default --compiled-model-path build/m.tflite"),
      HasSubstr("compiler:\n  to: tflite\n  out: build/m.tflite\n"));
  EXPECT_THAT(yaml("edge_ai_tester.compilers.tflite.TFLiteCompiler --target int8 "
                   "--inference-input-type int8 --compiled-model-path build/m.tflite"),
              HasSubstr("to: \"int8?inference_input_type=int8\"\n"));
  // The seed's scripts name archives; TVM reads a Keras model by way of ONNX here.
  EXPECT_THAT(
      yaml("edge_ai_tester.compilers.tvm.TVMCompiler --target llvm --opt-level 3 "
           "--compiled-model-path build/m.tar"),
      AllOf(HasSubstr("to: [onnx, \"tvm?opt_level=3\"]\n"), HasSubstr("out: build/m.so\n")));
  const Answer edge = of_command(common +
                                 "edge_ai_tester.compilers.tflite.TFLiteCompiler --target edgetpu "
                                 "--compiled-model-path build/m.tflite" +
                                 files);
  EXPECT_THAT(edge.yaml, HasSubstr("to: int8\n"));
  EXPECT_THAT(edge.notes, Contains(HasSubstr("edgetpu_compiler")));
  EXPECT_THAT(yaml("edge_ai_tester.compilers.tvm.TVMCompiler --target cuda --compiled-model-path "
                   "build/m.tar"),
              Not(HasSubstr("compiler:")));
}

TEST(File, OfAChainOfOptimizersIsAChainOfConversions) {
  const Answer done = of_file(
      "model_wrapper: {type: TensorFlowImageNet, parameters: {model_path: a.h5}}\n"
      "dataset: {type: PetDataset, parameters: {dataset_root: d}}\n"
      "optimizers:\n"
      "- type: TensorFlowPruningOptimizer\n  parameters: {target_sparsity: 0.3, epochs: 5, "
      "compiled_model_path: p.h5}\n"
      "- type: TensorFlowClusteringOptimizer\n  parameters: {compiled_model_path: c.h5}\n"
      "- type: TFLiteCompiler\n  parameters: {target: int8, compiled_model_path: b.tflite}\n"
      "- type: GPTQOptimizer\n  parameters: {compiled_model_path: q}\n");
  EXPECT_EQ(done.failure, "");
  EXPECT_THAT(done.notes, Contains(HasSubstr("the model is the one before it")));
  EXPECT_THAT(done.yaml, AllOf(HasSubstr("to: [\"prune?sparsity=0.3&fine_tune=5\", "
                                         "\"cluster?clusters=10&keep_zeros=false\", int8]\n"),
                               HasSubstr("file: a.h5\n"), HasSubstr("out: b.tflite\n")));
}

TEST(Command, OfAReportIsAVerb) {
  const auto words = [](const std::string& line) {
    const auto done = translate(*source_from_command(line));
    return done ? done->command : std::vector<std::string>{done.error().what};
  };
  EXPECT_THAT(
      words("python -m kenning.scenarios.render_report a.json 'The title' out/a.rst --img-dir i "
            "--root-dir d --report-types performance classification"),
      ElementsAre("measurements", "a.json", "--rst", "out/a.rst", "--svg", "i/report"));
  EXPECT_THAT(words("kenning report --measurements a.json b.json --report-path r.md --to-html"),
              ElementsAre("measurements", "a.json", "b.json", "--markdown", "r.md", "--html",
                          "report.html"));
  EXPECT_THAT(
      of_command("kenning test report --dataset-cls PetDataset --measurements m.json --report-path "
                 "r.md --to-html")
          .yaml,
      AllOf(HasSubstr("folder: m\n"), HasSubstr("html: true\n"), HasSubstr("markdown: true\n")));
}

TEST(Command, OfAReportNamesWhatIsDropped) {
  const auto done = translate(*source_from_command(
      "kenning report --measurements a.json --report-name x --model-names m --only-png-images"));
  ASSERT_TRUE(done) << done.error().what;
  ASSERT_EQ(done->notes.size(), 3u);
  EXPECT_EQ(done->notes[0].what, "--report-name");
  const auto file = translate(*source_from_command("kenning report --cfg r.yml"));
  EXPECT_EQ(file->file, "r.yml");
}

TEST(Command, OfTheFirstVersionDrawsCharts) {
  const Answer done = of_command(
      "python -m edge_ai_tester.scenarios.inference_performance "
      "a.modelwrappers.x.PyTorchPetDatasetMobileNetV2 "
      "edge_ai_tester.datasets.pet_dataset.PetDataset out name --model-path net.onnx "
      "--dataset-root d "
      "--resources-dir out/img");
  EXPECT_EQ(done.failure, "");
  EXPECT_THAT(done.yaml, AllOf(HasSubstr("svg: true\n"), HasSubstr("rst: true\n")));
  // The model has this order whatever the data set states, and its file needs no export.
  EXPECT_THAT(done.yaml, HasSubstr("layout(nchw)"));
  EXPECT_THAT(done.notes, Not(Contains(HasSubstr("Keras"))));
  EXPECT_THAT(done.notes, Contains(HasSubstr("--resources-dir out/img: the charts are")));
}

TEST(Command, TakesAClassOfKenningsThatHasNothingHere) {
  const Answer tiny = of_command(
      "kenning test --modelwrapper-cls TinygradImageNet --runtime-cls TinygradRuntime "
      "--dataset-cls "
      "ImageNetDataset --model-path a.onnx --dataset-root d --debug-level 3 -h");
  EXPECT_EQ(tiny.failure, "");
  EXPECT_THAT(tiny.yaml, HasSubstr("name: \"python:kenning:TinygradRuntime?debug_level=3\"\n"));
  EXPECT_THAT(tiny.notes,
              AllOf(Contains(HasSubstr("-h: ")),
                    Contains(HasSubstr("model.python: name a Python that has Kenning"))));
  EXPECT_THAT(tiny.notes, Not(Contains(HasSubstr("not a class of Kenning"))));
  EXPECT_EQ(of_command("kenning test --modelwrapper-cls PyTorchMagicWandModelWrapper --model-path "
                       "w.onnx --dataset-cls MagicWandDataset --dataset-root d")
                .failure,
            "");
}

TEST(Command, TakesAClassAndAnOptionOfTheUsersOwn) {
  const Answer own = of_command(
      "kenning test --modelwrapper-cls my.Wrapper --runtime-cls TVMRuntime --target-device-context "
      "cpu "
      "--dataset-cls PetDataset --model-path a.onnx --dataset-root d --my-own-thing 3");
  EXPECT_EQ(own.failure, "");
  EXPECT_THAT(own.notes, AllOf(Contains(HasSubstr("as a plug-in it is my.py:Wrapper")),
                               Contains(HasSubstr("--my-own-thing: not a known option of Kenning")),
                               Not(Contains(HasSubstr("--target-device-context")))));
  EXPECT_THAT(
      of_command("kenning test --runtime-cls TVMRuntime --target-device-context cuda").notes,
      Contains(HasSubstr("TVM only on the processor")));
}

TEST(Command, RunsAClassWithoutACounterpartAsAPlugin) {
  const Answer done = of_command(
      "kenning test --modelwrapper-cls MagicWandModelWrapper --dataset-cls "
      "kenning.datasets.magic_wand_dataset.MagicWandDataset --dataset-root wand --window-size 64 "
      "--inference-batch-size 4 --model-path w.tflite --runtime-cls TFLiteRuntime");
  EXPECT_EQ(done.failure, "");
  EXPECT_THAT(
      done.yaml,
      AllOf(HasSubstr("data: \"python:kenning:MagicWandDataset?dataset_root=wand&window_size=64&"
                      "split=test&model_wrapper=python:kenning:MagicWandModelWrapper&"
                      "model_wrapper.window_size=64&model_wrapper.model_path=w.tflite\"\n"),
            HasSubstr("file: w.tflite\n"), HasSubstr("name: tflite\n")));
  EXPECT_THAT(done.notes, AllOf(Contains(HasSubstr("--inference-batch-size 4: each sample")),
                                Contains(HasSubstr("a Python that has Kenning"))));
  EXPECT_THAT(of_command("python -m edge_ai_tester.scenarios.inference_performance "
                         "edge_ai_tester.datasets.random.RandomizedClassificationDataset out name "
                         "--model-path n.onnx --dataset-root d --num-samples 3")
                  .yaml,
              HasSubstr("\"python:edge_ai_tester:RandomizedClassificationDataset?dataset_root=d&"
                        "num_samples=3\"\n"));
}

TEST(File, OfClassesOfTheUsersOwnRunsThem) {
  const Answer done = of_file(
      "dataset:\n  type: our.data.Parts\n  parameters:\n    dataset_root: 'a&b'\n    kinds: [1, "
      "2]\n    split: train\n    batch_size: 8\n"
      "model_wrapper:\n  type: our.models.Net\n  parameters: {model_path: net.pth, size: 3}\n"
      "runtime: {type: our.Runtime, parameters: {save_model_path: x, fast: true}}\n");
  EXPECT_EQ(done.failure, "");
  EXPECT_THAT(
      done.yaml,
      AllOf(HasSubstr("data: \"our/data.py:Parts?dataset_root=a%26b&kinds=1,2&split=train&"
                      "model_wrapper=our/models.py:Net&model_wrapper.size=3&"
                      "model_wrapper.model_path=net.pth\"\n"),
            HasSubstr("name: \"our.py:Runtime?fast=true\"\n"), HasSubstr("file: net.pth\n")));
  EXPECT_THAT(done.notes, Not(Contains(HasSubstr("does not run here"))));
}

TEST(File, OfAFrameworksModelRunsItsWrapper) {
  const Answer done = of_file(
      "dataset: {type: PetDataset, parameters: {dataset_root: pets}}\n"
      "model_wrapper: {type: PyTorchPetDatasetMobileNetV2, parameters: {model_path: net.pth}}\n");
  EXPECT_THAT(done.yaml,
              AllOf(HasSubstr("name: \"python:kenning:PyTorchPetDatasetMobileNetV2?dataset=python:"
                              "kenning:PetDataset&dataset.dataset_root=pets\"\n"),
                    HasSubstr("data: \"pets:pets\"\n")));
  EXPECT_THAT(
      of_file("model_wrapper: {type: TensorFlowImageNet, parameters: {model_path: a.h5}}\n").yaml,
      AllOf(HasSubstr("file: a.h5\n"), Not(HasSubstr("name:"))));
}

TEST(File, OfAFrameworksModelWithoutADataSetRunsItsWrapper) {
  const Answer done = of_file(
      "model_wrapper: {type: PyTorchPetDatasetMobileNetV2, parameters: {model_path: net.pth}}\n");
  EXPECT_THAT(done.yaml, AllOf(HasSubstr("name: \"python:kenning:PyTorchPetDatasetMobileNetV2\"\n"),
                               Not(HasSubstr("dataset"))));
}

TEST(Command, OfATrainingTrainsOurModelWithTheDeployedRecipe) {
  const Answer done = of_command(
      "python -m edge_ai_tester.scenarios.model_training "
      "edge_ai_tester.modelwrappers.classification.tensorflow_pet_dataset."
      "TensorFlowPetDatasetMobileNetV2 edge_ai_tester.datasets.pet_dataset.PetDataset "
      "--logdir build/logs --dataset-root build/pet-dataset --model-path build/trained.h5 "
      "--batch-size 32 --learning-rate 0.0001 --num-epochs 50");
  EXPECT_EQ(done.failure, "");
  EXPECT_THAT(done.yaml, HasSubstr("kind: model_training\n"));
  EXPECT_THAT(done.yaml, HasSubstr("training:\n  model: mobilenet_v2\n  out: build/trained.h5\n  "
                                   "logdir: build/logs\n  batch_size: 32\n  learning_rate: 0.0001"
                                   "\n  num_epochs: 50\n"));
  EXPECT_THAT(done.yaml, AllOf(HasSubstr("resize(224x224, bicubic, like=pillow)"),
                               HasSubstr("build/pet-dataset"), Not(HasSubstr("report:")),
                               Not(HasSubstr("engine:"))));
  EXPECT_THAT(done.notes, Not(Contains(HasSubstr("does not run yet"))));
  EXPECT_THAT(of_command("kenning train --modelwrapper-cls YOLACT --dataset-cls PetDataset "
                         "--dataset-root d --model-path m --batch-size 1 --learning-rate 1 "
                         "--num-epochs 1 --logdir l")
                  .notes,
              AllOf(Contains(HasSubstr("YOLACT: edgeprobe trains mobilenet_v2")),
                    Contains(HasSubstr("'training.model' is missing"))));
}

TEST(Command, OfOnnxConversionNamesTheFrameworks) {
  const Answer done = of_command(
      "python -m dl_framework_analyzer.scenarios.onnx_conversion build/models build/grid.rst "
      "--converters-list dl_framework_analyzer.onnxconverters.mxnet.MXNetONNXConversion "
      "a.b.TensorFlowONNXConversion a.b.OwnConversion");
  EXPECT_EQ(done.failure, "");
  EXPECT_EQ(done.yaml,
            "kind: onnx_conversion\nconversions:\n  folder: build/models\n  out: build/grid.rst\n"
            "  frameworks: [mxnet, keras]\n");
  EXPECT_THAT(done.notes, Contains(HasSubstr("OwnConversion")));
}

TEST(Command, NamesTheNearest) {
  EXPECT_THAT(of_command("kenning tset").failure, HasSubstr("'tset'"));
  EXPECT_THAT(of_command("python -m kenning.scenarios.inference_testr").failure,
              HasSubstr("inference_tester"));
  EXPECT_THAT(of_command("kenning test --dataset-rot x").failure, HasSubstr("--dataset-root"));
  EXPECT_THAT(of_command("kenning test --dataset-cls PetDatset").failure, HasSubstr("PetDataset"));
  EXPECT_THAT(of_command("ls -l").failure, HasSubstr("expected"));
  EXPECT_THAT(of_command("kenning automl --dataset-cls PetDataset").failure,
              HasSubstr("does not search"));
}

TEST(File, OfEitherVersionSaysTheSame) {
  const std::string old_one =
      "{\"model_wrapper\": {\"type\": \"kenning.modelwrappers.a.B.TensorFlowImageNet\", "
      "\"parameters\": "
      "{\"modelpath\": \"m.onnx\"}}, \"dataset\": {\"type\": "
      "\"kenning.datasets.i.ImageNetDataset\", "
      "\"parameters\": {\"root\": \"r\", \"preprocess_type\": \"torch\"}}, \"runtime_protocol\": "
      "{\"type\": "
      "\"kenning.runtimeprotocols.network.NetworkProtocol\", \"parameters\": {\"host\": "
      "\"10.9.8.7\", "
      "\"port\": 12345}}}";
  const std::string new_one =
      "model_wrapper:\n  type: TensorFlowImageNet\n  parameters:\n    model_path: "
      "m.onnx\ndataset:\n  type: "
      "ImageNetDataset\n  parameters:\n    dataset_root: r\n    preprocess_type: "
      "torch\nprotocol:\n  type: "
      "NetworkProtocol\n  parameters:\n    host: 10.9.8.7\n    port: 12345\n";
  EXPECT_EQ(of_file(old_one).failure, "");
  EXPECT_EQ(of_file(old_one).yaml, of_file(new_one).yaml);
  EXPECT_THAT(of_file(new_one).yaml, HasSubstr("data: r/images\n"));
}

TEST(File, OfAnOlderCommandLineIsItsFirstWord) {
  const auto done =
      translate(*source_from_command("python -m kenning.scenarios.json_inference_tester "
                                     "native.json build/native.json --verbosity INFO"));
  ASSERT_TRUE(done) << done.error().what;
  EXPECT_EQ(done->file, "native.json");
  EXPECT_EQ(done->scenario.value("report", "folder"), "build/native");
}

TEST(File, HasABlockOfAReport) {
  const std::string report =
      "report:\n  type: MarkdownReport\n  parameters: {measurements: [a.json], report_path: "
      "r/c.md, "
      "to_html: false}\n";
  const Answer done =
      of_file("model_wrapper: {type: ONNXYOLOV4, parameters: {model_path: m.onnx}}\n" + report);
  EXPECT_THAT(done.yaml,
              AllOf(HasSubstr("markdown: true"), HasSubstr("folder: a"), Not(HasSubstr("html"))));
  const auto alone = translate(*source_from_document(*document_from_text(report)));
  ASSERT_TRUE(alone) << alone.error().what;
  EXPECT_THAT(alone->command, ElementsAre("measurements", "a.json", "--markdown", "r/c.md"));
}

TEST(File, IsRefusedWithItsPlace) {
  const auto refused = [](const std::string& text) {
    return source_from_document(*document_from_text(text)).error().what;
  };
  EXPECT_THAT(refused("a: b\n"), HasSubstr("expected a block of a Kenning scenario"));
  EXPECT_THAT(refused("model_wraper: {type: X}\n"),
              AllOf(HasSubstr("line 1, column 1"), HasSubstr("'model_wrapper'")));
  EXPECT_THAT(of_file("dataset:\n  type: PetDatset\n").failure,
              AllOf(HasSubstr("line 2, column 9"), HasSubstr("PetDataset")));
  EXPECT_THAT(refused("dataset: 5\n"), HasSubstr("line 1, column 10"));
  EXPECT_THAT(refused("dataset:\n  parameters: {}\n"), HasSubstr("no 'type'"));
}

TEST(Table, IsTheDocument) {
  const std::string path = std::string(test::source_dir()) + "/docs/from-edge-ai-tester.md";
  const auto file = read_file(path);
  ASSERT_TRUE(file) << file.error().what;
  const std::string text(ByteView(*file).text());
  const std::string begin = "<!-- table: begin -->\n", end = "<!-- table: end -->";
  const std::size_t from = text.find(begin) + begin.size();
  if (std::getenv("EDGEPROBE_UPDATE_GOLDENS"))
    std::ofstream(path) << text.substr(0, from) << page() << text.substr(text.find(end));
  else EXPECT_EQ(text.substr(from, text.find(end) - from), page());
}

/// One name of Kenning's, as found by script/kenning_names.py.
struct Known {
  Role role;
  std::string owner, name, flag;
};

Role role_of(const std::string& word) {
  static const std::map<std::string, Role> kOthers{{"scenario", Role::kScenario},
                                                   {"verb", Role::kVerb},
                                                   {"onnxconverters", Role::kConverter},
                                                   {"converters", Role::kModelConverter}};
  if (const auto found = kOthers.find(word); found != kOthers.end()) return found->second;
  for (const Role role : roles())
    if (word == block_name(role)) return role;
  ADD_FAILURE() << "no role is called " << word;
  return Role::kScenario;
}

std::vector<Known> known_names() {
  std::ifstream file(std::string(test::source_dir()) + "/tests/scenario/kenning_names.tsv");
  std::vector<Known> all;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream cells(line);
    std::string role, owner, name, flag;
    std::getline(cells, role, '\t');
    std::getline(cells, owner, '\t');
    std::getline(cells, name, '\t');
    std::getline(cells, flag, '\t');
    all.push_back({role_of(role), owner, name, flag});
  }
  return all;
}

TEST(Table, HasARowForEachClassAndParameterOfKenning) {
  int classes = 0, parameters = 0;
  for (const Known& one : known_names()) {
    const std::string label = one.owner + " " + one.name + " " + one.flag;
    if (one.name.empty() && one.flag.empty()) {
      ++classes;
      EXPECT_TRUE(find_class(one.role, one.owner)) << label;
      continue;
    }
    ++parameters;
    EXPECT_TRUE(one.name.empty() || find_option(one.role, one.owner, one.name)) << label;
    if (one.flag.empty()) continue;
    if (one.role == Role::kScenario && one.flag.ends_with("-cls")) {
      const auto source = source_from_command("kenning test " + one.flag + " a.b.Name");
      EXPECT_EQ(source->blocks.size(), 1u) << label;
      continue;
    }
    const Option* const option = find_flag(one.flag, {{one.role, one.owner}});
    ASSERT_TRUE(option) << label;
    if (one.role == Role::kScenario || option->role == Role::kScenario) continue;
    EXPECT_EQ(option->role, one.role) << label;
    EXPECT_TRUE(find_option(one.role, one.owner, option->names) || is_called(*option, one.flag))
        << label;
  }
  EXPECT_GE(classes, 150);
  EXPECT_GE(parameters, 1100);
}

TEST(Table, HasEachRowOnce) {
  std::set<std::string> seen;
  for (const Class& one : classes()) {
    EXPECT_TRUE(seen.insert(std::string(title(one.role)) + one.name).second) << one.name;
    EXPECT_TRUE(*one.ours || *one.why) << one.name;
  }
  for (const Option& one : options()) {
    EXPECT_TRUE(*one.ours || *one.why) << one.flag << one.names;
    EXPECT_EQ(one.rule == Rule::kAbsent, !*one.ours) << one.flag << one.names;
  }
}

}  // namespace
}  // namespace edgeprobe::scenario::kenning
