// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "task/annotation.h"
#include "trace/channel.h"

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

}  // namespace edgeprobe::task
