// SPDX-License-Identifier: Apache-2.0
#include "diagnose/postprocessing/changes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace edgeprobe::diagnose::postprocessing {
namespace {

using postprocess::Activation;
using postprocess::Order;
using postprocess::Reading;
using postprocess::TableOrder;

// Number of repeated classes required to propose a separate table.
constexpr int kLeastRepeats = 3;

void add(std::vector<Change>& out, std::uint32_t sets, double weight, const std::string& key,
         std::function<void(Hypothesis&)> apply) {
  out.push_back({sets, weight, std::to_string(sets) + ":" + key, std::move(apply), 0});
}

template <class Value>
std::string key_of(Value value) {
  return std::to_string(static_cast<int>(value));
}

postprocess::Labels& labels_of(Hypothesis& hypothesis) {
  if (!hypothesis.recipe.labels) hypothesis.recipe.labels.emplace();
  return *hypothesis.recipe.labels;
}

void add_activations(std::vector<Change>& out) {
  const std::vector<std::vector<Activation>> chains{
      {},
      {Activation::kSoftmax},
      {Activation::kSoftmax, Activation::kSoftmax},
      {Activation::kSigmoid},
      {Activation::kSigmoid, Activation::kSigmoid},
      {Activation::kSigmoid, Activation::kSoftmax},
      {Activation::kSoftmax, Activation::kSigmoid},
      {Activation::kLogSoftmax},
      {Activation::kShare},
      {Activation::kExp},
      {Activation::kOfLargest},
      {Activation::kSoftmax, Activation::kOfLargest},
      {Activation::kStretched},
      {Activation::kSoftmax, Activation::kStretched},
      {Activation::kBatchSoftmax},
  };
  for (std::size_t i = 0; i < chains.size(); ++i)
    add(out, kActivation, 1 + 0.1 * static_cast<double>(i), std::to_string(i),
        [chain = chains[i]](Hypothesis& h) { h.recipe.activations = chain; });
}

void add_readings(const Predictions& predictions, std::vector<Change>& out) {
  if (!predictions.is_quantised()) return;
  const std::pair<Reading, double> readings[] = {{Reading::kValues, 1},
                                                 {Reading::kCodes, 1},
                                                 {Reading::kNoZeroPoint, 1},
                                                 {Reading::kOf255, 1.1},
                                                 {Reading::kFlippedSign, 1.2},
                                                 {Reading::kFlippedCodes, 2},
                                                 {Reading::kFlippedNoZeroPoint, 2}};
  for (const auto& [reading, weight] : readings)
    add(out, kReading, weight, key_of(reading),
        [reading = reading](Hypothesis& h) { h.recipe.reading = reading; });
}

void add_orders(std::vector<Change>& out) {
  const std::pair<Order, double> orders[] = {
      {Order::kDescending, 1}, {Order::kAscending, 1}, {Order::kUnsorted, 1.2}};
  for (const auto& [order, weight] : orders)
    add(out, kOrder, weight, key_of(order),
        [order = order](Hypothesis& h) { h.recipe.order = order; });
  for (const Pairing pairing : {Pairing::kRankForClass, Pairing::kScoresUnsorted})
    add(out, kPairing, 1.4, key_of(pairing), [pairing](Hypothesis& h) { h.pairing = pairing; });
}

void add_tables(const Predictions& predictions, const Hypothesis& hypothesis,
                std::vector<Change>& out) {
  if (predictions.judged() == Judged::kNothing) return;
  for (const int by : {-1, 1, 2})
    add(out, kShift, by == 2 ? 2 : 1, std::to_string(by),
        [shift = hypothesis.recipe.labels->shift + by](Hypothesis& h) {
          labels_of(h).shift = shift;
        });
  if (predictions.judged() != Judged::kNames) return;
  const std::pair<TableOrder, double> tables[] = {
      {TableOrder::kFile, 1.1},   {TableOrder::kAlphabetical, 1.1}, {TableOrder::kNoCase, 1.2},
      {TableOrder::kAsText, 1.3}, {TableOrder::kReversed, 1.4},     {TableOrder::kOther, 1.1},
      {TableOrder::kNumbers, 1.2}};
  for (const auto& [order, weight] : tables) {
    if (order == TableOrder::kOther && !hypothesis.recipe.labels->other) continue;
    add(out, kTable, weight, key_of(order), [order = order](Hypothesis& h) {
      labels_of(h).order = order;
      h.edit = nullptr;
    });
  }
}

// A class of a hypothesis, and the label the app recorded for it.
struct Seen {
  int id = 0, label = 0;
};

std::vector<Seen> labels_seen(Predictions& predictions, const Hypothesis& hypothesis) {
  std::vector<Seen> out;
  for (std::size_t frame = 0; frame < predictions.frames(); ++frame) {
    const Ranked& said = predictions.ranked(hypothesis.recipe, frame);
    if (!said.fits) continue;
    const Observed& seen = predictions.observed(frame);
    const auto places = predictions.reported(hypothesis.recipe, said);
    for (std::size_t rank = 0; rank < std::min(places.size(), seen.labels.size()); ++rank)
      if (predictions.ties(hypothesis, said, places[rank]) == 1)
        out.push_back({said.ids[places[rank]], seen.labels[rank]});
  }
  return out;
}

// Adds a table that is not a reordering of the label file.
void add_edit(std::vector<Change>& out, double weight, const std::string& key,
              std::shared_ptr<const TableEdit> edit) {
  add(out, kTable, weight, key, [edit = std::move(edit)](Hypothesis& h) {
    labels_of(h).order = TableOrder::kFile;
    h.edit = edit;
  });
}

// Proposes a missing or extra line: labels are right up to some class and off by one line after it.
void add_lost_line(const Predictions& predictions, int shift, const std::vector<Seen>& seen,
                   std::vector<Change>& out) {
  std::vector<std::pair<int, int>> moves;  // The class's line, and the offset of its label's line.
  std::map<int, int> unknown;              // An extra line gives its class an unknown label.
  for (const Seen& one : seen) {
    if (one.label == kNoLabel) continue;
    const int line = predictions.class_of(one.label);
    if (line < 0) {
      if (unknown.emplace(one.id + shift, one.label).first->second != one.label) return;
      continue;
    }
    moves.emplace_back(one.id + shift, line - one.id - shift);
  }
  std::sort(moves.begin(), moves.end());
  for (const int off : {1, -1}) {
    const auto first = std::find_if(moves.begin(), moves.end(),
                                    [&](const auto& move) { return move.second == off; });
    if (first == moves.begin() || first == moves.end()) continue;
    if (!std::all_of(moves.begin(), first, [](const auto& m) { return m.second == 0; }) ||
        !std::all_of(first, moves.end(), [&](const auto& m) { return m.second == off; }))
      continue;
    auto edit = std::make_shared<TableEdit>();
    edit->kind = off == 1 ? TableEdit::Kind::kLineLost : TableEdit::Kind::kLineAdded;
    edit->from = first->first;
    edit->right = std::prev(first)->first;
    if (!unknown.empty() &&
        (off == 1 || unknown.size() > 1 || unknown.begin()->first <= edit->right ||
         unknown.begin()->first >= edit->from))
      continue;
    edit->label = unknown;
    const std::string key = "line" + std::to_string(off) + "," + std::to_string(edit->from) + "," +
                            std::to_string(edit->right);
    add_edit(out, 1.6, key, std::move(edit));
  }
}

// Proposes a separate table if each class always gets the same label, different from the others'.
void add_own_table(const Predictions& predictions, int shift, const std::vector<Seen>& seen,
                   std::vector<Change>& out) {
  auto edit = std::make_shared<TableEdit>();
  int repeats = 0;
  for (const Seen& one : seen) {
    if (one.label == kNoLabel) continue;
    const auto [at, fresh] = edit->label.emplace(one.id + shift, one.label);
    if (at->second != one.label) return;
    repeats += fresh ? 0 : 1;
  }
  std::set<int> labels;
  for (const auto& [id, label] : edit->label) labels.insert(label);
  if (repeats < kLeastRepeats || labels.size() != edit->label.size()) return;
  std::string key = "map";
  for (const auto& [id, label] : edit->label) {
    key += "," + std::to_string(id) + "=" + std::to_string(label);
    edit->own.emplace(id, predictions.name(label));
  }
  add_edit(out, 3, key, std::move(edit));
}

void add_edits(Predictions& predictions, const Hypothesis& hypothesis, std::vector<Change>& out) {
  if (predictions.judged() != Judged::kNames) return;
  if (hypothesis.edit) return;
  if (hypothesis.recipe.labels->order != predictions.reference().labels->order) return;
  const std::vector<Seen> seen = labels_seen(predictions, hypothesis);
  const int shift = hypothesis.recipe.labels->shift;
  add_lost_line(predictions, shift, seen, out);
  add_own_table(predictions, shift, seen, out);
}

void add_most(Predictions& predictions, const Hypothesis& hypothesis, std::vector<Change>& out) {
  std::size_t longest = 0;
  for (std::size_t frame = 0; frame < predictions.frames(); ++frame)
    longest = std::max(longest, predictions.observed(frame).count);
  if (longest == 0 || hypothesis.recipe.most == longest) return;
  if (hypothesis.recipe.most && longest > *hypothesis.recipe.most)
    add(out, kMost, 1, "all", [](Hypothesis& h) { h.recipe.most.reset(); });
  if (longest >= predictions.ranked(hypothesis.recipe, 0).ids.size()) return;
  add(out, kMost, 1.1, std::to_string(longest),
      [longest](Hypothesis& h) { h.recipe.most = longest; });
}

// Derives threshold bounds from the number of answers.
void add_threshold(Predictions& predictions, const Hypothesis& hypothesis,
                   std::vector<Change>& out) {
  double low = -HUGE_VAL, high = HUGE_VAL;
  postprocess::Classification open = hypothesis.recipe;
  open.threshold.reset();
  for (std::size_t frame = 0; frame < predictions.frames(); ++frame) {
    const Ranked& said = predictions.ranked(open, frame);
    std::vector<double> scores;
    for (const std::size_t at : predictions.reported(open, said)) scores.push_back(said.scores[at]);
    std::sort(scores.begin(), scores.end(), std::greater<>());
    const std::size_t count = predictions.observed(frame).count;
    if (count < scores.size()) low = std::max(low, scores[count]);
    if (count > 0 && !scores.empty())
      high = std::min(high, scores[std::min(count, scores.size()) - 1]);
  }
  const auto& now = hypothesis.recipe.threshold;
  if (!std::isfinite(low)) {
    if (now) add(out, kThreshold, 1, "none", [](Hypothesis& h) { h.recipe.threshold.reset(); });
    return;
  }
  if (!(low < high) || (now && *now > low && *now <= high)) return;
  const double top = std::isfinite(high) ? high : low + std::max(1.0, std::fabs(low));
  const double value = shortest_number(low, top);
  add(out, kThreshold, 1, "from" + std::to_string(value), [value, low, high](Hypothesis& h) {
    h.recipe.threshold = value;
    h.threshold = {low, high};
  });
}

}  // namespace

double shortest_number(double low, double high) {
  for (int digits = 0; digits < 8; ++digits) {
    const double unit = std::pow(10, digits);
    for (const double half : {1.0, 2.0}) {
      const double value = std::floor(high * unit * half + 1e-9) / (unit * half);
      if (value > low && value <= high + 1e-12) return std::min(value, high);
    }
  }
  return high;
}

std::vector<Change> changes_of(Predictions& predictions, const Hypothesis& hypothesis) {
  std::vector<Change> out;
  add_activations(out);
  add_readings(predictions, out);
  for (std::size_t i = 0; predictions.outputs() > 1 && i < predictions.outputs(); ++i)
    add(out, kOutput, 1, std::to_string(i), [i](Hypothesis& h) { h.recipe.output = i; });
  add_orders(out);
  add(out, kPercent, 1, "", [](Hypothesis& h) { h.recipe.percent = !h.recipe.percent; });
  const std::size_t skip = hypothesis.recipe.skip + 1;
  add(out, kSkip, 1.3, "1", [skip](Hypothesis& h) { h.recipe.skip = skip; });
  // Skips the first class; the labels start with the second one's.
  add(out, kSkip | kShift, 1.3, "1,1",
      [skip, shift = hypothesis.recipe.labels->shift + 1](Hypothesis& h) {
        h.recipe.skip = skip;
        labels_of(h).shift = shift;
      });
  add_tables(predictions, hypothesis, out);
  add_edits(predictions, hypothesis, out);
  add_most(predictions, hypothesis, out);
  add_threshold(predictions, hypothesis, out);
  std::erase_if(out, [&](const Change& one) {
    Hypothesis with_it = hypothesis;
    one.apply(with_it);
    return with_it == hypothesis;
  });
  return out;
}

}  // namespace edgeprobe::diagnose::postprocessing
