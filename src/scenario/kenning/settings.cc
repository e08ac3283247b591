// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "scenario/kenning/work.h"

namespace edgeprobe::scenario::kenning {
namespace {

/// A file that only its framework reads, on the wrapper.
void set_wrapper(Work& work, const std::string& model) {
  if (model.empty() || model.starts_with("kenning://") || runs_here(model)) return;
  const Setting* const engine = work.out.scenario.find("engine", "name");
  const bool is_plugin = engine && engine->values.front().find(':') != std::string::npos;
  if (is_plugin) return;  // A runtime of this format.
  const auto wrapper = work.plugins.find(Role::kModelWrapper);
  if (wrapper == work.plugins.end() || engine)
    return work.note(
        model, "this format does not run here; give the .tflite or .onnx that was made of it");
  const auto dataset = work.plugins.find(Role::kDataset);
  const Plugin object = dataset == work.plugins.end() ? Plugin{} : dataset->second;
  work.set("engine", "name", {text_of(wrapper->second, "dataset", object)});
  work.note(model, "runs by " + work.wrapper + " itself");
}

}  // namespace

void set_engine(Work& work) {
  const auto plugin = work.plugins.find(Role::kRuntime);
  if (plugin != work.plugins.end() &&
      runs_only_as_plugin({Role::kRuntime, work.runtime, {}, "", ""}))
    return work.set("engine", "name", {text_of(plugin->second)});
  const Class* const runtime = find_class(Role::kRuntime, work.runtime);
  if (!runtime) return;
  const std::string ours = runtime->ours;
  if (ours.starts_with("engine: ")) work.set("engine", "name", {ours.substr(8)});
}

bool set_data(Work& work, bool is_seed) {
  const auto found = work.plugins.find(Role::kDataset);
  if (found == work.plugins.end() ||
      !runs_only_as_plugin({Role::kDataset, work.dataset, {}, "", ""}))
    return false;
  Plugin plugin = found->second;
  // Kenning tests on this part; the first release on all samples.
  const auto is_split = [](const Parameter& one) { return one.name == "split"; };
  if (!is_seed && std::none_of(plugin.options.begin(), plugin.options.end(), is_split))
    plugin.options.push_back({"split", {"test"}});
  // Its samples go through the wrapper before the model.
  Plugin wrapper;
  if (const auto given = work.plugins.find(Role::kModelWrapper);
      given != work.plugins.end() && !work.model.empty()) {
    wrapper = given->second;
    wrapper.options.push_back({"model_path", {work.model}});
  }
  work.set("dataset", "data", {text_of(plugin, "model_wrapper", wrapper)});
  return true;
}

void note_python(Work& work) {
  for (const auto& [block, key] : {std::pair{"dataset", "data"}, std::pair{"engine", "name"}}) {
    const Setting* const found = work.out.scenario.find(block, key);
    if (!found || !found->values.front().starts_with("python:")) continue;
    work.note("model.python", "name a Python that has Kenning and what its class imports");
    return;
  }
}

void leave_engine_to_operator(Work& work) {
  auto& settings = work.out.scenario.settings;
  for (const char* const name : {"name", "delegate"}) {
    const Setting* const found = work.out.scenario.find("engine", name);
    if (!found) continue;
    work.note("engine." + std::string(name) + " " + found->values.front(),
              "the operator's choice: give it to 'edgeprobe serve' on the target");
    settings.erase(settings.begin() + (found - settings.data()));
  }
}

void set_target(Work& work) {
  if (work.host.empty() && work.port.empty() && work.out.scenario.kind == Kind::kPerformance)
    return;
  if (work.protocol == "UARTProtocol") {
    if (work.port.empty()) return work.note("UARTProtocol", "has no port");
    return work.set("target", "address",
                    {"kenning:" + work.port + "?baud=" + (work.baud.empty() ? "9600" : work.baud)});
  }
  if (work.protocol != "NetworkProtocol" && !work.protocol.empty()) return;
  const std::string host = work.host.empty() || work.host == "localhost" ? "127.0.0.1" : work.host;
  work.set("target", "address",
           {"tcp://" + host + ":" + (work.port.empty() ? "12345" : work.port)});
  const bool is_loopback = host.starts_with("127.") || host == "::1";
  if (work.out.scenario.kind == Kind::kServer && !is_loopback) {
    work.set("target", "insecure", {"true"});
    work.note("--host " + host,
              "anyone who reaches the port may send models, and nothing is encrypted: 'insecure' "
              "allows this (docs/guides/targets.md)");
  }
}

void set_model(Work& work) {
  const Compiled compiled = compile(work.model, work.compilers);
  for (const auto& [what, why] : compiled.notes) work.note(what, why);
  if (!compiled.model.empty()) work.set("model", "file", {compiled.model});
  if (work.out.scenario.kind == Kind::kPerformance) set_wrapper(work, compiled.model);
  if (compiled.to.empty()) return;
  work.set("compiler", "to", compiled.to);
  work.set("compiler", "out", {compiled.out});
}

void set_training(Work& work) {
  struct Trained {
    const char* wrapper;
    const char* ours;
  };
  constexpr Trained kTrained[] = {{"TensorFlowPetDatasetMobileNetV2", "mobilenet_v2"},
                                  {"PyTorchPetDatasetMobileNetV2", "mobilenet_v2_torch"},
                                  {"MagicWandModelWrapper", "signal"},
                                  {"PyTorchMagicWandModelWrapper", "signal"}};
  if (!work.model.empty()) work.set("training", "out", {work.model});
  if (work.wrapper.ends_with("PetDatasetMobileNetV2"))
    work.note(
        "training.backbone",
        "Kenning's training starts from weights that it downloads; name a file that has them, "
        "or all weights start at random");
  for (const Trained& one : kTrained)
    if (work.wrapper == one.wrapper) return work.set("training", "model", {one.ours});
  if (!work.wrapper.empty())
    work.note(work.wrapper,
              "edgeprobe trains mobilenet_v2, mobilenet_v2_torch and signal, and classes of your "
              "own as training.model (docs/extending.md)");
}

void set_conversions(Work& work, const std::vector<std::string>& operands) {
  constexpr const char* kKeys[] = {"folder", "out"};
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (i < std::size(kKeys)) work.set("conversions", kKeys[i], {operands[i]});
    else work.note(operands[i], "not an argument of onnx_conversion");
}

}  // namespace edgeprobe::scenario::kenning
