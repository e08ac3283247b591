// SPDX-License-Identifier: Apache-2.0
#include "diagnose/postprocessing/predictions.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/dtype.h"
#include "postprocess/classify.h"
#include "postprocess/tables.h"

namespace edgeprobe::diagnose::postprocessing {
namespace {

using postprocess::Classification;

// Covers float32 against float64, or three decimals.
constexpr double kScoreTolerance = 2e-4;
// Scores this close may be in either order in float32 and float64.
constexpr double kTie = 1e-5, kTieFloor = 1e-9;
// Cost of a label that is right only because its score ties with another.
constexpr double kForgiven = 1e-6;

std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size() || text.empty())
    return std::nullopt;
  return value;
}

// Class numbers of an answer: from its classes, or from labels that are all numbers.
std::optional<std::vector<int>> numbers_of(const trace::Answer& answer) {
  std::vector<int> out;
  if (answer.classes) {
    for (const std::int64_t id : *answer.classes)
      out.push_back(static_cast<int>(std::clamp<std::int64_t>(id, -1'000'000'000, 1'000'000'000)));
    return out;
  }
  if (!answer.labels) return std::nullopt;
  for (const std::string& label : *answer.labels) {
    const auto value = whole_number(label);
    if (!value) return std::nullopt;
    out.push_back(*value);
  }
  return out;
}

// Numbers get codes above those of names, so that none equals kNoLabel or kAnyLabel.
constexpr int kFirstNumber = 1'000'000'000;
int number_code(int number) { return std::clamp(number, -999'999'000, 999'999'000) + kFirstNumber; }

std::string key_of(const Classification& recipe, std::size_t output) {
  std::string key =
      std::to_string(output) + ',' + std::to_string(static_cast<int>(recipe.reading)) + ',' +
      std::to_string(recipe.skip) + ',' + std::to_string(static_cast<int>(recipe.order));
  for (const postprocess::Activation activation : recipe.activations)
    key += ',' + std::to_string(static_cast<int>(activation));
  return key;
}

std::vector<TensorSpec> specs_of(const RecordedFrame& frame) {
  std::vector<TensorSpec> specs;
  for (const Tensor& output : frame.outputs) specs.push_back(output.spec);
  return specs;
}

// Range of ranks whose scores tie with this one; contiguous, since scores are sorted.
std::pair<std::size_t, std::size_t> tied_range(const Ranked& ranked, std::size_t at) {
  const double score = ranked.scores[at], limit = kTie * std::fabs(score) + kTieFloor;
  const auto ties = [&](std::size_t i) { return std::fabs(ranked.scores[i] - score) <= limit; };
  std::size_t first = at, last = at + 1;
  while (first > 0 && ties(first - 1)) --first;
  while (last < ranked.scores.size() && ties(last)) ++last;
  return {first, last};
}

}  // namespace

double grain_of(const std::vector<double>& scores) {
  if (scores.empty()) return 0;
  double most = 0;
  for (const double score : scores) most = std::max(most, std::fabs(score));
  for (int digits = 0; digits < 4; ++digits) {
    const double unit = std::pow(10, digits);
    const bool whole = std::all_of(scores.begin(), scores.end(), [&](double score) {
      return std::fabs(score * unit - std::rint(score * unit)) < 1e-4 * std::max(1.0, digits * 1.0);
    });
    if (!whole) continue;
    // Scores that are all 0 or 1 are saturated and may also be rounded; one or two round scores may
    // be chance.
    if (digits == 0 && most <= 2) return 0.0051;
    if (digits > 1 || scores.size() > 2) return 0.51 / unit;
  }
  // float16: one unit in the last of eleven bits of the largest score.
  const bool half = std::all_of(scores.begin(), scores.end(), [](double score) {
    return score == half_to_float(float_to_half(static_cast<float>(score)));
  });
  return half && std::isfinite(most) ? most / 2000 : 0;
}

Predictions::Predictions(std::span<const RecordedFrame> frames, const Classification& reference)
    : frames_(frames), reference_(reference) {
  if (!reference_.labels) reference_.labels.emplace();
  labels_ = std::make_shared<const postprocess::Labels>(*reference_.labels);
  // Hypotheses are copied for every change, and names are their largest part.
  reference_.labels->table.names.clear();
  if (reference_.labels->other) reference_.labels->other->names.clear();
  judge();
  if (judged_ == Judged::kNames) {
    const std::vector<int>& lines = table(postprocess::TableOrder::kFile);
    if (labels_->other) (void)table(postprocess::TableOrder::kOther);
    first_class_.assign(codes_.size(), -1);
    for (std::size_t i = lines.size(); i-- > 0;)
      first_class_[static_cast<std::size_t>(lines[i])] = static_cast<int>(i);
  }
  observe();
  if (frames.empty()) return;
  if (const auto output = postprocess::output_of(reference_, specs_of_.front()))
    reference_.output = *output;
  classes_ = ranked(reference_, 0).by_class.size();
}

Predictions::Predictions(std::span<const RecordedFrame> some, const Predictions& all)
    : frames_(some),
      reference_(all.reference_),
      labels_(all.labels_),
      classes_(all.classes_),
      has_scores_(all.has_scores_),
      judged_(all.judged_),
      grain_(all.grain_),
      codes_(all.codes_),
      tables_(all.tables_),
      first_class_(all.first_class_) {
  observe();
}

void Predictions::judge() {
  bool names = !labels_->table.names.empty(), numbers = true, any = false;
  std::vector<double> scores;
  for (const RecordedFrame& frame : frames_) {
    names = names && frame.answer.labels.has_value();
    const auto given = numbers_of(frame.answer);
    numbers = numbers && given.has_value();
    any = any || (given && !given->empty());
    if (!frame.answer.scores) continue;
    has_scores_ = true;
    scores.insert(scores.end(), frame.answer.scores->begin(), frame.answer.scores->end());
  }
  judged_ = names ? Judged::kNames : numbers && any ? Judged::kNumbers : Judged::kNothing;
  grain_ = grain_of(scores);
}

void Predictions::observe() {
  for (const RecordedFrame& frame : frames_) {
    specs_of_.push_back(specs_of(frame));
    outputs_ = frame.outputs.size();
    for (const Tensor& output : frame.outputs)
      quantised_ =
          quantised_ || (!output.spec.quantization.empty() && is_integer(output.spec.dtype));
    Observed seen;
    const trace::Answer& answer = frame.answer;
    if (answer.scores) seen.scores.assign(answer.scores->begin(), answer.scores->end());
    seen.has_scores = answer.scores.has_value();
    seen.has_labels = judged_ != Judged::kNothing;
    if (judged_ == Judged::kNames) {
      for (const std::string& label : *answer.labels)
        seen.labels.push_back(label.empty() ? kNoLabel : codes_.of_label(label));
    } else if (judged_ == Judged::kNumbers) {
      const auto given = numbers_of(answer);
      for (const int number : *given) seen.labels.push_back(number_code(number));
    }
    seen.count = answer.labels    ? answer.labels->size()
                 : answer.classes ? answer.classes->size()
                                  : seen.scores.size();
    observed_.push_back(std::move(seen));
  }
}

const std::vector<int>& Predictions::table(postprocess::TableOrder order) {
  const auto [at, fresh] = tables_.try_emplace(order);
  if (fresh)
    for (const std::string& name : postprocess::in_order(*labels_, order))
      at->second.push_back(codes_.of_name(name));
  return at->second;
}

int Predictions::label(const Hypothesis& hypothesis, int id) {
  const postprocess::Labels& labels = *hypothesis.recipe.labels;
  const int line = id + labels.shift;
  if (judged_ == Judged::kNumbers) return number_code(line);
  if (judged_ == Judged::kNothing) return kAnyLabel;
  int place = line;
  if (const TableEdit* edit = hypothesis.edit.get()) {
    if (edit->kind == TableEdit::Kind::kMap) {
      const auto at = edit->label.find(line);
      return at == edit->label.end() ? kAnyLabel : at->second;
    }
    if (const auto at = edit->label.find(line); at != edit->label.end()) return at->second;
    if (line > edit->right && line < edit->from) return kAnyLabel;
    if (line >= edit->from) place += edit->kind == TableEdit::Kind::kLineLost ? 1 : -1;
  }
  const std::vector<int>& lines = table(labels.order);
  return place >= 0 && static_cast<std::size_t>(place) < lines.size()
             ? lines[static_cast<std::size_t>(place)]
             : kNoLabel;
}

int Predictions::class_of(int label) const {
  return label >= 0 && static_cast<std::size_t>(label) < first_class_.size()
             ? first_class_[static_cast<std::size_t>(label)]
             : -1;
}

std::string Predictions::name(int label) const {
  if (label >= 0 && static_cast<std::size_t>(label) < codes_.size()) return codes_.name(label);
  return label < 0 ? "" : std::to_string(label - kFirstNumber);
}

double Predictions::tolerance(double score) const {
  return std::max({kScoreTolerance, grain_, kScoreTolerance * std::fabs(score)});
}

const Ranked& Predictions::ranked(const Classification& recipe, std::size_t frame) {
  const auto output = postprocess::output_of(recipe, specs_of_[frame]);
  const std::size_t place = output ? *output : outputs_;
  std::vector<Ranked>& all = ranked_[key_of(recipe, place)];
  if (all.empty()) all.resize(frames_.size());
  Ranked& out = all[frame];
  if (out.fits || place >= frames_[frame].outputs.size() || !out.by_class.empty()) return out;
  auto scores = postprocess::scores_of(recipe, frames_[frame].outputs[place]);
  if (!scores || scores->empty()) return out;
  out.fits = true;
  for (const std::size_t at : postprocess::ranking(*scores, recipe.order)) {
    out.ids.push_back(static_cast<int>(at));
    out.scores.push_back((*scores)[at]);
  }
  out.by_class = *std::move(scores);
  return out;
}

std::vector<std::size_t> Predictions::reported(const Classification& recipe,
                                               const Ranked& ranked) const {
  std::vector<std::size_t> places;
  const std::size_t most = std::min(ranked.ids.size(), recipe.most.value_or(ranked.ids.size()));
  for (std::size_t at = 0; at < most; ++at)
    if (!recipe.threshold || ranked.scores[at] >= *recipe.threshold) places.push_back(at);
  return places;
}

std::size_t Predictions::ties(const Hypothesis& hypothesis, const Ranked& ranked,
                              std::size_t at) const {
  if (hypothesis.recipe.order == postprocess::Order::kUnsorted) return 1;
  const auto [first, last] = tied_range(ranked, at);
  return last - first;
}

bool Predictions::is_tied(const Hypothesis& hypothesis, const Ranked& ranked, std::size_t at,
                          int wanted) {
  if (hypothesis.recipe.order == postprocess::Order::kUnsorted) return false;
  const auto [first, last] = tied_range(ranked, at);
  for (std::size_t i = first; i < last; ++i) {
    const int label = this->label(hypothesis, ranked.ids[i]);
    if (label == kAnyLabel || codes_.matches(label, wanted)) return true;
  }
  return false;
}

double Predictions::score(const Hypothesis& hypothesis, const Ranked& ranked, std::size_t rank,
                          std::size_t at) const {
  const double score =
      hypothesis.pairing == Pairing::kScoresUnsorted ? ranked.by_class[rank] : ranked.scores[at];
  return hypothesis.recipe.percent ? 100 * score : score;
}

int Predictions::label_at(const Hypothesis& hypothesis, const Ranked& ranked, std::size_t rank,
                          std::size_t at) {
  return label(hypothesis, hypothesis.pairing == Pairing::kRankForClass ? static_cast<int>(rank)
                                                                        : ranked.ids[at]);
}

Parts Predictions::differ(const Hypothesis& hypothesis, std::size_t frame) {
  ++evaluations_;
  Parts parts;
  const Ranked& said = ranked(hypothesis.recipe, frame);
  parts.fits = said.fits;
  if (!said.fits) return parts;
  const Observed& seen = observed_[frame];
  const std::vector<std::size_t> places = reported(hypothesis.recipe, said);
  const std::size_t most = std::max(places.size(), seen.count), n = std::min(most, ranks_);
  if (n == 0) return parts;
  double labels = 0, scores = 0;
  for (std::size_t rank = 0; rank < std::min({places.size(), seen.count, n}); ++rank) {
    const std::size_t at = places[rank];
    if (seen.has_labels && rank < seen.labels.size()) {
      const int label = label_at(hypothesis, said, rank, at);
      if (label != kAnyLabel && !codes_.matches(label, seen.labels[rank]))
        labels += hypothesis.pairing != Pairing::kRankForClass &&
                          is_tied(hypothesis, said, at, seen.labels[rank])
                      ? kForgiven
                      : 1;
    }
    if (seen.has_scores && rank < seen.scores.size()) {
      const double given = seen.scores[rank], own = score(hypothesis, said, rank, at);
      const bool both_nan = std::isnan(given) && std::isnan(own);
      // Any number would be within a relative tolerance of infinity.
      const bool near = std::isfinite(given) && std::fabs(given - own) <= tolerance(given);
      if (!both_nan && !near && given != own)
        scores += std::isfinite(given) && std::isfinite(own)
                      ? std::min(1.0, 0.2 + std::fabs(given - own) /
                                                (std::fabs(given) + std::fabs(own) + 1e-9))
                      : 1;
    }
  }
  const auto share = [&](double part) { return part / static_cast<double>(n); };
  parts.labels = share(labels);
  parts.scores = share(scores);
  parts.count = std::fabs(static_cast<double>(places.size()) - static_cast<double>(seen.count)) /
                static_cast<double>(most);
  return parts;
}

}  // namespace edgeprobe::diagnose::postprocessing
