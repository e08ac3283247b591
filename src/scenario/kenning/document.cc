// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/text.h"
#include "scenario/kenning/source.h"

namespace edgeprobe::scenario::kenning {
namespace {

Error wrong(Mark mark, const std::string& what) {
  return {ErrorKind::kUsage, to_string(mark) + ": " + what};
}

/// Names of blocks in the different versions.
struct Name {
  const char* name;
  Role role;
};
constexpr Name kNames[] = {
    {"model_wrapper", Role::kModelWrapper},
    {"dataset", Role::kDataset},
    {"optimizers", Role::kOptimizer},
    {"optimizer", Role::kOptimizer},
    {"runtime", Role::kRuntime},
    {"protocol", Role::kProtocol},
    {"runtime_protocol", Role::kProtocol},
    {"dataconverter", Role::kDataConverter},
    {"data_converter", Role::kDataConverter},
    {"platform", Role::kPlatform},
    {"report", Role::kReport},
    {"automl", Role::kAutoMl},
    {"inference_loop", Role::kInferenceLoop},
    {"runtime_builder", Role::kRuntimeBuilder},
};

std::vector<std::string> block_names() {
  std::vector<std::string> names;
  for (const Name& one : kNames) names.push_back(one.name);
  return names;
}

std::string class_name(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? path : path.substr(dot + 1);
}

Result<Block> block_from(const Node& node, Role role) {
  if (node.kind != Node::Kind::kMap)
    return wrong(node.mark, std::string("'") + block_name(role) + "' is a map with 'type'");
  const Node* const type = node.find("type");
  if (!type || type->kind != Node::Kind::kScalar)
    return wrong(node.mark, std::string("'") + block_name(role) + "' has no 'type'");
  const std::string name = class_name(type->text);
  Block block{role, name, {}, to_string(type->mark) + ": ", ""};
  if (name.size() < type->text.size())
    block.module = type->text.substr(0, type->text.size() - name.size() - 1);
  const Node* const parameters = node.find("parameters");
  if (!parameters || parameters->kind == Node::Kind::kNull) return block;
  if (parameters->kind != Node::Kind::kMap)
    return wrong(parameters->mark, "'parameters' is not a map");
  for (std::size_t i = 0; i < parameters->names.size(); ++i) {
    const Node& value = parameters->items[i];
    Parameter parameter{parameters->names[i].text, {}};
    if (value.kind == Node::Kind::kScalar) parameter.values.push_back(value.text);
    for (const Node& one : value.items) parameter.values.push_back(one.text);
    block.parameters.push_back(std::move(parameter));
  }
  return block;
}

}  // namespace

Result<Source> source_from_document(const Node& document) {
  if (document.kind != Node::Kind::kMap)
    return wrong(document.mark, "a scenario of Kenning is a map of blocks");
  Source source;
  for (std::size_t i = 0; i < document.names.size(); ++i) {
    const auto& [name, mark] = document.names[i];
    const auto known = std::find_if(std::begin(kNames), std::end(kNames),
                                    [&name = name](const Name& one) { return name == one.name; });
    if (known == std::end(kNames)) {
      if (const std::string near = closest_match(name, block_names()); !near.empty())
        return wrong(mark, "a scenario of Kenning has no '" + sanitized(name, 60) +
                               "'; did you mean '" + near + "'?");
      source.options.push_back({name, {}});
      continue;
    }
    const Node& value = document.items[i];
    if (value.kind == Node::Kind::kNull) continue;
    const bool is_list = value.kind == Node::Kind::kList;
    for (const Node& one : is_list ? value.items : std::vector<Node>{value}) {
      EP_TRY(auto block, block_from(one, known->role));
      source.blocks.push_back(std::move(block));
    }
  }
  if (source.blocks.empty())
    return wrong(document.mark,
                 "expected a block of a Kenning scenario (model_wrapper, dataset, runtime, …)");
  const auto has = [&](Role role) {
    return std::any_of(source.blocks.begin(), source.blocks.end(),
                       [&](const Block& one) { return one.role == role; });
  };
  // A server's file has neither a model nor data.
  const bool serves = !has(Role::kModelWrapper) && !has(Role::kDataset) && has(Role::kProtocol);
  source.scenarios = {serves ? "inference_server" : "inference_tester"};
  // 'kenning report --cfg'.
  if (std::all_of(source.blocks.begin(), source.blocks.end(),
                  [](const Block& one) { return one.role == Role::kReport; }))
    source.scenarios = {"render_report"};
  return source;
}

}  // namespace edgeprobe::scenario::kenning
