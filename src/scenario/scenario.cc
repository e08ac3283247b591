// SPDX-License-Identifier: Apache-2.0
#include "scenario/scenario.h"

#include <algorithm>
#include <utility>

#include "core/text.h"

namespace edgeprobe::scenario {

const Setting* Scenario::find(std::string_view block, std::string_view name) const {
  for (const Setting& setting : settings)
    if (setting.key->block == block && setting.key->name == name) return &setting;
  return nullptr;
}

std::string Scenario::value(std::string_view block, std::string_view name) const {
  const Setting* const found = find(block, name);
  return found && !found->values.empty() ? found->values.front() : "";
}

void Scenario::set(Setting setting) {
  const auto at =
      std::lower_bound(settings.begin(), settings.end(), setting,
                       [](const Setting& a, const Setting& b) { return a.key < b.key; });
  if (at != settings.end() && at->key == setting.key) *at = std::move(setting);
  else settings.insert(at, std::move(setting));
}

namespace {

/// Examples for the keys that a kind requires.
struct Missing {
  const char* key;
  const char* why;
};
constexpr Missing kMissing[] = {
    {"model.file", "the model that runs, e.g. 'model: net.tflite'"},
    {"dataset.data", "what the model runs on, e.g. 'dataset: pictures'"},
    {"target.address",
     "an inference_client runs the model elsewhere, e.g. 'target: tcp://127.0.0.1:12345'"},
    {"training.model", "what is trained, e.g. 'training: {model: mobilenet_v2, out: net.keras}'"},
    {"training.out", "the file that the trained model is written to"},
    {"conversions.folder", "the folder for the models, e.g. 'folder: build/models'"},
    {"conversions.out", "the table that is written, e.g. 'out: grid.rst'"},
    {"compiler.to", "the conversion, e.g. int8, or FILE.py:CLASS (docs/guides/convert.md)"},
    {"compiler.out", "the file that the converted model is written to"},
};

Status check_there(const Scenario& scenario, const Key& key) {
  if (scenario.find(key.block, key.name)) return {};
  const std::string full = full_name(key);
  const auto* const row = std::find_if(std::begin(kMissing), std::end(kMissing),
                                       [&](const Missing& one) { return full == one.key; });
  return Error{ErrorKind::kUsage, "'" + full + "' is missing: " + row->why};
}

}  // namespace

Status check_complete(const Scenario& scenario) {
  for (const Key* const key : required(scenario.kind)) EP_CHECK(check_there(scenario, *key));
  const bool compiles = std::any_of(
      scenario.settings.begin(), scenario.settings.end(),
      [](const Setting& one) { return std::string_view(one.key->block) == "compiler"; });
  if (!compiles) return {};
  EP_CHECK(check_there(scenario, *find_key("compiler", "to")));
  return check_there(scenario, *find_key("compiler", "out"));
}

}  // namespace edgeprobe::scenario
