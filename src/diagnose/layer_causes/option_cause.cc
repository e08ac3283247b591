// SPDX-License-Identifier: Apache-2.0
#include "diagnose/layer_causes/layer_causes.h"

#include <algorithm>
#include <map>

#include "core/index.h"
#include "core/text.h"
#include "layers/pairing/pairing.h"

namespace edgeprobe::diagnose {
namespace {

// A Python string literal for any name in the file.
std::string python_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : sanitized(text, 200))
    out += (c == '"' || c == '\\' ? "\\" : "") + std::string(1, c);
  return out + "\"";
}

std::string python(const model::AttributeValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return python_text(*text);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "True" : "False";
  if (const auto* real = std::get_if<float>(&value)) {
    const std::string text = number(*real, 9);
    return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
  }
  return model::to_text(value);
}

// Code that uses the onnx package.
std::string onnx_code(const model::Graph& graph, const std::vector<layers::OtherOption>& options) {
  std::string code = "import numpy as np, onnx\nmodel = onnx.load(\"TARGET.onnx\")\n";
  int last = -1;
  for (const layers::OtherOption& option : options)
    for (const model::Change& change : option.changes) {
      if (change.layer != last)
        code += "node = next(n for n in model.graph.node if " +
                python_text(layers::output_name(graph, change.layer)) + " in n.output)\n";
      last = change.layer;
      if (change.name == model::kOperatorType) {
        code += "node.op_type = " + python(change.value) + "\n";
      } else if (change.input >= 0) {
        const bool real = std::holds_alternative<float>(change.value) ||
                          std::holds_alternative<std::vector<float>>(change.value);
        const std::string name = python_text(layers::output_name(graph, change.layer) + "_" +
                                             change.name),
                          slot = std::to_string(change.input);
        code += "model.graph.initializer.append(onnx.numpy_helper.from_array(np.array(" +
                python(change.value) + ", np." + (real ? "float32" : "int64") + "), " + name +
                "))\nnode.input.extend([\"\"] * (" + std::to_string(change.input + 1) +
                " - len(node.input)))\nnode.input[" + slot + "] = " + name + "\n";
      } else {
        code += "kept = [a for a in node.attribute if a.name != " + python_text(change.name) +
                "]\ndel node.attribute[:]\nnode.attribute.extend([*kept, "
                "onnx.helper.make_attribute(" +
                python_text(change.name) + ", " + python(change.value) + ")])\n";
      }
    }
  return code + "onnx.save(model, \"mended.onnx\")";
}

// Field name in the schema's Python classes; empty for a constant input.
std::string tflite_field(const std::string& name) {
  static const std::map<std::string, const char*> kFields{
      {"stride_width", "strideW"},
      {"stride_height", "strideH"},
      {"dilation_width", "dilationWFactor"},
      {"dilation_height", "dilationHFactor"},
      {"filter_width", "filterWidth"},
      {"filter_height", "filterHeight"},
      {"fused_activation", "fusedActivationFunction"},
      {"align_corners", "alignCorners"},
      {"half_pixel_centers", "halfPixelCenters"},
      {"keep_dims", "keepDims"},
      {"block_size", "blockSize"},
      {"cell_clip", "cellClip"},
      {"adj_x", "adjX"},
      {"adj_y", "adjY"}};
  const auto found = kFields.find(name);
  return found == kFields.end() ? name : found->second;
}

std::string tflite_value(const model::Change& change) {
  const auto* const word = std::get_if<std::string>(&change.value);
  if (!word) return python(change.value);
  const char* const kind = change.name == "padding"            ? "Padding."
                           : change.name == "fused_activation" ? "ActivationFunctionType."
                                                               : "MirrorPadMode.";
  return std::string("schema.") + kind + *word;
}

std::string tflite_code(const model::Graph& graph,
                        const std::vector<layers::OtherOption>& options) {
  std::string code =
      "import flatbuffers, numpy as np\nfrom ai_edge_litert import schema_py_generated as schema\n"
      "model = schema.ModelT.InitFromPackedBuf(bytearray(open(\"TARGET.tflite\", \"rb\").read()), "
      "0)\ngraph = model.subgraphs[0]\n";
  for (const layers::OtherOption& option : options)
    for (const model::Change& change : option.changes) {
      const std::string place = "graph.operators[" + std::to_string(change.layer) + "]";
      if (change.input < 0) {
        code += place + ".builtinOptions." + tflite_field(change.name) + " = " +
                tflite_value(change) + "\n";
        continue;
      }
      const int tensor = graph.layers[at(change.layer)].inputs[at(change.input)];
      const DType dtype = graph.tensors[at(tensor)].spec.dtype;
      code += "model.buffers[graph.tensors[" + std::to_string(tensor) +
              "].buffer].data = np.frombuffer(np.array(" + python(change.value) + ", np." +
              name(dtype) + ").tobytes(), np.uint8)\n";
    }
  return code +
         "builder = flatbuffers.Builder()\nbuilder.Finish(model.Pack(builder), b\"TFL3\")\n"
         "open(\"mended.tflite\", \"wb\").write(builder.Output())";
}

// An option by its name in the target's file, if it has one; else by the common name.
struct Said {
  std::string name, target, reference;
};
Said said(const layers::OtherOption& option) {
  const std::string& name = option.difference.name;
  const bool exchanged = name == "operator" && !option.changes.empty() &&
                         option.changes.front().name == model::kOperatorType;
  const bool one =
      option.changes.size() == 1 && option.changes.front().name != model::kOperatorType;
  if (exchanged || one)
    return {one ? option.changes.front().name : name, option.now.front(),
            model::to_text(option.changes.front().value)};
  return {name, model::to_text(option.difference.target),
          model::to_text(option.difference.reference)};
}

// "padding VALID in the target (SAME in the reference)".
std::string clause(const layers::OtherOption& option) {
  const Said one = said(option);
  return one.name + " " + one.target + " in the target (" + one.reference + " in the reference)";
}

}  // namespace

void say_options(const Case& known, const layers::Finding& finding, const std::string& where,
                 Cause& cause) {
  const model::Graph& target = known.target_model->graph;
  cause.kind = CauseKind::kOperator;
  std::vector<std::string> clauses;
  for (const layers::OtherOption& option : finding.options)
    if (const std::string text = clause(option);
        std::count(clauses.begin(), clauses.end(), text) == 0)
      clauses.push_back(text);
  const bool alike = clauses.size() == 1;
  cause.detail = where;
  if (finding.group.size() > 1)
    cause.detail += ", and " + std::to_string(finding.group.size() - 1) +
                    (finding.group.size() == 2 ? " other layer," : " other layers,") +
                    (alike ? " have " : " have, one or the other, ");
  else cause.detail += " has ";
  constexpr std::size_t kMostClauses = 6;
  for (std::size_t i = 0; i < std::min(clauses.size(), kMostClauses); ++i)
    cause.detail += (i ? ", " : "") + sanitized(clauses[i], 160);
  for (const layers::OtherOption& option : finding.options) {
    const Said one = said(option);
    cause.evidence.push_back({EvidenceKind::kAttributeDiffers,
                              {{"name", one.name},
                               {"target", one.target},
                               {"reference", one.reference},
                               {"option", option.difference.name}}});
  }
  for (const layers::OtherOption& option : finding.options)
    for (const model::Change& change : option.changes) {
      const model::Layer& layer = target.layers[at(change.layer)];
      cause.evidence.push_back(
          {EvidenceKind::kSetAttribute,
           {{"layer", change.layer},
            {"type", layer.type},
            {"node", layer.name.empty() ? layers::output_name(target, change.layer) : layer.name},
            {"attribute", change.name},
            {"value", model::to_text(change.value)}}});
    }
  cause.fix_code[target.format] = target.format == "tflite" ? tflite_code(target, finding.options)
                                                            : onnx_code(target, finding.options);
}

}  // namespace edgeprobe::diagnose
