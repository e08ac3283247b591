// SPDX-License-Identifier: Apache-2.0
#include "precision/predict.h"

#include <algorithm>
#include <map>

#include "core/index.h"
#include "core/text.h"
#include "layers/capture/logits.h"
#include "model/state.h"
#include "precision/study.h"

namespace edgeprobe::precision {
namespace {

// A function in the file has its own domain.
bool has_body(const std::string& type) {
  if (type == "If" || type == "Loop" || type == "Scan" || type == "SequenceMap" || type == "IF" ||
      type == "WHILE")
    return true;
  return type.find(':') != std::string::npos && type.rfind("com.microsoft", 0) != 0 &&
         type.rfind("ai.onnx", 0) != 0;
}

}  // namespace

Result<Predicted> predict(const layers::Host& host, const layers::ModelFile& model,
                          const std::vector<Frame>& frames, const std::vector<Scheme>& schemes,
                          const Control& control) {
  if (const std::string state = model::state_of(*model.graph); !state.empty())
    return Error{ErrorKind::kUnsupported, "the model keeps a state ('" + sanitized(state, 60) +
                                              "'); its layers cannot be run one by one"};
  EP_TRY(auto runner, StepRunner::open(host, model));
  Predicted predicted;
  predicted.sha256 = model.graph->sha256;
  predicted.frames = frames.size();
  std::size_t in_float = 0;
  for (const Step& step : runner->steps()) {
    const model::Layer& layer = model.graph->layers[at(step.layers.front())];
    const TensorSpec& output = model.spec(step.outputs.front());
    predicted.steps.push_back({step.layers, layer.type, layer.name, output.name});
    in_float += output.dtype == DType::kFloat32;
  }
  if (in_float == 0)
    return Error{ErrorKind::kUnsupported, "no layer of the model makes float32 values"};
  const std::vector<int> judged = layers::logits_of(*model.graph);
  if (std::none_of(judged.begin(), judged.end(),
                   [&](int tensor) { return is_float(model.spec(tensor).dtype); }))
    return Error{ErrorKind::kUnsupported,
                 "all outputs are whole numbers, as ArgMax and TopK give them: it is unknown how "
                 "far they are off; make the tensor before them an output"};
  std::size_t bodies = 0;
  for (const Step& step : runner->steps())
    for (const int layer : step.layers) bodies += has_body(model.graph->layers[at(layer)].type);
  if (bodies > 0)
    predicted.warnings.push_back(std::to_string(bodies) +
                                 " steps (If, Loop, Scan, functions of the file, custom operators) "
                                 "compute in float32 inside: only their "
                                 "inputs and outputs are rounded");
  if (in_float < predicted.steps.size())
    predicted.warnings.push_back(std::to_string(predicted.steps.size() - in_float) + " of " +
                                 std::to_string(predicted.steps.size()) +
                                 " steps make no float32 values and stay as they are");
  for (const Scheme scheme : schemes) {
    predicted.predictions.emplace_back();
    predicted.predictions.back().scheme = scheme;
  }
  EP_TRY(auto whole, host.engine->load(model.bytes, "the model", host.options));
  Study study(*runner, model, frames, control);
  const bool codes = std::find(schemes.begin(), schemes.end(), Scheme::kInt8) != schemes.end();
  if (codes) EP_CHECK(study.calibrate());
  EP_CHECK(study.measure(*whole, predicted));
  for (std::size_t p = 0; p < predicted.predictions.size(); ++p) {
    auto done = search(study, predicted.predictions[p]);
    if (!done && (p == 0 || done.error().kind != ErrorKind::kInterrupted))
      return std::move(done.error());
    if (done) continue;
    predicted.stopped = true;
    predicted.predictions.resize(p);
  }
  if (runner->unrounded() > 0)
    predicted.warnings.push_back(std::to_string(runner->unrounded()) +
                                 " constants are outside the model file and were not rounded");
  if (runner->overflowed() > 0)
    predicted.warnings.push_back(
        std::to_string(runner->overflowed()) +
        " constants have values that a precision cannot store, and became infinite, as in a cast; "
        "converters that clip them give other results");
  std::map<std::string, std::size_t> left;
  for (std::size_t s = 0; codes && s < predicted.steps.size(); ++s)
    if (!runner->is_quantised(s)) ++left[predicted.steps[s].type];
  if (!left.empty()) {
    std::string types;
    for (const auto& [type, count] : left)
      types += (types.empty() ? "" : ", ") + std::to_string(count) + " " + sanitized(type, 40);
    predicted.warnings.push_back("int8: converters leave these in float32: " + types);
  }
  std::map<std::string, std::size_t> skipped;
  for (std::size_t s = 0; s < predicted.steps.size(); ++s)
    if (!runner->sums_skipped(s).empty()) ++skipped[runner->sums_skipped(s)];
  if (std::any_of(schemes.begin(), schemes.end(), sums_in_float16))
    for (const auto& [why, count] : skipped)
      predicted.warnings.push_back("sums of " + std::to_string(count) +
                                   " steps are added up in float32: " + why);
  return predicted;
}

}  // namespace edgeprobe::precision
