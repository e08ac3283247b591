// SPDX-License-Identifier: Apache-2.0
#include "precision/steps.h"

#include "core/text.h"

namespace edgeprobe::precision {

Result<std::vector<std::vector<Tensor>>> emulate(StepRunner& runner, const layers::ModelFile& model,
                                                 std::vector<Values> inputs, Scheme scheme,
                                                 const std::set<std::size_t>& exact,
                                                 const Control& control) {
  const std::vector<Step>& steps = runner.steps();
  const auto last = last_readers(steps, model.graph->outputs);
  for (std::size_t s = 0; s < steps.size(); ++s) {
    if (control.progress)
      control.progress(s + 1, steps.size(), "steps emulated in " + std::string(name(scheme)));
    for (Values& known : inputs) {
      if (control.stopped()) return interrupted();
      EP_TRY(auto made,
             exact.count(s) > 0 ? runner.exact(s, known) : runner.reduced(s, scheme, known));
      keep(s, last, made, known);
    }
  }
  std::vector<std::vector<Tensor>> outputs;
  for (Values& known : inputs) {
    outputs.emplace_back();
    for (const int tensor : model.graph->outputs) {
      const auto found = known.find(tensor);
      if (found == known.end())
        return Error{ErrorKind::kUnsupported,
                     "'" + sanitized(model.spec(tensor).name, 60) +
                         "' is not computed by a layer that can run by itself"};
      outputs.back().push_back(found->second);
    }
  }
  return outputs;
}

}  // namespace edgeprobe::precision
