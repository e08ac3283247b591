// SPDX-License-Identifier: Apache-2.0
#include "scenario/kenning/plugin.h"

#include <algorithm>
#include <array>

namespace edgeprobe::scenario::kenning {
namespace {

struct LeftOut {
  Role role;
  const char* name;
};
constexpr std::array kLeftOut{
    LeftOut{Role::kDataset, "batch_size"},       LeftOut{Role::kDataset, "inference_batch_size"},
    LeftOut{Role::kDataset, "download_dataset"}, LeftOut{Role::kDataset, "force_download_dataset"},
    LeftOut{Role::kModelWrapper, "model_path"},  LeftOut{Role::kModelWrapper, "modelpath"},
    LeftOut{Role::kModelWrapper, "model_name"},  LeftOut{Role::kRuntime, "save_model_path"},
    LeftOut{Role::kRuntime, "model_path"},       LeftOut{Role::kRuntime, "modelpath"},
};

/// A value in which no character ends an option.
std::string escaped(const std::string& value) {
  std::string text;
  for (const char c : value)
    if (c == '%') text += "%25";
    else if (c == '&') text += "%26";
    else text += c;
  return text;
}

std::string options_text(const Plugin& plugin, const std::string& prefix) {
  std::string text;
  for (const Parameter& one : plugin.options) {
    std::string values;
    for (const std::string& value : one.values) values += (values.empty() ? "" : ",") + value;
    // A flag without a value means true.
    text += "&" + prefix + one.name + "=" + (one.values.empty() ? "true" : escaped(values));
  }
  return text;
}

std::string whole(const std::string& what, std::string options) {
  if (!options.empty()) options[0] = '?';
  return what + options;
}

}  // namespace

Plugin plugin_of(const Block& block, bool is_seed) {
  if (block.role != Role::kDataset && block.role != Role::kModelWrapper &&
      block.role != Role::kRuntime)
    return {};
  if (find_class(block.role, block.type))
    return {(is_seed ? "python:edge_ai_tester:" : "python:kenning:") + block.type, false, {}};
  if (block.module.empty()) return {};
  std::string file = block.module;
  std::replace(file.begin(), file.end(), '.', '/');
  return {file + ".py:" + block.type, true, {}};
}

bool runs_only_as_plugin(const Block& block) {
  const Class* const known = find_class(block.role, block.type);
  if (!known) return true;
  const std::string_view ours = known->ours;
  return (block.role == Role::kDataset && ours == "dataset") ||
         (block.role == Role::kRuntime && ours == "engine");
}

bool is_left_out(Role role, std::string_view name) {
  return std::any_of(kLeftOut.begin(), kLeftOut.end(),
                     [&](const LeftOut& one) { return one.role == role && one.name == name; });
}

std::string text_of(const Plugin& plugin) { return whole(plugin.what, options_text(plugin, "")); }

std::string text_of(const Plugin& plugin, const std::string& option, const Plugin& object) {
  if (object.what.empty()) return text_of(plugin);
  return whole(plugin.what, options_text(plugin, "") + "&" + option + "=" + object.what +
                                options_text(object, option + "."));
}

}  // namespace edgeprobe::scenario::kenning
