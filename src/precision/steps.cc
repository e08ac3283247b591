// SPDX-License-Identifier: Apache-2.0
#include "precision/steps.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/index.h"
#include "core/text.h"
#include "precision/constants.h"
#include "precision/int8/plan.h"
#include "precision/operators.h"
#include "precision/step_sum.h"

namespace edgeprobe::precision {
namespace {

bool all_finite(const std::vector<float>& values) {
  return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

Tensor with(const TensorSpec& spec, const std::vector<float>& values) {
  Tensor tensor{spec, Bytes(values.size() * sizeof(float))};
  if (!values.empty()) std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
  return tensor;
}

// A scheme with the same constants.
Scheme constants_of(Scheme scheme) { return sums_in_float16(scheme) ? Scheme::kFloat16 : scheme; }

}  // namespace

void keep(std::size_t step, const std::map<int, std::size_t>& last, Stepped& made, Values& known) {
  for (auto& [tensor, value] : made.outputs) known[tensor] = std::move(value);
  std::erase_if(known, [&](const auto& one) {
    const auto found = last.find(one.first);
    return found == last.end() || found->second <= step;
  });
}

Result<std::unique_ptr<StepRunner>> StepRunner::open(const layers::Host& host,
                                                     const layers::ModelFile& model,
                                                     const std::set<int>& apart) {
  std::unique_ptr<StepRunner> runner(new StepRunner(host, model));
  EP_TRY(runner->attributes_, model::attributes(*model.graph, model.bytes));
  runner->steps_ = steps_of(*model.graph, apart);
  runner->skipped_.resize(runner->steps_.size());
  runner->checked_.resize(runner->steps_.size());
  for (std::size_t s = 0; s < runner->steps_.size(); ++s) {
    auto tail = tail_of(*model.graph, model.bytes, runner->attributes_, runner->steps_[s].layers);
    if (!tail) runner->skipped_[s] = tail.error().what;
    const std::string& type = model.graph->layers[at(runner->steps_[s].layers.front())].type;
    if (adds_otherwise(type)) runner->skipped_[s] = type + " is not emulated";
    runner->tails_.push_back(tail ? *std::move(tail) : Tail{});
  }
  return runner;
}

Status StepRunner::round_constants(Scheme scheme) {
  Bytes& file = files_[constants_of(scheme)];
  if (!file.empty()) return {};
  if (scheme == Scheme::kInt8) {
    if (!int8_) return Error{ErrorKind::kUsage, "int8 needs a calibration"};
    file = model_.bytes.copy();
    return quantise_constants(*model_.graph, model_.bytes, attributes_, steps_, tails_, *int8_,
                              file);
  }
  EP_TRY(auto made, stored_constants(model_, steps_, tails_, constants_of(scheme)));
  file = std::move(made.file);
  unrounded_ = std::max(unrounded_, made.unrounded);
  overflowed_ = std::max(overflowed_, made.overflowed);
  return {};
}

Result<std::vector<Tensor>> StepRunner::run(std::size_t step, std::optional<Scheme> scheme,
                                            const std::vector<Tensor>& inputs) {
  if (step != opened_) open_.clear();  // Each one holds an engine process.
  opened_ = step;
  const int key = scheme ? static_cast<int>(constants_of(*scheme)) : -1;
  auto found = open_.find(key);
  if (found == open_.end()) {
    if (scheme) EP_CHECK(round_constants(*scheme));
    const layers::ModelFile file{model_.graph,
                                 scheme ? ByteView(files_[constants_of(*scheme)]) : model_.bytes};
    std::vector<Shape> shapes;
    for (const Tensor& input : inputs) shapes.push_back(input.spec.shape);
    EP_TRY(auto fragment, layers::Fragment::open(host_, file, steps_[step].part, shapes));
    found = open_.emplace(key, std::move(fragment)).first;
  }
  return found->second.run({inputs.begin(), inputs.end()});
}

// Emulated sums of the operator at the head of a step, if it has any.
std::optional<Summed> StepRunner::sums(std::size_t step, const Values& known, const Tensor& output,
                                       std::optional<Scheme> scheme) {
  const model::Layer& layer = model_.graph->layers[at(steps_[step].layers.front())];
  if (!is_sum(layer) || !skipped_[step].empty()) return {};
  const Head head{*model_.graph, layer, attributes_[at(layer.index)], tails_[step]};
  auto made = step_sum(head, known, scheme ? ByteView(files_[Scheme::kFloat16]) : model_.bytes,
                       output.spec.shape, scheme);
  if (made) return *std::move(made);
  skipped_[step] = made.error().what;
  return {};
}

Result<Stepped> StepRunner::exact(std::size_t step, const Values& known) {
  std::vector<Tensor> inputs;
  for (const int tensor : steps_[step].part.inputs) {
    const auto found = known.find(tensor);
    if (found == known.end())
      return Error{ErrorKind::kUnsupported,
                   "'" + sanitized(model_.spec(tensor).name, 60) + "' is not known"};
    inputs.push_back(found->second);
  }
  EP_TRY(auto made, run(step, {}, inputs));
  Stepped stepped;
  for (std::size_t i = 0; i < made.size(); ++i) {
    const int tensor = steps_[step].part.outputs[i];
    if (is_float(made[i].spec.dtype)) {
      EP_TRY(const auto values, to_float(made[i]));
      for (const float v : values)
        stepped.largest = std::max(stepped.largest, std::fabs(double{v}));
      if (!checked_[step] && steps_[step].outputs.size() == 1 && all_finite(values)) {
        checked_[step] = true;
        if (const auto own = sums(step, known, made[i], {});
            own && !is_same_sum(own->values, values))
          skipped_[step] =
              "the engine computes something else than our sums, so they are not predicted";
      }
    }
    stepped.outputs[tensor] = std::move(made[i]);
  }
  return stepped;
}

Status StepRunner::calibrate(Ranges ranges) {
  ranges_ = std::move(ranges);
  return recalibrate({}, WeightScales::kByChannel);
}

Status StepRunner::recalibrate(const Ranges& other, WeightScales weights) {
  Ranges ranges = ranges_;
  for (const auto& [tensor, range] : other)
    if (const auto found = ranges.find(tensor); found != ranges.end()) found->second = range;
  int8_ = int8_of(*model_.graph, steps_, ranges);
  int8_->weights = weights;
  files_.erase(Scheme::kInt8);
  open_.clear();
  return {};
}

bool StepRunner::multiplies(std::size_t step) const {
  return precision::multiplies(model_.graph->layers[at(steps_[step].layers.front())].type);
}

bool StepRunner::adds(std::size_t step) const {
  return skipped_[step].empty() && is_sum(model_.graph->layers[at(steps_[step].layers.front())]);
}

// True if the step computes in the scheme at all.
bool StepRunner::rounds(std::size_t step, Scheme scheme) const {
  if (scheme == Scheme::kInt8) return is_quantised(step);
  return !rounds_products(scheme) || multiplies(step);
}

float StepRunner::stored(Scheme scheme, int tensor, float value) const {
  return scheme == Scheme::kInt8 ? int8_->stored(tensor, value) : rounded(scheme, value);
}

Result<Stepped> StepRunner::reduced(std::size_t step, Scheme scheme, const Values& known) {
  Stepped stepped;
  Values read;
  std::vector<Tensor> inputs;
  bool finite = true;
  for (const int tensor : steps_[step].part.inputs) {
    const auto found = known.find(tensor);
    if (found == known.end())
      return Error{ErrorKind::kUnsupported,
                   "'" + sanitized(model_.spec(tensor).name, 60) + "' is not known"};
    Tensor input = found->second;
    if (input.spec.dtype == DType::kFloat32) {
      EP_TRY(auto values, to_float(input));
      const bool before = all_finite(values);
      if (rounds(step, scheme))
        for (float& value : values) value = stored(scheme, tensor, value);
      const bool after = all_finite(values);
      stepped.input_overflow = stepped.input_overflow || (before && !after);
      finite = finite && before;
      input = with(input.spec, values);
    }
    read[tensor] = input;
    inputs.push_back(std::move(input));
  }
  // A step that does not compute in the scheme uses the constants of the file.
  EP_TRY(auto made, rounds(step, scheme) ? run(step, scheme, inputs) : run(step, {}, inputs));
  const bool writes = rounds(step, scheme) && !rounds_products(scheme);
  for (std::size_t i = 0; i < made.size(); ++i) {
    Tensor& output = made[i];
    const int made_of = steps_[step].part.outputs[i];
    if (output.spec.dtype == DType::kFloat32) {
      EP_TRY(auto values, to_float(output));
      if (sums_in_float16(scheme) && steps_[step].outputs.size() == 1) {
        if (auto own = sums(step, read, output, scheme)) {
          stepped.partial = own->largest_partial;
          values = std::move(own->values);
        }
      }
      for (float& value : values) {
        if (std::isfinite(value))
          stepped.largest = std::max(stepped.largest, std::fabs(double{value}));
        if (writes) value = stored(scheme, made_of, value);
        stepped.not_finite += finite && !std::isfinite(value);
      }
      output = with(output.spec, values);
    }
    stepped.outputs[steps_[step].part.outputs[i]] = std::move(output);
  }
  return stepped;
}

}  // namespace edgeprobe::precision
