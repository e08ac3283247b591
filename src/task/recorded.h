// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "task/annotation.h"
#include "trace/channel.h"

/// Annotations of whole pictures and sounds as a frame's record holds them
/// (docs/reference/trace-format.md).
namespace edgeprobe::task {

/// Annotation that a frame's record holds. One of a kind that is known here counts before the
/// label, the label before all others.
std::optional<Annotation> recorded(const trace::FrameRecord& record);
/// The same record with this annotation in place of its own. One that is longer than a trace keeps
/// (trace::kLongestAnnotation) is written as left out.
trace::FrameRecord annotated(trace::FrameRecord record,
                             const std::optional<Annotation>& annotation);

/// Counts annotations that no task of this version reads, for one sentence about all of them.
class UnreadAnnotations {
 public:
  void add(const std::optional<Annotation>& annotation);
  /// "3 frames have an annotation that …, such as of the kind 'boxes'"; empty without any.
  std::string text() const;

 private:
  std::uint64_t frames_ = 0, left_out_ = 0;
  std::string kind_;  ///< Of the first; untrusted.
};

/// In front of the kind of an annotation that was too long.
inline constexpr std::string_view kLeftOut = "left_out.";

/// Nothing for kinds that a label or a set of classes says, and for others.
std::optional<trace::FrameAnnotation> annotation_to_json(const Annotation& annotation);
/// Nothing for another kind, or a value that the kind does not allow.
std::optional<Annotation> annotation_from_json(std::string_view kind, std::string_view value);

}  // namespace edgeprobe::task
