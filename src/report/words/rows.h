// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "diagnose/verdict/verdict.h"

namespace edgeprobe::report {

/// Results of the layer analysis, shared by text and page. Untrusted names are not escaped.

/// Figures of one layer, ready for display.
struct LayerFaultRow {
  const diagnose::LayerDrift* layer = nullptr;
  std::string error_gain, kernel_error, local, floor, share, single_layer_error,
      verdict;  ///< "–": not measured. `verdict`: its class, often empty.
};
inline constexpr const char* kLayerFaultColumns[] = {"jump",  "kernel", "local",
                                                     "floor", "share",  "alone"};

/// At most `most` layers in execution order: all with a class except victims, then those with the
/// largest shares. Empty if no layer stands out.
std::vector<LayerFaultRow> layer_fault_rows(const diagnose::Verdict& verdict, std::size_t most);

/// One sentence on the analysed layers; empty if there were none.
std::string layer_fault_sentence(const diagnose::LayerFaultSummary& summary);
/// One line for each reason: "12 'lstm' (LSTM): it keeps a state from one run to the next", "74
/// layers: it computes a constant; e.g. 0 ...".
std::vector<std::string> unchecked_layers(const diagnose::LayerFaultSummary& summary);

inline constexpr const char* kScalarTitle = "What goes with the frames that fail";

/// The sentence of the study, then a line for each test ("lux (sensor): median 12 lx against 310
/// lx, effect -0.91, p < 0.001"), at most seven. Untrusted text is not escaped. Empty if the app
/// logged no number.
std::vector<std::string> scalar_rows(const diagnose::Verdict& verdict);

}  // namespace edgeprobe::report
