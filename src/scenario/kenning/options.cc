// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <sstream>

#include "scenario/kenning/reasons.h"
#include "scenario/kenning/table.h"

namespace edgeprobe::scenario::kenning {
namespace {

constexpr const char* kParts =
    "the same shares of each class, but other samples: parts depend on content "
    "(`docs/guides/datasets.md`); of the class where it runs itself";
constexpr const char* kMemory = "the server keeps models in memory and never writes them to a file";
constexpr const char* kOnce = "the smallest weights are pruned once, before the epochs";
constexpr const char* kTuning = "`fine_tune` trains with Adam in batches of 32";
constexpr const char* kNni = "of NNI, for PyTorch; a `.keras` or `.h5` is pruned here";
constexpr const char* kTvm = "for TVM there are only the options of `convert --to tvm`";

constexpr std::array kOptions{
    Option{Role::kScenario, "", "--json-cfg", "", Rule::kFile, "all blocks",
           "the file is read in its own format"},
    Option{Role::kScenario, "", "--cfg", "", Rule::kFile, "all blocks",
           "the file is read in its own format"},
    Option{Role::kScenario, "", "--measurements", "", Rule::kReport, "report.folder",
           "the folder part of that file's name"},
    Option{Role::kScenario, "", "--verbosity", "", Rule::kAbsent, "",
           "results on standard output, progress on standard error, no levels"},
    Option{Role::kScenario, "", "--convert-to-onnx", "", Rule::kToOnnx, "compiler.to: onnx",
           "of a `.keras`, `.h5`, SavedModel or `.pt2`"},
    Option{Role::kScenario, "", "--evaluate-unoptimized", "", Rule::kAbsent, "",
           "`convert` checks the result against its source by itself"},
    Option{Role::kScenario, "", "--run-benchmarks-only", "", Rule::kAbsent, "",
           "leave the block `compiler` out"},
    Option{Role::kScenario, "", "--report-name", "", Rule::kAbsent, "",
           "a report uses the names of its files"},
    Option{Role::kScenario, "", "--report-path", "", Rule::kReportFile, "report.markdown",
           "or `report.rst`, by its extension; in the folder of results"},
    Option{Role::kScenario, "", "--report-types", "", Rule::kAbsent, "", kChart},
    Option{Role::kScenario, "", "--root-dir", "", Rule::kAbsent, "", kChart},
    Option{Role::kScenario, "", "--img-dir", "", Rule::kCharts, "report.svg",
           "in the folder of results"},
    Option{Role::kScenario, "", "--to-html", "", Rule::kHtml, "report.html", ""},
    Option{Role::kScenario, "", "--model-names", "", Rule::kAbsent, "", kChart},
    Option{Role::kScenario, "", "--only-png-images", "", Rule::kAbsent, "", kChart},
    Option{Role::kScenario, "", "--use-default-theme", "", Rule::kAbsent, "", kChart},
    Option{Role::kScenario, "", "--automl-stats", "", Rule::kAbsent, "", kArchitecture},
    Option{Role::kScenario, "", "--converters-list", "", Rule::kFrameworks,
           "conversions.frameworks", ""},
    Option{Role::kScenario, "", "--output-collectors", "", Rule::kAbsent, "",
           "a probe records a running app"},
    Option{Role::kScenario, "", "--logdir", "", Rule::kKey, "training.logdir", ""},
    Option{Role::kScenario, "", "--batch-size", "", Rule::kKey, "training.batch_size", ""},
    Option{Role::kScenario, "", "--learning-rate", "", Rule::kKey, "training.learning_rate", ""},
    Option{Role::kScenario, "", "--num-epochs", "", Rule::kKey, "training.num_epochs", ""},

    Option{Role::kReport, "", "--measurements", "measurements", Rule::kReport, "report.folder",
           "the folder part of that file's name"},
    Option{Role::kReport, "MarkdownReport", "--report-path", "report_path", Rule::kReportFile,
           "report.markdown", "or `report.rst`, by its extension; in the folder of results"},
    Option{Role::kReport, "MarkdownReport", "--to-html", "to_html", Rule::kHtml, "report.html", ""},
    Option{Role::kReport, "MarkdownReport", "--img-dir", "img_dir", Rule::kCharts, "report.svg",
           "in the folder of results"},

    Option{Role::kModelWrapper, "", "--model-path", "model_path modelpath", Rule::kModel,
           "model.file", "of a supported format"},
    Option{Role::kModelWrapper, "", "--model-name", "model_name", Rule::kAbsent, "",
           "a model has the name of its file"},
    Option{Role::kModelWrapper, "TensorFlowImageNet TinygradImageNet", "--model-cls",
           "modelcls model_cls", Rule::kAbsent, "", "a model is a file, not a class"},
    Option{Role::kModelWrapper, "", "--class-names --classes", "class_names classes", Rule::kKey,
           "dataset.classes", ""},
    Option{Role::kModelWrapper, "MagicWandModelWrapper PyTorchMagicWandModelWrapper",
           "--window-size", "window_size", Rule::kAbsent, "",
           "`window(…)` of the recipe; of the class where it runs itself"},
    Option{Role::kModelWrapper, "PersonDetectionModelWrapper", "--central-fraction",
           "central_fraction", Rule::kAbsent, "", "`crop(center, …)` of the recipe"},
    Option{Role::kModelWrapper, "PersonDetectionModelWrapper", "", "image_width", Rule::kAbsent, "",
           "`resize(…)` of the recipe"},
    Option{Role::kModelWrapper, "PersonDetectionModelWrapper", "", "image_height", Rule::kAbsent,
           "", "`resize(…)` of the recipe"},

    Option{Role::kDataset, "", "--dataset-root", "root dataset_root", Rule::kRoot, "dataset.data",
           "`LAYOUT:ROOT` of a published data set, else the folder of its pictures"},
    Option{Role::kDataset, "", "--inference-batch-size", "batch_size inference_batch_size",
           Rule::kAbsent, "", kBatch},
    Option{Role::kDataset, "", "--download-dataset", "download_dataset", Rule::kDownload,
           "dataset.download", "of PetDataset, COCODataset2017 and VisualWakeWordsDataset"},
    Option{Role::kDataset, "", "--force-download-dataset", "force_download_dataset", Rule::kAbsent,
           "", "`--download-dataset` checks the files by their hash; remove the folder instead"},
    Option{Role::kDataset, "", "--external-calibration-dataset", "external_calibration_dataset",
           Rule::kAbsent, "", "`compiler.calibration` names the samples that calibrate"},
    Option{Role::kDataset, "", "--split-fraction-test", "split_fraction_test", Rule::kKey,
           "dataset.split_fraction_test", kParts},
    Option{Role::kDataset, "", "--split-fraction-val", "split_fraction_val", Rule::kKey,
           "dataset.split_fraction_val", kParts},
    Option{Role::kDataset, "", "--split-seed", "split_seed", Rule::kKey, "dataset.split_seed",
           kParts},
    Option{Role::kDataset, "", "--reduce-dataset", "dataset_percentage reduce_dataset",
           Rule::kAbsent, "",
           "`dataset.frames` is a number, not a share; of the class where it runs itself"},
    Option{Role::kDataset, "PetDataset", "--classify-by", "classify_by", Rule::kClassify,
           "dataset.data", "`pets:ROOT?classify_by=…`"},
    Option{Role::kDataset,
           "PetDataset ImageNetDataset COCODataset2017 OpenImagesDatasetV6 VisualWakeWordsDataset "
           "LindenthalCameraTrapsDataset ObjectDetectionSegmentationDataset "
           "RandomizedAnomalyDetectionDataset RandomizedDetectionSegmentationDataset "
           "RandomizedImageClassificationDataset",
           "--image-memory-layout", "image_memory_layout", Rule::kLayout, "recipe", "`layout(…)`"},
    Option{Role::kDataset, "ImageNetDataset", "--preprocess-type", "preprocess_type",
           Rule::kPreprocess, "recipe", "caffe, tf, torch or none"},
    Option{
        Role::kDataset,
        "COCODataset2017 OpenImagesDatasetV6 VisualWakeWordsDataset LindenthalCameraTrapsDataset "
        "ObjectDetectionSegmentationDataset RandomizedDetectionSegmentationDataset",
        "--image-width", "image_width", Rule::kWidth, "recipe", "`resize(…)`"},
    Option{
        Role::kDataset,
        "COCODataset2017 OpenImagesDatasetV6 VisualWakeWordsDataset LindenthalCameraTrapsDataset "
        "ObjectDetectionSegmentationDataset RandomizedDetectionSegmentationDataset",
        "--image-height", "image_height", Rule::kHeight, "recipe", "`resize(…)`"},
    Option{Role::kDataset, "COCODataset2017 VisualWakeWordsDataset", "--dataset-type",
           "dataset_type", Rule::kType, "dataset.data", "`?set=val2017` or `?set=train2017`"},
    Option{Role::kDataset,
           "COCODataset2017 OpenImagesDatasetV6 LindenthalCameraTrapsDataset "
           "ObjectDetectionSegmentationDataset RandomizedDetectionSegmentationDataset",
           "--task", "task", Rule::kAbsent, "", "read from the annotations"},
    Option{Role::kDataset,
           "COCODataset2017 OpenImagesDatasetV6 LindenthalCameraTrapsDataset "
           "ObjectDetectionSegmentationDataset RandomizedDetectionSegmentationDataset",
           "--show-predictions-on-eval", "show_on_eval show_predictions_on_eval", Rule::kAbsent, "",
           "`edgeprobe trace export --rerun` shows a trace"},
    Option{Role::kDataset, "VisualWakeWordsDataset", "--objects-class", "objects_class",
           Rule::kObject, "dataset.data", "`?object=…`"},
    Option{Role::kDataset, "VisualWakeWordsDataset", "--area-threshold", "area_threshold",
           Rule::kArea, "dataset.data",
           "`?area=…`: COCO's areas of outlines; Kenning adds those of boxes"},
    Option{Role::kDataset, "OpenImagesDatasetV6", "--classes", "classes", Rule::kAbsent, "",
           "`dataset.classes` is a file with a name a line"},
    Option{Role::kDataset, "OpenImagesDatasetV6", "--download-annotations-type",
           "download_annotations_type", Rule::kAbsent, "", kFetch},
    Option{Role::kDataset, "OpenImagesDatasetV6", "--download-num-bboxes-per-class",
           "download_num_bboxes_per_class", Rule::kAbsent, "", kFetch},
    Option{Role::kDataset, "OpenImagesDatasetV6", "--download-seed", "download_seed", Rule::kAbsent,
           "", kFetch},
    Option{Role::kDataset, "OpenImagesDatasetV6", "--crop-samples-to-bboxes",
           "crop_input_to_bboxes crop_samples_to_bboxes", Rule::kAbsent, "",
           "a crop by the truth would hide what the app does; of the class where it runs itself "
           "(`docs/extending.md`)"},
    Option{Role::kDataset, "OpenImagesDatasetV6", "--crop-margin",
           "crop_input_margin_size crop_margin", Rule::kAbsent, "",
           "a crop by the truth would hide what the app does; of the class where it runs itself "
           "(`docs/extending.md`)"},
    Option{Role::kDataset,
           "RandomizedClassificationDataset RandomizedDetectionSegmentationDataset "
           "RandomizedImageClassificationDataset RandomizedAnomalyDetectionDataset "
           "RandomizedTextDataset",
           "--num-samples", "samplescount num_samples", Rule::kOption, "dataset.data", kClass},
    Option{Role::kDataset,
           "RandomizedClassificationDataset RandomizedDetectionSegmentationDataset "
           "RandomizedImageClassificationDataset RandomizedAnomalyDetectionDataset "
           "RandomizedTextDataset",
           "--num-classes", "numclasses num_classes", Rule::kOption, "dataset.data", kClass},
    Option{Role::kDataset,
           "RandomizedClassificationDataset RandomizedDetectionSegmentationDataset "
           "RandomizedImageClassificationDataset RandomizedAnomalyDetectionDataset "
           "RandomizedTextDataset",
           "--input-dims", "inputdims input_dims", Rule::kOption, "dataset.data", kClass},
    Option{Role::kDataset, "AnomalyDetectionDataset TabularDataset", "--csv-file", "csv_file",
           Rule::kOption, "dataset.data", kClass},

    Option{Role::kOptimizer, "", "--compiled-model-path", "compiled_model_path", Rule::kOut,
           "compiler.out", "with the extension of its format"},
    Option{Role::kOptimizer, "TFLiteCompiler TVMCompiler", "--target", "target", Rule::kCompile,
           "compiler.to",
           "`tflite`, `float16`, `int8` or `tvm`; edgeprobe compiles nothing for a GPU"},
    Option{Role::kOptimizer, "", "--model-framework", "model_framework modelframework",
           Rule::kAbsent, "", "read from the file"},
    Option{Role::kOptimizer, "", "", "location", Rule::kAbsent, "",
           "models are compiled on this machine, never on the target"},
    Option{Role::kOptimizer, "TFLiteCompiler", "--inference-input-type",
           "inference_input_type inferenceinputtype", Rule::kLink,
           "compiler.to: inference_input_type",
           "of a Keras model; a scenario adds `quantize(model)` to the recipe where the model that "
           "runs takes integers"},
    Option{Role::kOptimizer, "TFLiteCompiler", "--inference-output-type",
           "inference_output_type inferenceoutputtype", Rule::kLink,
           "compiler.to: inference_output_type", "of a Keras model"},
    Option{Role::kOptimizer, "TFLiteCompiler TVMCompiler ExecuTorchOptimizer",
           "--dataset-percentage", "dataset_percentage", Rule::kAbsent, "",
           "`compiler.calibration_frames` is a number, not a share"},
    Option{Role::kOptimizer, "TFLiteCompiler", "--quantization-aware-training",
           "quantization_aware_training", Rule::kAbsent, "", "models are quantised after training"},
    Option{Role::kOptimizer, "TFLiteCompiler", "--use-tf-select-ops", "use_tf_select_ops",
           Rule::kAbsent, "", "the file lists its operators"},
    Option{Role::kOptimizer, "TFLiteCompiler", "--resolver-template-path", "resolver_template_path",
           Rule::kAbsent, "", "edgeprobe generates no code"},
    Option{Role::kOptimizer, "TFLiteCompiler", "--resolver-output-path", "resolver_output_path",
           Rule::kAbsent, "", "edgeprobe generates no code"},
    Option{Role::kOptimizer,
           "TFLiteCompiler TensorFlowPruningOptimizer TensorFlowClusteringOptimizer "
           "TensorFlowOptimizer",
           "--epochs", "epochs", Rule::kLink, "compiler.to: fine_tune", ""},
    Option{Role::kOptimizer,
           "TFLiteCompiler TensorFlowPruningOptimizer TensorFlowClusteringOptimizer "
           "TensorFlowOptimizer",
           "", "batch_size", Rule::kAbsent, "", kTuning},
    Option{Role::kOptimizer,
           "TFLiteCompiler TensorFlowPruningOptimizer TensorFlowClusteringOptimizer "
           "TensorFlowOptimizer NNIPruningOptimizer",
           "--optimizer", "optimizer", Rule::kAbsent, "", kTuning},
    Option{Role::kOptimizer,
           "TFLiteCompiler TensorFlowPruningOptimizer TensorFlowClusteringOptimizer "
           "TensorFlowOptimizer",
           "--disable-from-logits", "disable_from_logits", Rule::kAbsent, "",
           "read from the model's last layer"},
    Option{Role::kOptimizer,
           "TFLiteCompiler TensorFlowPruningOptimizer TensorFlowClusteringOptimizer "
           "TensorFlowOptimizer",
           "--save-to-zip", "save_to_zip", Rule::kAbsent, "", "edgeprobe does not zip models"},
    Option{Role::kOptimizer, "TVMCompiler", "--target-host", "target_host", Rule::kAbsent, "",
           kTvm},
    Option{Role::kOptimizer, "TVMCompiler", "--target-microtvm-board", "target_microtvm_board",
           Rule::kAbsent, "", kBoard},
    Option{Role::kOptimizer, "TVMCompiler", "--opt-level", "opt_level", Rule::kLink,
           "compiler.to: opt_level", ""},
    Option{Role::kOptimizer, "TVMCompiler", "--libdarknet-path", "libdarknet_path libdarknetpath",
           Rule::kAbsent, "", "for Darknet's files, which only TVM reads"},
    Option{Role::kOptimizer, "TVMCompiler", "--compile-use-vm", "use_tvm_vm compile_use_vm",
           Rule::kAbsent, "", kTvm},
    Option{Role::kOptimizer, "TVMCompiler", "--output-conversion-function",
           "conversion_func output_conversion_function", Rule::kAbsent, "", kTvm},
    Option{Role::kOptimizer, "TVMCompiler", "--conv2d-data-layout", "conv2d_data_layout",
           Rule::kAbsent, "", kTvm},
    Option{Role::kOptimizer, "TVMCompiler", "--conv2d-kernel-layout", "conv2d_kernel_layout",
           Rule::kAbsent, "", kTvm},
    Option{Role::kOptimizer, "TVMCompiler", "--use-fp16-precision", "use_fp16_precision",
           Rule::kAbsent, "", "`predict-precision` predicts the effect of float16"},
    Option{Role::kOptimizer, "TVMCompiler", "--use-int8-precision", "use_int8_precision",
           Rule::kAbsent, "", "`compiler.to: int8` before it"},
    Option{Role::kOptimizer, "TVMCompiler", "--use-tensorrt", "use_tensorrt", Rule::kAbsent, "",
           kCuda},
    Option{Role::kOptimizer, "IREECompiler", "--backend", "backend", Rule::kAbsent, "",
           "Kenning compiles for IREE"},
    Option{Role::kOptimizer, "IREECompiler", "--compiler-args", "compiler_args", Rule::kAbsent, "",
           "Kenning compiles for IREE"},
    Option{Role::kOptimizer, "ModelInserter", "--input-model-path",
           "input_model_path inputmodelpath", Rule::kModel, "model.file", ""},
    Option{Role::kOptimizer, "TensorFlowPruningOptimizer", "--prune-dense", "prune_dense",
           Rule::kAbsent, "", "convolutions are pruned as well"},
    Option{Role::kOptimizer, "TensorFlowPruningOptimizer", "--target-sparsity", "target_sparsity",
           Rule::kLink, "compiler.to: sparsity", ""},
    Option{Role::kOptimizer, "TensorFlowPruningOptimizer", "--pruning-frequency",
           "pruning_frequency", Rule::kAbsent, "", kOnce},
    Option{Role::kOptimizer, "TensorFlowPruningOptimizer", "--pruning-end", "pruning_end",
           Rule::kAbsent, "", kOnce},
    Option{Role::kOptimizer, "TensorFlowClusteringOptimizer", "--cluster-dense", "cluster_dense",
           Rule::kAbsent, "", "convolutions are clustered as well"},
    Option{Role::kOptimizer, "TensorFlowClusteringOptimizer", "--clusters-number",
           "clusters_number", Rule::kLink, "compiler.to: clusters", ""},
    Option{Role::kOptimizer, "TensorFlowClusteringOptimizer", "--preserve-sparsity",
           "preserve_sparsity", Rule::kLink, "compiler.to: keep_zeros", ""},
    Option{Role::kOptimizer, "TensorFlowClusteringOptimizer", "--fine-tune", "fine_tune",
           Rule::kAbsent, "", "`epochs` trains after clustering"},
    Option{Role::kOptimizer, "NNIPruningOptimizer", "--finetuning-epochs", "finetuning_epochs",
           Rule::kAbsent, "", kNni},
    Option{Role::kOptimizer, "NNIPruningOptimizer", "--pruner-type", "pruner_type", Rule::kAbsent,
           "", kNni},
    Option{Role::kOptimizer, "NNIPruningOptimizer", "--config-list", "config_list", Rule::kAbsent,
           "", kNni},
    Option{Role::kOptimizer, "NNIPruningOptimizer", "--mode", "mode", Rule::kAbsent, "", kNni},
    Option{Role::kOptimizer, "NNIPruningOptimizer", "--criterion", "criterion", Rule::kAbsent, "",
           kNni},
    Option{Role::kOptimizer, "NNIPruningOptimizer", "--finetuning-learning-rate",
           "finetuning_learning_rate", Rule::kAbsent, "", kNni},
    Option{Role::kOptimizer, "NNIPruningOptimizer", "--finetuning-batch-size",
           "finetuning_batch_size", Rule::kAbsent, "", kNni},
    Option{Role::kOptimizer, "NNIPruningOptimizer", "--training-steps", "training_steps",
           Rule::kAbsent, "", kNni},
    Option{Role::kOptimizer, "NNIPruningOptimizer", "--activation", "activation", Rule::kAbsent, "",
           kNni},
    Option{Role::kOptimizer, "NNIPruningOptimizer", "--confidence", "confidence", Rule::kAbsent, "",
           kNni},
    Option{Role::kOptimizer, "NNIPruningOptimizer", "--pruning-on-cuda", "pruning_on_cuda",
           Rule::kAbsent, "", kNni},
    Option{Role::kOptimizer, "NNIPruningOptimizer", "--exclude-last-layer", "exclude_last_layer",
           Rule::kAbsent, "", kNni},

    Option{Role::kRuntime, "", "--save-model-path", "save_model_path model_path modelpath",
           Rule::kAbsent, "", kMemory},
    Option{Role::kRuntime, "", "--disable-performance-measurements",
           "disable_performance_measurements collect_performance_data", Rule::kAbsent, "",
           "times are always recorded"},
    Option{Role::kRuntime, "TFLiteRuntime", "--delegates-list", "delegates delegates_list",
           Rule::kDelegates, "engine.delegate", "as `external:LIB.so`"},
    Option{Role::kRuntime, "TFLiteRuntime", "--num-threads", "num_threads", Rule::kKey,
           "engine.threads", ""},
    Option{Role::kRuntime, "TFLiteRuntime IREERuntime TVMRuntime", "--llext-binary-path",
           "llext_binary_path", Rule::kAbsent, "", kBoard},
    Option{Role::kRuntime, "ONNXRuntime", "--execution-providers", "execution_providers",
           Rule::kProviders, "engine.delegate",
           "the processor's provider is always available; another needs its library, "
           "`external:LIB.so`"},
    Option{Role::kRuntime, "TVMRuntime", "--target-device-context",
           "target_device_context contextname", Rule::kDevice, "engine", kCuda},
    Option{Role::kRuntime, "TVMRuntime", "--target-device-context-id",
           "target_device_context_id contextid", Rule::kAbsent, "", kCuda},
    Option{Role::kRuntime, "TVMRuntime", "--runtime-use-vm", "use_tvm_vm runtime_use_vm",
           Rule::kAbsent, "", "read from the file"},
    Option{Role::kRuntime, "TVMRuntime TFLiteRuntime", "--input-dtype", "inputdtype input_dtype",
           Rule::kAbsent, "", "read from the model"},
    Option{Role::kRuntime, "TVMRuntime", "--use-json-at-output", "use_json_out use_json_at_output",
           Rule::kAbsent, "", "a trace keeps the outputs"},
    Option{Role::kRuntime, "IREERuntime", "--driver", "driver", Rule::kOption, "engine.name",
           kClass},
    Option{Role::kRuntime, "PyTorchRuntime TinygradRuntime", "--skip-jit", "skip_jit",
           Rule::kOption, "engine.name", kClass},
    Option{Role::kRuntime, "RenodeRuntime", "--runtime-binary-path", "runtime_binary_path",
           Rule::kAbsent, "", kBoard},
    Option{Role::kRuntime, "RenodeRuntime", "--platform-resc-path", "platform_resc_path",
           Rule::kAbsent, "", kBoard},
    Option{Role::kRuntime, "RenodeRuntime", "--resc-dependencies", "resc_dependencies",
           Rule::kAbsent, "", kBoard},
    Option{Role::kRuntime, "RenodeRuntime", "--post-start-commands", "post_start_commands",
           Rule::kAbsent, "", kBoard},
    Option{Role::kRuntime, "RenodeRuntime", "--disable-profiler", "disable_profiler", Rule::kAbsent,
           "", kBoard},
    Option{Role::kRuntime, "RenodeRuntime", "--profiler-dump-path", "profiler_dump_path",
           Rule::kAbsent, "", kBoard},

    Option{Role::kProtocol, "NetworkProtocol", "--host", "host", Rule::kHost, "target", ""},
    Option{Role::kProtocol, "NetworkProtocol", "--port", "port", Rule::kPort, "target", ""},
    Option{Role::kProtocol, "UARTProtocol", "--port", "port", Rule::kPort, "target", ""},
    Option{Role::kProtocol, "UARTProtocol", "--baudrate", "baudrate", Rule::kBaud, "target",
           "9600 by default, as in Kenning"},
    Option{Role::kProtocol, "IREEUARTProtocol", "--port", "port", Rule::kAbsent, "",
           "only the firmware of IREE speaks it"},
    Option{Role::kProtocol, "IREEUARTProtocol", "--baudrate", "baudrate", Rule::kAbsent, "",
           "only the firmware of IREE speaks it"},
    Option{Role::kProtocol, "", "--packet-size", "packet_size", Rule::kAbsent, "",
           "edgeprobe needs no packet size"},
    Option{Role::kProtocol, "", "--endianness", "endianness", Rule::kAbsent, "",
           "little-endian, as every peer is"},
    Option{Role::kProtocol, "", "--timeout", "timeout", Rule::kAbsent, "",
           "`engine.time_limit` limits each inference; nothing waits for ever"},
    Option{Role::kProtocol, "", "--error-recovery", "error_recovery", Rule::kAbsent, "",
           "edgeprobe restores a cut connection"},
    Option{Role::kProtocol, "", "--max-message-size", "max_message_size", Rule::kAbsent, "",
           "`target.longest_message` of a server is the limit of a whole request"},
    Option{Role::kProtocol, "PipeProtocol", "--pipe-path", "pipe_path", Rule::kAbsent, "",
           "`target: unix:/PATH`"},
    Option{Role::kProtocol, "ROS2Protocol", "--node-name", "node_name", Rule::kAbsent, "",
           "a node of ROS 2 is a running app: a probe records it (`docs/guides/own-app.md`)"},
    Option{Role::kProtocol, "ROS2Protocol", "--service-name", "service_name", Rule::kAbsent, "",
           "a node of ROS 2 is a running app: a probe records it (`docs/guides/own-app.md`)"},
    Option{Role::kProtocol, "ROS2Protocol", "--process-action-name", "process_action_name",
           Rule::kAbsent, "",
           "a node of ROS 2 is a running app: a probe records it (`docs/guides/own-app.md`)"},
    Option{Role::kProtocol, "ROS2Protocol", "--process-action-type-str", "process_action_type_str",
           Rule::kAbsent, "",
           "a node of ROS 2 is a running app: a probe records it (`docs/guides/own-app.md`)"},
    Option{Role::kProtocol, "ROS2Protocol", "--model-service-type-str", "model_service_type_str",
           Rule::kAbsent, "",
           "a node of ROS 2 is a running app: a probe records it (`docs/guides/own-app.md`)"},

    Option{Role::kPlatform, "", "", "name", Rule::kAbsent, "", kBoard},
    Option{Role::kPlatform, "", "", "simulated", Rule::kAbsent, "", kBoard},
    Option{Role::kPlatform, "", "", "uart_port", Rule::kAbsent, "", "see `docs/guides/targets.md`"},
    Option{Role::kPlatform, "", "", "uart_baudrate", Rule::kAbsent, "",
           "see `docs/guides/targets.md`"},
    Option{Role::kPlatform, "ZephyrPlatform", "", "zephyr_build_path", Rule::kAbsent, "", kBoard},
    Option{Role::kPlatform, "", "", "compute_capability", Rule::kAbsent, "", kCuda},

    Option{Role::kDataProvider, "", "--video-file-path", "video_file_path", Rule::kAbsent, "",
           "a probe records a running app"},
    Option{Role::kOutputCollector, "", "--print-type", "print_type", Rule::kAbsent, "",
           "a probe records a running app"},
};

std::vector<std::string> words_of(std::string_view list) {
  std::istringstream words{std::string(list)};
  std::vector<std::string> all;
  for (std::string one; words >> one;) all.push_back(one);
  return all;
}

/// Normalises as Kenning's own parser does: `_` instead of `-`, none at the start.
std::string plain(std::string_view name) {
  name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
  std::string text(name);
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

bool holds(std::string_view list, std::string_view word) {
  const auto words = words_of(list);
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& one) { return plain(one) == plain(word); });
}

bool is_owned(const Option& option, std::string_view owner) {
  return !*option.owners || holds(option.owners, owner);
}

std::vector<Option> all_options() {
  std::vector<Option> all(kOptions.begin(), kOptions.end());
  const auto more = absent_options();
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace

std::span<const Option> options() {
  static const std::vector<Option> all = all_options();
  return all;
}

bool is_called(const Option& option, std::string_view flag) {
  return holds(*option.flag ? option.flag : option.names, flag);
}

const Option* find_option(Role role, std::string_view owner, std::string_view name) {
  for (const Option& one : options())
    if (one.role == role && is_owned(one, owner) && holds(one.names, name)) return &one;
  return nullptr;
}

const Option* find_flag(std::string_view flag,
                        const std::vector<std::pair<Role, std::string>>& of) {
  const Option* absent = nullptr;
  const Option* other = nullptr;
  for (const Option& one : options()) {
    if (!is_called(one, flag)) continue;
    const bool is_meant =
        one.role == Role::kScenario || std::any_of(of.begin(), of.end(), [&](const auto& owner) {
          return one.role == owner.first && is_owned(one, owner.second);
        });
    // A flag may belong to several classes: prefer the one with an equivalent here.
    if (is_meant && one.rule != Rule::kAbsent) return &one;
    if (is_meant && !absent) absent = &one;
    if (!other || other->rule == Rule::kAbsent) other = &one;
  }
  // The option belongs to a class that the command line does not name, but Kenning has it.
  return absent ? absent : other;
}

std::vector<std::string> all_flags() {
  std::vector<std::string> flags;
  for (const Option& one : options())
    for (std::string name : words_of(*one.flag ? one.flag : one.names)) {
      if (!*one.flag) std::replace(name.begin(), name.end(), '_', '-');
      if (!*one.flag) name.insert(0, "--");
      if (std::find(flags.begin(), flags.end(), name) == flags.end()) flags.push_back(name);
    }
  return flags;
}

}  // namespace edgeprobe::scenario::kenning
