// SPDX-License-Identifier: Apache-2.0
// Shows what src/model reads to tests in other languages:
//   graph_tool names                      the operator names of codes 0 to 255, as JSON
//   graph_tool dump MODEL                 the graph, as JSON
//   graph_tool dumps                      the same for each path on standard input, one line each;
//   {"error": …} where it fails graph_tool constants MODEL OUT        the values of all constants,
//   one after the other, in OUT; prints index and size of each,
//                                         or the fault, as JSON
//   graph_tool promote MODEL OUT BUDGET   OUT.0, OUT.1, …: copies with intermediates as outputs,
//   one a
//                                         group of BUDGET bytes; prints the output tensors of each
//                                         as JSON
//   graph_tool cuts MODEL OUT RESTS       OUT.0, OUT.1, …: each layer alone, then what stands
//   behind RESTS of them, evenly
//                                         spaced, and the whole; prints layers, inputs and outputs
//                                         of each, or the fault, as JSON
//   graph_tool attributes MODEL           the attributes of each layer by name, as JSON; {"opaque":
//   …} for what is not read
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "core/file.h"
#include "model/format.h"
#include "model/tflite/op_names.h"

namespace {

using nlohmann::json;
namespace model = edgeprobe::model;

int fail(const edgeprobe::Error& error) {
  std::cerr << name(error.kind) << ": " << error.what << "\n";
  return 1;
}

json to_json(const model::ModelTensor& tensor) {
  const auto& q = tensor.spec.quantization;
  return {{"name", tensor.spec.name},
          {"dtype", name(tensor.spec.dtype)},
          {"stored_type", tensor.stored_type},
          {"shape", tensor.spec.shape},
          {"scale", q.scale},
          {"zero_point", q.zero_point},
          {"axis", q.axis},
          {"constant", tensor.is_constant},
          {"variable", tensor.is_variable},
          {"offset", tensor.data_offset},
          {"size", tensor.data_size},
          {"shape_known", tensor.shape_known},
          {"sparse", tensor.is_sparse},
          {"external", tensor.external_file}};
}

json to_json(const model::Layer& layer) {
  return {{"type", layer.type},
          {"name", layer.name},
          {"version", layer.version},
          {"inputs", layer.inputs},
          {"outputs", layer.outputs},
          {"implicit_inputs", layer.implicit_inputs},
          {"weights", layer.weights},
          {"parameters", layer.parameters},
          {"macs", layer.macs ? json(*layer.macs) : json(nullptr)}};
}

json to_json(const model::Graph& graph) {
  json out{{"format", graph.format},
           {"producer", graph.producer},
           {"opsets", graph.opsets},
           {"description", graph.description},
           {"sha256", graph.sha256},
           {"size", graph.file_size},
           {"inputs", graph.inputs},
           {"outputs", graph.outputs},
           {"subgraphs", graph.subgraph_count},
           {"signatures", graph.signatures},
           {"metadata", graph.metadata},
           {"warnings", graph.warnings},
           {"macs", graph.macs()},
           {"parameters", graph.parameters()},
           {"capturable", capturable(graph)},
           {"tensors", json::array()},
           {"layers", json::array()}};
  for (const auto& tensor : graph.tensors) out["tensors"].push_back(to_json(tensor));
  for (const auto& layer : graph.layers) out["layers"].push_back(to_json(layer));
  return out;
}

std::string line_of(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

int dump_all() {
  for (std::string path; std::getline(std::cin, path);) {
    model::FileBytes file;
    const auto graph = model::load(path, file);
    std::cout << line_of(
        graph ? to_json(*graph)
              : json{{"error", graph.error().what}, {"fault", name(graph.error().kind)}});
  }
  return 0;
}

int constants(const model::Graph& graph, edgeprobe::ByteView file, const std::string& out) {
  json index = json::array();
  edgeprobe::Bytes all;
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    if (!graph.tensors[i].is_constant) continue;
    const auto values = model::constant(graph, file, static_cast<int>(i));
    index.push_back(values ? json{{"index", i}, {"size", values->bytes.size()}}
                           : json{{"index", i}, {"fault", name(values.error().kind)}});
    if (values) all.insert(all.end(), values->bytes.begin(), values->bytes.end());
  }
  if (auto written = edgeprobe::write_file(out, all); !written) return fail(written.error());
  std::cout << index.dump() << "\n";
  return 0;
}

int promote(const model::Graph& graph, edgeprobe::ByteView file, const std::string& out,
            std::size_t budget) {
  json groups = json::array();
  for (const auto& group : capture_groups(graph, capturable(graph), budget)) {
    const auto promoted = promote(graph, file, group);
    if (!promoted) return fail(promoted.error());
    if (auto written = edgeprobe::write_file(out + "." + std::to_string(groups.size()), *promoted);
        !written)
      return fail(written.error());
    groups.push_back(promoted_outputs(graph, group));
  }
  std::cout << groups.dump() << "\n";
  return 0;
}

json to_json(const model::AttributeValue& value) {
  if (const auto* const opaque = std::get_if<model::OpaqueAttribute>(&value))
    return {{"opaque", opaque->kind}};
  return std::visit(
      [](const auto& held) -> json {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, model::OpaqueAttribute>)
          return nullptr;
        else return held;
      },
      value);
}

int print_attributes(const model::Graph& graph, edgeprobe::ByteView file) {
  const auto all = model::attributes(graph, file);
  if (!all) return fail(all.error());
  json layers = json::array();
  for (const model::Attributes& own : *all) {
    json& layer = layers.emplace_back(json::object());
    for (const model::Attribute& one : own) layer[one.name] = to_json(one.value);
  }
  std::cout << line_of(layers);
  return 0;
}

int cuts(const model::Graph& graph, edgeprobe::ByteView file, const std::string& out, int rests) {
  json parts = json::array();
  const auto names = [&](const std::vector<int>& tensors) {
    json all = json::array();
    for (const int tensor : tensors)
      all.push_back(graph.tensors[static_cast<std::size_t>(tensor)].spec.name);
    return all;
  };
  const auto add = [&](const char* kind, int layer, const model::Part& part) -> edgeprobe::Status {
    parts.push_back({{"kind", kind},
                     {"layer", layer},
                     {"layers", part.layers},
                     {"inputs", names(part.inputs)},
                     {"outputs", names(part.outputs)}});
    const auto bytes = model::cut(graph, file, part);
    if (!bytes) {
      parts.back().update({{"fault", name(bytes.error().kind)}, {"error", bytes.error().what}});
      return {};
    }
    const std::string path = out + "." + std::to_string(parts.size() - 1);
    parts.back()["file"] = path;
    return edgeprobe::write_file(path, *bytes);
  };
  const int layers = static_cast<int>(graph.layers.size());
  for (int layer = 0; layer < layers; ++layer)
    if (auto written = add("one_op", layer, model::one_op(graph, layer)); !written)
      return fail(written.error());
  for (int i = 0; i <= rests && layers > 0; ++i) {
    const int layer = i * layers / (rests + 1) - 1;
    if (auto written = add("rest_after", layer, model::rest_after(graph, layer, graph.outputs));
        !written)
      return fail(written.error());
  }
  std::cout << line_of(parts);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args == std::vector<std::string>{"names"}) {
    json names = json::array();
    for (int code = 0; code < 256; ++code) names.push_back(model::builtin_name(code));
    std::cout << names.dump() << "\n";
    return 0;
  }
  if (args == std::vector<std::string>{"dumps"}) return dump_all();
  if (args.size() < 2) return 2;
  model::FileBytes file;
  const auto graph = model::load(args[1], file);
  if (!graph) return fail(graph.error());
  if (args[0] == "promote" && args.size() == 4)
    return promote(*graph, file, args[2], std::stoull(args[3]));
  if (args[0] == "constants" && args.size() == 3) return constants(*graph, file, args[2]);
  if (args[0] == "attributes" && args.size() == 2) return print_attributes(*graph, file);
  if (args[0] == "cuts" && args.size() == 4) return cuts(*graph, file, args[2], std::stoi(args[3]));
  if (args[0] == "dump") std::cout << line_of(to_json(*graph));
  return 0;
}
