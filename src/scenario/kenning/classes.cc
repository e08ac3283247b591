// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "scenario/kenning/table.h"

namespace edgeprobe::scenario::kenning {
namespace {

constexpr const char* kRecord = "a probe records a running app (`docs/guides/own-app.md`)";
constexpr const char* kTraining = "edgeprobe does not train or prune models";
constexpr const char* kLanguage = "edgeprobe does not support language models";
constexpr const char* kKeras = kFramework;
constexpr const char* kTrees = "no engine for scikit-learn and emlearn";
constexpr const char* kTinygrad = "no engine for tinygrad";
constexpr const char* kPose =
    "edgeprobe does not decode its keypoints: it compares the outputs as tensors";
constexpr const char* kBase = "a base class; name the one that extends it";
constexpr const char* kExport = "edgeprobe does not export models";
constexpr const char* kRos = "edgeprobe has no ROS 2 support";
constexpr const char* kOwnCompiler = "a compiler of your own exports a model (`docs/extending.md`)";
constexpr const char* kBoards =
    "edgeprobe does not flash or simulate boards; a board is recorded "
    "(`docs/guides/microcontroller.md`)";
constexpr const char* kRandom = "for random inputs use `edgeprobe bench MODEL` without `--data`";

constexpr std::array kClasses{
    Class{Role::kScenario, "inference_performance", "kind: inference_performance",
          "a `.tflite`, `.onnx`, OpenVINO or TVM model in place of the training framework's"},
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
    Class{Role::kScenario, "model_training", "", kTraining},
    Class{Role::kScenario, "onnx_conversion", "",
          "a table of the models that a framework exports; edgeprobe does not export models"},
    Class{Role::kScenario, "optimization_runner", "", "no search over optimisers"},
    Class{Role::kScenario, "automl", "", kTraining},
    Class{Role::kScenario, "open_images_classes_extractor", "",
          "edgeprobe does not download data sets"},
    Class{Role::kScenario, "open_images_classes_selector", "",
          "edgeprobe does not download data sets"},
    Class{Role::kScenario, "pipeline_manager_client", "", "no graphical editor; files are text"},
    Class{Role::kScenario, "list_classes", "`edgeprobe scenario schema`", "no classes to load"},
    Class{Role::kScenario, "class_info", "`edgeprobe VERB --help`", "no classes to load"},
    Class{Role::kScenario, "fuzzy_search_class", "", "no classes to load"},
    Class{Role::kScenario, "configure_autocompletion", "`edgeprobe completion`",
          "prints the script for a shell"},
    Class{Role::kScenario, "manage_cache", "", "only engines are cached (`fetch`)"},
    Class{Role::kScenario, "download_resources", "", "edgeprobe does not download models"},
    Class{Role::kScenario, "generate_platforms", "", "no platforms to describe"},
    Class{Role::kScenario, "available_platforms", "`edgeprobe doctor`", ""},

    Class{Role::kScenario, "ros2", "", kRos},

    Class{Role::kVerb, "test", "kind: inference_performance", "with a protocol `inference_client`"},
    Class{Role::kVerb, "optimize", "compiler", ""},
    Class{Role::kVerb, "report", "`edgeprobe measurements`",
          "after `test` it is the block `report`"},
    Class{Role::kVerb, "server", "kind: inference_server", ""},
    Class{Role::kVerb, "train", "", kTraining},
    Class{Role::kVerb, "flow", "", kRecord},
    Class{Role::kVerb, "fine-tune-optimizers", "", "no search over optimisers"},
    Class{Role::kVerb, "automl", "", kTraining},
    Class{Role::kVerb, "visual-editor", "", "no graphical editor; files are text"},
    Class{Role::kVerb, "list", "`edgeprobe scenario schema`", "no classes to load"},
    Class{Role::kVerb, "info", "`edgeprobe VERB --help`", "no classes to load"},
    Class{Role::kVerb, "search", "", "no classes to load"},
    Class{Role::kVerb, "cache", "", "only engines are cached (`fetch`)"},
    Class{Role::kVerb, "completion", "`edgeprobe completion`", "prints the script for a shell"},
    Class{Role::kVerb, "ros", "", kRos},
    Class{Role::kVerb, "download-resources", "", "edgeprobe does not download models"},
    Class{Role::kVerb, "generate-platforms", "", "no platforms to describe"},
    Class{Role::kVerb, "available-platforms", "`edgeprobe doctor`", ""},

    Class{Role::kModelWrapper, "TensorFlowPetDatasetMobileNetV2", "model", kKeras},
    Class{Role::kModelWrapper, "PyTorchPetDatasetMobileNetV2", "model", kKeras},
    Class{Role::kModelWrapper, "TensorFlowImageNet", "model", kKeras},
    Class{Role::kModelWrapper, "MagicWandModelWrapper", "model",
          "recordings of a sensor (`docs/guides/readings.md`)"},
    Class{Role::kModelWrapper, "PersonDetectionModelWrapper", "model",
          "write its crop and its gray picture into `recipe`"},
    Class{Role::kModelWrapper, "TVMDarknetCOCOYOLOV3", "model",
          "Darknet's files are not supported"},
    Class{Role::kModelWrapper, "ONNXYOLOV4", "model",
          "edgeprobe does not decode its three heads: it compares the outputs as tensors"},
    Class{Role::kModelWrapper, "PyTorchCOCOMaskRCNN", "model", kKeras},
    Class{Role::kModelWrapper, "YOLACT", "model", "edgeprobe does not decode masks of instances"},
    Class{Role::kModelWrapper, "YOLACTWithPostprocessing", "model",
          "edgeprobe does not decode masks of instances"},
    Class{Role::kModelWrapper, "PyTorchAnomalyDetectionVAE", "model", kKeras},
    Class{Role::kModelWrapper, "PyTorchAnomalyDetectionCNN", "model", kKeras},
    Class{Role::kModelWrapper, "PyTorchAnomalyDetectionANN", "model", kKeras},
    Class{Role::kModelWrapper, "PyTorchAnomalyDetectionGRU", "model", kKeras},
    Class{Role::kModelWrapper, "Ai8xAnomalyDetectionCNN", "model", kKeras},
    Class{Role::kModelWrapper, "PyTorchGenericClassification", "model", kKeras},
    Class{Role::kModelWrapper, "PyTorchGenericAutoencoderClassification", "model", kKeras},
    Class{Role::kModelWrapper, "PyTorchMagicWandModelWrapper", "model",
          "recordings of a sensor (`docs/guides/readings.md`)"},
    Class{Role::kModelWrapper, "TensorflowImagenetResNet152", "model", kKeras},
    Class{Role::kModelWrapper, "Dinov2ONNX", "model",
          "depth is compared as a tensor; use the `.onnx`"},
    Class{Role::kModelWrapper, "MMPoseModelWrapper", "", "models of MMPose need its own program"},
    Class{Role::kModelWrapper, "MMPoseONNX", "model", kPose},
    Class{Role::kModelWrapper, "MMPoseDetectionInput", "model", kPose},
    Class{Role::kModelWrapper, "MMPoseRTMOONNX", "model", kPose},
    Class{Role::kModelWrapper, "TensorFlowWrapper", "", kBase},
    Class{Role::kModelWrapper, "PyTorchWrapper", "", kBase},
    Class{Role::kModelWrapper, "YOLOWrapper", "", kBase},
    Class{Role::kModelWrapper, "SKLearnGenericDecisionTreeClassifier", "", kTrees},
    Class{Role::kModelWrapper, "StubEmlearnModel", "", kTrees},
    Class{Role::kModelWrapper, "TinygradImageNet", "", kTinygrad},
    Class{Role::kModelWrapper, "Llama", "", kLanguage},
    Class{Role::kModelWrapper, "MistralInstruct", "", kLanguage},
    Class{Role::kModelWrapper, "PHI2", "", kLanguage},
    Class{Role::kModelWrapper, "SmolLM2", "", kLanguage},

    Class{
        Role::kDataset, "PetDataset", "dataset, recipe",
        "labels: `(echo file,label; awk '!/^#/{print $1\".jpg,\"$2-1}' ROOT/annotations/list.txt) "
        "> pets.csv`, classes: `awk '!/^#/{n=$1; sub(/_[^_]*$/, \"\", n); c[$2]=n} END{for(i=1; i "
        "in c; i++) print c[i]}' "
        "ROOT/annotations/list.txt > classes.txt`"},
    Class{Role::kDataset, "ImageNetDataset", "dataset, recipe",
          "`ROOT/labels.json` has to become a CSV with the columns `file,label`"},
    Class{
        Role::kDataset, "COCODataset2017", "dataset, recipe",
        "boxes are scored with steps after the model in the recipe (`docs/reference/recipes.md`)"},
    Class{Role::kDataset, "OpenImagesDatasetV6", "dataset, recipe",
          "`ROOT/annotations.csv` has to become a file of annotations (`docs/guides/tasks.md`)"},
    Class{Role::kDataset, "VisualWakeWordsDataset", "dataset, recipe",
          "Kenning derives the label from areas; write a CSV with the columns `file,label`"},
    Class{Role::kDataset, "MagicWandDataset", "dataset",
          "convert its text files to tables, one per recording (`docs/guides/readings.md`)"},
    Class{Role::kDataset, "CommonVoiceDataset", "dataset",
          "recordings are read as sound (`docs/guides/sound.md`); recognised words need a recorded "
          "answer"},
    Class{Role::kDataset, "AnomalyDetectionDataset", "dataset",
          "convert its table to windows as `.npz` (`docs/guides/tensors.md`)"},
    Class{Role::kDataset, "TabularDataset", "dataset",
          "convert its rows to an `.npz` (`docs/guides/tensors.md`)"},
    Class{Role::kDataset, "LindenthalCameraTrapsDataset", "",
          "edgeprobe does not read videos, and instances have no mask"},
    Class{Role::kDataset, "VideoDataset", "",
          "edgeprobe does not read videos; save their frames as pictures"},
    Class{Role::kDataset, "CNNDailymailDataset", "", kLanguage},
    Class{Role::kDataset, "ObjectDetectionSegmentationDataset", "", kBase},
    Class{Role::kDataset, "RandomizedImageClassificationDataset", "", kRandom},
    Class{Role::kDataset, "RandomizedClassificationDataset", "", kRandom},
    Class{Role::kDataset, "RandomizedDetectionSegmentationDataset", "", kRandom},
    Class{Role::kDataset, "RandomizedDetectionDataset", "", kRandom},
    Class{Role::kDataset, "RandomizedAnomalyDetectionDataset", "", kRandom},
    Class{Role::kDataset, "RandomizedTextDataset", "", kLanguage},

    Class{Role::kOptimizer, "TFLiteCompiler", "compiler",
          "`target int8` of a `.tflite`; a Keras model by a compiler of your own "
          "(`docs/extending.md`)"},
    Class{Role::kOptimizer, "TVMCompiler", "compiler", "for this kind of processor, untuned"},
    Class{Role::kOptimizer, "ONNXCompiler", "", kOwnCompiler},
    Class{Role::kOptimizer, "IREECompiler", "", "no engine for IREE"},
    Class{Role::kOptimizer, "ModelInserter", "model", "the inserted model is `model`"},
    Class{Role::kOptimizer, "TensorFlowPruningOptimizer", "", kTraining},
    Class{Role::kOptimizer, "TensorFlowClusteringOptimizer", "", kTraining},
    Class{Role::kOptimizer, "NNIPruningOptimizer", "", kTraining},
    Class{Role::kOptimizer, "GPTQOptimizer", "", kLanguage},
    Class{Role::kOptimizer, "AWQOptimizer", "", kLanguage},
    Class{Role::kOptimizer, "TensorFlowOptimizer", "", kBase},
    Class{Role::kOptimizer, "GPTQSparseGPTOptimizer", "", kLanguage},
    Class{Role::kOptimizer, "ExecuTorchOptimizer", "", kOwnCompiler},
    Class{Role::kOptimizer, "EmlearnCompiler", "", kTrees},
    Class{Role::kOptimizer, "TinygradOptimizer", "", kTinygrad},
    Class{Role::kOptimizer, "Ai8xCompiler", "", "no engine for MAX78000"},

    Class{Role::kRuntime, "TFLiteRuntime", "engine: tflite", ""},
    Class{Role::kRuntime, "ONNXRuntime", "engine: onnxruntime", ""},
    Class{Role::kRuntime, "TVMRuntime", "engine: tvm",
          "a `.so` of the current TVM; archives (`.tar`) come from an older one"},
    Class{Role::kRuntime, "IREERuntime", "", "no engine for IREE"},
    Class{Role::kRuntime, "PyTorchRuntime", "", "no engine for PyTorch; export to `.onnx`"},
    Class{Role::kRuntime, "ExecuTorchRuntime", "", "no engine for ExecuTorch"},
    Class{Role::kRuntime, "TinygradRuntime", "", kTinygrad},
    Class{Role::kRuntime, "RenodeRuntime", "", "edgeprobe does not simulate"},
    Class{Role::kRuntime, "Ai8xRuntime", "", "no engine for MAX78000"},
    Class{Role::kRuntime, "VLLMRuntime", "", kLanguage},

    Class{
        Role::kProtocol, "NetworkProtocol", "target: tcp://HOST:PORT",
        "with `edgeprobe serve` at the other end; a server of Kenning's is `kenning://HOST:PORT`"},
    Class{Role::kProtocol, "UARTProtocol", "target: kenning:/PATH?baud=N",
          "a device with Kenning's protocol; add `&generation=g2` for releases before 0.8.1 "
          "(`docs/guides/targets.md`)"},
    Class{Role::kProtocol, "IREEUARTProtocol", "", "no engine for IREE"},
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
    Class{Role::kConverter, "PyTorchONNXConversion", "", kExport},
    Class{Role::kConverter, "TensorFlowONNXConversion", "", kExport},
    Class{Role::kConverter, "MXNetONNXConversion", "", kExport},
    Class{Role::kModelConverter, "Ai8xConverter", "", kExport},
    Class{Role::kModelConverter, "DarknetConverter", "", kExport},
    Class{Role::kModelConverter, "KerasConverter", "", kExport},
    Class{Role::kModelConverter, "OnnxConverter", "", kExport},
    Class{Role::kModelConverter, "SKLearnConverter", "", kExport},
    Class{Role::kModelConverter, "TFLiteConverter", "", kExport},
    Class{Role::kModelConverter, "TorchConverter", "", kExport},

    Class{Role::kReport, "MarkdownReport", "report", ""},
    Class{Role::kReport, "StubReport", "report", ""},
    Class{Role::kAutoMl, "AutoPyTorchML", "", kTraining},
    Class{Role::kInferenceLoop, "LocalSequentialInferenceLoop", "kind: inference_performance", ""},
    Class{Role::kInferenceLoop, "RemoteSequentialInferenceLoop", "kind: inference_client", ""},
    Class{Role::kInferenceLoop, "AnomalyDetectionInferenceLoop", "",
          "edgeprobe does not score anomalies in a stream in this way"},
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
