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

Status check_complete(const Scenario& scenario) {
  const auto need = [&](const char* block, const char* name, const std::string& why) -> Status {
    if (scenario.find(block, name)) return {};
    return Error{ErrorKind::kUsage,
                 "'" + full_name(*find_key(block, name)) + "' is missing: " + why};
  };
  if (scenario.kind == Kind::kServer) return {};
  EP_CHECK(need("model", "file", "the model that runs, e.g. 'model: net.tflite'"));
  EP_CHECK(need("dataset", "data", "what the model runs on, e.g. 'dataset: pictures'"));
  if (scenario.kind == Kind::kClient)
    EP_CHECK(need("target", "address",
                  "an inference_client runs the model elsewhere, e.g. 'target: "
                  "tcp://127.0.0.1:12345'"));
  const bool compiles = std::any_of(
      scenario.settings.begin(), scenario.settings.end(),
      [](const Setting& one) { return std::string_view(one.key->block) == "compiler"; });
  if (!compiles) return {};
  EP_CHECK(need("compiler", "to", "int8, int8-dynamic, openvino, tvm or FILE.py:CLASS"));
  return need("compiler", "out", "the file that the converted model is written to");
}

}  // namespace edgeprobe::scenario
