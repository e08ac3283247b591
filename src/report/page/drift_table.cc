// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/text.h"
#include "report/page/html.h"
#include "report/page/page.h"
#include "report/page/parts.h"
#include "report/words/wording.h"

namespace edgeprobe::report {
namespace {

constexpr std::size_t kWorstRows = 10;

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

}  // namespace

Section drift_section(const diagnose::Verdict& verdict) {
  const std::vector<diagnose::LayerDrift>& layers = verdict.layers;
  Section section{"layers", "Layer drift", ""};
  if (layers.empty()) return section;
  std::string& out = section.body;
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
                     rows == layers.size()
                         ? counted(rows, "tensor") + ", the worst first"
                         : "The worst " + std::to_string(rows) + " of " +
                               std::to_string(layers.size()) + " tensors, worst first");
  if (layers.size() <= rows) return section;
  std::sort(all.begin(), all.end());
  const std::string title =
      all.size() < layers.size()
          ? "The worst " + std::to_string(all.size()) + " of " + std::to_string(layers.size()) +
                " tensors, in execution order"
          : "All " + std::to_string(layers.size()) + " tensors, in execution order";
  out += "<details><summary>" + title + "</summary>\n" + layer_table(layers, all, title) +
         "</details>\n";
  return section;
}

}  // namespace edgeprobe::report
