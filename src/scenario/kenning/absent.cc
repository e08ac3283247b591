// SPDX-License-Identifier: Apache-2.0
// Kenning's options without an equivalent here, in rows that share a reason. Checked against the
// names in tests/scenario/kenning_names.tsv.
#include <array>

#include "scenario/kenning/reasons.h"
#include "scenario/kenning/table.h"

namespace edgeprobe::scenario::kenning {
namespace {

constexpr const char* kRecord = "a probe records a running app";
constexpr const char* kInfo = "`edgeprobe help CLASS` shows the options of a class";

constexpr Option absent(Role role, const char* owners, const char* names, const char* why) {
  return {role, owners, "", names, Rule::kAbsent, "", why};
}

/// Options of a class that runs itself, as a plug-in.
constexpr Option own(Role role, const char* owners, const char* names) {
  return {role,  owners,        "",
          names, Rule::kOption, role == Role::kDataset ? "dataset.data" : "engine.name",
          kClass};
}

constexpr std::array kOptions{
    absent(Role::kScenario, "", "resources_dir",
           "the charts are in the folder of results (`report.svg`)"),
    absent(Role::kScenario, "",
           "comparison_only skip_general_information skip_unoptimized_model smaller_header "
           "save_summary",
           kChart),
    absent(Role::kScenario, "", "help h",
           "`docs/from-edge-ai-tester.md` says what each class takes"),
    absent(Role::kScenario, "",
           "argument_formats input_formats output_formats dependencies docstrings "
           "load_class_with_args fzf_args no_preview",
           kInfo),
    absent(Role::kScenario, "", "file_path layout save_specification_path spec_type workspace_dir",
           kEditor),
    absent(Role::kScenario, "", "max_target_side_optimizers",
           "models are compiled on this machine, never on the target"),
    absent(Role::kScenario, "", "allow_failures generate_scenarios output use_previous_results",
           kSearch),
    absent(Role::kScenario, "", "json", "`edgeprobe doctor --json`"),
    absent(Role::kScenario, "", "platforms zephyr_base", kBoard),
    absent(Role::kScenario, "", "remapper use_v6_class_names", kFetch),
    absent(Role::kAutoMl, "",
           "all_supported_metrics application_size budget_type callback_max_samples "
           "data_loader_workers max_budget max_evaluation_time max_memory_usage min_budget "
           "n_best_models optimize_metric output_directory seed show_progress_bar "
           "skip_model_size_check time_limit use_cuda use_models",
           kArchitecture),
    absent(Role::kDataConverter, "ROS2DataConverter", "ros2_message_type", kRos),
    absent(Role::kDataProvider, "CameraDataProvider",
           "image_height image_memory_layout image_width input_color_format input_height "
           "input_memory_layout input_width",
           kRecord),
    absent(Role::kDataProvider, "ROS2CameraNodeDataProvider ROS2SegmentationDataProvider",
           "color_format node_name output_height output_memory_layout output_width topic_name",
           kRos),
    own(Role::kDataset, "CommonVoiceDataset",
        "annotation_type dataset_version language sample_rate sample_size selection_method"),
    own(Role::kDataset, "TabularDataset", "col_y colY cols_x colsX expand_classes"),
    own(Role::kDataset, "TabularDataset", "dataset_path"),
    own(Role::kDataset, "RandomizedAnomalyDetectionDataset", "num_features features"),
    absent(Role::kDataset, "AnomalyDetectionDataset CNNDailymailDataset",
           "gather_predictions metrics",
           "the task decides which numbers are computed (`docs/guides/tasks.md`)"),
    absent(Role::kDataset, "VideoDataset",
           "input_color_format input_height input_memory_layout input_width output_framerate "
           "output_video_file_path postprocess_type preprocess_type video_codec",
           "of videos; save the frames as pictures"),
    absent(Role::kDataset,
           "COCODataset2017 LindenthalCameraTrapsDataset OpenImagesDatasetV6 "
           "RandomizedDetectionSegmentationDataset",
           "max_preds min_iou", "`detections(…)` of the recipe has both limits"),
    own(Role::kDataset, "MagicWandDataset", "noise_level"),
    own(Role::kDataset,
        "AnomalyDetectionDataset MagicWandDataset RandomizedAnomalyDetectionDataset TabularDataset",
        "window_shift window_size"),
    own(Role::kDataset, "TabularDataset", "shuffle_data"),
    own(Role::kDataset, "RandomizedTextDataset", "text_length"),
    absent(Role::kDataset, "LindenthalCameraTrapsDataset", "use_demonstration_dataset", kFetch),
    own(Role::kDataset, "RandomizedClassificationDataset", "output_dims outputdims"),
    absent(Role::kInferenceLoop, "", "inference_limit", "`dataset.frames`"),
    absent(Role::kInferenceLoop, "RemoteSequentialInferenceLoop", "model_path", "`model.file`"),
    absent(Role::kInferenceLoop, "AnomalyDetectionInferenceLoop",
           "nab_false_negative nab_false_positive nab_true_negative nab_true_positive use_metrics "
           "smoothing_window_size",
           "a score of NAB depends on the time of each anomaly"),
    absent(Role::kInferenceLoop, "RemoteSequentialInferenceLoop", "skip_model_sending",
           "the server keeps the model, so it is sent only once"),
    absent(Role::kModelWrapper, "Ai8xAnomalyDetectionCNN",
           "ai8x_training_path qat_outlier_removal_z_score qat_start_epoch qat_weight_bits "
           "quantize_activation",
           kArchitecture),
    absent(Role::kModelWrapper,
           "Ai8xAnomalyDetectionCNN MagicWandModelWrapper PyTorchAnomalyDetectionCNN "
           "PyTorchAnomalyDetectionVAE PyTorchGenericAutoencoderClassification "
           "PyTorchGenericClassification PyTorchMagicWandModelWrapper PyTorchPetDatasetMobileNetV2 "
           "TensorFlowPetDatasetMobileNetV2",
           "batch_size evaluate learning_rate logdir num_epochs training_batch_size",
           kArchitecture),
    absent(Role::kModelWrapper, "PyTorchAnomalyDetectionVAE",
           "batch_norm decoder_neuron_list dropout_rate encoder_neuron_list hidden_activation "
           "latent_dim output_activation",
           "read from the file"),
    absent(Role::kModelWrapper, "Ai8xAnomalyDetectionCNN PyTorchAnomalyDetectionCNN",
           "conv_activation conv_batch_norm conv_dilation conv_padding conv_stride fc_neurons "
           "filters kernel_size pool_dilation pool_size pool_stride pooling",
           "read from the file"),
    absent(Role::kModelWrapper, "MMPoseDetectionInput MMPoseModelWrapper MMPoseONNX MMPoseRTMOONNX",
           "box_threshold keypoint_threshold", "set thresholds in the steps of the recipe"),
    absent(Role::kModelWrapper, "MMPoseDetectionInput", "class_name",
           "edgeprobe does not select one class of a detector"),
    absent(Role::kModelWrapper, "SKLearnGenericDecisionTreeClassifier",
           "criterion dtype max_depth max_leaf_nodes min_samples_leaf min_samples_split splitter "
           "input_values_multiplier",
           "for the training, and of the class where it runs itself"),
    absent(Role::kModelWrapper, "MMPoseModelWrapper", "device pose_input_size model_type",
           "the engine determines the device"),
    absent(Role::kModelWrapper, "TensorFlowImageNet",
           "disable_builtin_preprocessing disablebuiltinpreprocessing",
           "the recipe is all of the pre-processing"),
    absent(Role::kModelWrapper,
           "Ai8xAnomalyDetectionCNN PyTorchAnomalyDetectionCNN PyTorchAnomalyDetectionVAE "
           "PyTorchCOCOMaskRCNN PyTorchGenericAutoencoderClassification "
           "PyTorchGenericClassification PyTorchMagicWandModelWrapper PyTorchPetDatasetMobileNetV2",
           "export_dict", "for Kenning's export, which edgeprobe does not do"),
    absent(Role::kModelWrapper, "StubEmlearnModel", "in_features out_features",
           "read from the model"),
    absent(Role::kModelWrapper,
           "Dinov2ONNX MMPoseDetectionInput MMPoseONNX MMPoseRTMOONNX TensorFlowImageNet "
           "TinygradImageNet",
           "input_height input_width input_shape inputshape input_size",
           "`resize(…)` of the recipe, `model.input_shape`"),
    absent(Role::kModelWrapper,
           "PyTorchGenericAutoencoderClassification PyTorchGenericClassification TinygradImageNet",
           "model_file model_source", "a model is a file, not a class"),
    absent(Role::kModelWrapper, "TensorFlowImageNet",
           "model_input_name modelinputname model_output_name modeloutputname",
           "read from the model"),
    absent(Role::kModelWrapper, "Llama", "model_version", kLanguage),
    absent(Role::kModelWrapper, "PyTorchPetDatasetMobileNetV2 TensorFlowImageNet TinygradImageNet",
           "num_classes numclasses class_count", "read from the model"),
    absent(Role::kModelWrapper, "YOLACT YOLACTWithPostprocessing", "score_threshold top_k",
           "set thresholds in the steps of the recipe"),
    absent(Role::kOptimizer, "Ai8xCompiler", "ai8x_synthesis_path ai8x_training_path config_file",
           "a MAX78000 is a board: it is recorded"),
    absent(Role::kOptimizer, "ExecuTorchOptimizer", "backends quantize",
           "an option of a compiler of your own (`docs/extending.md`)"),
    absent(Role::kOptimizer, "AWQOptimizer GPTQOptimizer GPTQSparseGPTOptimizer",
           "bits calibration_samples context_length desc_act group_size mm_version symmetric "
           "target_precision use_zero_point",
           kLanguage),
    absent(Role::kOptimizer, "TVMCompiler",
           "module_name target_attrs zephyr_header_template zephyr_llext_source_template", kBoard),
    absent(Role::kOptimizer, "TVMCompiler", "quantization_details_path",
           "quantization is read from the model"),
    absent(Role::kOutputCollector, "",
           "bbox_thickness classification_class_names input_color_format input_memory_layout "
           "line_thickness output_file output_framerate output_height output_width point_radius "
           "print_name save_path save_to_file score_threshold show_top_n top_n video_codec "
           "video_height video_width viewer_height viewer_width",
           kRecord),
    absent(Role::kOutputCollector,
           "ROS2DinoV2OutputCollector ROS2PoseOutputCollector ROS2YolactOutputCollector",
           "node_name topic_name", kRos),
    absent(Role::kPlatform, "CUDAPlatform", "compilation_flags target target_host", kCuda),
    absent(Role::kPlatform, "", "platforms_definitions", kBoard),
    absent(Role::kPlatform, "BareMetalPlatform ZephyrPlatform",
           "auto_flash disable_opcode_counters disable_profiler gdb_port number_of_batches "
           "openocd_path platform_resc_path post_start_commands profiler_dump_path "
           "profiler_interval_step resc_dependencies runtime_binary_path runtime_init_log_msg "
           "runtime_init_timeout sensor",
           kBoard),
    absent(Role::kPlatform, "BareMetalPlatform ZephyrPlatform", "uart_log_baudrate uart_log_port",
           "see `docs/guides/targets.md`"),
    absent(Role::kPlatform, "ZephyrPlatform",
           "enable_zephelin enable_zephelin_gdb llext_binary_path sensors sensors_frequency "
           "zephyr_base zpl_use_debug_server",
           kBoard),
    absent(Role::kProtocol, "ROS2Protocol",
           "measurements_service_name measurements_service_type_str model_service_name", kRos),
    absent(Role::kReport, "", "report_name", "a report uses the names of its files"),
    absent(Role::kReport, "",
           "report_types model_names only_png_images root_dir main_quality_metric comparison_only "
           "save_summary skip_general_information skip_unoptimized_model smaller_header",
           kChart),
    absent(Role::kReport, "", "automl_stats", kArchitecture),
    absent(Role::kReport, "MarkdownReport",
           "compiled_model_path zephyr_base zephyr_build_path zephyr_trace_file_ctf "
           "zephyr_trace_file_tef",
           kBoard),
    absent(Role::kRunner, "", "dataset model_wrapper runtime", kRecord),
    absent(Role::kRuntime,
           "Ai8xRuntime ExecuTorchRuntime IREERuntime ONNXRuntime PyTorchRuntime TFLiteRuntime "
           "TVMRuntime TinygradRuntime VLLMRuntime",
           "batch_size", kBatch),
    own(Role::kRuntime, "IREERuntime", "backend"),
    absent(Role::kRuntime, "RenodeRuntime",
           "batches_count profiler_interval_step runtime_log_init_msg runtime_log_uart sensor",
           kBoard),
    own(Role::kRuntime, "TinygradRuntime",
        "beam_count debug_level disable_opt jit_optimize jit_prune target_device_backend"),
    absent(Role::kRuntime, "VLLMRuntime",
           "enforce_eager max_model_len max_tokens sparse_gptq_kernel temperature top_k",
           kLanguage),
    absent(Role::kRuntime, "ExecuTorchRuntime", "image_memory_layout", "`layout(…)` of the recipe"),
    absent(Role::kRuntime, "TFLiteRuntime", "output_dtype outputdtype", "read from the model"),
    absent(Role::kRuntimeBuilder, "",
           "application_dir board build_dir extra_build_args extra_targets model_framework "
           "output_path run_west_update use_llext venv_dir workspace zephyr_base",
           kBoard),
};

}  // namespace

std::span<const Option> absent_options() { return kOptions; }

}  // namespace edgeprobe::scenario::kenning
