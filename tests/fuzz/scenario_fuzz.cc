// SPDX-License-Identifier: Apache-2.0
// Any text as a scenario, as one of Kenning's, and as a command line. What is read writes a text
// that reads back the same, as YAML and as JSON.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "scenario/kenning/translate.h"
#include "scenario/plan.h"
#include "scenario/scenario.h"

namespace {

using namespace edgeprobe::scenario;

void check(const Scenario& scenario) {
  const std::string yaml = to_yaml(scenario);
  for (const std::string& text : {yaml, to_json(scenario)}) {
    const auto again = scenario_from_text(text);
    if (!again || to_yaml(*again) != yaml) std::abort();
  }
  if (check_complete(scenario)) (void)plan(scenario, {"results", "name", false});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto scenario = scenario_from_text(text)) check(*scenario);
  else if (scenario.error().what.empty()) std::abort();
  if (const auto document = document_from_text(text))
    if (const auto source = kenning::source_from_document(*document))
      if (const auto done = kenning::translate(*source)) (void)to_yaml(done->scenario);
  if (const auto source = kenning::source_from_command(text)) (void)kenning::translate(*source);
  return 0;
}
