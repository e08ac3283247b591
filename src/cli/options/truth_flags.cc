// SPDX-License-Identifier: Apache-2.0
#include "cli/options/truth_flags.h"

#include "core/text.h"

namespace edgeprobe::cli {

void add_truth(Parser& parser, TruthFlags& flags) {
  parser.option(
      "--labels", flags.labels,
      "Ground truth, instead of what the traces say: a CSV with the columns file,label, COCO's "
      ".json, Pascal VOC's .xml files, an .npz, or the word 'folders' (docs/guides/tasks.md)");
  parser.option("--classes", flags.classes,
                "Class names: one per line from number 0 on, CSV, JSON, YAML, .pbtxt or .tflite");
  add_boxes(parser, flags.boxes);
}

void add_boxes(Parser& parser, std::string& boxes) {
  parser
      .option("--boxes", boxes,
              "Meaning of the four numbers of an app's box: xyxy | yxyx | xywh | cxcywh, then "
              ",pixels or ,normalized (0 to 1, points too)")
      .shows_default();
}

Result<task::BoxForm> boxes_from(const std::string& text) {
  const auto form = task::box_form(text);
  if (form) return *form;
  return Error{ErrorKind::kUsage,
               "--boxes '" + sanitized(text, 60) +
                   "': expected xyxy, yxyx, xywh or cxcywh, and ,pixels or ,normalized after it"};
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
  EP_TRY(const auto boxes, boxes_from(flags.boxes));
  Truth truth{*std::move(labels), {}};
  truth.terms.boxes = boxes;
  truth.terms.classes = truth.labels.classes;
  return truth;
}

}  // namespace edgeprobe::cli
