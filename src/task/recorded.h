// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "task/annotation.h"
#include "trace/channel.h"

/// Annotations of whole pictures and sounds, as stored in a frame's record
/// (docs/reference/trace-format.md).
namespace edgeprobe::task {

/// The annotation in a frame's record. A known kind takes priority over the label, the label over
/// all others.
std::optional<Annotation> recorded(const trace::FrameRecord& record);
/// The same record with this annotation instead of its own. One longer than a trace keeps
/// (trace::kLongestAnnotation) is recorded as left out.
trace::FrameRecord annotated(trace::FrameRecord record,
                             const std::optional<Annotation>& annotation);

/// Counts annotations that no task of this version reads, for one message about all of them.
class UnreadAnnotations {
 public:
  void add(const std::optional<Annotation>& annotation);
  /// "3 frames have an annotation that …, such as of the kind 'boxes'"; empty without any.
  std::string text() const;

 private:
  std::uint64_t frames_ = 0, left_out_ = 0;
  std::string kind_;  ///< Kind of the first one; untrusted.
};

/// Prefix for the kind of an annotation that was too long.
inline constexpr std::string_view kLeftOut = "left_out.";

/// Empty for kinds that a label or a set of classes expresses, and for other kinds.
std::optional<trace::FrameAnnotation> annotation_to_json(const Annotation& annotation);
/// Empty for an unknown kind, or for a value that the kind does not allow.
std::optional<Annotation> annotation_from_json(std::string_view kind, std::string_view value);

}  // namespace edgeprobe::task
