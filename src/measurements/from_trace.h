// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "core/result.h"
#include "measurements/measurements.h"
#include "task/annotation.h"
#include "task/answers/statistic.h"
#include "task/user_metric.h"
#include "trace/channel.h"
#include "trace/read/reader.h"

namespace edgeprobe::measurements {

/// Annotation of a frame; empty if unknown.
using AnnotationOf = std::function<std::optional<task::Annotation>(const trace::FrameRecord&)>;

/// Compares a classifier's recorded answers with the truth. Returns why there is no matrix, or "".
Result<std::string> add_classes(const trace::Reader& trace, const AnnotationOf& annotation_of,
                                Measurements& out);

/// Compares the boxes of recorded answers with the truth, matched as in Kenning: in each frame by
/// falling score, each to the unmatched box of its class with the largest overlap, at least 0.5.
/// Adds nothing if no frame has both.
Status add_found(const trace::Reader& trace, const AnnotationOf& annotation_of,
                 const task::Terms& terms, Measurements& out);

/// Extracts measurements from a trace: the latency and time of each frame, memory and CPUs from
/// recorded sensors, and a classifier's outputs compared with annotations. Missing parts are in
/// not_measured with the reason. kUsage if it has no frames. A frame with several true classes
/// counts for the answered one if it is among them, or else for the first. `metric`: the user's, or
/// null.
Result<Measurements> from_trace(const trace::Reader& trace, const AnnotationOf& annotation_of,
                                const task::Terms& terms = {}, task::UserMetric* metric = nullptr);

/// Recorded sensors from which Machine is read, in %: one value, and one for each CPU.
inline constexpr const char *kMemorySensor = "memory in use", *kCpuSensor = "cpu in use";

}  // namespace edgeprobe::measurements
