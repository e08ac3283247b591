// SPDX-License-Identifier: Apache-2.0
#include "diagnose/detectors/app/scalars.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/text.h"
#include "diagnose/examination/decide.h"
#include "stats/quantile.h"
#include "stats/rank.h"
#include "stats/significance.h"

namespace edgeprobe::diagnose {
namespace {

constexpr double kLeastEffect = 0.3;

ScalarKind kind_of(logged::Source source) {
  switch (source) {
    case logged::Source::kVariable: return ScalarKind::kVariable;
    case logged::Source::kSpan: return ScalarKind::kSpan;
    case logged::Source::kSensor: return ScalarKind::kSensor;
    case logged::Source::kFrame: break;
  }
  return ScalarKind::kFrame;
}

std::string with_unit(double value, const std::string& unit) {
  return number(value, 3) + (unit.empty() ? "" : " " + sanitized(unit, 20));
}

std::string p_words(double p) { return p < 0.001 ? "p < 0.001" : "p = " + number(p, 2); }

std::string tests_words(const ScalarStudy& study) {
  const auto counted = [](std::size_t n, const char* noun) {
    return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
  };
  if (study.categories.empty()) return counted(study.tests.size(), "scalar");
  const std::string texts = counted(study.categories.size(), "text");
  return study.tests.empty() ? texts : counted(study.tests.size(), "scalar") + " and " + texts;
}

// "the text 'driver' goes with ..."; "" if no text does.
std::string category_words(const ScalarStudy& study) {
  std::string text;
  for (const CategoryTest& test : study.categories) {
    if (!test.tells) continue;
    const std::string name = "'" + sanitized(test.name, 60) + "'";
    if (!text.empty()) {
      text += "; so does " + name;
      continue;
    }
    text = "the text " + name + " goes with the frames that fail (" + study.failing + "): with " +
           "'" + sanitized(test.value, 60) + "' " + std::to_string(test.value_failing) + " of " +
           std::to_string(test.value_frames) + " frames fail, with other values " +
           std::to_string(test.failing - test.value_failing) + " of " +
           std::to_string(test.failing + test.others - test.value_frames) + " (Cramer's V " +
           number(test.effect, 2) + ", " + p_words(test.p_corrected) + ", " +
           (test.exact ? "Fisher's exact test" : "permutation test") + ", Holm's correction for " +
           tests_words(study) + ")";
  }
  return text;
}

std::string sentence_of(const ScalarStudy& study) {
  const auto told = [](const ScalarTest& test) { return test.tells; };
  const auto first = std::find_if(study.tests.begin(), study.tests.end(), told);
  const std::string tests = tests_words(study), categories = category_words(study);
  if (!study.skipped.empty())
    return "it cannot be determined what the failing frames have in common: " + study.skipped;
  if (first == study.tests.end() && !categories.empty()) return categories;
  if (first == study.tests.end())
    return "none of " + tests + " that the app logged goes with the frames that fail (" +
           study.failing + ")";
  std::string text =
      "the frames that fail (" + study.failing + ": " + std::to_string(study.failing_frames) +
      " of " + std::to_string(study.failing_frames + study.other_frames) + ") have " +
      (first->effect > 0 ? "more" : "less") + " '" + sanitized(first->name, 60) +
      "' than the others: median " + with_unit(first->failing_median, first->unit) + " against " +
      with_unit(first->other_median, first->unit) + " (rank-biserial correlation " +
      number(first->effect, 2) + ", " + p_words(first->p_corrected) +
      ", Mann-Whitney, Holm's correction for " + tests + ")";
  std::string also;
  for (auto test = std::next(first); test != study.tests.end(); ++test)
    if (test->tells)
      also += (also.empty() ? "" : ", ") + std::string("'") + sanitized(test->name, 60) + "'";
  if (!also.empty()) text += "; so do " + also;
  return categories.empty() ? text : text + "; " + categories;
}

// The frames that fail: by their labels, else by another answer than the reference's, else by a
// distance far above the usual one.
struct Failing {
  std::vector<std::uint32_t> frames;  // of the target, ascending
  std::vector<bool> fails;
  std::string how, why_not;
};

Failing failing_frames(const Study& study, double floor) {
  std::vector<compare::FrameAgreement> frames = study.agreement.frames;
  std::sort(frames.begin(), frames.end(),
            [](const auto& a, const auto& b) { return a.target < b.target; });
  std::vector<double> distances;
  for (const auto& frame : frames)
    if (frame.output_distance >= 0) distances.push_back(static_cast<double>(frame.output_distance));
  const double far = distances.empty() ? 0 : std::max(floor, 3 * stats::median(distances));
  const bool classes = answers_are_classes(study);
  const task::Task* const task = study.agreement.task ? study.agreement.task->task : nullptr;
  const auto is_given = [&](const std::optional<task::Answer>& answer) {
    return task && answer && task->is_given(*answer);
  };
  Failing best;
  std::size_t most = 0;
  for (int way = 0; way < 3; ++way) {
    Failing one;
    for (const auto& frame : frames) {
      const auto annotation = study.annotations.find(frame.target);
      bool known = false, fails = false;
      if (way == 0 && is_given(frame.target_answer) && annotation != study.annotations.end()) {
        const auto score = task->score(*frame.target_answer, annotation->second);
        known = score.has_value();
        fails = known && *score < 1;
      }
      if (way == 1 && classes && is_given(frame.reference_answer) &&
          is_given(frame.target_answer)) {
        known = true;
        fails = task->agreement(*frame.reference_answer, *frame.target_answer) < 1;
      }
      if (way == 2)
        known = frame.output_distance >= 0,
        fails = static_cast<double>(frame.output_distance) > far;
      if (!known) continue;
      one.frames.push_back(frame.target);
      one.fails.push_back(fails);
    }
    one.how = way == 0 && task   ? std::string(task->wrong)
              : way == 1 && task ? std::string(task->unlike_reference)
                                 : "output distance above " + number(far, 3);
    const auto failing =
        static_cast<std::size_t>(std::count(one.fails.begin(), one.fails.end(), true));
    const std::size_t fewer = std::min(failing, one.fails.size() - failing);
    if (fewer >= kLeastLoggedFrames) return one;
    if (one.fails.size() > 0 && (best.frames.empty() || fewer > most)) {
      most = fewer;
      best = std::move(one);
      best.why_not = std::to_string(failing) + " of " + std::to_string(best.fails.size()) +
                     " frames fail (" + best.how + "); at least " +
                     std::to_string(kLeastLoggedFrames) + " that do and " +
                     std::to_string(kLeastLoggedFrames) + " that do not are needed";
    }
  }
  if (best.why_not.empty()) best.why_not = "no frame has outputs on both sides";
  return best;
}

}  // namespace

ScalarStudy test_scalars(const std::vector<ScalarColumn>& columns, const std::vector<bool>& fails,
                         std::string failing, const std::vector<CategoryColumn>& categories) {
  ScalarStudy study;
  study.failing = std::move(failing);
  study.failing_frames = static_cast<std::uint64_t>(std::count(fails.begin(), fails.end(), true));
  study.other_frames = fails.size() - study.failing_frames;
  std::vector<double> p;
  for (const ScalarColumn& column : columns) {
    std::vector<double> with, without;
    for (std::size_t i = 0; i < fails.size(); ++i)
      if (std::isfinite(column.values[i])) (fails[i] ? with : without).push_back(column.values[i]);
    if (with.size() < kLeastLoggedFrames || without.size() < kLeastLoggedFrames) continue;
    const stats::RankTest test = stats::mann_whitney(without, with);
    study.tests.push_back({column.name, kind_of(column.source), column.unit, with.size(),
                           without.size(), stats::median(with), stats::median(without),
                           2 * test.probability_of_superiority - 1, test.p, 1, false});
    p.push_back(test.p);
  }
  for (const CategoryColumn& column : categories) {
    auto test = test_category(column, fails);
    if (!test) continue;
    p.push_back(test->p);
    study.categories.push_back(*std::move(test));
  }
  const std::vector<double> corrected = stats::holm(p);
  for (std::size_t i = 0; i < study.categories.size(); ++i) {
    CategoryTest& test = study.categories[i];
    test.p_corrected = corrected[study.tests.size() + i];
    test.tells = stats::is_significant(test.p_corrected) && test.effect >= kLeastEffect;
  }
  std::stable_sort(study.categories.begin(), study.categories.end(),
                   [](const CategoryTest& a, const CategoryTest& b) {
                     return std::pair(!a.tells, -a.effect) < std::pair(!b.tells, -b.effect);
                   });
  for (std::size_t i = 0; i < study.tests.size(); ++i) {
    study.tests[i].p_corrected = corrected[i];
    study.tests[i].tells =
        stats::is_significant(corrected[i]) && std::abs(study.tests[i].effect) >= kLeastEffect;
  }
  std::stable_sort(
      study.tests.begin(), study.tests.end(), [](const ScalarTest& a, const ScalarTest& b) {
        return std::pair(!a.tells, -std::abs(a.effect)) < std::pair(!b.tells, -std::abs(b.effect));
      });
  if (study.tests.empty() && study.categories.empty())
    study.skipped = "no scalar has a value in 5 frames that fail and in 5 that do not";
  study.sentence = sentence_of(study);
  return study;
}

Result<Findings> find_scalars(const Examination& examined, const Control&) {
  const Failing failing = failing_frames(examined.study, examined.floor);
  Findings found;
  auto columns =
      logged::scalars_of(*examined.study.known.target, failing.frames, found.closing_warnings);
  if (!columns) return std::move(columns.error()).during("logged scalars");
  auto categories =
      logged::categories_of(*examined.study.known.target, failing.frames, found.closing_warnings);
  if (!categories) return std::move(categories.error()).during("logged texts");
  auto varying = logged::changing(std::move(*columns));
  *columns = std::move(varying);
  auto varying_texts = logged::changing(std::move(*categories));
  *categories = std::move(varying_texts);
  // Every trace has latency and dropped frames; these do not make a study by themselves.
  const bool is_logged = std::any_of(columns->begin(), columns->end(), [](const ScalarColumn& c) {
    return c.source != logged::Source::kFrame;
  });
  if (!is_logged && categories->empty()) return found;
  if (failing.why_not.empty()) {
    found.scalars = test_scalars(*columns, failing.fails, failing.how, *categories);
    return found;
  }
  ScalarStudy& skipped = found.scalars.emplace();
  skipped.failing = failing.how;
  skipped.skipped = failing.why_not;
  skipped.sentence = sentence_of(skipped);
  return found;
}

}  // namespace edgeprobe::diagnose
