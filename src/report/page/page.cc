// SPDX-License-Identifier: Apache-2.0
#include "report/page/page.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "report/page/html.h"
#include "report/page/parts.h"
#include "report/words/answers.h"
#include "report/words/evidence.h"
#include "report/words/fix.h"
#include "report/words/hints.h"
#include "report/words/rows.h"
#include "report/words/wording.h"

namespace edgeprobe::report {
namespace {

constexpr std::size_t kWorstRows = 10;

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string list(const std::vector<std::string>& items) {
  std::string out = "<ul>\n";
  for (std::size_t i = 0; i < std::min(kMostListed, items.size()); ++i)
    out += "<li>" + escaped(items[i]) + "</li>\n";
  out += "</ul>\n";
  if (items.size() > kMostListed)
    out += "<p class=\"soft\">and " + std::to_string(items.size() - kMostListed) + " more</p>\n";
  return out;
}

// A bar from 0 to 100 % with the interval as a band and the value as a mark; decoration, the text
// says the same.
std::string track(const std::optional<double>& value, const std::optional<diagnose::Interval>& ci) {
  if (!known(value) || *value < 0 || *value > 1) return "";
  std::string out = "<span class=\"track\" aria-hidden=\"true\">";
  if (ci && ci->low >= 0 && ci->high <= 1 && ci->low <= ci->high)
    out += "<i style=\"left:" + number(ci->low * 100) +
           "%;width:" + number((ci->high - ci->low) * 100) + "%\"></i>";
  return out + "<b style=\"left:" + number(*value * 100) + "%\"></b></span>";
}

std::string key_figures(const diagnose::Verdict& verdict, const diagnose::Cause* first) {
  const diagnose::TaskResult& task = verdict.task;
  const std::string metric = escaped(capitalised(metric_title(task.metric)), kLongestName);
  std::string out;
  std::size_t count = 0;
  const auto add = [&](const std::string& term, const std::string& value,
                       const std::string& more = "", const std::string& bar = "") {
    ++count;
    out += "<div><dt>" + term + "</dt><dd>" + value + bar +
           (more.empty() ? "" : "<small>" + more + "</small>") + "</dd></div>\n";
  };
  const auto task_figure = [&](const std::string& who, const std::optional<double>& value,
                               const std::optional<diagnose::Interval>& ci, std::string more) {
    const std::string interval = metric_interval(task.metric, ci);
    if (!interval.empty()) more = "95 %: " + interval + (more.empty() ? "" : "<br>" + more);
    add(metric + " " + who, metric_value(task.metric, value), more, track(value, ci));
  };
  if (known(task.target) || known(task.reference) || known(task.fixed)) {
    const std::string p = p_text(task.p_value);
    task_figure("on the target", task.target, task.target_ci95,
                "n = " + std::to_string(task.n) +
                    (p.empty() ? "" : ", " + escaped(p + " (" + task.test + ")")));
    task_figure("of the reference", task.reference, task.reference_ci95, "");
    if (known(task.fixed)) task_figure("after the fix", task.fixed, task.fixed_ci95, "");
  } else {
    add(metric, "–", "not measured: no labels");
  }
  if (first && known(first->explained_variance))
    add(first->together > 1 ? "Explained by the causes" : "Explained by the cause",
        share(first->explained_variance),
        first->stage == diagnose::CauseStage::kModel ? "of the distance of the outputs"
                                                     : "of the distance at the model input");
  if (const diagnose::Cause* last = fixed_outputs(verdict))
    add(first == last ? "Restored by the fix" : "Restored by the fixes", share(last->restored),
        "of the output distance");
  if (known(task.top1_agreement))
    add("Agreement", share(task.top1_agreement), "of the answers equal the reference’s");
  if (known(verdict.output_distance))
    add("Distance of the outputs", decimals(verdict.output_distance, 4),
        escaped(distance_title(verdict.output_distance_kind)) +
            (known(verdict.output_floor) ? ", floor " + decimals(verdict.output_floor, 4) : ""));
  // Whole rows: three across, or all of them when there are fewer than six and not three.
  const std::size_t across = count > 5 || count == 3 ? 3 : count;
  return "<dl class=\"figures\" style=\"--across:" + std::to_string(across) + "\">\n" + out +
         "</dl>\n";
}

std::string fix(const diagnose::Cause& cause) {
  if (cause.fix_step.empty() && cause.fix_code.empty()) return "";
  std::string out = "<h4>The fix</h4>\n";
  if (!cause.fix_step.empty())
    out += "<p>Recipe step: <code class=\"step\">" + escaped(cause.fix_step) + "</code></p>\n";
  if (cause.fix_code.empty()) return out;
  out += "<div class=\"codes\">\n";
  for (const std::string& api : api_order(cause))
    out += "<div><h5>" + escaped(api_title(api), kLongestName) + "</h5><pre><code>" +
           escaped_lines(cause.fix_code.at(api)) + "</code></pre></div>\n";
  return out + "</div>\n";
}

std::string cause_card(const diagnose::Cause& cause, const std::string& title,
                       std::size_t rank = 0) {
  std::string out =
      "<article class=\"card\">\n<h3>" + title + " <span class=\"badge " +
      diagnose::name(cause.status) + "\">" +
      (cause.status == diagnose::CauseStatus::kPartial ? "not confirmed"
                                                       : diagnose::name(cause.status)) +
      "</span></h3>\n";
  if (!cause.detail.empty()) out += "<p>" + escaped(sentence(cause.detail), 2000) + "</p>\n";
  std::string facts;
  const auto fact = [&](const std::string& term, const std::string& text) {
    facts += "<dt>" + term + "</dt><dd>" + text + "</dd>\n";
  };
  if (!cause.layer.empty()) fact("Layer", escaped(layer_text(cause).substr(6), kLongestSentence));
  if (known(cause.explained_variance) && cause.together == 1)
    fact("Explains", share(cause.explained_variance) + " of the distance");
  if (known(cause.contribution))
    fact("Contributes", decimals(cause.contribution, 1) + " steps of 255 when only this is undone");
  if (known(cause.restored) || cause.restored_unavailable)
    fact(capitalised(restored_label(rank)), escaped(restored_text(cause)));
  if (!facts.empty()) out += "<dl class=\"facts\">\n" + facts + "</dl>\n";
  if (cause.status == diagnose::CauseStatus::kConfirmed) out += fix(cause);
  if (!cause.evidence.empty()) out += "<h4>Evidence</h4>\n" + list(evidence_texts(cause.evidence));
  if (!cause.alternatives.empty())
    out += "<h4>These data cannot tell it from</h4>\n" + list(cause.alternatives);
  return out + "</article>\n";
}

std::string causes(const diagnose::Verdict& verdict) {
  if (verdict.causes.empty()) return "";
  const auto confirmed = with_status(verdict, diagnose::CauseStatus::kConfirmed);
  const auto kind = [](const diagnose::Cause& cause) {
    return escaped(capitalised(kind_title(cause.kind)), kLongestName);
  };
  std::string out =
      std::string("<h2>") + (verdict.causes.size() == 1 ? "Cause" : "Causes") + "</h2>\n";
  for (std::size_t i = 0; i < confirmed.size(); ++i)
    out += cause_card(
        *confirmed[i],
        (confirmed.size() > 1 ? std::to_string(i + 1) + ". " : "") + kind(*confirmed[i]), i);
  for (const diagnose::Cause* cause : with_status(verdict, diagnose::CauseStatus::kNearly))
    out += cause_card(*cause, kind(*cause) + ", reproduced but for a small rest");
  for (const diagnose::Cause* cause : with_status(verdict, diagnose::CauseStatus::kNote))
    out += cause_card(*cause, kind(*cause) + ", below the floor");
  for (const diagnose::Cause* cause : with_status(verdict, diagnose::CauseStatus::kPartial)) {
    const bool nameless = cause->kind == diagnose::CauseKind::kUnknown;
    out += cause_card(*cause, nameless ? "Cause unknown"
                                       : "Cause unknown, nearest: " +
                                             escaped(kind_title(cause->kind), kLongestName));
  }
  return out;
}

std::string layer_row(const diagnose::LayerDrift& layer) {
  const compare::Distances& d = layer.distances;
  const std::string note = layer_note(layer);
  std::string name = escaped(layer.name, kLongestName);
  if (!layer.target_name.empty() && layer.target_name != layer.name)
    name += "<br><small>target: " + escaped(layer.target_name, kLongestName) + "</small>";
  if (!note.empty()) name += " <small>(" + note + ")</small>";
  const auto cell = [](const std::string& text, const char* css = "number") {
    return std::string("<td class=\"") + css + "\">" + text + "</td>";
  };
  return "<tr>" + cell(index_text(layer)) + cell(drift_text(layer)) + "<th scope=\"row\">" + name +
         "</th>" + cell(escaped(layer.type, 32), "wide-only type") + cell(decimals(d.snr_db, 1)) +
         cell(decimals(d.cosine, 4), "number medium-only") +
         cell(digits(d.max_abs), "number wide-only") +
         cell(layer.worst_channel ? std::to_string(*layer.worst_channel) : "–",
              "number wide-only") +
         "</tr>\n";
}

std::string layer_table(const std::vector<diagnose::LayerDrift>& layers,
                        const std::vector<std::size_t>& order, const std::string& caption) {
  std::string out = "<table>\n<caption>" + caption +
                    "</caption>\n<thead><tr><th scope=\"col\" class=\"number\">#</th>"
                    "<th scope=\"col\" class=\"number\">RMSE / range</th><th scope=\"col\" "
                    "class=\"layer\">Layer</th><th scope=\"col\" class=\"wide-only\">Type</th>"
                    "<th scope=\"col\" class=\"number\">SNR dB</th><th scope=\"col\" "
                    "class=\"number medium-only\">Cosine</th>"
                    "<th scope=\"col\" class=\"number wide-only\">Max |d|</th><th scope=\"col\" "
                    "class=\"number wide-only\">Worst channel</th></tr></thead>\n<tbody>\n";
  for (const std::size_t i : order) out += layer_row(layers[i]);
  return out + "</tbody></table>\n";
}

std::string layers(const diagnose::Verdict& verdict) {
  const std::vector<diagnose::LayerDrift>& layers = verdict.layers;
  if (layers.empty()) return "";
  std::string out = "<h2>Layer drift</h2>\n";
  if (verdict.first_layer)
    out += "<p>" + escaped(first_layer_sentence(*verdict.first_layer)) + "</p>\n";
  if (const std::string said = non_finite_sentence(verdict); !said.empty())
    out += "<p>" + escaped(said) + "</p>\n";
  out += drift_chart(layers);
  std::vector<std::size_t> worst = worst_first(layers);
  const std::size_t rows = std::min(kWorstRows, layers.size());
  std::vector<std::size_t> all(worst.begin(), worst.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                  kMostTableLayers, worst.size())));
  worst.resize(rows);
  out += layer_table(layers, worst,
                     "The worst " + std::to_string(rows) + " of " + std::to_string(layers.size()) +
                         " tensors, worst first");
  if (layers.size() <= rows) return out;
  std::sort(all.begin(), all.end());
  const std::string title =
      all.size() < layers.size()
          ? "The worst " + std::to_string(all.size()) + " of " + std::to_string(layers.size()) +
                " tensors, in execution order"
          : "All " + std::to_string(layers.size()) + " tensors, in execution order";
  return out + "<details><summary>" + title + "</summary>\n" + layer_table(layers, all, title) +
         "</details>\n";
}

// Tensors with values that lose or break something, both sides, in execution order.
std::string value_kinds(const diagnose::Verdict& verdict) {
  std::string rows;
  std::size_t odd = 0;
  for (const diagnose::LayerDrift& layer : verdict.layers) {
    const compare::KindCounts &r = layer.reference_kinds, &t = layer.target_kinds;
    if (r.ordinary() && t.ordinary()) continue;
    if (++odd > kMostTableLayers) continue;
    const auto cell = [](std::uint64_t reference, std::uint64_t target, const char* css) {
      return std::string("<td class=\"") + css + "\">" + std::to_string(reference) + " / " +
             std::to_string(target) + "</td>";
    };
    rows += "<tr><td class=\"number\">" + index_text(layer) + "</td><th scope=\"row\">" +
            escaped(layer.name, kLongestName) + "</th>" + cell(r.nan, t.nan, "number") +
            cell(r.infinite, t.infinite, "number") +
            cell(r.denormal, t.denormal, "number medium-only") +
            cell(r.saturated, t.saturated, "number medium-only") +
            cell(r.beyond_float16, t.beyond_float16, "number wide-only") +
            cell(r.values, t.values, "number wide-only") + "</tr>\n";
  }
  if (odd == 0) return "";
  const std::string title = std::to_string(odd) + (odd == 1 ? " tensor" : " tensors") +
                            " with NaN, infinite, denormal, saturated or beyond-float16 values";
  return "<details><summary>" + title +
         "</summary>\n<table>\n<caption>Counts, reference / target; saturated: a code at an end of "
         "its 8 or 16 bits, or ±65504 in float16" +
         (odd > kMostTableLayers ? "; the first " + std::to_string(kMostTableLayers) : "") +
         "</caption>\n<thead><tr><th scope=\"col\" class=\"number\">#</th><th scope=\"col\" "
         "class=\"layer\">Tensor</th><th scope=\"col\" class=\"number\">NaN</th><th scope=\"col\" "
         "class=\"number\">Infinite</th><th scope=\"col\" class=\"number "
         "medium-only\">Denormal</th><th scope=\"col\" class=\"number "
         "medium-only\">Saturated</th><th scope=\"col\" class=\"number wide-only\">&gt; "
         "65504</th><th scope=\"col\" class=\"number "
         "wide-only\">Values</th></tr></thead>\n<tbody>\n" +
         rows + "</tbody></table></details>\n";
}

std::string layer_faults(const diagnose::Verdict& verdict) {
  if (!verdict.layer_faults) return "";
  const std::string said = layer_fault_sentence(*verdict.layer_faults);
  const auto unchecked = unchecked_layers(*verdict.layer_faults);
  if (said.empty() && unchecked.empty()) return "";
  std::string out = "<h2>Each layer for itself</h2>\n";
  if (!said.empty()) out += "<p>" + escaped(said, kLongestSentence) + "</p>\n";
  if (!unchecked.empty())
    out += "<details><summary>" + std::to_string(verdict.layer_faults->not_checked.size()) +
           " not checked</summary>\n" + list(unchecked) + "</details>\n";
  const auto rows = layer_fault_rows(verdict, kWorstRows);
  if (rows.empty()) return out;
  out +=
      "<table>\n<caption>Layers that stand out, in execution order; “kernel”, “local” and “alone” "
      "leave out what other layers did</caption>\n"
      "<thead><tr><th scope=\"col\" class=\"number\">#</th><th scope=\"col\" "
      "class=\"layer\">Layer</th><th scope=\"col\" class=\"wide-only\">Type</th>";
  const char* const css[] = {"number medium-only", "number", "number medium-only",
                             "number wide-only",   "number", "number wide-only"};
  for (std::size_t i = 0; i < std::size(kLayerFaultColumns); ++i)
    out += std::string("<th scope=\"col\" class=\"") + css[i] + "\">" +
           capitalised(kLayerFaultColumns[i]) + "</th>";
  out += "<th scope=\"col\">Class</th></tr></thead>\n<tbody>\n";
  for (const LayerFaultRow& row : rows) {
    out += "<tr><td class=\"number\">" + index_text(*row.layer) + "</td><th scope=\"row\">" +
           escaped(row.layer->name, kLongestName) + "</th><td class=\"wide-only type\">" +
           escaped(row.layer->type, 32) + "</td>";
    std::size_t i = 0;
    for (const std::string* cell : {&row.error_gain, &row.kernel_error, &row.local, &row.floor,
                                    &row.share, &row.single_layer_error})
      out += std::string("<td class=\"") + css[i++] + "\">" + *cell + "</td>";
    out += "<td>" + escaped(row.verdict, 32) + "</td></tr>\n";
  }
  return out + "</tbody></table>\n";
}

// What the apps answered, and the classes that lost most.
std::string answers(const diagnose::Verdict& verdict) {
  if (!verdict.answer_agreement) return "";
  std::string out = "<h2>Answers of the app</h2>\n<ul>\n";
  for (const auto& [title, text] : answer_lines(*verdict.answer_agreement))
    out += "<li>" + escaped(text, kLongestSentence) + "</li>\n";
  out += "</ul>\n";
  if (!verdict.answer_agreement->evaluation) return out;
  const auto rows = class_table(*verdict.answer_agreement->evaluation, kMostListed);
  if (rows.empty()) return out;
  out += "<table>\n<caption>" + escaped(verdict.answer_agreement->task->title) +
         " of each class, those that lost most first</caption>\n<thead><tr>";
  for (const std::string& cell : rows.front())
    out += "<th scope=\"col\">" + escaped(capitalised(cell)) + "</th>";
  out += "</tr></thead>\n<tbody>\n";
  for (std::size_t i = 1; i < rows.size(); ++i) {
    out += "<tr><th scope=\"row\">" + escaped(rows[i].front(), kLongestName) + "</th>";
    for (std::size_t c = 1; c < rows[i].size(); ++c)
      out += "<td class=\"number\">" + escaped(rows[i][c]) + "</td>";
    out += "</tr>\n";
  }
  return out + "</tbody></table>\n";
}

std::string coverage(const diagnose::Coverage& coverage) {
  const auto of = [](std::uint64_t part, const std::string& whole) {
    return std::to_string(part) + " of " + whole;
  };
  std::string out = "<h2>Coverage</h2>\n<dl class=\"facts\">\n<dt>Frames compared</dt><dd>" +
                    of(coverage.frames_compared, std::to_string(coverage.frames)) +
                    "</dd>\n<dt>Tensors matched</dt><dd>" +
                    std::to_string(coverage.layers_matched) + " (reference " +
                    std::to_string(coverage.layers_reference) + ", target " +
                    std::to_string(coverage.layers_target) + ")</dd>\n</dl>\n";
  if (!coverage.unmatched.empty())
    out += "<details><summary>" + std::to_string(coverage.unmatched.size()) +
           " unmatched</summary>\n" + list(coverage.unmatched) + "</details>\n";
  return out;
}

std::string provenance(const std::map<std::string, std::string>& entries) {
  if (entries.empty()) return "";
  std::string out =
      "<h2>Provenance</h2>\n<table class=\"provenance\">\n<caption>Where these numbers come "
      "from</caption>\n<tbody>\n";
  std::size_t rows = 0;
  for (const auto& [key, text] : entries) {
    if (rows++ == kMostListed) break;
    out += "<tr><th scope=\"row\">" + escaped(key, kLongestName) + "</th><td>" + escaped(text) +
           "</td></tr>\n";
  }
  return out + "</tbody></table>\n";
}

std::string pictures(const diagnose::Verdict& verdict, const HtmlOptions& options) {
  if (options.images == Images::kNone)
    return "<h2>Input pictures</h2>\n<p>This page was made without pictures.</p>\n";
  if (verdict.pictures.empty()) return "";
  return "<h2>Input pictures</h2>\n" + picture_rows(verdict.pictures, verdict.samples,
                                                    verdict.answers ? verdict.answers->recipe : "");
}

std::string boxed_list(const char* title, const char* css, const std::vector<std::string>& items) {
  if (items.empty()) return "";
  return std::string("<h2>") + title + "</h2>\n<div class=\"card " + css + "\">\n" + list(items) +
         "</div>\n";
}

}  // namespace

std::string render_html(const diagnose::Verdict& verdict, const HtmlOptions& options) {
  const auto confirmed = with_status(verdict, diagnose::CauseStatus::kConfirmed);
  const diagnose::Cause* first = confirmed.empty() ? nullptr : confirmed.front();
  const std::string outcome = diagnose::name(verdict.outcome);
  const std::string title = escaped(headline(verdict));

  std::string out =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; img-src data:; "
      "base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n"
      "<title>" +
      capitalised(outcome) + ": " + title + "</title>\n<style>" + style_sheet() +
      "</style>\n</head>\n<body>\n<main>\n";
  out += "<header>\n<span class=\"badge " + outcome + "\">" + capitalised(outcome) +
         "</span>\n<h1>" + title + "</h1>\n" + "<p class=\"lead\">" + meaning(verdict.outcome) +
         " Exit code " + std::to_string(exit_code(verdict.outcome)) + ".</p>\n</header>\n";
  if (options.images != Images::kNone) out += input_difference(verdict);
  out += key_figures(verdict, first);
  out += answers(verdict);
  out += boxed_list("What would decide it", "", hint_texts(verdict.would_decide));
  out += causes(verdict);
  out += boxed_list(kFixTitle, "", fix_rows(verdict));
  out += boxed_list(kScalarTitle, "", scalar_rows(verdict));
  out += boxed_list("Warnings", "warnings", verdict.warnings);
  out += pictures(verdict, options);
  out += layer_faults(verdict);
  out += layers(verdict);
  out += value_kinds(verdict);
  out += coverage(verdict.coverage);
  out += provenance(verdict.provenance);
  return out +
         "<footer>Made by edgeprobe. This page is one file: it runs no script and fetches "
         "nothing.</footer>\n</main>\n</body>\n</html>\n";
}

}  // namespace edgeprobe::report
