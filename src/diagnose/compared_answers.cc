// SPDX-License-Identifier: Apache-2.0
#include "diagnose/compared_answers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "core/text.h"
#include "diagnose/examination/decide.h"
#include "diagnose/input/extent.h"
#include "task/answers/answer_task.h"
#include "trace/read/answer_text.h"
#include "trace/read/answers.h"

namespace edgeprobe::diagnose {
namespace {

constexpr std::size_t kShownParts = 8;  ///< Largest number of entries in the text of an answer.
constexpr double kSameFloats = 1e-4;    ///< Share of the range; less is rounding.
/// Least intersection over union of two boxes that may form a pair.
constexpr double kSameBox = 0.5;
/// Largest number of boxes that are compared in one answer.
constexpr std::size_t kMostBoxes = 500;

std::string class_name(int number, const task::Terms& terms) {
  const auto at = static_cast<std::size_t>(number);
  return number >= 0 && at < terms.classes.size() && !terms.classes[at].empty()
             ? terms.classes[at]
             : "class " + std::to_string(number);
}

std::string truth_text(const task::Annotation& truth, const task::Terms& terms) {
  if (const auto* boxes = std::get_if<task::TrueBoxes>(&truth)) {
    std::vector<std::string> names;
    for (const task::TrueBox& box : boxes->boxes)
      if (names.size() < kShownParts)
        names.push_back(box.name.empty() ? class_name(box.label, terms) : box.name);
    return boxes->boxes.empty() ? "nothing" : joined(names);
  }
  if (const auto* text = std::get_if<task::Transcript>(&truth)) return text->text;
  if (const auto* anomaly = std::get_if<task::TrueAnomaly>(&truth))
    return anomaly->is_anomaly ? "alarm" : "no alarm";
  return joined(task::classes_of(truth), " or ",
                [&](int number) { return class_name(number, terms); });
}

/// Compares names if both sides have them, else class numbers.
struct Words {
  const task::Terms& terms;
  bool by_label;

  std::string operator()(const trace::Answer& answer, std::size_t i) const {
    if (by_label && i < answer.labels->size()) return (*answer.labels)[i];
    const auto number = task::class_of(answer, i, terms);
    return number ? class_name(*number, terms) : "?";
  }
};

bool is_same(const std::string& a, const std::string& b) { return lower_case(a) == lower_case(b); }

std::optional<std::size_t> best_place(const trace::Answer& answer) {
  const std::size_t count = answer.labels    ? answer.labels->size()
                            : answer.classes ? answer.classes->size()
                                             : 0;
  if (count == 0) return std::nullopt;
  if (!answer.scores || answer.scores->size() != count) return std::size_t{0};
  std::size_t best = 0;
  for (std::size_t i = 1; i < count; ++i)
    if ((*answer.scores)[i] > (*answer.scores)[best] || std::isnan((*answer.scores)[best]))
      best = i;
  return best;
}

/// Target's name, reference's name.
using Pairs = std::vector<std::pair<std::string, std::string>>;

/// Pairs overlapping boxes, largest overlap first; then adds the unpaired boxes of both sides.
Pairs paired_boxes(const trace::Answer& target, const trace::Answer& reference,
                   const Words& words) {
  const std::size_t t = std::min(target.boxes->size(), kMostBoxes),
                    r = std::min(reference.boxes->size(), kMostBoxes);
  std::vector<std::tuple<double, bool, std::size_t, std::size_t>> near;
  for (std::size_t i = 0; i < t; ++i)
    for (std::size_t j = 0; j < r; ++j) {
      const double over =
          task::overlap(task::box_of((*target.boxes)[i], words.terms.boxes, 1, 1),
                        task::box_of((*reference.boxes)[j], words.terms.boxes, 1, 1));
      if (over >= kSameBox)
        near.emplace_back(over, is_same(words(target, i), words(reference, j)), i, j);
    }
  std::sort(near.begin(), near.end(), [](const auto& a, const auto& b) {
    return std::tuple(-std::get<0>(a), !std::get<1>(a), std::get<2>(a), std::get<3>(a)) <
           std::tuple(-std::get<0>(b), !std::get<1>(b), std::get<2>(b), std::get<3>(b));
  });
  std::vector<bool> taken_t(t), taken_r(r);
  Pairs pairs;
  for (const auto& [over, same, i, j] : near) {
    if (taken_t[i] || taken_r[j]) continue;
    taken_t[i] = taken_r[j] = true;
    pairs.emplace_back(words(target, i), words(reference, j));
  }
  for (std::size_t i = 0; i < t; ++i)
    if (!taken_t[i]) pairs.emplace_back(words(target, i), "");
  for (std::size_t j = 0; j < r; ++j)
    if (!taken_r[j]) pairs.emplace_back("", words(reference, j));
  return pairs;
}

/// Nothing if the two answers cannot be compared label by label.
std::optional<Pairs> pairs_of(const trace::Answer& target, const trace::Answer& reference,
                              const task::Terms& terms) {
  const Words words{terms, target.labels && reference.labels};
  if (target.boxes && reference.boxes) return paired_boxes(target, reference, words);
  if (target.mask || target.points || target.vector) return std::nullopt;
  if (target.alarm && reference.alarm) {
    const auto said = [](bool alarm) { return std::string(alarm ? "alarm" : "no alarm"); };
    return Pairs{{said(*target.alarm), said(*reference.alarm)}};
  }
  if (target.text && reference.text) return Pairs{{*target.text, *reference.text}};
  const auto t = best_place(target), r = best_place(reference);
  if (!t || !r) return std::nullopt;
  return Pairs{{words(target, *t), words(reference, *r)}};
}

/// Text of an answer with boxes, without their coordinates: "bus 0.9, car 0.5".
std::string labels_text(const trace::Answer& answer, const task::Terms& terms) {
  const Words words{terms, answer.labels.has_value()};
  const std::size_t count = answer.boxes->size();
  std::string out;
  for (std::size_t i = 0; i < std::min(count, kShownParts); ++i) {
    out += (i ? ", " : "") + words(answer, i);
    if (answer.scores && i < answer.scores->size())
      out += " " + number(double{(*answer.scores)[i]}, 2);
  }
  if (count > kShownParts) out += ", " + std::to_string(count - kShownParts) + " more";
  return count == 0 ? "nothing" : out;
}

std::string answer_text(const trace::Answer& answer, const task::Terms& terms) {
  return answer.boxes ? labels_text(answer, terms) : trace::to_text(answer, kShownParts);
}

class Table {
 public:
  explicit Table(const Study& study) : study_(study) {
    const trace::Reader& target = *study.known.target;
    for (std::size_t i = 0; i < target.frames().size(); ++i)
      samples_.emplace(target.frames()[i], target.records()[i].sample);
  }

  /// True if the caller must add the flip's texts: the answers differ, and fewer than kMostFlips
  /// are listed.
  bool add(const Pairs& pairs) {
    ++out_.frames;
    bool differs = false;
    for (const auto& [target, reference] : pairs) {
      const bool same = is_same(target, reference);
      ++counts_[{same ? reference : target, reference}];
      differs = differs || !same;
    }
    out_.flipped += differs;
    return differs && out_.flips.size() < ComparedAnswers::kMostFlips;
  }
  FlippedAnswer& flip(std::uint32_t frame) {
    FlippedAnswer& one = out_.flips.emplace_back();
    one.frame = frame;
    one.sample = samples_[frame];
    if (const auto truth = study_.annotations.find(frame); truth != study_.annotations.end())
      one.truth = truth_text(truth->second, study_.known.terms);
    return one;
  }
  std::optional<ComparedAnswers> done(bool of_boxes) {
    if (out_.frames == 0) return std::nullopt;
    out_.of_boxes = of_boxes;
    for (const auto& [labels, count] : counts_)
      out_.labels.push_back({labels.first, labels.second, count});
    std::stable_sort(out_.labels.begin(), out_.labels.end(),
                     [](const LabelPair& a, const LabelPair& b) { return a.count > b.count; });
    return std::move(out_);
  }

 private:
  const Study& study_;
  std::map<std::uint32_t, std::string> samples_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> counts_;
  ComparedAnswers out_;
};

Result<std::optional<ComparedAnswers>> recorded(const Study& study) {
  Table table(study);
  bool of_boxes = false;
  const Case& known = study.known;
  if (trace::answer_channels(*known.target).empty()) return std::optional<ComparedAnswers>();
  for (const auto& [target_frame, reference_frame] : partners(study)) {
    // Damaged answers are reported where answers are judged.
    const auto target = trace::answer_of(*known.target, target_frame),
               reference = trace::answer_of(*known.reference, reference_frame);
    if (!target || !*target || !reference || !*reference) continue;
    const auto pairs = pairs_of(**target, **reference, known.terms);
    if (!pairs) continue;
    of_boxes = of_boxes || (*target)->boxes.has_value();
    if (!table.add(*pairs)) continue;
    FlippedAnswer& flip = table.flip(target_frame);
    flip.target = answer_text(**target, known.terms);
    flip.reference = answer_text(**reference, known.terms);
    flip.target_json = trace::answer_json(**target, trace::MaskForm::kSize);
    flip.reference_json = trace::answer_json(**reference, trace::MaskForm::kSize);
  }
  return table.done(of_boxes);
}

std::optional<ComparedAnswers> of_outputs(const Study& study) {
  if (!answers_are_classes(study)) return std::nullopt;
  Table table(study);
  auto frames = study.agreement.frames;
  std::sort(frames.begin(), frames.end(),
            [](const auto& a, const auto& b) { return a.target < b.target; });
  const auto best = [](const std::optional<task::Answer>& answer) {
    const auto* classes = answer ? std::get_if<task::ClassAnswer>(&*answer) : nullptr;
    return classes ? classes->best : -1;
  };
  for (const compare::FrameAgreement& frame : frames) {
    const int target = best(frame.target_answer), reference = best(frame.reference_answer);
    if (target < 0 || reference < 0) continue;
    const std::string said = class_name(target, study.known.terms),
                      wanted = class_name(reference, study.known.terms);
    if (!table.add({{said, wanted}})) continue;
    FlippedAnswer& flip = table.flip(frame.target);
    flip.target = said;
    flip.reference = wanted;
  }
  return table.done(false);
}

}  // namespace

Result<std::optional<ComparedAnswers>> compared_answers(const Study& study) {
  EP_TRY(auto of_apps, recorded(study));
  if (of_apps) return of_apps;
  return of_outputs(study);
}

FrameDistances frame_distances(const Study& study, double floor) {
  auto frames = study.agreement.frames;
  std::sort(frames.begin(), frames.end(),
            [](const auto& a, const auto& b) { return a.target < b.target; });
  FrameDistances out;
  const double unit = gray_step(study);
  const trace::ReadChannel* const target = study.input.target;
  const bool shown = study.input.kind->is_shown;
  double same = 0;
  if (target && unit > 0)
    same = shown                                  ? same_input_steps(*target, unit)
           : is_float(target->channel.spec.dtype) ? kSameFloats * 255
                                                  : 0;
  if (!shown) out.unit = FrameUnit::kPercentOfRange;
  for (const compare::FrameAgreement& frame : frames) {
    if (unit <= 0 || frame.input_rmse < 0) continue;
    const double steps = frame.input_rmse / unit;
    out.frames.push_back({frame.target, shown ? steps : steps / 255 * 100, !(steps <= same)});
  }
  if (std::any_of(out.frames.begin(), out.frames.end(),
                  [](const auto& one) { return one.differs; }))
    return out;
  out = {FrameUnit::kOutputDistance, {}};
  for (const compare::FrameAgreement& frame : frames)
    if (frame.output_distance >= 0)
      out.frames.push_back(
          {frame.target, double{frame.output_distance}, double{frame.output_distance} > floor});
  return out;
}

}  // namespace edgeprobe::diagnose
