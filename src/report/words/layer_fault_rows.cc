// SPDX-License-Identifier: Apache-2.0
#include "report/words/rows.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "report/words/wording.h"

namespace edgeprobe::report {
namespace {

bool stands_out(const diagnose::LayerDrift& layer) {
  return layer.layer_class && layer.layer_class != diagnose::LayerClass::kVictim;
}

std::string kernel_error_text(const diagnose::LayerDrift& layer) {
  if (!known(layer.kernel_error)) return digits(layer.kernel_error);
  return digits(layer.kernel_error) + (layer.kernel_error_unit == diagnose::KernelErrorUnit::kLsb
                                           ? (*layer.kernel_error == 1 ? " step" : " steps")
                                           : "");
}

}  // namespace

std::vector<LayerFaultRow> layer_fault_rows(const diagnose::Verdict& verdict, std::size_t most) {
  std::vector<const diagnose::LayerDrift*> chosen;
  for (const diagnose::LayerDrift& layer : verdict.layers)
    if (layer.index >= 0 &&
        (known(layer.error_gain) || known(layer.kernel_error) || known(layer.share)))
      chosen.push_back(&layer);
  const bool blamed = std::any_of(verdict.causes.begin(), verdict.causes.end(),
                                  [](const auto& cause) { return !cause.layers.empty(); });
  if (!blamed && std::none_of(chosen.begin(), chosen.end(),
                              [](const auto* layer) { return stands_out(*layer); }))
    return {};
  const auto rank = [](const diagnose::LayerDrift* layer) {
    const double share = known(layer->share) ? *layer->share : 0;
    return std::tuple(stands_out(*layer), share, known(layer->error_gain) ? *layer->error_gain : 0);
  };
  std::stable_sort(chosen.begin(), chosen.end(),
                   [&](const auto* a, const auto* b) { return rank(a) > rank(b); });
  if (chosen.size() > most) chosen.resize(most);
  std::sort(chosen.begin(), chosen.end());  // They are in one list, in execution order.
  std::vector<LayerFaultRow> rows;
  for (const diagnose::LayerDrift* layer : chosen)
    rows.push_back({layer, digits(layer->error_gain), kernel_error_text(*layer),
                    digits(layer->local_error), digits(layer->floor), report::share(layer->share),
                    digits(layer->single_layer_error),
                    layer->layer_class ? diagnose::name(*layer->layer_class) : ""});
  return rows;
}

std::string layer_fault_sentence(const diagnose::LayerFaultSummary& summary) {
  std::string text;
  if (summary.checked > 0 || !summary.not_checked.empty())
    text = std::to_string(summary.checked) +
           (summary.checked == 1 ? " layer was" : " layers were") +
           " replayed alone on the host's kernels, on " + std::to_string(summary.frames) +
           (summary.frames == 1 ? " frame" : " frames");
  if (known(summary.logit_nrmse))
    text += (text.empty() ? "On" : "; on") + std::string(" the same model input the ") +
            (summary.of_answers ? "outputs" : "logits") + " are " + digits(summary.logit_nrmse) +
            " of their standard deviation from the reference's";
  if (!text.empty()) text += ".";
  if (summary.paired < summary.operators && !summary.poorly_paired)
    text += (text.empty() ? "" : " ") + std::to_string(summary.paired) + " of " +
            std::to_string(summary.operators) + " layers have a partner in the other model.";
  if (!summary.not_captured.empty()) {
    const diagnose::UncheckedLayer& first = summary.not_captured.front();
    text += (text.empty() ? "" : " ") + std::string("The reference's engine does not show ") +
            (summary.not_captured.size() == 1
                 ? "layer"
                 : std::to_string(summary.not_captured.size()) + " layers, the first is") +
            " " + std::to_string(first.layer) + " '" + sanitized(first.name, 60) +
            "': " + sanitized(first.reason, kLongestSentence) + ".";
  }
  if (!summary.skipped.empty())
    text += (text.empty() ? "Not done: " : " Not done: ") +
            sanitized(summary.skipped, kLongestSentence) + ".";
  return text;
}

std::vector<std::string> unchecked_layers(const diagnose::LayerFaultSummary& summary) {
  // One line for each reason: a model has hundreds of layers that compute a constant.
  std::vector<std::pair<std::string, std::vector<const diagnose::UncheckedLayer*>>> reasons;
  for (const diagnose::UncheckedLayer& layer : summary.not_checked) {
    auto at = std::find_if(reasons.begin(), reasons.end(),
                           [&](const auto& known) { return known.first == layer.reason; });
    if (at == reasons.end()) at = reasons.insert(reasons.end(), {layer.reason, {}});
    at->second.push_back(&layer);
  }
  std::vector<std::string> lines;
  for (const auto& [reason, layers] : reasons) {
    const diagnose::UncheckedLayer& first = *layers.front();
    const std::string named =
        std::to_string(first.layer) + " '" + first.name + "' (" + first.type + ")";
    lines.push_back(layers.size() == 1
                        ? named + ": " + reason
                        : std::to_string(layers.size()) + " layers: " + reason + "; e.g. " + named);
  }
  return lines;
}

}  // namespace edgeprobe::report
