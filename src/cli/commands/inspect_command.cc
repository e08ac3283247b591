// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands/inspect_front.h"
#include "cli/options/json_flag.h"
#include "cli/options/overwrite.h"
#include "cli/options/verb_arguments.h"
#include "cli/tables/columns.h"
#include "cli/tables/lint_text.h"
#include "cli/terminal/terminal.h"
#include "core/file.h"
#include "core/result.h"
#include "core/text.h"
#include "diagnose/recorded/recording.h"
#include "lint/lint.h"
#include "model/closed_bytes.h"
#include "model/graph.h"
#include "model/properties.h"
#include "postprocess/detection/proposal.h"
#include "postprocess/transcript/proposal.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe inspect MODEL`: shows the contents of a model file without running it.
struct InspectArgs {
  std::string model;
  bool tensors = false;  ///< Print the table of all tensors, too (always in JSON).
  bool ops = false;      ///< Print the inputs of each layer, too (always in JSON).
  bool lint = false;     ///< Print certain and likely faults of the file, too.
  JsonFlag json;
};

namespace {

using model::Graph;
using model::Layer;
using model::ModelTensor;
using nlohmann::ordered_json;

const ModelTensor& tensor_of(const Graph& graph, int index) {
  return graph.tensors[static_cast<std::size_t>(index)];
}

std::string dtype_text(const ModelTensor& tensor) {
  return tensor.stored_type.empty() ? name(tensor.spec.dtype) : tensor.stored_type;
}

// "?x224x224x3": an open dimension has no size yet.
std::string shape_text(const ModelTensor& tensor) {
  return tensor.shape_known ? open_text(tensor.spec.shape) : "unknown";
}

struct Capture {
  std::size_t tensors = 0;
  std::size_t unknown = 0;  // Number of tensors with unknown size.
  std::size_t bytes = 0;
};

Capture whole_capture(const Graph& graph) {
  Capture capture;
  for (const int index : capturable(graph)) {
    ++capture.tensors;
    capture.unknown += !tensor_of(graph, index).shape_known;
    capture.bytes += model::closed_bytes(tensor_of(graph, index)).value_or(0);
  }
  return capture;
}

// Bytes of constants in each external data file.
std::map<std::string, std::size_t> external_files(const Graph& graph) {
  std::map<std::string, std::size_t> files;
  for (const ModelTensor& tensor : graph.tensors)
    if (tensor.storage == ModelTensor::Storage::kExternal)
      files[tensor.external_file] += tensor.data_size;
  return files;
}

struct OperatorTotal {
  std::string type;
  std::size_t count = 0;
  std::size_t unknown = 0;  // Number of layers with unknown multiply-accumulates.
  std::uint64_t macs = 0;
  std::uint64_t parameters = 0;
};

// Totals by type, sorted by multiply-accumulates, then by count, then by name.
std::vector<OperatorTotal> operator_totals(const Graph& graph) {
  std::map<std::string, OperatorTotal> by_type;
  for (const Layer& layer : graph.layers) {
    OperatorTotal& total = by_type[layer.type];
    total.type = layer.type;
    ++total.count;
    total.unknown += !layer.macs;
    total.macs += layer.macs.value_or(0);
    total.parameters += layer.parameters;
  }
  std::vector<OperatorTotal> totals;
  for (auto& [type, total] : by_type) totals.push_back(std::move(total));
  std::stable_sort(totals.begin(), totals.end(),
                   [](const OperatorTotal& a, const OperatorTotal& b) {
                     return a.macs != b.macs ? a.macs > b.macs : a.count > b.count;
                   });
  return totals;
}

std::size_t unknown_layers(const Graph& graph) {
  return static_cast<std::size_t>(std::count_if(graph.layers.begin(), graph.layers.end(),
                                                [](const Layer& layer) { return !layer.macs; }));
}

std::string quantization_text(const Quantization& q) {
  if (q.empty()) return "";
  if (!q.per_channel())
    return "scale " + number(q.scale[0], 6) + ", zero point " + std::to_string(q.zero_point_at(0));
  const auto [least, most] = std::minmax_element(q.scale.begin(), q.scale.end());
  return std::to_string(q.scale.size()) + " scales " + number(*least, 3) + " to " +
         number(*most, 3) + " along axis " + std::to_string(q.axis);
}

namespace detection = postprocess::detection;

/// The recipe that the model and the files next to it suggest.
struct Proposal {
  std::string looks_like, recipe;
  std::optional<FrontProposal> front;
  explicit operator bool() const { return !recipe.empty() || front.has_value(); }
};

// Sets sides that an export leaves open to those in its exporter's metadata: "[640, 640]".
void close_input(Shape& shape, const std::map<std::string, std::string>& properties) {
  const auto said = properties.find("imgsz");
  if (said == properties.end() || shape.size() != 4 || shape[1] != 3) return;
  int height = 0, width = 0;
  if (std::sscanf(said->second.c_str(), "[%d, %d]", &height, &width) != 2) return;
  if (shape[0] <= 0) shape[0] = 1;
  if (shape[2] <= 0) shape[2] = height;
  if (shape[3] <= 0) shape[3] = width;
}

// Sets an open batch size, and the number of boxes from the maps of strides 8, 16 and 32.
void close_output(Shape& shape, detection::Size model) {
  if (shape.size() != 3) return;
  if (shape[0] <= 0) shape[0] = 1;
  double cells = 0;
  for (const double stride : {8, 16, 32})
    cells += std::ceil(model.width / stride) * std::ceil(model.height / stride);
  if (shape[2] <= 0) shape[2] = static_cast<std::int64_t>(cells);
}

bool is_classifier(const std::vector<TensorSpec>& outputs) {
  return outputs.size() == 1 && outputs[0].shape.size() == 2 && outputs[0].shape[1] > 1;
}

// Proposes a recipe for a model with a picture as input.
Proposal proposal_of(const Graph& graph, const std::string& path, ByteView file) {
  Proposal out;
  out.front = front_near(path, graph, file);
  if (graph.inputs.size() != 1) return out;
  detection::Exported exported{model::properties(file), graph.format == "tflite",
                               model_type_near(path)};
  Shape input = tensor_of(graph, graph.inputs[0]).spec.shape;
  close_input(input, exported.properties);
  const auto size = diagnose::input_size(input);
  std::vector<TensorSpec> outputs;
  for (const int index : graph.outputs) {
    outputs.push_back(tensor_of(graph, index).spec);
    if (size) close_output(outputs.back().shape, *size);
  }
  const detection::Size model = size.value_or(detection::Size{});
  const bool has_front = out.front && !out.front->recipe.empty();
  if (outputs.size() == 1)
    if (auto text = postprocess::transcript::proposal(
            {path, input, tensor_of(graph, graph.outputs[0]).spec.shape, exported.properties})) {
      out.looks_like = std::move(text->looks_like), out.recipe = std::move(text->recipe);
      return out;
    }
  if (const auto found = detection::proposal(outputs, model, exported)) {
    out.looks_like = found->looks_like, out.recipe = found->recipe;
    if (has_front && found->recipe.starts_with("||"))
      out.recipe = out.front->recipe + " " + found->recipe;
  } else if (has_front) {
    out.recipe = out.front->recipe + (is_classifier(outputs) ? " || softmax | topk(5)" : "");
  }
  return out;
}

void write_header(std::ostream& out, const InspectArgs& args, const Graph& graph,
                  const Proposal& proposal) {
  Columns columns("<<");
  const auto row = [&](const char* label, const std::string& value) {
    if (!value.empty()) columns.add({label, value});
  };
  row("format",
      graph.format + ", " + bytes_text(static_cast<double>(graph.file_size)) + " (" +
          std::to_string(graph.file_size) + " bytes)" +
          (graph.subgraph_count > 1 ? ", main graph of " + std::to_string(graph.subgraph_count)
                                    : ""));
  row("sha256", graph.sha256);
  row("description", sanitized(graph.description));
  row("producer", sanitized(graph.producer));
  std::vector<std::string> words;
  for (const auto& [domain, version] : graph.opsets)
    words.push_back(sanitized(domain, 60) + " " + std::to_string(version));
  row("opsets", edgeprobe::joined(words));
  words.clear();
  for (const auto& [file, bytes] : external_files(graph))
    words.push_back(sanitized(file, 60) + " (" + bytes_text(static_cast<double>(bytes)) + ")");
  row("values in", edgeprobe::joined(words));
  words.clear();
  for (const std::string& signature : graph.signatures) words.push_back(sanitized(signature, 60));
  row("signatures", edgeprobe::joined(words));
  words.clear();
  for (const auto& [key, size] : graph.metadata)
    words.push_back(sanitized(key, 60) + " (" + bytes_text(static_cast<double>(size)) + ")");
  row("metadata", edgeprobe::joined(words));
  const auto rows_of = [&](const char* label, const std::vector<int>& tensors) {
    for (const int index : tensors) {
      const ModelTensor& tensor = tensor_of(graph, index);
      const std::string quantization = quantization_text(tensor.spec.quantization);
      row(index == tensors.front() ? label : "",
          dtype_text(tensor) + " " + shape_text(tensor) + "  " + sanitized(tensor.spec.name, 60) +
              (quantization.empty() ? "" : "  (" + quantization + ")"));
    }
  };
  rows_of("inputs", graph.inputs);
  rows_of("outputs", graph.outputs);
  const std::size_t unknown = unknown_layers(graph);
  row("work", count_text(static_cast<double>(graph.macs())) + " multiply-accumulates" +
                  (unknown ? " (" + std::to_string(unknown) + " of " +
                                 std::to_string(graph.layers.size()) + " layers cannot be counted)"
                           : "") +
                  ", " + count_text(static_cast<double>(graph.parameters())) + " parameters");
  const Capture capture = whole_capture(graph);
  row("all layers",
      std::to_string(capture.tensors) + " tensors, " +
          bytes_text(static_cast<double>(capture.bytes)) + " a frame" +
          (capture.unknown ? " and " + std::to_string(capture.unknown) + " of unknown size" : ""));
  row("looks like", proposal.looks_like);
  row("recipe", proposal.recipe);
  if (proposal.front)
    row("front end", proposal.front->why_not.empty()
                         ? "by " + proposal.front->source
                         : proposal.front->source + ": " + proposal.front->why_not);
  out << sanitized(args.model) << "\n";
  columns.write(out);
  for (const std::string& warning : graph.warnings) out << "  warning: " << warning << "\n";
}

void write_operators(std::ostream& out, const Graph& graph) {
  Columns columns("<>>>>");
  columns.add({"operator", "layers", "MACs", "share", "parameters"});
  const auto all = static_cast<double>(graph.macs());
  for (const OperatorTotal& total : operator_totals(graph))
    columns.add({sanitized(total.type, 60), std::to_string(total.count),
                 total.unknown == total.count ? "?" : count_text(static_cast<double>(total.macs)),
                 all > 0 && total.macs > 0 ? percent(static_cast<double>(total.macs) / all) : "",
                 count_text(static_cast<double>(total.parameters))});
  out << "\n";
  columns.write(out);
}

void write_layers(std::ostream& out, const Graph& graph, bool with_inputs) {
  const bool named = std::any_of(graph.layers.begin(), graph.layers.end(),
                                 [](const Layer& layer) { return !layer.name.empty(); });
  Columns columns("><>><<><<");
  columns.add({"#", "layer", "MACs", "parameters", "dtype", "output", "bytes", "name",
               named ? "node" : ""});
  const auto row = [&](std::vector<std::string> head, int index, const std::string& node) {
    if (index < 0) return;
    const ModelTensor& tensor = tensor_of(graph, index);
    const auto bytes = model::closed_bytes(tensor);
    for (std::string cell : {dtype_text(tensor), shape_text(tensor),
                             bytes ? bytes_text(static_cast<double>(*bytes)) : std::string("?"),
                             sanitized(tensor.spec.name, 60), sanitized(node, 60)})
      head.push_back(std::move(cell));
    columns.add(std::move(head));
  };
  for (const Layer& layer : graph.layers) {
    if (with_inputs)
      for (const int input : layer.inputs)
        row({"", input < 0 ? "" : "  <- " + std::to_string(input), "", ""}, input, "");
    bool first = true;
    for (const int output : layer.outputs) {
      row(first ? std::vector<std::string>{std::to_string(layer.index), sanitized(layer.type, 40),
                                           layer.macs ? count_text(static_cast<double>(*layer.macs))
                                                      : "?",
                                           count_text(static_cast<double>(layer.parameters))}
                : std::vector<std::string>{"", "", "", ""},
          output, first ? layer.name : "");
      first = false;
    }
  }
  out << "\n";
  columns.write(out);
}

// The role of each tensor in the main graph.
std::vector<const char*> roles_of(const Graph& graph) {
  std::vector<const char*> roles;
  for (const ModelTensor& tensor : graph.tensors)
    roles.push_back(tensor.is_constant ? "constant" : tensor.is_variable ? "variable" : "unused");
  const auto give = [&roles](const std::vector<int>& tensors, const char* role) {
    for (const int index : tensors) roles[static_cast<std::size_t>(index)] = role;
  };
  for (const Layer& layer : graph.layers)
    for (const int output : layer.outputs)
      if (output >= 0 && !tensor_of(graph, output).is_variable) give({output}, "intermediate");
  give(graph.outputs, "output");
  give(graph.inputs, "input");
  return roles;
}

void write_tensors(std::ostream& out, const Graph& graph) {
  const std::vector<const char*> roles = roles_of(graph);
  Columns columns("><<<<<");
  columns.add({"tensor", "role", "dtype", "shape", "name", "quantisation"});
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    const ModelTensor& tensor = graph.tensors[i];
    columns.add({std::to_string(i), roles[i], dtype_text(tensor), shape_text(tensor),
                 sanitized(tensor.spec.name, 60), quantization_text(tensor.spec.quantization)});
  }
  out << "\n";
  columns.write(out);
}

ordered_json tensor_json(const ModelTensor& tensor, std::size_t index, const char* role) {
  const Quantization& q = tensor.spec.quantization;
  const auto bytes = model::closed_bytes(tensor);
  return {{"index", index},
          {"name", tensor.spec.name},
          {"role", role},
          {"dtype", dtype_text(tensor)},
          {"shape", tensor.shape_known ? ordered_json(tensor.spec.shape) : ordered_json(nullptr)},
          {"external", tensor.storage == ModelTensor::Storage::kExternal
                           ? ordered_json{{"file", tensor.external_file},
                                          {"offset", tensor.data_offset},
                                          {"size", tensor.data_size}}
                           : ordered_json(nullptr)},
          {"bytes", bytes ? ordered_json(*bytes) : ordered_json(nullptr)},
          {"quantization",
           q.empty()
               ? ordered_json(nullptr)
               : ordered_json{{"scale", q.scale}, {"zero_point", q.zero_point}, {"axis", q.axis}}}};
}

ordered_json layer_json(const Layer& layer) {
  return {{"index", layer.index},
          {"type", layer.type},
          {"name", layer.name},
          {"version", layer.version},
          {"inputs", layer.inputs},
          {"outputs", layer.outputs},
          {"macs", layer.macs ? ordered_json(*layer.macs) : ordered_json(nullptr)},
          {"parameters", layer.parameters}};
}

ordered_json text_or_null(const std::string& text) {
  return text.empty() ? ordered_json(nullptr) : ordered_json(text);
}

ordered_json proposal_json(const Proposal& proposal) {
  if (!proposal) return nullptr;
  return {{"looks_like", text_or_null(proposal.looks_like)},
          {"recipe", text_or_null(proposal.recipe)},
          {"front_source", proposal.front ? text_or_null(proposal.front->source) : nullptr},
          {"front_unsaid", proposal.front ? text_or_null(proposal.front->why_not) : nullptr}};
}

using Lint = std::optional<std::vector<lint::Finding>>;

std::string model_json(const InspectArgs& args, const Graph& graph, const Proposal& proposal,
                       const Lint& found) {
  const std::vector<const char*> roles = roles_of(graph);
  const Capture capture = whole_capture(graph);
  ordered_json out{{"schema_version", 1},
                   {"file", args.model},
                   {"format", graph.format},
                   {"size", graph.file_size},
                   {"sha256", graph.sha256},
                   {"description", graph.description},
                   {"producer", graph.producer},
                   {"opsets", graph.opsets},
                   {"subgraphs", graph.subgraph_count},
                   {"signatures", graph.signatures},
                   {"metadata", graph.metadata},
                   {"warnings", graph.warnings},
                   {"inputs", graph.inputs},
                   {"outputs", graph.outputs},
                   {"macs", graph.macs()},
                   {"proposed_recipe", proposal_json(proposal)},
                   {"layers_without_macs", unknown_layers(graph)},
                   {"parameters", graph.parameters()},
                   {"capture",
                    {{"tensors", capture.tensors},
                     {"bytes", capture.bytes},
                     {"tensors_of_unknown_size", capture.unknown}}},
                   {"operators", ordered_json::array()},
                   {"layers", ordered_json::array()},
                   {"tensors", ordered_json::array()}};
  for (const OperatorTotal& total : operator_totals(graph))
    out["operators"].push_back(
        {{"type", total.type},
         {"layers", total.count},
         {"macs", total.unknown == total.count ? ordered_json(nullptr) : ordered_json(total.macs)},
         {"parameters", total.parameters}});
  for (const Layer& layer : graph.layers) out["layers"].push_back(layer_json(layer));
  for (std::size_t i = 0; i < graph.tensors.size(); ++i)
    out["tensors"].push_back(tensor_json(graph.tensors[i], i, roles[i]));
  if (found) out["lint"] = lint_json(graph, *found);
  // Names are bytes: invalid UTF-8 becomes the replacement character instead of an error.
  return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

/// Writes the model's header, operators and layers. kDone, or the reader's error; kDiffers if lint
/// finds a fault.
Result<Outcome> run(const InspectArgs& args, Terminal& terminal) {
  EP_CHECK(check_texts({{"--json", args.json.file}}, {args.model}));
  model::FileBytes file;
  EP_TRY(const auto graph, model::load(args.model, file));
  Lint found;
  if (args.lint) {
    EP_TRY(found, lint::lint(graph, file.view()));
  }
  const bool faulty = found && std::any_of(found->begin(), found->end(), [](const auto& one) {
                        return one.level == lint::Level::kFault;
                      });
  const Proposal proposal = proposal_of(graph, args.model, file.view());
  const Outcome outcome = faulty ? Outcome::kDiffers : Outcome::kDone;
  if (args.json.wanted) {
    const std::string text = model_json(args, graph, proposal, found);
    if (args.json.file.empty()) {
      terminal.out << text;
      return outcome;
    }
    EP_CHECK(write_file(args.json.file, view_of(text)));
  }
  write_header(terminal.out, args, graph, proposal);
  write_operators(terminal.out, graph);
  write_layers(terminal.out, graph, args.ops);
  if (args.tensors) write_tensors(terminal.out, graph);
  if (found) write_lint(terminal.out, graph, *found);
  return outcome;
}

Work declare_inspect(Parser& parser) {
  auto args = std::make_shared<InspectArgs>();
  parser.option("model", args->model, "A model file: .tflite or .onnx").required();
  parser.flag("--tensors", args->tensors, "Also print the table of all tensors");
  parser.flag("--ops", args->ops, "Also print the inputs of each layer");
  parser.flag("--lint", args->lint,
              "Also check the file for faults and risks in scales, biases and weights (exit code 3 "
              "for a certain fault)");
  add_json(parser, args->json);
  return work_of(args);
}

}  // namespace edgeprobe::cli
