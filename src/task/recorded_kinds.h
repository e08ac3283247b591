// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "task/annotation.h"
#include "trace/channel.h"

/// Annotations of whole pictures and sounds as a frame's record holds them
/// (docs/reference/trace-format.md).
namespace edgeprobe::task {

/// In front of the kind of an annotation that was too long.
inline constexpr std::string_view kLeftOut = "left_out.";

/// Nothing for kinds that a label or a set of classes says, and for others.
std::optional<trace::FrameAnnotation> annotation_to_json(const Annotation& annotation);
/// Nothing for another kind, or a value that the kind does not allow.
std::optional<Annotation> annotation_from_json(std::string_view kind, std::string_view value);

}  // namespace edgeprobe::task
