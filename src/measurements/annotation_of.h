// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "task/annotation.h"
#include "trace/channel.h"

namespace edgeprobe::measurements {

/// Annotation of a frame; nothing when it is not known.
using AnnotationOf = std::function<std::optional<task::Annotation>(const trace::FrameRecord&)>;

}  // namespace edgeprobe::measurements
