// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Kenning's names for measurements (docs/reference/measurements.md).
namespace edgeprobe::measurements::keys {

inline constexpr const char *kTarget = "target_inference_step",
                            *kTargetAt = "target_inference_step_timestamp",
                            *kProtocol = "protocol_inference_step",
                            *kProtocolAt = "protocol_inference_step_timestamp",
                            *kMachineAt = "session_utilization_timestamp",
                            *kMemory = "session_utilization_mem_percent",
                            *kCpus = "session_utilization_cpus_percent",
                            *kGpuAt = "session_utilization_gpu_timestamp",
                            *kGpu = "session_utilization_gpu_utilization",
                            *kGpuMemory = "session_utilization_gpu_mem_utilization",
                            *kConfusion = "eval_confusion_matrix", *kTop5 = "top_5_count",
                            *kTotal = "total", *kClasses = "class_names",
                            *kDetections = "eval_det/", *kThere = "eval_gtcount/",
                            *kModelName = "model_name", *kFramework = "model_framework",
                            *kVersion = "model_version", *kCommand = "command",
                            *kOptimizers = "optimizers", *kCompiler = "compiler_framework",
                            *kCompilerVersion = "compiler_version",
                            // Not Kenning's.
                                *kMetrics = "edgeprobe_metrics", *kAuc = "edgeprobe_classes";

/// Keys whose value may be null.
inline constexpr const char* kAll[] = {kTarget,    kTargetAt, kProtocol, kProtocolAt, kMachineAt,
                                       kMemory,    kCpus,     kGpuAt,    kGpu,        kGpuMemory,
                                       kConfusion, kTop5,     kTotal,    kClasses,    kModelName,
                                       kFramework, kVersion,  kCommand,  kMetrics,    kAuc};

}  // namespace edgeprobe::measurements::keys
