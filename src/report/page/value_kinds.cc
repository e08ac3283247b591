// SPDX-License-Identifier: Apache-2.0
#include "report/page/html.h"
#include "report/page/page.h"
#include "report/page/parts.h"
#include "report/words/wording.h"

namespace edgeprobe::report {

// Tensors with lost or broken values, both sides, in execution order.
Section value_kinds_section(const diagnose::Verdict& verdict) {
  Section section{"values", "Odd values", ""};
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
  if (odd == 0) return section;
  const std::string title = std::to_string(odd) + (odd == 1 ? " tensor" : " tensors") +
                            " with NaN, infinite, denormal, saturated or beyond-float16 values";
  section.body =
      "<details><summary>" + title +
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
  return section;
}

}  // namespace edgeprobe::report
