// SPDX-License-Identifier: Apache-2.0
#include "report/text/verdict.h"

#include <algorithm>
#include <string_view>

#include "core/text.h"
#include "report/text/columns.h"
#include "report/words/answers.h"
#include "report/words/evidence.h"
#include "report/words/fix.h"
#include "report/words/hints.h"
#include "report/words/rows.h"
#include "report/words/wording.h"

namespace edgeprobe::report {
namespace {

constexpr std::size_t kLabel = 13;  // Width of the left column of labels.
constexpr std::size_t kRows = 10;   // Layers in the table.
constexpr std::size_t kLongestRecipe = 20'000;
constexpr std::size_t kListed = 8;  // Unmatched layers, warnings, provenance lines.

// Both ends of a layer's path identify it, the last part more than the first.
std::string shortened(const std::string& text, std::size_t width) {
  return report::shortened(text, width, width - 1 - (width - 1) * 2 / 3);
}

// Removes the first `width` columns from `text`.
std::string cut_front(std::string& text, std::size_t width) {
  std::size_t end = 0;
  for (std::size_t taken = 0; end < text.size(); ++end)
    if ((static_cast<unsigned char>(text[end]) & 0xc0) != 0x80 && taken++ == width) break;
  std::string front = text.substr(0, end);
  text.erase(0, end);
  return front;
}

class Page {
 public:
  explicit Page(const TextOptions& options)
      : color_(options.color),
        width_(static_cast<std::size_t>(std::clamp(options.width, 40, 400))) {}

  std::string styled(const char* code, const std::string& text) const {
    return color_ && !text.empty() ? "\x1b[" + std::string(code) + "m" + text + "\x1b[0m" : text;
  }
  std::string bold(const std::string& text) const { return styled("1", text); }
  std::string dim(const std::string& text) const { return styled("2", text); }
  std::size_t width() const { return width_; }

  void line(const std::string& text = "") { out_ += text + "\n"; }
  void heading(const std::string& text) {
    line();
    line(bold(text));
  }

  // Wraps `text` at spaces. The first line starts with `first`, the others with equal indentation.
  // `code` styles the words, not the margin.
  void paragraph(const std::string& first, const std::string& text, const char* code = nullptr) {
    const std::size_t margin = columns(first);
    std::string start = first, row;
    const auto flush = [&] {
      line(start + (code ? styled(code, row) : row));
      start = std::string(margin, ' ');
      row.clear();
    };
    std::size_t at = 0;
    while (at < text.size()) {
      const std::size_t space = std::min(text.find(' ', at), text.size());
      std::string piece = text.substr(at, space - at);
      at = space + 1;
      if (!row.empty() && margin + columns(row) + 1 + columns(piece) > width_) flush();
      for (; row.empty() && margin + columns(piece) > width_; flush())
        row = cut_front(piece, width_ - std::min(width_ - 10, margin));
      row += row.empty() ? piece : " " + piece;
    }
    if (!row.empty()) flush();
  }

  // One entry under a label of fixed width.
  void entry(const std::string& label, const std::string& text) {
    if (!color_) return paragraph(padded(label, kLabel), text);
    const std::size_t before = out_.size();
    paragraph(std::string(kLabel, ' '), text);
    out_.replace(before, kLabel, dim(padded(label, kLabel)));
  }

  std::string take() { return std::move(out_); }

 private:
  bool color_;
  std::size_t width_;
  std::string out_;
};

const char* outcome_color(diagnose::Outcome outcome) {
  switch (outcome) {
    case diagnose::Outcome::kAgrees: return "1;32";
    case diagnose::Outcome::kDiffers: return "1;31";
    case diagnose::Outcome::kUndecided: return "1;33";
  }
  return "1";
}

void task_figures(Page& page, const diagnose::TaskResult& task) {
  std::string title = metric_title(task.metric);
  title[0] =
      static_cast<char>(title[0] >= 'a' && title[0] <= 'z' ? title[0] - 'a' + 'A' : title[0]);
  if (!known(task.target) && !known(task.reference) && !known(task.fixed)) {
    page.entry(shortened(title, kLabel - 1),
               task.of_plugin ? "not defined over these frames" : "not measured (no labels)");
    return;
  }
  const auto row = [&](const char* who, const std::optional<double>& value,
                       const std::optional<diagnose::Interval>& ci, const std::string& more) {
    std::string text = padded(who, 11) + right(metric_value(task.metric, value), 7);
    const std::string interval = metric_interval(task.metric, ci);
    if (!interval.empty()) text += "   " + padded("95 %: " + interval, 24);
    if (!more.empty()) text += "   " + more;
    while (text.back() == ' ') text.pop_back();
    return text;
  };
  const std::string p = p_text(task.p_value);
  // These rows keep their columns and are never wrapped.
  const auto put = [&](const std::string& label, const std::string& text) {
    page.line(page.dim(padded(label, kLabel)) + text);
  };
  put(shortened(title, kLabel - 1),
      row("target", task.target, task.target_ci95, "n = " + std::to_string(task.n)));
  put("", row("reference", task.reference, task.reference_ci95,
              p.empty() ? "" : p + " (" + task.test + ")"));
  if (known(task.fixed)) put("", row("after fix", task.fixed, task.fixed_ci95, ""));
}

void figures(Page& page, const diagnose::Verdict& verdict, const diagnose::Cause* first,
             const std::string& recorded) {
  page.line();
  page.line(page.dim(padded("Verdict", kLabel)) +
            page.styled(outcome_color(verdict.outcome), diagnose::name(verdict.outcome)) +
            " (exit code " + std::to_string(exit_code(verdict)) + ")");
  if (!recorded.empty()) page.entry("Recorded", recorded);
  task_figures(page, verdict.task);
  if (first && known(first->explained_variance))
    page.entry(
        "Explained",
        share(first->explained_variance) + " of the distance " +
            (first->stage == diagnose::CauseStage::kModel ? "of the outputs"
                                                          : "at the model input") +
            (first->together > 1 ? ", by " + std::to_string(first->together) + " causes together"
                                 : ""));
  if (const diagnose::Cause* last = fixed_outputs(verdict))
    page.entry("Restored",
               restored_text(*last) + (first == last ? " by the fix" : " by the fixes"));
  if (verdict.answer_agreement)
    for (const auto& [title, text] : answer_lines(*verdict.answer_agreement))
      page.entry(title == "answers" ? "Agreement" : title == "task" ? "Task" : "", text);
  if (known(verdict.task.top1_agreement))
    page.entry("Agreement",
               share(verdict.task.top1_agreement) + " of the answers equal the reference's");
  if (known(verdict.output_distance)) {
    std::string text =
        decimals(verdict.output_distance, 4) + " " + distance_title(verdict.output_distance_kind);
    if (known(verdict.output_floor)) text += ", floor " + decimals(verdict.output_floor, 4);
    page.entry("Outputs", text);
  }
  if (verdict.answers) page.entry("Answers", answers_sentence(*verdict.answers));
}

void fix(Page& page, const diagnose::Cause& cause) {
  if (cause.fix_step.empty() && cause.fix_code.empty()) return;
  page.line();
  const std::string step = sanitized(cause.fix_step, kLongestSentence);
  page.entry("  Fix", step.empty() ? "" : "recipe step  " + step);
  if (step.empty()) page.line("  Fix");
  for (const std::string& api : api_order(cause)) {
    std::string label = "    " + padded(api_title(api), kLabel - 4);
    if (label.back() != ' ') label += ' ';
    std::string_view rest = cause.fix_code.at(api);
    do {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      page.line(page.dim(label) +
                page.styled("36", sanitized(rest.substr(0, end), kLongestSentence)));
      label = std::string(kLabel, ' ');
      rest.remove_prefix(std::min(end + 1, rest.size()));
    } while (!rest.empty());
  }
}

void bullets(Page& page, const std::string& title, const std::vector<std::string>& sentences) {
  if (sentences.empty()) return;
  page.line();
  page.line("  " + title);
  for (const std::string& text : sentences)
    page.paragraph("    - ", sanitized(text, kLongestSentence));
}

void cause_block(Page& page, const diagnose::Cause& cause, const std::string& title,
                 std::size_t rank = 0) {
  page.heading(title);
  if (!cause.detail.empty()) page.paragraph("  ", sentence(cause.detail));
  if (!cause.layer.empty()) page.paragraph("  ", layer_text(cause));
  if (cause.status == diagnose::CauseStatus::kConfirmed) fix(page, cause);

  std::vector<std::string> numbers;
  if (known(cause.explained_variance) && cause.together == 1)
    numbers.push_back("explains " + share(cause.explained_variance));
  if (known(cause.contribution))
    numbers.push_back("contributes " + decimals(cause.contribution, 1) + " steps of 255");
  if (known(cause.restored) || cause.restored_unavailable)
    numbers.push_back(restored_label(rank) + ": " + restored_text(cause));
  std::string joined;
  for (const std::string& text : numbers) joined += (joined.empty() ? "" : " · ") + text;
  if (!joined.empty()) {
    page.line();
    page.paragraph("  ", joined);
  }
  bullets(page, "Evidence", evidence_texts(cause.evidence));
  bullets(page, "These data cannot distinguish it from", cause.alternatives);
}

void causes(Page& page, const diagnose::Verdict& verdict) {
  const auto confirmed = with_status(verdict, diagnose::CauseStatus::kConfirmed);
  for (std::size_t i = 0; i < confirmed.size(); ++i) {
    const std::string rank = confirmed.size() > 1 ? " " + std::to_string(i + 1) + " of " +
                                                        std::to_string(confirmed.size())
                                                  : "";
    cause_block(page, *confirmed[i],
                "Cause" + rank + ": " + kind_title(confirmed[i]->kind) + " (confirmed)", i);
  }
  for (const diagnose::Cause* cause : with_status(verdict, diagnose::CauseStatus::kNearly))
    cause_block(page, *cause,
                "Nearly: " + kind_title(cause->kind) +
                    " (reproduced except for a small rest, not confirmed)");
  for (const diagnose::Cause* cause : with_status(verdict, diagnose::CauseStatus::kNote))
    cause_block(
        page, *cause,
        "Note: " + kind_title(cause->kind) + " (real, but its effect stays under the floor)");
  for (const diagnose::Cause* cause : with_status(verdict, diagnose::CauseStatus::kPartial))
    cause_block(page, *cause,
                cause->kind == diagnose::CauseKind::kUnknown
                    ? "Cause unknown"
                    : "Cause unknown, nearest: " + kind_title(cause->kind) + " (not confirmed)");
}

void layers(Page& page, const diagnose::Verdict& verdict) {
  const std::vector<diagnose::LayerDrift>& layers = verdict.layers;
  if (layers.empty()) return;
  const bool all_exact =
      std::all_of(layers.begin(), layers.end(), [](const auto& l) { return l.distances.exact; });
  if (all_exact) {
    page.heading("Layer drift");
    page.paragraph(
        "  ", "All " + std::to_string(layers.size()) + " compared tensors are equal bit for bit.");
    return;
  }
  const std::size_t rows = std::min(kRows, layers.size());
  page.heading("Layer drift, worst " + std::to_string(rows) + " of " +
               std::to_string(layers.size()));
  if (verdict.first_layer) page.paragraph("  ", first_layer_sentence(*verdict.first_layer));
  if (const std::string said = non_finite_sentence(verdict); !said.empty())
    page.paragraph("  ", said);
  const std::size_t name =
      std::min<std::size_t>(page.width() - std::min<std::size_t>(page.width() - 16, 62), 60);
  page.line(page.dim("  " + right("#", 5) + "  " + padded("layer", name) + "  " +
                     padded("type", 18) + right("rMSE/range", 11) + " " + right("SNR dB", 7) + " " +
                     right("cosine", 8)));
  const auto order = worst_first(layers);
  for (std::size_t i = 0; i < rows; ++i) {
    const diagnose::LayerDrift& layer = layers[order[i]];
    const std::string note = layer_note(layer);
    page.line("  " + right(index_text(layer), 5) + "  " +
              padded(shortened(sanitized(layer.name), name), name) + "  " +
              padded(shortened(sanitized(layer.type), 18), 18) + right(drift_text(layer), 11) +
              " " + right(decimals(layer.distances.snr_db, 1), 7) + " " +
              right(decimals(layer.distances.cosine, 4), 8) + (note.empty() ? "" : "  " + note));
  }
}

void add_list(Page& page, const std::string& title, const std::vector<std::string>& items,
              std::size_t most) {
  if (items.empty()) return;
  page.heading(title);
  for (std::size_t i = 0; i < std::min(most, items.size()); ++i)
    page.paragraph("  - ", sanitized(items[i], kLongestSentence));
  if (items.size() > most) page.line("  and " + std::to_string(items.size() - most) + " more");
}

// At least one space before a figure that fills its column.
std::string cell(const std::string& figure, std::size_t width) {
  return figure.size() < width ? right(figure, width) : " " + figure;
}

void layer_faults(Page& page, const diagnose::Verdict& verdict) {
  if (!verdict.layer_faults) return;
  const std::string said = layer_fault_sentence(*verdict.layer_faults);
  const auto unchecked = unchecked_layers(*verdict.layer_faults);
  if (said.empty() && unchecked.empty()) return;
  page.heading("Each layer for itself");
  if (!said.empty()) page.paragraph("  ", said);
  for (std::size_t i = 0; i < std::min(kListed, unchecked.size()); ++i)
    page.paragraph("  Not checked: ", sanitized(unchecked[i], kLongestSentence));
  if (unchecked.size() > kListed)
    page.line("  Not checked for " + std::to_string(unchecked.size() - kListed) +
              " more reasons (all layers: --json)");
  const auto rows = layer_fault_rows(verdict, kRows);
  if (rows.empty()) return;
  const std::size_t name =
      std::min<std::size_t>(page.width() - std::min<std::size_t>(page.width() - 12, 78), 48);
  std::string title =
      "  " + right("#", 5) + "  " + padded("layer", name) + "  " + padded("type", 14);
  for (const char* column : kLayerFaultColumns)
    title += right(column, column == std::string_view("kernel") ? 11 : 8);
  page.line(page.dim(title));
  for (const LayerFaultRow& row : rows)
    page.line("  " + right(index_text(*row.layer), 5) + "  " +
              padded(shortened(sanitized(row.layer->name), name), name) + "  " +
              padded(shortened(sanitized(row.layer->type), 14), 14) + cell(row.error_gain, 8) +
              cell(row.kernel_error, 11) + cell(row.local, 8) + cell(row.floor, 8) +
              cell(row.share, 8) + cell(row.single_layer_error, 8) +
              (row.verdict.empty() ? "" : "  " + row.verdict));
}

void coverage(Page& page, const diagnose::Coverage& coverage) {
  page.heading("Coverage");
  page.paragraph("  ", std::to_string(coverage.frames_compared) + " of " +
                           std::to_string(coverage.frames) + " frames compared; " +
                           std::to_string(coverage.layers_matched) + " tensors matched, of " +
                           std::to_string(coverage.layers_reference) + " in the reference and " +
                           std::to_string(coverage.layers_target) + " in the target.");
  if (const std::string said = layer_frames_sentence(coverage); !said.empty())
    page.paragraph("  ", said);
  if (coverage.unmatched.empty()) return;
  std::string names;
  for (std::size_t i = 0; i < std::min(kListed, coverage.unmatched.size()); ++i)
    names += (i ? ", " : "") + sanitized(coverage.unmatched[i]);
  if (coverage.unmatched.size() > kListed)
    names += " and " + std::to_string(coverage.unmatched.size() - kListed) + " more";
  page.paragraph("  Unmatched: ", names);
}

void provenance(Page& page, const std::map<std::string, std::string>& entries) {
  if (entries.empty()) return;
  page.heading("Provenance");
  std::size_t widest = 0;
  for (const auto& [key, text] : entries)
    widest = std::max(widest, std::min<std::size_t>(columns(sanitized(key)), 24));
  for (const auto& [key, text] : entries) {
    const std::string label = "  " + padded(shortened(sanitized(key), 24), widest) + "  ";
    // Users copy recipes.
    constexpr std::string_view kRecipe = "recipe";
    if (key.size() >= kRecipe.size() &&
        std::string_view(key).substr(key.size() - kRecipe.size()) == kRecipe) {
      page.line(page.dim(label) + sanitized(text, kLongestRecipe));
      continue;
    }
    page.line(
        page.dim(label) +
        shortened(sanitized(text), page.width() - std::min(page.width() - 10, columns(label))));
  }
}

}  // namespace

std::string render_text(const diagnose::Verdict& verdict, const TextOptions& options) {
  Page page(options);
  const auto confirmed = with_status(verdict, diagnose::CauseStatus::kConfirmed);
  const diagnose::Cause* first = confirmed.empty() ? nullptr : confirmed.front();

  page.paragraph("", headline(verdict), outcome_color(verdict.outcome));
  figures(page, verdict, first, options.recorded);
  if (!verdict.would_decide.empty())
    add_list(page, "What would decide it", hint_texts(verdict.would_decide), kListed);
  causes(page, verdict);
  add_list(page, kFixTitle, fix_rows(verdict), 40);
  add_list(page, kScalarTitle, scalar_rows(verdict), 9);
  layer_faults(page, verdict);
  layers(page, verdict);
  coverage(page, verdict.coverage);
  add_list(page, "Warnings", verdict.warnings, kListed);
  provenance(page, verdict.provenance);
  return page.take();
}

}  // namespace edgeprobe::report
