// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/compare/compare_text.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "compare/decision.h"
#include "core/text.h"
#include "report/words/answers.h"
#include "report/words/wording.h"

namespace edgeprobe::cli {
namespace {

using compare::Agreement;
using compare::LayerAgreement;
using compare::TaskAgreement;

std::string cell(const std::optional<double>& value, int digits = 3) {
  return value ? number(*value, digits) : "-";
}

// The fraction and its interval, for scores that are 0 or 1.
std::string share_text(const task::Figure& figure) {
  return percent(figure.mean().value_or(0)) + " (" +
         std::to_string(static_cast<std::uint64_t>(std::llround(figure.sum))) + " of " +
         std::to_string(figure.n) + ", 95 % interval " + percent(figure.ci95.low) + " to " +
         percent(figure.ci95.high) + ")";
}

// Farthest first, unless all are requested: those stay in execution order.
std::vector<const LayerAgreement*> shown_layers(const Agreement& agreement,
                                                const CompareArgs& args) {
  std::vector<const LayerAgreement*> layers;
  for (const LayerAgreement& layer : agreement.layers) layers.push_back(&layer);
  if (!args.layers.empty()) return layers;
  // Four digits: a stage and its scaled copy differ only in the last bits, which depend on the
  // processor.
  const auto rank = [](const LayerAgreement* layer) {
    return layer->moments.non_finite_mismatch > 0
               ? 1e300
               : std::stod(number(layer->distances.rmse_over_range.value_or(0), 4));
  };
  std::stable_sort(layers.begin(), layers.end(),
                   [&](const auto* a, const auto* b) { return rank(a) > rank(b); });
  layers.resize(std::min(layers.size(), args.top));
  return layers;
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const auto shown = static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
  const std::string space(width > shown ? width - shown : 0, ' ');
  return right ? space + text : text + space;
}

void write_layers(std::ostream& out, const Agreement& agreement, const CompareArgs& args) {
  const auto layers = shown_layers(agreement, args);
  if (layers.empty() || (agreement.exact && args.layers.empty())) return;
  out << "\n"
      << (args.layers.empty() ? "Farthest tensors by rMSE/range" : "Tensors in execution order")
      << "\n";
  std::vector<std::vector<std::string>> rows{
      {"#", "layer", "rMSE/range", "SNR dB", "cosine", "max abs", "worst channel", "name"}};
  for (const LayerAgreement* layer : layers) {
    const compare::Distances& d = layer->distances;
    const std::uint64_t bad = layer->moments.non_finite_mismatch;
    rows.push_back({layer->position >= 0 ? std::to_string(layer->position) : "",
                    layer->stage == trace::Stage::kLayer && !layer->type.empty()
                        ? sanitized(layer->type, 24)
                        : trace::name(layer->stage),
                    d.exact ? "exact" : cell(d.rmse_over_range), cell(d.snr_db), cell(d.cosine, 6),
                    cell(d.max_abs),
                    layer->worst_channel ? std::to_string(*layer->worst_channel) + " (" +
                                               percent(*layer->worst_channel_share, 0) + ")"
                                         : "-",
                    sanitized(layer->name, 48) +
                        (bad ? "  [" + std::to_string(bad) + " NaN/Inf differ]" : "")});
  }
  constexpr bool kRight[] = {true, false, true, true, true, true, true, false};
  std::vector<std::size_t> width(rows[0].size());
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += "  " + padded(row[i], width[i], kRight[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << "\n";
  }
}

// Agreement of the apps' answers, their scores, and the classes that lost most.
void write_answers(std::ostream& out, const compare::AnswerAgreement& answers) {
  for (const auto& [title, text] : report::answer_lines(answers))
    out << "  " << padded(title, 10, false) << text << "\n";
  if (!answers.evaluation) return;
  const auto rows = report::class_table(*answers.evaluation, 10);
  for (const auto& row : rows) {
    std::string line = "            " + padded(row[0], 24, false);
    for (std::size_t i = 1; i < row.size(); ++i) line += "  " + padded(row[i], 10, true);
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << "\n";
  }
}

void write_names(std::ostream& out, const char* title, const std::vector<std::string>& names) {
  if (names.empty()) return;
  out << "  " << title << ":";
  const std::size_t shown = std::min<std::size_t>(names.size(), 8);
  for (std::size_t i = 0; i < shown; ++i) out << (i ? ", " : " ") << sanitized(names[i], 48);
  if (names.size() > shown) out << " and " << names.size() - shown << " more";
  out << "\n";
}

}  // namespace

std::string quoted_patterns(const std::vector<std::string>& patterns) {
  return edgeprobe::joined(patterns, ", ",
                           [](const std::string& pattern) { return in_quotes(pattern, 60); });
}

void write_text(std::ostream& out, const compare::Agreement& agreement, const Decision& decision,
                const CompareArgs& args, const Recorded& recorded) {
  out << decision.headline << "\n\n";
  if (!recorded.reference.empty()) out << "  recorded  reference " << recorded.reference << "\n";
  if (!recorded.target.empty()) out << "  recorded  target    " << recorded.target << "\n";
  out << "  frames    " << agreement.frames.size() << " joined by " << name(agreement.joined_by)
      << " (reference " << agreement.frames_reference << ", target " << agreement.frames_target
      << ")\n";
  out << "  tensors   " << agreement.tensors_matched << " paired (reference "
      << agreement.tensors_reference << ", target " << agreement.tensors_target << "), coverage "
      << percent(agreement.coverage) << "\n";
  if (!args.layers.empty())
    out << "  layers    " << agreement.layers_chosen << " of " << agreement.layers_paired
        << " paired layers fit " << quoted_patterns(args.layers) << "\n";
  if (!args.golden.empty())
    out << "  layers    not compared, nor the model input: golden outputs contain none\n";
  if (const LayerAgreement* stage = first_stage(agreement))
    out << "  stages    "
        << (stage->stage == trace::Stage::kModelInput ? "the model input"
                                                      : "'" + sanitized(stage->name, 60) + "'")
        << " is the first that differs\n";
  if (const auto layer = first_layer(agreement, args))
    out << "  first     " << report::first_layer_sentence(*layer) << "\n";
  if (agreement.raw_compared > 0)
    out << "  raw input " << agreement.raw_equal << " of " << agreement.raw_compared << " equal\n";
  if (agreement.output_distance) {
    out << "  outputs   mean distance " << number(*agreement.output_distance, 3) << " ("
        << name(agreement.output_distance_kind);
    if (agreement.output_distance_ci95)
      out << ", 95 % interval " << number(agreement.output_distance_ci95->low, 3) << " to "
          << number(agreement.output_distance_ci95->high, 3);
    out << ")\n";
  }
  for (const compare::SwappedOutputs& swapped : agreement.swapped)
    out << "            " << (swapped.mistake ? "SWAPPED: " : "in another order: ") << "'"
        << sanitized(swapped.first, 60) << "' is the target's '"
        << sanitized(swapped.first_target, 60) << "', '" << sanitized(swapped.second, 60)
        << "' its '" << sanitized(swapped.second_target, 60) << "'\n";
  // Values are called classes only if something shows that they are.
  if (agreement.task && (agreement.task->probabilities || agreement.task->reference.n > 0)) {
    const TaskAgreement& c = *agreement.task;
    out << "  top-1     same class in " << share_text(c.agreement) << "\n";
    if (c.k > 1)
      out << "  top-" << c.k << "     same set in "
          << percent(static_cast<double>(c.same_top_k) / static_cast<double>(c.agreement.n))
          << "\n";
    if (c.reference.n > 0) {
      out << "  accuracy  reference " << share_text(c.reference) << "\n";
      out << "            target    " << share_text(c.target) << "\n";
      out << "            difference "
          << number(100 * (c.target.sum - c.reference.sum) / static_cast<double>(c.target.n), 3)
          << " points (95 % interval " << number(100 * c.test.difference_ci95.low, 3) << " to "
          << number(100 * c.test.difference_ci95.high, 3)
          << ", McNemar p = " << number(c.test.p_value, 2) << ")\n";
      if (c.test.required_sample_size)
        out << "            not distinguished from chance; about " << *c.test.required_sample_size
            << " samples would\n";
    }
  }
  if (agreement.answers) write_answers(out, *agreement.answers);
  if (agreement.metric)
    for (const auto& [title, text] : report::metric_lines(*agreement.metric))
      out << "  " << padded(title, 10, false) << text << "\n";
  write_names(out, "only in the reference", agreement.unmatched_reference);
  if (args.golden.empty()) write_names(out, "only in the target", agreement.unmatched_target);
  for (const auto& [reference, target] : agreement.groups) {
    write_names(out, "fused, reference", reference);
    write_names(out, "     with target", target);
  }
  write_layers(out, agreement, args);
}

}  // namespace edgeprobe::cli
