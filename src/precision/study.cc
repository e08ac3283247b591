// SPDX-License-Identifier: Apache-2.0
#include "precision/study.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/text.h"
#include "precision/steps.h"

namespace edgeprobe::precision {
namespace {

// Tolerance on the same host: single layers may be fused differently from the whole. A fifth of the
// threshold for "holds".
constexpr double kSameOutputs = 1e-2;

// Relative to the RMS: a tensor that varies less is nearly constant, and rounding does not count
// against it.
constexpr double kLeastSpread = 1e-2;
// Logits this far below the largest one before a softmax have probability 0 on both sides, such as
// the value of a mask.
constexpr float kMasked = 100;

bool is_finite(const std::vector<float>& values) {
  return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

// Skips values that a mask has pushed out of reach.
void add_unmasked(const std::vector<float>& exact, const std::vector<float>& made, bool masks,
                  layers::Spread& sum) {
  if (!masks || exact.size() != made.size()) return sum.add(exact, made);
  float most = -std::numeric_limits<float>::infinity();
  for (const float value : exact)
    if (std::isfinite(value)) most = std::max(most, value);
  std::vector<float> a, b;
  for (std::size_t i = 0; i < exact.size(); ++i)
    if (!(exact[i] < most - kMasked && (made[i] < most - kMasked / 2)))
      a.push_back(exact[i]), b.push_back(made[i]);
  sum.add(a, b);
}

Result<std::vector<std::vector<float>>> real(const layers::ModelFile& model, const Values& known,
                                             const std::vector<int>& tensors) {
  std::vector<std::vector<float>> all;
  for (const int tensor : tensors) {
    const auto found = known.find(tensor);
    if (found == known.end())
      return Error{ErrorKind::kUnsupported,
                   "'" + sanitized(model.spec(tensor).name, 60) +
                       "' is not computed by a layer that can run by itself"};
    EP_TRY(auto values, to_float(found->second));
    all.push_back(std::move(values));
  }
  return all;
}

// Channels are second in ONNX, last in .tflite. The first dimension is the frame.
void add_channels(const std::vector<float>& exact, const std::vector<float>& made,
                  const Shape& shape, bool second, std::vector<layers::Spread>& channels) {
  if (shape.size() < 2 || exact.empty()) return;
  const std::size_t axis = second ? 1 : shape.size() - 1;
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(1, shape[axis]));
  std::size_t each = 1;
  for (std::size_t d = axis + 1; d < shape.size(); ++d) each *= static_cast<std::size_t>(shape[d]);
  if (channels.empty()) channels.resize(count);
  if (channels.size() != count || exact.size() % (count * each) != 0) return;
  std::vector<float> a(each), b(each);
  for (std::size_t from = 0; from < exact.size(); from += each) {
    const auto place = static_cast<std::ptrdiff_t>(from);
    a.assign(exact.begin() + place, exact.begin() + place + static_cast<std::ptrdiff_t>(each));
    b.assign(made.begin() + place, made.begin() + place + static_cast<std::ptrdiff_t>(each));
    channels[from / each % count].add(a, b);
  }
}

void settle(const Errors& errors, LayerOutcome& layer) {
  layer.relative_error = std::sqrt(errors.whole.nse());
  double sum = 0;
  for (const layers::Spread& channel : errors.channels)
    sum += std::min(1.0, channel.nse(kLeastSpread));
  layer.channel_error = errors.channels.empty()
                            ? layer.relative_error
                            : std::sqrt(sum / static_cast<double>(errors.channels.size()));
}

Status same_as_whole(engine::Session& whole, const Frame& frame, const task::Outputs& stepwise,
                     std::size_t place) {
  EP_TRY(auto inference, whole.infer({frame.inputs.begin(), frame.inputs.end()}));
  for (std::size_t i = 0; i < stepwise.size() && i < inference.outputs.size(); ++i) {
    const auto values = to_float(inference.outputs[i]);
    if (!values || values->size() != stepwise[i].size()) continue;
    if (!is_finite(*values))
      return Error{ErrorKind::kUnsupported,
                   "frame " + std::to_string(place) +
                       ": the model gives NaN or infinity in float32 already"};
    double off = 0, size = 0;
    for (std::size_t k = 0; k < values->size(); ++k) {
      const double d = double{(*values)[k]} - double{stepwise[i][k]};
      off += d * d, size += double{(*values)[k]} * double{(*values)[k]};
    }
    if (!(off <= kSameOutputs * kSameOutputs * size + 1e-12))
      return Error{ErrorKind::kUnsupported,
                   "run layer by layer, the model gives other outputs than as a whole (relative "
                   "difference " +
                       number(std::sqrt(off / std::max(size, 1e-30))) +
                       "): nothing is predicted from it"};
  }
  return {};
}

}  // namespace

Study::Study(StepRunner& runner, const layers::ModelFile& model, const std::vector<Frame>& frames,
             const Control& control)
    : runner_(runner),
      model_(model),
      frames_(frames),
      control_(control),
      logits_(layers::logits_of(*model.graph)) {
  for (const int output : model.graph->outputs)
    if (model.spec(output).dtype != DType::kOther) outputs_.push_back(output);
  std::vector<TensorSpec> specs;
  for (const int output : outputs_) specs.push_back(model.spec(output));
  reading_ = task::task_of(specs);
  std::vector<int> wanted = logits_;
  wanted.insert(wanted.end(), outputs_.begin(), outputs_.end());
  last_ = last_readers(runner.steps(), wanted);
}

Status Study::calibrate() {
  EP_TRY(auto ranges, ranges_of(runner_, fed(), range_rule(*model_.graph), control_));
  return runner_.calibrate(std::move(ranges));
}

std::vector<Values> Study::fed() const {
  std::vector<Values> all(frames_.size());
  for (std::size_t f = 0; f < frames_.size(); ++f)
    for (std::size_t i = 0; i < frames_[f].inputs.size() && i < model_.graph->inputs.size(); ++i)
      all[f][model_.graph->inputs[i]] = frames_[f].inputs[i];
  return all;
}

Status Study::alone(std::size_t step, const Values& known, const Stepped& made,
                    Prediction& prediction, Errors& errors) {
  EP_TRY(auto under, runner_.reduced(step, prediction.scheme, known));
  LayerOutcome& layer = prediction.layers[step];
  layer.largest = std::max(layer.largest, made.largest);
  if (under.partial) layer.partial = std::max(layer.partial.value_or(0), *under.partial);
  layer.frames += under.not_finite > 0;
  for (const auto& [tensor, value] : made.outputs) {
    if (value.spec.dtype != DType::kFloat32) continue;
    const auto a = to_float(value), b = to_float(under.outputs.at(tensor));
    if (!a || !b || a->size() != b->size()) continue;
    errors.whole.add(*a, *b);
    add_channels(*a, *b, value.spec.shape, model_.graph->format == "onnx", errors.channels);
  }
  return {};
}

Status Study::measure(engine::Session& whole, Predicted& predicted) {
  const std::size_t n = runner_.steps().size();
  for (Prediction& prediction : predicted.predictions) {
    prediction.layers.resize(n);
    for (std::size_t s = 0; s < n; ++s) prediction.layers[s].step = s;
  }
  std::vector<std::vector<Errors>> local(predicted.predictions.size(), std::vector<Errors>(n));
  std::vector<double> scores;
  largest_.assign(n, 0);
  planned_ = n * (1 + predicted.predictions.size());
  std::vector<Values> all = fed();
  // All frames pass through a step before the next one, so that few engine sessions are open at
  // once.
  for (std::size_t s = 0; s < n; ++s) {
    for (Values& known : all) {
      if (control_.stopped()) return interrupted();
      EP_TRY(auto made, runner_.exact(s, known));
      largest_[s] = std::max(largest_[s], made.largest);
      for (std::size_t p = 0; p < predicted.predictions.size(); ++p)
        EP_CHECK(alone(s, known, made, predicted.predictions[p], local[p][s]));
      keep(s, last_, made, known);
    }
    tell();
  }
  for (std::size_t f = 0; f < frames_.size(); ++f) {
    const Values& known = all[f];
    EP_TRY(auto logits, real(model_, known, logits_));
    EP_TRY(auto outputs, real(model_, known, outputs_));
    EP_CHECK(same_as_whole(whole, frames_[f], outputs, f));
    if (reading_) {
      const auto score = task::score_of(*reading_->task, task::answer_of(*reading_, outputs),
                                        frames_[f].annotation);
      if (score) scores.push_back(*score);
    }
    exact_.logits.push_back(std::move(logits));
    exact_.outputs.push_back(std::move(outputs));
  }
  for (std::size_t p = 0; p < local.size(); ++p)
    for (std::size_t s = 0; s < n; ++s) settle(local[p][s], predicted.predictions[p].layers[s]);
  predicted.scored = scores.size();
  if (reading_) predicted.metric = reading_->task->metric;
  if (!scores.empty()) predicted.accuracy = reading_->task->aggregate(scores).mean();
  return {};
}

Status Study::add(std::size_t frame, const Values& known, std::vector<layers::Spread>& sums,
                  std::vector<double>& scores, std::vector<double>& same, std::size_t& not_finite) {
  EP_TRY(const auto logits, real(model_, known, logits_));
  EP_TRY(const auto outputs, real(model_, known, outputs_));
  bool finite = true;
  for (std::size_t i = 0; i < logits.size(); ++i)
    add_unmasked(exact_.logits[frame][i], logits[i], logits_ != outputs_, sums[i]);
  for (const auto& values : outputs) finite = finite && is_finite(values);
  not_finite += !finite;
  if (!reading_) return {};
  const auto answer = task::answer_of(*reading_, outputs),
             wanted = task::answer_of(*reading_, exact_.outputs[frame]);
  if (answer && wanted) same.push_back(reading_->task->agreement(*wanted, *answer));
  if (const auto score = task::score_of(*reading_->task, answer, frames_[frame].annotation))
    scores.push_back(*score);
  return {};
}

Result<Pass> Study::pass(Scheme scheme, const Kepts& kept) {
  Pass pass;
  std::vector<layers::Spread> sums(logits_.size());
  std::vector<double> scores, same;
  std::vector<Values> all = fed();
  std::vector<bool> exact(runner_.steps().size());
  for (std::size_t s = 0; s < runner_.steps().size(); ++s) {
    exact[s] = kept.count(s) > 0;
    if (const int before = runner_.follows(s); scheme == Scheme::kInt8 && before >= 0)
      exact[s] = exact[s] || exact[static_cast<std::size_t>(before)];
    for (Values& known : all) {
      if (control_.stopped()) return interrupted();
      EP_TRY(auto made, exact[s] ? runner_.exact(s, known) : runner_.reduced(s, scheme, known));
      if (!pass.first && made.input_overflow) pass.first = Kept{s, Reason::kInput};
      if (!pass.first && made.not_finite)
        pass.first = Kept{s, largest_[s] <= precision::largest(scheme) &&
                                     made.partial.value_or(0) > precision::largest(scheme)
                                 ? Reason::kPartial
                                 : Reason::kValue};
      keep(s, last_, made, known);
    }
    tell();
  }
  for (std::size_t f = 0; f < frames_.size(); ++f)
    EP_CHECK(add(f, all[f], sums, scores, same, pass.outcome.not_finite));
  pass.outcome.logit_nrmse = layers::logit_nrmse_of(sums, kLeastSpread);
  if (!same.empty()) pass.outcome.agreement = reading_->task->aggregate(same).mean();
  if (!scores.empty()) pass.outcome.accuracy = reading_->task->aggregate(scores).mean();
  return pass;
}

}  // namespace edgeprobe::precision
