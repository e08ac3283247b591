// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "task/annotation.h"
#include "trace/channel.h"

namespace edgeprobe::task {

/// Annotation that a frame's record holds.
std::optional<Annotation> recorded(const trace::FrameRecord& record);
/// The same record with this annotation in place of its own.
trace::FrameRecord annotated(trace::FrameRecord record,
                             const std::optional<Annotation>& annotation);

}  // namespace edgeprobe::task
