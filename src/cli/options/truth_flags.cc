// SPDX-License-Identifier: Apache-2.0
#include "cli/options/truth_flags.h"

#include "core/text.h"

namespace edgeprobe::cli {

Result<task::BoxForm> boxes_from(const std::string& text) {
  const auto form = task::box_form(text);
  if (form) return *form;
  return Error{ErrorKind::kUsage, "--boxes '" + sanitized(text, 60) +
                                      "': expected xyxy, yxyx, xywh or cxcywh, and ,pixels or "
                                      ",normalized behind it"};
}

compare::Truths truths_of(const dataset::Labels& labels) {
  return [&labels](const trace::FrameRecord& record) {
    auto exact = dataset::annotation_of(labels, record.sample);
    const std::size_t slash = record.sample.rfind('/');
    if (exact || labels.from_folders || slash == std::string::npos) return exact;
    return dataset::annotation_of(labels, std::string_view(record.sample).substr(slash + 1));
  };
}

Result<Truth> truth_from(const TruthFlags& flags) {
  auto labels = dataset::read_labels(flags.labels, flags.classes);
  if (!labels) return std::move(labels.error()).during("--labels");
  const auto boxes = boxes_from(flags.boxes);
  if (!boxes) return boxes.error();
  Truth truth{*std::move(labels), {}};
  truth.terms.boxes = *boxes;
  truth.terms.classes = truth.labels.classes;
  return truth;
}

}  // namespace edgeprobe::cli
