// SPDX-License-Identifier: Apache-2.0
#include "report/words/wording.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>

#include "core/text.h"
#include "report/words/hints.h"

namespace edgeprobe::report {
namespace {

constexpr const char* kNothing = "–";

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::string format(const char* pattern, int places, double value) {
  std::array<char, 400> buffer{};
  std::snprintf(buffer.data(), buffer.size(), pattern, places, value);
  std::string text = buffer.data();
  std::replace(text.begin(), text.end(), ',', '.');
  return text;
}

std::string spaced(std::string text) {
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

}  // namespace

std::string first_layer_sentence(const diagnose::FirstLayer& first) {
  const compare::FirstDifference& difference = first.difference;
  std::string text = "The first layer that differs is ";
  if (first.index >= 0) text += "#" + std::to_string(first.index) + " ";
  text += sanitized(first.type, 40) + " ('" + sanitized(first.name, 80) + "')";
  const std::string before = std::to_string(first.before);
  if (first.before == 0) text += "; none was compared before it";
  else if (difference.equal_before == first.before)
    text += first.before == 1 ? "; the one compared before it is equal"
                              : "; before it all " + before + " are equal";
  else
    text += "; of " + before + " before it " + std::to_string(difference.equal_before) +
            (difference.equal_before == 1 ? " is" : " are") +
            " equal, the others are within an NRMSE of " + digits(difference.largest_before, 2);
  const std::string value = digits(difference.value, 2), limit = digits(difference.limit, 2);
  switch (difference.rule) {
    case compare::FirstRule::kEqualBefore:
    case compare::FirstRule::kNrmse:
      return text + " (NRMSE " + value + ", beyond rounding: " + limit + ").";
    case compare::FirstRule::kErrorGain:
      return text + " (error gain " + value + " over its inputs; limit " + limit + ").";
    case compare::FirstRule::kRmseOverRange:
      return text + " (RMSE over range " + value + ", above the " + limit + " asked for).";
  }
  return text + ".";
}

std::string layer_frames_sentence(const diagnose::Coverage& coverage) {
  const std::uint64_t n = coverage.frames_with_layers;
  if (n == 0 || n >= coverage.frames_compared) return "";
  std::string text = "Layers were compared in " + std::to_string(n) + " of these frames";
  if (!coverage.layers_sampled) return text + ".";
  constexpr double kMissed = 0.05;
  const double share = 1 - std::pow(kMissed, 1 / static_cast<double>(n));
  return text + ", drawn at random: they miss a fault of a layer that shows in " +
         std::to_string(std::lround(std::ceil(100 * share))) +
         " % of the frames with a probability of at most 5 %, one that " +
         "shows in more of them less often. --exhaustive compares the layers of all frames.";
}

int exit_code(diagnose::Outcome outcome) {
  switch (outcome) {
    case diagnose::Outcome::kAgrees: return 0;
    case diagnose::Outcome::kDiffers: return 3;
    case diagnose::Outcome::kUndecided: return 4;
  }
  return 4;
}

int exit_code(const diagnose::Verdict& verdict) {
  const auto& cut = verdict.coverage.cut_short;
  if (!cut) return exit_code(verdict.outcome);
  return cut->error.kind == ErrorKind::kInterrupted ? 130 : 1;
}

const char* meaning(diagnose::Outcome outcome) {
  switch (outcome) {
    case diagnose::Outcome::kAgrees: return "The target does what the reference does.";
    case diagnose::Outcome::kDiffers: return "The target does not do what the reference does.";
    case diagnose::Outcome::kUndecided: return "What was recorded does not suffice to decide.";
  }
  return "";
}

std::string headline(const diagnose::Verdict& verdict) {
  const std::string text = headline_text(verdict);
  return text.empty() ? meaning(verdict.outcome) : sanitized(text, kLongestSentence);
}

std::string sentence(const std::string& detail) {
  std::string text = sanitized(detail, kLongestSentence);
  if (text.rfind("the ", 0) == 0) text[0] = 'T';
  if (!text.empty() && std::string_view(".!?:;").find(text.back()) == std::string_view::npos)
    text += '.';
  return text;
}

std::string answers_sentence(const diagnose::AnswerStudy& answers) {
  std::string parts;
  for (const std::string& part : answers.not_judged) parts += (parts.empty() ? "" : ", ") + part;
  const std::string left = parts.empty() ? "" : "; recorded, not judged: " + sanitized(parts, 120);
  if (answers.status == diagnose::AnswerStatus::kNotJudged)
    return "recorded, not judged" + (parts.empty() ? "" : ": " + sanitized(parts, 120));
  const std::string frames = std::to_string(answers.frames);
  if (answers.unlike == 0)
    return "as the reference's recipe makes them of the outputs, in all " + frames + " frames" +
           left;
  return "other than the reference's recipe makes them of the outputs, in " +
         std::to_string(answers.unlike) + " of " + frames + " frames" + left;
}

std::string kind_title(diagnose::CauseKind kind) { return spaced(diagnose::name(kind)); }

std::string api_title(const std::string& api) {
  if (api == "opencv") return "OpenCV";
  if (api == "android") return "Android";
  if (api == "numpy") return "NumPy";
  if (api == "edgeprobe") return "command";
  return sanitized(api);
}

std::vector<std::string> api_order(const diagnose::Cause& cause) {
  std::vector<std::string> order;
  for (const char* api : {"opencv", "android", "numpy"})
    if (cause.fix_code.count(api) != 0) order.emplace_back(api);
  for (const auto& [api, code] : cause.fix_code)
    if (std::find(order.begin(), order.end(), api) == order.end()) order.push_back(api);
  return order;
}

bool known(const std::optional<double>& value) { return value && std::isfinite(*value); }

std::string decimals(const std::optional<double>& value, int places) {
  if (!known(value)) return kNothing;
  const double size = std::abs(*value);
  const bool vanishes = size != 0 && size < 0.5 * std::pow(10.0, -places);
  if (vanishes || size >= 1e7) return format("%.*e", 1, *value);
  return format("%.*f", places, size == 0 ? 0.0 : *value);
}

std::string digits(const std::optional<double>& value, int significant) {
  return known(value) ? number(*value, significant) : kNothing;
}

std::string share(const std::optional<double>& value) {
  if (!known(value)) return kNothing;
  return std::abs(*value) < 1e6 ? percent(*value) : number(*value * 100, 3) + " %";
}

std::string metric_value(const std::string& metric, const std::optional<double>& value) {
  return ends_with(metric, "accuracy") ? share(value) : digits(value, 4);
}

std::string metric_interval(const std::string& metric,
                            const std::optional<diagnose::Interval>& interval) {
  if (!interval || !std::isfinite(interval->low) || !std::isfinite(interval->high)) return "";
  if (ends_with(metric, "accuracy") && std::abs(interval->low) < 1e6 &&
      std::abs(interval->high) < 1e6)
    return format("%.*f", 1, interval->low * 100) + " to " + percent(interval->high);
  return number(interval->low, 4) + " to " + number(interval->high, 4);
}

std::string metric_title(const std::string& metric) {
  static const std::map<std::string_view, const char*> kTitles{
      {"top1_accuracy", "accuracy"},
      {"average_precision", "AP"},
      {"oks_average_precision", "OKS AP"},
      {"mean_iou", "mean IoU"},
      {"roc_auc", "AUC"},
      {"mean_cosine", "cosine"},
      {"mean_average_precision", "mean AP"},
      {"word_error_rate", "word errors"}};
  if (const auto known_metric = kTitles.find(metric); known_metric != kTitles.end())
    return known_metric->second;
  return metric.empty() ? "task metric" : sanitized(spaced(metric.substr(0, kLongestName)));
}

std::string p_text(const std::optional<double>& p) {
  if (!known(p)) return "";
  return *p < 1e-4 ? "p < 0.0001" : "p = " + number(*p, 2);
}

std::string restored_text(const diagnose::Cause& cause) {
  if (known(cause.restored)) {
    if (!cause.restored_unit) return digits(cause.restored);
    switch (*cause.restored_unit) {
      case diagnose::RestoredUnit::kAccuracy: return share(cause.restored) + " accuracy";
      case diagnose::RestoredUnit::kOutputDistance:
        return share(cause.restored) + " of the output distance";
      case diagnose::RestoredUnit::kMetric: return digits(cause.restored, 4) + " by the metric";
    }
  }
  if (!cause.restored_unavailable) return kNothing;
  return std::string(kNothing) + " (" +
         sanitized(unavailable_text(cause.restored_unavailable), kLongestSentence) + ")";
}

std::string restored_label(std::size_t rank) {
  return rank == 0 ? "restored" : "restored with fixes 1 to " + std::to_string(rank + 1);
}

const diagnose::Cause* fixed_outputs(const diagnose::Verdict& verdict) {
  const auto confirmed = with_status(verdict, diagnose::CauseStatus::kConfirmed);
  if (confirmed.empty() || known(verdict.task.fixed)) return nullptr;
  const diagnose::Cause* last = confirmed.back();
  return known(last->restored) && last->restored_unit == diagnose::RestoredUnit::kOutputDistance
             ? last
             : nullptr;
}

std::string distance_title(const std::string& kind) {
  if (kind == "total_variation") return "mean total variation";
  if (kind == "relative_l2") return "relative L2 distance";
  return kind.empty() ? "distance" : sanitized(spaced(kind.substr(0, kLongestName)));
}

std::string layer_text(const diagnose::Cause& cause) {
  std::string text = "Layer ";
  if (!cause.layers.empty()) text += std::to_string(cause.layers.front()) + " ";
  text += sanitized(cause.layer);
  if (!cause.op_type.empty()) text += " (" + sanitized(cause.op_type) + ")";
  if (cause.layers.size() > 1) text += " and " + std::to_string(cause.layers.size() - 1) + " more";
  return text;
}

std::optional<double> drift(const diagnose::LayerDrift& layer) {
  if (layer.distances.exact) return 0.0;
  if (!known(layer.distances.rmse_over_range) || *layer.distances.rmse_over_range < 0)
    return std::nullopt;
  return layer.distances.rmse_over_range;
}

std::string drift_text(const diagnose::LayerDrift& layer) {
  const std::optional<double> value = drift(layer);
  return value && *value == 0 ? "0" : decimals(value, 4);
}

std::vector<std::size_t> worst_first(const std::vector<diagnose::LayerDrift>& layers) {
  std::vector<std::size_t> order(layers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto rank = [&](std::size_t i) {
    return std::pair(layers[i].moments.non_finite_mismatch > 0, drift(layers[i]).value_or(-1));
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rank(a) > rank(b); });
  return order;
}

std::string non_finite_sentence(const diagnose::Verdict& verdict) {
  for (const diagnose::LayerDrift& layer : verdict.layers) {
    const compare::KindCounts &r = layer.reference_kinds, &t = layer.target_kinds;
    if (t.nan <= r.nan && t.infinite <= r.infinite) continue;
    const auto counts = [](const compare::KindCounts& kinds) {
      return std::to_string(kinds.nan) + " NaN and " + std::to_string(kinds.infinite) + " infinite";
    };
    const bool none = r.nan == 0 && r.infinite == 0;
    return "The first tensor with values that are not finite where the reference's are is " +
           (layer.index >= 0 ? "#" + std::to_string(layer.index) + " " : std::string()) +
           sanitized(layer.type, 40) + " ('" + sanitized(layer.name, 80) + "'): " + counts(t) +
           " of " + std::to_string(t.values) +
           (none ? "; the reference has none." : "; the reference has " + counts(r) + ".");
  }
  return "";
}

std::string index_text(const diagnose::LayerDrift& layer) {
  if (layer.index >= 0) return std::to_string(layer.index);
  return layer.type == "model output" ? "output" : "input";
}

std::string layer_note(const diagnose::LayerDrift& layer) {
  if (layer.moments.non_finite_mismatch > 0)
    return std::to_string(layer.moments.non_finite_mismatch) + " NaN/Inf differ";
  if (layer.distances.exact) return "exact";
  if (!drift(layer)) return "no common values";
  return "";
}

std::vector<const diagnose::Cause*> with_status(const diagnose::Verdict& verdict,
                                                diagnose::CauseStatus status) {
  std::vector<const diagnose::Cause*> found;
  for (const diagnose::Cause& cause : verdict.causes)
    if (cause.status == status) found.push_back(&cause);
  return found;
}

}  // namespace edgeprobe::report
