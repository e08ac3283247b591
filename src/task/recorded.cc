// SPDX-License-Identifier: Apache-2.0
#include "task/recorded.h"

#include <utility>

namespace edgeprobe::task {

std::optional<Annotation> recorded(const trace::FrameRecord& record) {
  if (record.label) return ClassLabel{*record.label};
  return std::nullopt;
}

trace::FrameRecord annotated(trace::FrameRecord record,
                             const std::optional<Annotation>& annotation) {
  record.label.reset();
  if (annotation)
    if (const auto* label = std::get_if<ClassLabel>(&*annotation)) record.label = label->index;
  return record;
}

}  // namespace edgeprobe::task
