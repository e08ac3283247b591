// SPDX-License-Identifier: Apache-2.0
#include "check/verdict.h"

namespace edgeprobe::check {
namespace {

/// Plural name of annotations, and a post-processing step that makes what they are scored by.
struct Words {
  const char* things;
  const char* steps;  ///< Null: no step makes it.
};

struct WordsOf {
  Words operator()(const task::TrueBoxes&) const {
    return {"boxes", "|| detections(yxyx) | labels(FILE) | boxes(xyxy, pixels)"};
  }
  Words operator()(const task::TruePoses&) const {
    return {"key points", "|| keypoints(yxs) | points(pixels)"};
  }
  Words operator()(const task::TrueMask&) const {
    return {"masks", "|| argmax | resize(picture, nearest)"};
  }
  Words operator()(const task::TrueAnomaly&) const {
    return {"anomalies", "|| dequantize | score(mse)"};
  }
  Words operator()(const task::TrueVector&) const {
    return {"vectors", "|| dequantize | pool(mean) | normalize(l2)"};
  }
  Words operator()(const task::Identity&) const {
    return {"identities", "|| dequantize | pool(mean) | normalize(l2)"};
  }
  Words operator()(const task::Transcript&) const { return {"texts", nullptr}; }
  template <class Read>
  Words operator()(const Read&) const {
    return {nullptr, nullptr};
  }
};

}  // namespace

std::string unscored(const std::vector<dataset::Sample>& samples,
                     const diagnose::Verdict& verdict) {
  if (verdict.task.of_plugin) return "";
  if (verdict.answer_agreement && verdict.answer_agreement->evaluation) return "";
  for (const dataset::Sample& sample : samples) {
    if (!sample.annotation) continue;
    const Words words = std::visit(WordsOf{}, *sample.annotation);
    if (!words.things) continue;
    const std::string none = std::string("the annotations are ") + words.things +
                             ", but the deployment returns no such answer, so nothing is scored: ";
    if (!words.steps)
      return none + "record those of the app (docs/guides/tasks.md) and give the trace to diagnose";
    return none + "add the half after the model to --recipe, such as " + words.steps;
  }
  return "";
}

}  // namespace edgeprobe::check
