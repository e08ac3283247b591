// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "model/attributes.h"
#include "model/change.h"
#include "model/graph.h"

/// An operator's options besides its weights, in words and numbers common to all formats.
namespace edgeprobe::compare {

/// A model file with its operators' attributes; all borrowed.
struct OptionSource {
  const model::Graph& graph;
  ByteView file;
  const std::vector<model::Attributes>& attributes;  ///< From model::attributes().
};

/// The options of one operator: "stride" [2, 2]; "padding" [0, 0, 1, 1] (top, left, bottom, right,
/// as far as the window reaches, whether the file has SAME, auto_pad or numbers); "axes" [3].
/// Omitted options have the format's default, which in ONNX depends on the operator set. Excludes
/// options without effect: a stride with a single place, counted padding where there is none.
/// docs/reference/report.md lists the words.
struct OperatorOptions {
  int layer = -1;    ///< Index of the operator.
  std::string kind;  ///< op_kind(), "activation" for all that clip, else Layer::type.
  std::map<std::string, model::AttributeValue> values;
  /// The words above are the file's own: only comparable with those of the same type.
  bool own_words = false;
  int activation_layer = -1;  ///< Source of `activation`; equals `layer` if it is fused.
  int padding_layer = -1;     ///< The preceding Pad that `padding` includes.
  /// Like "padding", with the places added at the end by rounding up; empty: not known.
  std::vector<std::int64_t> reach;
};

/// Options of one layer.
OperatorOptions options_of(const OptionSource& source, int layer);

/// Options of several layers that act as one operator: a preceding padding counts as the window's,
/// a following activation as fused; batch norms, sums and products with constants (which converters
/// fold into weights) and conversions do not count. Nothing if two of the layers are separate
/// operators. `layers` ascending.
std::optional<OperatorOptions> options_of_part(const OptionSource& source,
                                               const std::vector<int>& layers);

/// An option that makes two operators compute differently.
struct OptionDifference {
  std::string name;  ///< "operator" if the kinds differ.
  model::AttributeValue reference, target;
};

/// Empty for equivalent operators, however they are written. `reference_of_target`: positions of
/// the target's axes in the reference, as layouts_of() returns them; empty: same order.
std::vector<OptionDifference> option_differences(const OptionSource& reference,
                                                 const OperatorOptions& of_reference,
                                                 const OptionSource& target,
                                                 const OperatorOptions& of_target,
                                                 const std::vector<int>& reference_of_target = {});

/// "none", "relu", "relu6", "-1 to 1": an activation's clipping range, in words.
std::string range_text(double low, double high);

/// Changes to the file, in its own terms, that set the option `name` of its operator to `wanted`.
/// `own` are its current options. kUnsupported, with the reason, if the format cannot express it:
/// .tflite has only SAME and VALID padding.
Result<std::vector<model::Change>> changes_for(const OptionSource& source,
                                               const OperatorOptions& own, const std::string& name,
                                               const model::AttributeValue& wanted);

}  // namespace edgeprobe::compare
