// SPDX-License-Identifier: Apache-2.0
#include "scenario/keys.h"

#include <algorithm>
#include <array>
#include <sstream>

#include "core/text.h"
#include "engine/kinds.h"

namespace edgeprobe::scenario {
namespace {

constexpr unsigned kModel = kRun | kBench | kConvert;
constexpr unsigned kData = kModel | kTrain;
constexpr unsigned kRunning = kRun | kBench;
constexpr unsigned kEngines = kRun | kBench | kServe;

/// A kind, the verbs that it may run, and the keys that it must contain.
struct KindRow {
  Kind kind;
  const char* name;
  unsigned verbs;
  const char* required;  ///< Full names, separated by blanks.
};
constexpr std::array kKinds{
    KindRow{Kind::kPerformance, "inference_performance", kModel, "model.file dataset.data"},
    KindRow{Kind::kClient, "inference_client", kModel, "model.file dataset.data target.address"},
    KindRow{Kind::kServer, "inference_server", kServe, ""},
    KindRow{Kind::kTraining, "model_training", kTrain, "training.model training.out dataset.data"},
    KindRow{Kind::kConversions, "onnx_conversion", kGrid, "conversions.folder conversions.out"},
};

const KindRow& row_of(Kind kind) {
  return *std::find_if(kKinds.begin(), kKinds.end(),
                       [&](const KindRow& one) { return one.kind == kind; });
}

std::vector<std::string> words_of(const char* text) {
  std::istringstream words{text};
  std::vector<std::string> all;
  for (std::string word; words >> word;) all.push_back(word);
  return all;
}

constexpr std::array kKeys{
    Key{"model", "file", Form::kPath, kModel, "", "", "The model: .tflite, .onnx, .xml, .so"},
    Key{"model", "state", Form::kTexts, kRun, "--state", "",
        "OUTPUT=INPUT: an output that is an input of the next frame"},
    Key{"model", "pipeline", Form::kFunction, kRun, "--pipeline", "",
        "FILE.py:FUNCTION that makes the model input instead of a recipe"},
    Key{"model", "tokenizer", Form::kFunction, kRun, "--tokenizer", "",
        "For a recipe of text: tokenizer.json, FILE.py:FUNCTION or a command"},
    Key{"model", "python", Form::kText, kRun | kTrain, "--python", "",
        "The Python of both; of a training, the one that has the framework"},
    Key{"model", "input_shape", Form::kText, kData, "--input-shape", "",
        "Resizes the model's input, e.g. 1x96x96x3"},

    Key{"training", "model", Form::kFunction, kTrain, "", "",
        "What is trained: mobilenet_v2, signal and others, or a plug-in: FILE.py:CLASS"},
    Key{"training", "out", Form::kPath, kTrain, "--model-path", "", "The trained model"},
    Key{"training", "logdir", Form::kPath, kTrain, "--logdir", "",
        "Folder for checkpoints and TensorBoard's log"},
    Key{"training", "batch_size", Form::kWhole, kTrain, "--batch-size", "", "Samples of one step"},
    Key{"training", "learning_rate", Form::kNumber, kTrain, "--learning-rate", "",
        "Step size of the optimizer"},
    Key{"training", "num_epochs", Form::kWhole, kTrain, "--num-epochs", "",
        "Passes over the training samples"},
    Key{"training", "fine_tune", Form::kWhole, kTrain, "--fine-tune", "",
        "Further epochs in which the backbone is trained as well"},
    Key{"training", "backbone", Form::kPath, kTrain, "--backbone", "",
        "Weights of the backbone: .keras, .h5, .npz, .tflite or .onnx"},

    Key{"dataset", "data", Form::kPath, kData, "--data", "",
        "Pictures, texts, recordings or recorded tensors"},
    Key{"dataset", "labels", Form::kPath, kData, "--labels", "",
        "What is true: a file, or the word 'folders'"},
    Key{"dataset", "classes", Form::kPath, kData, "--classes", "", "Class names, one a line"},
    Key{"dataset", "frames", Form::kWhole, kModel, "--frames", "", "Use that many samples"},
    Key{"dataset", "download", Form::kSwitch, kData, "--download-dataset", "",
        "Fetch the data set of LAYOUT:FOLDER first"},
    Key{"dataset", "split", Form::kText, kData, "--split", "train validation test all",
        "The part of the samples to use"},
    Key{"dataset", "split_fraction_test", Form::kNumber, kData, "--split-fraction-test", "",
        "Share of the samples for the test, below 1"},
    Key{"dataset", "split_fraction_val", Form::kNumber, kData, "--split-fraction-val", "",
        "Share of the samples for validation, below 1"},
    Key{"dataset", "split_seed", Form::kNumber, kData, "--split-seed", "",
        "Another number parts the samples differently"},

    Key{"recipe", "", Form::kRecipe, kData, "--recipe", "", "Pre-processing: text or a file"},

    Key{"compiler", "to", Form::kCompiler, kConvert, "--to",
        "int8 int8-dynamic int16x8 float16 tflite onnx pte openvino tvm prune prune-channels "
        "cluster",
        "Conversions, one after the other, before the model runs: int8, 'prune?sparsity=0.5', or a "
        "plug-in: FILE.py:CLASS, python:NAME"},
    Key{"compiler", "out", Form::kPath, kConvert, "-o", "", "The result, which then runs"},
    Key{"compiler", "calibration_frames", Form::kWhole, kConvert, "--calibration-frames", "",
        "How many samples calibrate"},
    Key{"compiler", "calibration", Form::kPath, kConvert, "--calibration", "",
        "A list of the samples that calibrate"},
    Key{"compiler", "keep_float", Form::kPath, kConvert, "--keep-float", "",
        "A list of layers that stay in float32"},
    Key{"compiler", "python", Form::kText, kConvert, "--python", "", "A Python that has the tool"},
    Key{"compiler", "compile_limit", Form::kNumber, kConvert, "--compile-limit", "",
        "Seconds for a plug-in to convert"},

    Key{"engine", "name", Form::kEngine, kEngines, "--engine", "", "KIND or KIND:LIBRARY"},
    Key{"engine", "kernels", Form::kText, kEngines, "--kernels", "xnnpack builtin reference",
        "Kernels of TensorFlow Lite"},
    Key{"engine", "threads", Form::kWhole, kEngines, "--threads", "", "Threads of the engine"},
    Key{"engine", "delegate", Form::kTexts, kEngines, "--delegate", "",
        "Who takes operators first: gpu, nnapi, external:LIB.so?key=value"},
    Key{"engine", "custom_ops", Form::kPaths, kEngines, "--custom-ops", "",
        "Libraries of custom operators for ONNX Runtime"},
    Key{"engine", "optimization", Form::kText, kEngines, "--optimization",
        "off basic extended all file", "How far ONNX Runtime may rewrite the graph"},
    Key{"engine", "precision", Form::kText, kEngines, "--precision", "f32 engine",
        "As in the model, or as the engine chooses"},
    Key{"engine", "no_spinning", Form::kSwitch, kEngines, "--no-spinning", "",
        "Idle threads sleep at once"},
    Key{"engine", "cpus", Form::kText, kEngines, "--cpus", "", "CPUs that may run it, e.g. 0,2-3"},
    Key{"engine", "time_limit", Form::kNumber, kEngines, "--time-limit", "",
        "Seconds for one load or one inference"},

    Key{"target", "address", Form::kAddress, kEngines, "", "",
        "The machine that runs the model; of a server, where it listens"},
    Key{"target", "protocol", Form::kText, kServe, "--protocol", "auto g1 g2 g3 g3-late g4",
        "What clients speak"},
    Key{"target", "insecure", Form::kSwitch, kServe, "--insecure", "",
        "Listen beyond this machine, unencrypted"},
    Key{"target", "tls_cert", Form::kPath, kServe, "--tls-cert", "",
        "The server's certificate, PEM"},
    Key{"target", "tls_key", Form::kPath, kServe, "--tls-key", "", "Its key"},
    Key{"target", "tls_client_ca", Form::kPath, kServe, "--tls-client-ca", "",
        "Authority, PEM: clients are served whose certificate it has signed"},
    Key{"target", "handshake_limit", Form::kNumber, kServe, "--handshake-limit", "",
        "Seconds of the TLS handshake"},
    Key{"target", "allow_native_models", Form::kSwitch, kServe, "--allow-native-models", "",
        "Run compiled models, which are native code"},
    Key{"target", "quiet", Form::kSwitch, kServe, "--quiet", "", "Say nothing of clients"},
    Key{"target", "greeting", Form::kNumber, kServe, "--greeting", "",
        "Milliseconds of silence after which a client is greeted"},
    Key{"target", "ok_gap", Form::kNumber, kServe, "--ok-gap", "",
        "Milliseconds between the two OKs of a g1 client"},
    Key{"target", "message_limit", Form::kNumber, kServe, "--message-limit", "",
        "Seconds without a further byte of a message that has begun"},
    Key{"target", "idle_limit", Form::kNumber, kServe, "--idle-limit", "",
        "Seconds between two messages"},
    Key{"target", "longest_message", Form::kText, kServe, "--longest-message", "",
        "Of one request, e.g. 200MB"},
    Key{"target", "models", Form::kText, kServe, "--models", "",
        "Bytes of all models that are kept, e.g. 500MB"},

    Key{"conversions", "folder", Form::kPath, kGrid, "", "", "Folder for models and results"},
    Key{"conversions", "out", Form::kPaths, kGrid, "", "", "The table: .rst, .md, .json or .html"},
    Key{"conversions", "frameworks", Form::kTexts, kGrid, "--frameworks", "",
        "Frameworks whose models are exported (default: all)"},
    Key{"conversions", "models", Form::kTexts, kGrid, "--models", "", "Models (default: all)"},
    Key{"conversions", "importers", Form::kTexts, kGrid, "--importers", "",
        "Programs that read the .onnx (default: all)"},

    Key{"report", "folder", Form::kPath, kRunning, "", "",
        "Folder for results (default: the scenario's name and '-results', next to it)"},
    Key{"report", "html", Form::kSwitch, kRunning, "", "", "Also report.html: what was measured"},
    Key{"report", "markdown", Form::kSwitch, kRunning, "", "", "Also report.md"},
    Key{"report", "rst", Form::kSwitch, kRunning, "", "", "Also report.rst"},
    Key{"report", "svg", Form::kSwitch, kRunning, "", "",
        "Also charts, with the scenario's name in front"},
    Key{"report", "level", Form::kText, kRun, "--level", "none io embedding layers",
        "What the trace records"},
    Key{"report", "raw", Form::kText, kRun, "--raw", "encoded pixels none",
        "How pictures are kept in the trace"},
    Key{"report", "metric", Form::kPath, kRun, "--metric", "",
        "A metric of your own: FILE.py:CLASS or python:NAME"},
    Key{"report", "layer_times", Form::kSwitch, kRun, "--layer-times", "",
        "One more pass with the time of each layer"},
    Key{"report", "max_size", Form::kText, kRun, "--max-size", "", "Of the trace, e.g. 2GB"},
    Key{"report", "bench", Form::kSwitch, kBench, "", "",
        "Also measure latencies by 'bench', with intervals"},
    Key{"report", "duration", Form::kNumber, kBench, "--duration", "",
        "Seconds of timed runs of 'bench'"},
    Key{"report", "runs", Form::kWhole, kBench, "--runs", "", "That many timed runs instead"},
    Key{"report", "warm_up", Form::kNumber, kBench, "--warm-up", "",
        "At most so many seconds of warm-up"},
    Key{"report", "cold", Form::kWhole, kBench, "--cold", "", "Also N starts in fresh processes"},
};

}  // namespace

std::span<const Kind> kinds() {
  static constexpr auto kAll = [] {
    std::array<Kind, kKinds.size()> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = kKinds[i].kind;
    return all;
  }();
  return kAll;
}

const char* name(Kind kind) { return row_of(kind).name; }

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const KindRow& one : kKinds) names.emplace_back(one.name);
  return names;
}

std::span<const Key> keys() { return kKeys; }

std::vector<std::string> block_names() {
  std::vector<std::string> names;
  for (const Key& key : kKeys)
    if (names.empty() || names.back() != key.block) names.push_back(key.block);
  return names;
}

std::span<const Key> keys_of(std::string_view block) {
  const auto is_of = [&](const Key& key) { return key.block == block; };
  const auto first = std::find_if(kKeys.begin(), kKeys.end(), is_of);
  return {first, std::find_if_not(first, kKeys.end(), is_of)};
}

const Key* find_key(std::string_view block, std::string_view name) {
  for (const Key& key : keys_of(block))
    if (key.name == name) return &key;
  return nullptr;
}

std::vector<std::string> choices_of(const Key& key) {
  if (key.form == Form::kEngine) return engine::engine_names();
  return words_of(key.choices);
}

bool belongs_to(const Key& key, Kind kind) { return (key.verbs & row_of(kind).verbs) != 0; }

std::string kinds_of(const Key& key) {
  std::vector<std::string> names;
  for (const KindRow& one : kKinds)
    if (belongs_to(key, one.kind)) names.emplace_back(one.name);
  return listed(names);
}

std::vector<const Key*> required(Kind kind) {
  std::vector<const Key*> all;
  for (const std::string& full : words_of(row_of(kind).required)) {
    const std::size_t dot = full.find('.');
    all.push_back(find_key(full.substr(0, dot), full.substr(dot + 1)));
  }
  return all;
}

std::string full_name(const Key& key) {
  return *key.name ? std::string(key.block) + "." + key.name : key.block;
}

}  // namespace edgeprobe::scenario
