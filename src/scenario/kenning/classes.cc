// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "scenario/kenning/reasons.h"
#include "scenario/kenning/table.h"

namespace edgeprobe::scenario::kenning {
namespace {

constexpr const char* kRecord = "a probe records a running app (`docs/guides/own-app.md`)";
constexpr const char* kKeras = kFramework;
constexpr const char* kTrees =
    "emlearn makes C code for a board; a board is recorded (`docs/guides/microcontroller.md`)";
constexpr const char* kPose =
    "edgeprobe does not decode its keypoints: it compares the outputs as tensors";
constexpr const char* kMasks =
    "outputs are compared as tensors; Kenning's `evaluate()` scores masks of instances";
constexpr const char* kRandom =
    "the class itself runs (`docs/extending.md`); speed needs no data: `edgeprobe bench MODEL`";
constexpr const char* kBase = "a base class; name the one that extends it";
constexpr const char* kExport =
    "export it with Kenning or by a compiler of your own (`docs/extending.md`); `edgeprobe check` "
    "compares the file with its source";
constexpr const char* kBoards =
    "edgeprobe does not flash or simulate boards; a board is recorded "
    "(`docs/guides/microcontroller.md`)";
constexpr const char* kStages =
    "`--stage` has the alternatives of one step; its front is by accuracy, latency and size";
constexpr const char* kHelp = "or of Kenning: `edgeprobe help python:kenning:CLASS`";
constexpr const char* kMax =
    "a MAX78000 is a board: it is recorded (`docs/guides/microcontroller.md`)";
constexpr const char* kIree =
    "Kenning compiles for IREE; `IREERuntime` then runs the result as an engine";

constexpr std::array kClasses{
    Class{Role::kScenario, "inference_performance", "kind: inference_performance",
          "the model may be of its training framework, too"},
    Class{Role::kScenario, "inference_client", "kind: inference_client", ""},
    Class{Role::kScenario, "inference_tester", "kind: inference_client",
          "without `--protocol-cls` it is `inference_performance`"},
    Class{Role::kScenario, "json_inference_tester", "kind: inference_client",
          "without a protocol it is `inference_performance`"},
    Class{Role::kScenario, "inference_server", "kind: inference_server", ""},
    Class{Role::kScenario, "json_inference_server", "kind: inference_server", ""},
    Class{Role::kScenario, "render_report", "`edgeprobe measurements`",
          "the translation is its command line"},
    Class{Role::kScenario, "inference_runner", "", kRecord},
    Class{Role::kScenario, "json_flow_runner", "", kRecord},
    Class{Role::kScenario, "kenning_flow", "", kRecord},
    Class{Role::kScenario, "model_training", "kind: model_training",
          "with the recipe that is deployed; weights of the backbone come from a file "
          "(`training.backbone`), never from a hub"},
    Class{Role::kScenario, "onnx_conversion", "kind: onnx_conversion", ""},
    Class{Role::kScenario, "optimization_runner", "`edgeprobe optimize`", kStages},
    Class{Role::kScenario, "automl", "", kArchitecture},
    Class{Role::kScenario, "open_images_classes_extractor", "", kFetch},
    Class{Role::kScenario, "open_images_classes_selector", "", kFetch},
    Class{Role::kScenario, "pipeline_manager_client", "", kEditor},
    Class{Role::kScenario, "list_classes", "`edgeprobe list`", "engines and plug-ins"},
    Class{Role::kScenario, "class_info", "`edgeprobe help CLASS`", kHelp},
    Class{Role::kScenario, "fuzzy_search_class", "`edgeprobe help CLASS`",
          "an unknown name gets the nearest one"},
    Class{Role::kScenario, "configure_autocompletion", "`edgeprobe completion`",
          "prints the script for a shell"},
    Class{Role::kScenario, "manage_cache", "",
          "only engines and hashes of their libraries are kept, in `~/.cache/edgeprobe`, which may "
          "be deleted at any time"},
    Class{Role::kScenario, "download_resources", "", kFetch},
    Class{Role::kScenario, "generate_platforms", "", kBoards},
    Class{Role::kScenario, "available_platforms", "`edgeprobe doctor`", ""},

    Class{Role::kScenario, "ros2", "", kRos},

    Class{Role::kVerb, "test", "kind: inference_performance", "with a protocol `inference_client`"},
    Class{Role::kVerb, "optimize", "compiler", ""},
    Class{Role::kVerb, "report", "`edgeprobe measurements`",
          "after `test` it is the block `report`"},
    Class{Role::kVerb, "server", "kind: inference_server", ""},
    Class{Role::kVerb, "train", "kind: model_training", ""},
    Class{Role::kVerb, "flow", "", kRecord},
    Class{Role::kVerb, "fine-tune-optimizers", "`edgeprobe optimize`", kStages},
    Class{Role::kVerb, "automl", "", kArchitecture},
    Class{Role::kVerb, "visual-editor", "", kEditor},
    Class{Role::kVerb, "list", "`edgeprobe list`", "engines and plug-ins"},
    Class{Role::kVerb, "info", "`edgeprobe help CLASS`", kHelp},
    Class{Role::kVerb, "search", "`edgeprobe help CLASS`", "an unknown name gets the nearest one"},
    Class{Role::kVerb, "cache", "",
          "only engines and hashes of their libraries are kept, in `~/.cache/edgeprobe`, which may "
          "be deleted at any time"},
    Class{Role::kVerb, "completion", "`edgeprobe completion`", "prints the script for a shell"},
    Class{Role::kVerb, "ros", "", kRos},
    Class{Role::kVerb, "download-resources", "", kFetch},
    Class{Role::kVerb, "generate-platforms", "", kBoards},
    Class{Role::kVerb, "available-platforms", "`edgeprobe doctor`", ""},

    Class{Role::kModelWrapper, "TensorFlowPetDatasetMobileNetV2", "model", kKeras},
    Class{Role::kModelWrapper, "PyTorchPetDatasetMobileNetV2", "model", kKeras},
    Class{Role::kModelWrapper, "TensorFlowImageNet", "model", kKeras},
    Class{Role::kModelWrapper, "MagicWandModelWrapper", "model", kKeras},
    Class{Role::kModelWrapper, "PersonDetectionModelWrapper", "model",
          "write its crop and its gray picture into `recipe`"},
    Class{Role::kModelWrapper, "TVMDarknetCOCOYOLOV3", "model",
          "Darknet's files run nowhere but in TVM: use the `.so` that it makes"},
    Class{Role::kModelWrapper, "ONNXYOLOV4", "model",
          "edgeprobe does not decode its three heads: it compares the outputs as tensors"},
    Class{Role::kModelWrapper, "PyTorchCOCOMaskRCNN", "model", kKeras},
    Class{Role::kModelWrapper, "YOLACT", "model", kMasks},
    Class{Role::kModelWrapper, "YOLACTWithPostprocessing", "model", kMasks},
    Class{Role::kModelWrapper, "PyTorchAnomalyDetectionVAE", "model", kKeras},
    Class{Role::kModelWrapper, "PyTorchAnomalyDetectionCNN", "model", kKeras},
    Class{Role::kModelWrapper, "PyTorchAnomalyDetectionANN", "model", kKeras},
    Class{Role::kModelWrapper, "PyTorchAnomalyDetectionGRU", "model", kKeras},
    Class{Role::kModelWrapper, "Ai8xAnomalyDetectionCNN", "model", kKeras},
    Class{Role::kModelWrapper, "PyTorchGenericClassification", "model", kKeras},
    Class{Role::kModelWrapper, "PyTorchGenericAutoencoderClassification", "model", kKeras},
    Class{Role::kModelWrapper, "PyTorchMagicWandModelWrapper", "model", kKeras},
    Class{Role::kModelWrapper, "TensorflowImagenetResNet152", "model", kKeras},
    Class{Role::kModelWrapper, "Dinov2ONNX", "model",
          "depth is compared as a tensor; use the `.onnx`"},
    Class{Role::kModelWrapper, "MMPoseModelWrapper", "engine", kPlugin},
    Class{Role::kModelWrapper, "MMPoseONNX", "model", kPose},
    Class{Role::kModelWrapper, "MMPoseDetectionInput", "model", kPose},
    Class{Role::kModelWrapper, "MMPoseRTMOONNX", "model", kPose},
    Class{Role::kModelWrapper, "TensorFlowWrapper", "", kBase},
    Class{Role::kModelWrapper, "PyTorchWrapper", "", kBase},
    Class{Role::kModelWrapper, "YOLOWrapper", "", kBase},
    Class{Role::kModelWrapper, "SKLearnGenericDecisionTreeClassifier", "model",
          "a `.pkl` runs with the engine `sklearn`, or by the class itself (`docs/extending.md`)"},
    Class{Role::kModelWrapper, "StubEmlearnModel", "",
          "it has no inference of its own: emlearn makes C code of its tree"},
    Class{Role::kModelWrapper, "TinygradImageNet", "engine", kPlugin},
    Class{Role::kModelWrapper, "Llama", "", kLanguage},
    Class{Role::kModelWrapper, "MistralInstruct", "", kLanguage},
    Class{Role::kModelWrapper, "PHI2", "", kLanguage},
    Class{Role::kModelWrapper, "SmolLM2", "", kLanguage},

    Class{Role::kDataset, "PetDataset", "dataset, recipe",
          "`pets:ROOT` (`docs/guides/datasets.md`)"},
    Class{Role::kDataset, "ImageNetDataset", "dataset, recipe",
          "`ROOT/labels.json` has to become a CSV with the columns `file,label`; `imagenet:ROOT` "
          "reads folders by wnid"},
    Class{Role::kDataset, "COCODataset2017", "dataset, recipe",
          "`coco:ROOT`; boxes are scored with steps after the model in the recipe "
          "(`docs/reference/recipes.md`)"},
    Class{Role::kDataset, "OpenImagesDatasetV6", "dataset, recipe",
          "`ROOT/annotations.csv` has to become a file of annotations (`docs/guides/tasks.md`)"},
    Class{Role::kDataset, "VisualWakeWordsDataset", "dataset, recipe", "`visual_wake_words:ROOT`"},
    Class{Role::kDataset, "MagicWandDataset", "dataset",
          "the class itself runs (`docs/extending.md`); `magic_wand:ROOT` reads its files without "
          "the padding by noise"},
    Class{
        Role::kDataset, "CommonVoiceDataset", "dataset",
        "the class itself runs, with its texts as the truth (`docs/extending.md`); edgeprobe also "
        "reads the recordings (`docs/guides/sound.md`)"},
    Class{Role::kDataset, "AnomalyDetectionDataset", "dataset", kPlugin},
    Class{Role::kDataset, "TabularDataset", "dataset", kPlugin},
    Class{Role::kDataset, "LindenthalCameraTrapsDataset", "",
          "it gives a dict for each picture; use its pictures with a file of boxes "
          "(`docs/guides/tasks.md`)"},
    Class{Role::kDataset, "VideoDataset", "",
          "it gives the next frame whatever sample it is asked for; save the frames as pictures"},
    Class{Role::kDataset, "CNNDailymailDataset", "", kLanguage},
    Class{Role::kDataset, "ObjectDetectionSegmentationDataset", "", kBase},
    Class{Role::kDataset, "RandomizedImageClassificationDataset", "dataset", kRandom},
    Class{Role::kDataset, "RandomizedClassificationDataset", "dataset", kRandom},
    Class{Role::kDataset, "RandomizedDetectionSegmentationDataset", "dataset", kRandom},
    Class{Role::kDataset, "RandomizedDetectionDataset", "dataset", kRandom},
    Class{Role::kDataset, "RandomizedAnomalyDetectionDataset", "dataset", kRandom},
    Class{Role::kDataset, "RandomizedTextDataset", "dataset", kRandom},

    Class{Role::kOptimizer, "TFLiteCompiler", "compiler",
          "of a `.keras`, `.h5` or SavedModel; `target int8` of a `.tflite` as well. For `edgetpu` "
          "it "
          "makes the int8 file that the Edge TPU's own compiler takes"},
    Class{Role::kOptimizer, "TVMCompiler", "compiler", "of an `.onnx` or `.tflite`, untuned"},
    Class{Role::kOptimizer, "ONNXCompiler", "compiler",
          "of a `.keras`, `.h5`, SavedModel or `.pt2`"},
    Class{Role::kOptimizer, "IREECompiler", "", kIree},
    Class{Role::kOptimizer, "ModelInserter", "model", "the inserted model is `model`"},
    Class{Role::kOptimizer, "TensorFlowPruningOptimizer", "compiler", "`prune`, by magnitude"},
    Class{Role::kOptimizer, "TensorFlowClusteringOptimizer", "compiler", "`cluster`"},
    Class{Role::kOptimizer, "NNIPruningOptimizer", "",
          "for PyTorch; a `.keras` or `.h5` is pruned by `prune` and `prune-channels`"},
    Class{Role::kOptimizer, "GPTQOptimizer", "", kLanguage},
    Class{Role::kOptimizer, "AWQOptimizer", "", kLanguage},
    Class{Role::kOptimizer, "TensorFlowOptimizer", "", kBase},
    Class{Role::kOptimizer, "GPTQSparseGPTOptimizer", "", kLanguage},
    Class{Role::kOptimizer, "ExecuTorchOptimizer", "compiler", "of a `.pt2`"},
    Class{Role::kOptimizer, "EmlearnCompiler", "", kTrees},
    Class{Role::kOptimizer, "TinygradOptimizer", "",
          "Kenning optimizes; `TinygradRuntime` then runs the result as an engine"},
    Class{Role::kOptimizer, "Ai8xCompiler", "", kMax},

    Class{Role::kRuntime, "TFLiteRuntime", "engine: tflite", ""},
    Class{Role::kRuntime, "ONNXRuntime", "engine: onnxruntime", ""},
    Class{Role::kRuntime, "TVMRuntime", "engine: tvm",
          "a `.so` of the current TVM; archives (`.tar`) come from an older one"},
    Class{Role::kRuntime, "IREERuntime", "engine", kPlugin},
    Class{Role::kRuntime, "PyTorchRuntime", "engine",
          "the class itself runs (`docs/extending.md`); a `.pt2` or TorchScript runs with `torch`"},
    Class{Role::kRuntime, "ExecuTorchRuntime", "engine: executorch", ""},
    Class{Role::kRuntime, "TinygradRuntime", "engine", kPlugin},
    Class{Role::kRuntime, "RenodeRuntime", "",
          "a simulated board is recorded like a real one (`docs/guides/microcontroller.md`)"},
    Class{Role::kRuntime, "Ai8xRuntime", "", kMax},
    Class{Role::kRuntime, "VLLMRuntime", "", kLanguage},

    Class{
        Role::kProtocol, "NetworkProtocol", "target: tcp://HOST:PORT",
        "with `edgeprobe serve` at the other end; a server of Kenning's is `kenning://HOST:PORT`"},
    Class{Role::kProtocol, "UARTProtocol", "target: kenning:/PATH?baud=N",
          "a device with Kenning's protocol; add `&generation=g2` for releases before 0.8.1 "
          "(`docs/guides/targets.md`)"},
    Class{Role::kProtocol, "IREEUARTProtocol", "",
          "only the firmware of IREE speaks it; a board is recorded "
          "(`docs/guides/microcontroller.md`)"},
    Class{Role::kProtocol, "PipeProtocol", "target: unix:/PATH", "a socket in place of two pipes"},
    Class{Role::kProtocol, "ROS2Protocol", "", kRos},

    Class{Role::kDataConverter, "ModelWrapperDataConverter", "recipe", "what the recipe is"},
    Class{Role::kDataConverter, "ROS2DataConverter", "", kRos},
    Class{Role::kDataConverter, "ROS2SegmentationDataConverter", "", kRos},

    Class{Role::kPlatform, "LocalPlatform", "engine", "this machine"},
    Class{Role::kPlatform, "CUDAPlatform", "engine.delegate", "by an external delegate"},
    Class{Role::kPlatform, "ZephyrPlatform", "", kBoards},
    Class{Role::kPlatform, "BareMetalPlatform", "", kBoards},
    Class{Role::kPlatform, "ROS2Platform", "", kRos},

    Class{Role::kDataProvider, "CameraDataProvider", "", kRecord},
    Class{Role::kDataProvider, "ROS2CameraNodeDataProvider", "", kRos},
    Class{Role::kDataProvider, "ROS2SegmentationDataProvider", "", kRos},
    Class{Role::kOutputCollector, "NamePrinter", "", kRecord},
    Class{Role::kOutputCollector, "BaseRealTimeVisualizer", "", kRecord},
    Class{Role::kOutputCollector, "RealTimeClassificationVisualization", "", kRecord},
    Class{Role::kOutputCollector, "RealTimeClassificationVisualizer", "", kRecord},
    Class{Role::kOutputCollector, "RealTimeSegmentationVisualization", "", kRecord},
    Class{Role::kOutputCollector, "RealTimeSegmentationVisualizer", "", kRecord},
    Class{Role::kOutputCollector, "DepthVideoRecorder", "", kRecord},
    Class{Role::kOutputCollector, "PoseVisualizer", "", kRecord},
    Class{Role::kOutputCollector, "DetectionVisualizer", "", kRecord},
    Class{Role::kOutputCollector, "RealTimeDetectionVisualizer", "", kRecord},
    Class{Role::kOutputCollector, "ROS2PoseOutputCollector", "", kRos},
    Class{Role::kOutputCollector, "ROS2DinoV2OutputCollector", "", kRos},
    Class{Role::kOutputCollector, "ROS2YolactOutputCollector", "", kRos},
    Class{Role::kRunner, "ModelRuntimeRunner", "", kRecord},
    Class{Role::kConverter, "PyTorchONNXConversion", "conversions.frameworks: pytorch", ""},
    Class{Role::kConverter, "TensorFlowONNXConversion", "conversions.frameworks: keras", ""},
    Class{Role::kConverter, "MXNetONNXConversion", "conversions.frameworks: mxnet", ""},
    Class{Role::kModelConverter, "Ai8xConverter", "", kExport},
    Class{Role::kModelConverter, "DarknetConverter", "", kExport},
    Class{Role::kModelConverter, "KerasConverter", "", kExport},
    Class{Role::kModelConverter, "OnnxConverter", "", kExport},
    Class{Role::kModelConverter, "SKLearnConverter", "", kExport},
    Class{Role::kModelConverter, "TFLiteConverter", "", kExport},
    Class{Role::kModelConverter, "TorchConverter", "", kExport},

    Class{Role::kReport, "MarkdownReport", "report", ""},
    Class{Role::kReport, "StubReport", "report", ""},
    Class{Role::kAutoMl, "AutoPyTorchML", "", kArchitecture},
    Class{Role::kInferenceLoop, "LocalSequentialInferenceLoop", "kind: inference_performance", ""},
    Class{Role::kInferenceLoop, "RemoteSequentialInferenceLoop", "kind: inference_client", ""},
    Class{Role::kInferenceLoop, "AnomalyDetectionInferenceLoop", "",
          "a score of NAB depends on the time of each anomaly; edgeprobe scores windows "
          "(`docs/guides/tasks.md`)"},
    Class{Role::kInferenceLoop, "SensorRealtimeInferenceLoop", "", kRecord},
    Class{Role::kRuntimeBuilder, "ZephyrRuntimeBuilder", "", kBoards},
};

constexpr std::array kRoles{
    Role::kScenario,      Role::kVerb,           Role::kModelWrapper,    Role::kDataset,
    Role::kOptimizer,     Role::kRuntime,        Role::kProtocol,        Role::kDataConverter,
    Role::kPlatform,      Role::kDataProvider,   Role::kOutputCollector, Role::kRunner,
    Role::kConverter,     Role::kModelConverter, Role::kReport,          Role::kAutoMl,
    Role::kInferenceLoop, Role::kRuntimeBuilder,
};

}  // namespace

std::span<const Class> classes() { return kClasses; }
std::span<const Role> roles() { return kRoles; }

const Class* find_class(Role role, std::string_view name) {
  for (const Class& one : kClasses)
    if (one.role == role && one.name == name) return &one;
  return nullptr;
}

const char* block_name(Role role) {
  switch (role) {
    case Role::kModelWrapper: return "model_wrapper";
    case Role::kDataset: return "dataset";
    case Role::kOptimizer: return "optimizers";
    case Role::kRuntime: return "runtime";
    case Role::kProtocol: return "protocol";
    case Role::kDataConverter: return "dataconverter";
    case Role::kPlatform: return "platform";
    case Role::kDataProvider: return "dataprovider";
    case Role::kOutputCollector: return "outputcollectors";
    case Role::kRunner: return "runner";
    case Role::kReport: return "report";
    case Role::kAutoMl: return "automl";
    case Role::kInferenceLoop: return "inference_loop";
    case Role::kRuntimeBuilder: return "runtime_builder";
    default: return "";
  }
}

const char* title(Role role) {
  switch (role) {
    case Role::kScenario:
      return "Scenarios (`python -m kenning.scenarios.NAME`, before `edge_ai_tester`)";
    case Role::kVerb: return "Verbs (`kenning NAME`)";
    case Role::kModelWrapper: return "Model wrappers";
    case Role::kDataset: return "Datasets";
    case Role::kOptimizer: return "Compilers and optimizers";
    case Role::kRuntime: return "Runtimes";
    case Role::kProtocol: return "Protocols";
    case Role::kDataConverter: return "Data converters";
    case Role::kPlatform: return "Platforms";
    case Role::kDataProvider: return "Data providers";
    case Role::kOutputCollector: return "Output collectors";
    case Role::kRunner: return "Runners";
    case Role::kConverter: return "ONNX converters";
    case Role::kModelConverter: return "Model converters";
    case Role::kReport: return "Reports";
    case Role::kAutoMl: return "AutoML";
    case Role::kInferenceLoop: return "Inference loops";
    case Role::kRuntimeBuilder: return "Runtime builders";
  }
  return "";
}

}  // namespace edgeprobe::scenario::kenning
