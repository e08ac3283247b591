// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "diagnose/verdict/verdict.h"

namespace edgeprobe::report {

/// What the layer analysis says, for text and page alike. Untrusted names are not escaped.

/// The figures of one layer as they are shown.
struct LayerFaultRow {
  const diagnose::LayerDrift* layer = nullptr;
  std::string error_gain, kernel_error, local, floor, share, single_layer_error,
      verdict;  ///< "–": not measured. `verdict`: its class, often empty.
};
inline constexpr const char* kLayerFaultColumns[] = {"jump",  "kernel", "local",
                                                     "floor", "share",  "alone"};

/// At most `most` layers in execution order: all that have a class but victims, then those with the
/// largest shares. Empty when no layer stands out.
std::vector<LayerFaultRow> layer_fault_rows(const diagnose::Verdict& verdict, std::size_t most);

/// One sentence on what was looked at; empty when no layer was.
std::string layer_fault_sentence(const diagnose::LayerFaultSummary& summary);
/// One line a reason: "12 'lstm' (LSTM): it keeps a state from one run to the next", "74 layers: it
/// computes a constant; e.g. 0 ...".
std::vector<std::string> unchecked_layers(const diagnose::LayerFaultSummary& summary);

inline constexpr const char* kScalarTitle = "What goes with the frames that fail";

/// The sentence of the study, then a line for each test ("lux (sensor): median 12 lx against 310
/// lx, effect -0.91, p < 0.001"), at most seven of them. Untrusted text is not escaped. Empty when
/// the app logged no number.
std::vector<std::string> scalar_rows(const diagnose::Verdict& verdict);

}  // namespace edgeprobe::report
