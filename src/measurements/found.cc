// SPDX-License-Identifier: Apache-2.0
#include "measurements/from_trace.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "task/answers/answer_task.h"
#include "task/metrics/box.h"
#include "trace/read/answers.h"

namespace edgeprobe::measurements {
namespace {

constexpr double kLeastOverlap = 0.5;

using Classes = std::map<int, DetectedClass>;

double score_at(const trace::Answer& answer, std::size_t index) {
  if (!answer.scores || index >= answer.scores->size()) return 1;
  const double score = double{(*answer.scores)[index]};
  return std::isfinite(score) ? score : -1;
}

/// Boxes of an answer by falling score.
std::vector<std::size_t> by_score(const trace::Answer& answer) {
  std::vector<std::size_t> order(answer.boxes->size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return score_at(answer, a) > score_at(answer, b);
  });
  return order;
}

void add_frame(const trace::Answer& answer, const task::TrueBoxes& truth, const task::Terms& terms,
               Classes& classes) {
  for (const task::TrueBox& box : truth.boxes) {
    DetectedClass& one = classes[box.label];
    if (one.name.empty()) one.name = box.name;
    if (!box.crowd) one.there += 1;
  }
  if (!answer.boxes) return;
  std::vector<bool> taken(truth.boxes.size(), false);
  for (const std::size_t i : by_score(answer)) {
    const auto label = task::class_of(answer, i, terms);
    if (!label) continue;
    const task::Box box = task::box_of((*answer.boxes)[i], terms.boxes, truth.width, truth.height);
    double best = 0;
    std::size_t match = truth.boxes.size();
    for (std::size_t j = 0; j < truth.boxes.size(); ++j) {
      const task::TrueBox& there = truth.boxes[j];
      if (there.label != *label || (taken[j] && !there.crowd)) continue;
      const double shared = task::overlap(box, there.box, there.crowd);
      if (!(shared >= best) || !std::isfinite(shared)) continue;
      best = shared;
      match = j;
    }
    const bool right = match < truth.boxes.size() && best >= kLeastOverlap;
    // A match with a crowd counts neither as right nor as wrong.
    if (right && truth.boxes[match].crowd) continue;
    if (right) taken[match] = true;
    classes[*label].found.push_back({score_at(answer, i), right, best});
  }
}

}  // namespace

Status add_found(const trace::Reader& trace, const AnnotationOf& annotation_of,
                 const task::Terms& terms, Measurements& out) {
  if (trace::answer_channels(trace).empty()) return {};
  Classes classes;
  task::Terms known = terms;
  for (const trace::FrameRecord& record : trace.records())
    if (const auto annotation = annotation_of(record))
      if (const auto* boxes = std::get_if<task::TrueBoxes>(&*annotation))
        for (const task::TrueBox& box : boxes->boxes)
          if (!box.name.empty()) known.numbers.emplace(box.name, box.label);
  for (std::size_t i = 0; i < trace.frames().size(); ++i) {
    const auto annotation = annotation_of(trace.records()[i]);
    const auto* truth = annotation ? std::get_if<task::TrueBoxes>(&*annotation) : nullptr;
    if (!truth) continue;
    EP_TRY(const auto answer, trace::answer_of(trace, trace.frames()[i]));
    add_frame(answer ? *answer : trace::Answer{}, *truth, known, classes);
  }
  for (auto& [label, one] : classes) {
    const auto index = static_cast<std::size_t>(label);
    if (one.name.empty())
      one.name =
          label >= 0 && index < terms.classes.size() ? terms.classes[index] : std::to_string(label);
    out.class_names.push_back(one.name);
    out.detection.push_back(std::move(one));
  }
  return {};
}

}  // namespace edgeprobe::measurements
