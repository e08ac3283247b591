// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "core/result.h"
#include "measurements/measurements.h"
#include "task/annotation.h"
#include "task/answers/statistic.h"
#include "trace/channel.h"
#include "trace/read/reader.h"

namespace edgeprobe::measurements {

/// Annotation of a frame; nothing when it is not known.
using AnnotationOf = std::function<std::optional<task::Annotation>(const trace::FrameRecord&)>;

/// The boxes of recorded answers beside those that are there, assigned as Kenning does: in each
/// frame by falling score, each to the free box of its class that it overlaps most, by half at
/// least. Adds nothing where no frame has both.
Status add_found(const trace::Reader& trace, const AnnotationOf& annotation_of,
                 const task::Terms& terms, Measurements& out);

/// What a trace holds of measurements: the latency of each frame and its moment, memory and CPUs
/// from the sensors that were recorded beside, and how a classifier's outputs meet the annotations.
/// What it does not hold is in not_measured with its reason. kUsage when it holds no frame.
/// A frame with several true classes counts for the answered one where that is among them, else for
/// the first.
Result<Measurements> from_trace(const trace::Reader& trace, const AnnotationOf& annotation_of,
                                const task::Terms& terms = {});

/// Sensors beside the frames that Machine is read from, in %: one value, and one for each CPU.
inline constexpr const char *kMemorySensor = "memory in use", *kCpuSensor = "cpu in use";

}  // namespace edgeprobe::measurements
