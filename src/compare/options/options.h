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

/// How an operator computes, besides its weights, in words and numbers that all formats share.
namespace edgeprobe::compare {

/// A model file and what its operators say of themselves, all of it borrowed.
struct OptionSource {
  const model::Graph& graph;
  ByteView file;
  const std::vector<model::Attributes>& attributes;  ///< Of model::attributes().
};

/// The options of one operator: "stride" [2, 2]; "padding" [0, 0, 1, 1] (top, left, bottom, right,
/// as far as the window reaches, whether the file says SAME, auto_pad or numbers); "axes" [3]. What
/// a file leaves out has its format's default, which in ONNX depends on the operator set. What
/// cannot change a result is left out: a stride with one place to go, padding that is counted where
/// there is none. docs/reference/report.md lists the words.
struct OperatorOptions {
  int layer = -1;    ///< The operator that they are of.
  std::string kind;  ///< op_kind(), "activation" for all that cut off, else Layer::type.
  std::map<std::string, model::AttributeValue> values;
  /// The words above are the file's own: they say something only beside those of the same type.
  bool own_words = false;
  int activation_layer = -1;  ///< That `activation` comes from; `layer` when it is fused.
  int padding_layer = -1;     ///< A Pad in front of the window, that `padding` counts in.
  /// Like "padding", with the places that rounding up adds at the end; empty: not known.
  std::vector<std::int64_t> reach;
};

/// Of one layer.
OperatorOptions options_of(const OptionSource& source, int layer);

/// Of what some layers compute together, as one operator: padding in front of a window counts as
/// the window's, an activation behind it as fused, batch norms, sums and products with constants
/// (which converters fold into weights) and conversions do not count. Nothing where two of the
/// layers are operators of their own. `layers` ascending.
std::optional<OperatorOptions> options_of_part(const OptionSource& source,
                                               const std::vector<int>& layers);

/// An option in which two operators compute otherwise.
struct OptionDifference {
  std::string name;  ///< "operator" for another kind.
  model::AttributeValue reference, target;
};

/// Empty for operators that do the same, however it is written. `reference_of_target`: where the
/// target's axes lie in the reference, as layouts_of() gives it; empty: in the same order.
std::vector<OptionDifference> option_differences(const OptionSource& reference,
                                                 const OperatorOptions& of_reference,
                                                 const OptionSource& target,
                                                 const OperatorOptions& of_target,
                                                 const std::vector<int>& reference_of_target = {});

/// "none", "relu", "relu6", "-1 to 1": a range that an activation cuts off to, in words.
std::string range_text(double low, double high);

/// What the file has to say so that its operator has the option `name` with the value `wanted`, in
/// the file's own words. `own` are its options as they are. kUnsupported, with the reason, where
/// the format has no word for it: a .tflite knows no padding but SAME and VALID.
Result<std::vector<model::Change>> changes_for(const OptionSource& source,
                                               const OperatorOptions& own, const std::string& name,
                                               const model::AttributeValue& wanted);

}  // namespace edgeprobe::compare
