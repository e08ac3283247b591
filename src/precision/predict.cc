// SPDX-License-Identifier: Apache-2.0
#include "precision/predict.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/index.h"
#include "core/text.h"
#include "diagnose/layers/logits.h"
#include "model/state.h"

namespace edgeprobe::precision {
namespace {

// Of one host on both sides: single layers may be fused otherwise than the whole. A fifth of what
// "holds" allows.
constexpr double kSameOutputs = 1e-2;

// Of the RMS: a tensor that varies by less hardly varies, and rounding is not held against that.
constexpr double kLeastSpread = 1e-2;
// Below the largest logit in front of a softmax: a probability of 0 on both sides, a mask's value.
constexpr float kMasked = 100;

using Kepts = std::set<std::size_t>;

/// The model in float32: what every scheme is held against.
struct Exact {
  std::vector<std::vector<std::vector<float>>> logits;  ///< By frame.
  std::vector<task::Outputs> outputs;
};

struct Pass {
  Outcome outcome;
  std::optional<Kept> first;  ///< Where values stopped being finite.
};

// A function of the file stands under a domain of its own.
bool has_body(const std::string& type) {
  if (type == "If" || type == "Loop" || type == "Scan" || type == "SequenceMap" || type == "IF" ||
      type == "WHILE")
    return true;
  return type.find(':') != std::string::npos && type.rfind("com.microsoft", 0) != 0 &&
         type.rfind("ai.onnx", 0) != 0;
}

bool is_finite(const std::vector<float>& values) {
  return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

// Without what a mask has put out of reach.
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
      return Error{ErrorKind::kUnsupported, "'" + sanitized(model.spec(tensor).name, 60) +
                                                "' is made by no layer that runs alone"};
    auto values = to_float(found->second);
    if (!values) return std::move(values.error());
    all.push_back(*std::move(values));
  }
  return all;
}

class Study {
 public:
  Study(StepRunner& runner, const layers::ModelFile& model, const std::vector<Frame>& frames,
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

  /// Float32, and each layer alone under each scheme.
  Status measure(engine::Session& whole, Predicted& predicted);
  Result<Pass> pass(Scheme scheme, const Kepts& kept);
  Status search(Prediction& prediction);

 private:
  Status add(std::size_t frame, const Values& known, std::vector<layers::Spread>& sums,
             std::vector<double>& scores, std::vector<double>& same, std::size_t& not_finite);
  std::vector<Values> fed() const;
  Status alone(std::size_t step, const Values& known, const Stepped& made, Prediction& prediction,
               layers::Spread& error);
  void tell() {
    ++done_;
    if (control_.progress) control_.progress(done_, std::max(done_, planned_), "layers");
  }

  StepRunner& runner_;
  const layers::ModelFile& model_;
  const std::vector<Frame>& frames_;
  const Control& control_;
  std::vector<int> logits_, outputs_;
  std::optional<task::Reading> reading_;
  Exact exact_;
  std::vector<double> largest_;      ///< Of the values of each step, in float32.
  std::map<int, std::size_t> last_;  ///< Step that reads a tensor last.
  std::size_t done_ = 0, planned_ = 0;
};

Status same_as_whole(engine::Session& whole, const Frame& frame, const task::Outputs& stepwise,
                     std::size_t place) {
  auto inference = whole.infer({frame.inputs.begin(), frame.inputs.end()});
  if (!inference) return std::move(inference.error());
  for (std::size_t i = 0; i < stepwise.size() && i < inference->outputs.size(); ++i) {
    const auto values = to_float(inference->outputs[i]);
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

std::vector<Values> Study::fed() const {
  std::vector<Values> all(frames_.size());
  for (std::size_t f = 0; f < frames_.size(); ++f)
    for (std::size_t i = 0; i < frames_[f].inputs.size() && i < model_.graph->inputs.size(); ++i)
      all[f][model_.graph->inputs[i]] = frames_[f].inputs[i];
  return all;
}

Status Study::alone(std::size_t step, const Values& known, const Stepped& made,
                    Prediction& prediction, layers::Spread& error) {
  auto under = runner_.reduced(step, prediction.scheme, known);
  if (!under) return std::move(under.error());
  LayerOutcome& layer = prediction.layers[step];
  layer.largest = std::max(layer.largest, made.largest);
  if (under->partial) layer.partial = std::max(layer.partial.value_or(0), *under->partial);
  layer.frames += under->not_finite > 0;
  for (const auto& [tensor, value] : made.outputs) {
    if (value.spec.dtype != DType::kFloat32) continue;
    const auto a = to_float(value), b = to_float(under->outputs.at(tensor));
    if (a && b && a->size() == b->size()) error.add(*a, *b);
  }
  return {};
}

Status Study::measure(engine::Session& whole, Predicted& predicted) {
  const std::size_t n = runner_.steps().size();
  for (Prediction& prediction : predicted.predictions) {
    prediction.layers.resize(n);
    for (std::size_t s = 0; s < n; ++s) prediction.layers[s].step = s;
  }
  std::vector<std::vector<layers::Spread>> local(predicted.predictions.size(),
                                                 std::vector<layers::Spread>(n));
  std::vector<double> scores;
  largest_.assign(n, 0);
  planned_ = n * (1 + predicted.predictions.size());
  std::vector<Values> all = fed();
  // All frames through a step before the next one, so that few engine sessions are open at once.
  for (std::size_t s = 0; s < n; ++s) {
    for (Values& known : all) {
      if (control_.stopped()) return interrupted();
      auto made = runner_.exact(s, known);
      if (!made) return std::move(made.error());
      largest_[s] = std::max(largest_[s], made->largest);
      for (std::size_t p = 0; p < predicted.predictions.size(); ++p)
        if (auto done = alone(s, known, *made, predicted.predictions[p], local[p][s]); !done)
          return done;
      keep(s, last_, *made, known);
    }
    tell();
  }
  for (std::size_t f = 0; f < frames_.size(); ++f) {
    const Values& known = all[f];
    auto logits = real(model_, known, logits_);
    if (!logits) return std::move(logits.error());
    auto outputs = real(model_, known, outputs_);
    if (!outputs) return std::move(outputs.error());
    if (auto done = same_as_whole(whole, frames_[f], *outputs, f); !done) return done;
    if (reading_) {
      const auto score = task::score_of(*reading_->task, task::answer_of(*reading_, *outputs),
                                        frames_[f].annotation);
      if (score) scores.push_back(*score);
    }
    exact_.logits.push_back(*std::move(logits));
    exact_.outputs.push_back(*std::move(outputs));
  }
  for (std::size_t p = 0; p < local.size(); ++p)
    for (std::size_t s = 0; s < n; ++s)
      predicted.predictions[p].layers[s].relative_error = std::sqrt(local[p][s].nse());
  predicted.scored = scores.size();
  if (reading_) predicted.metric = reading_->task->metric;
  if (!scores.empty()) predicted.accuracy = reading_->task->aggregate(scores).mean();
  return {};
}

Status Study::add(std::size_t frame, const Values& known, std::vector<layers::Spread>& sums,
                  std::vector<double>& scores, std::vector<double>& same, std::size_t& not_finite) {
  const auto logits = real(model_, known, logits_);
  if (!logits) return logits.error();
  const auto outputs = real(model_, known, outputs_);
  if (!outputs) return outputs.error();
  bool finite = true;
  for (std::size_t i = 0; i < logits->size(); ++i)
    add_unmasked(exact_.logits[frame][i], (*logits)[i], logits_ != outputs_, sums[i]);
  for (const auto& values : *outputs) finite = finite && is_finite(values);
  not_finite += !finite;
  if (!reading_) return {};
  const auto answer = task::answer_of(*reading_, *outputs),
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
  for (std::size_t s = 0; s < runner_.steps().size(); ++s) {
    for (Values& known : all) {
      if (control_.stopped()) return interrupted();
      auto made = kept.count(s) ? runner_.exact(s, known) : runner_.reduced(s, scheme, known);
      if (!made) return std::move(made.error());
      if (!pass.first && made->input_overflow) pass.first = Kept{s, Reason::kInput};
      if (!pass.first && made->not_finite)
        pass.first = Kept{s, largest_[s] <= precision::largest(scheme) &&
                                     made->partial.value_or(0) > precision::largest(scheme)
                                 ? Reason::kPartial
                                 : Reason::kValue};
      keep(s, last_, *made, known);
    }
    tell();
  }
  for (std::size_t f = 0; f < frames_.size(); ++f)
    if (auto done = add(f, all[f], sums, scores, same, pass.outcome.not_finite); !done)
      return std::move(done.error());
  pass.outcome.logit_nrmse = layers::logit_nrmse_of(sums, kLeastSpread);
  if (!same.empty()) pass.outcome.agreement = reading_->task->aggregate(same).mean();
  if (!scores.empty()) pass.outcome.accuracy = reading_->task->aggregate(scores).mean();
  return pass;
}

// Layers whose values stop being finite are kept one after the other; then those with the largest
// errors of their own, twice as many each time. What turns out to be needless is given back.
Status Study::search(Prediction& prediction) {
  const std::size_t most = runner_.steps().size() / 2;
  Kepts kept;
  std::vector<Kept> reasons;
  auto ran = pass(prediction.scheme, kept);
  if (!ran) return std::move(ran.error());
  prediction.outcome = ran->outcome;
  prediction.first = ran->first;
  if (ran->outcome.level() != Level::kBreaks) return {};
  while (ran->outcome.level() == Level::kBreaks && ran->first && kept.size() < most &&
         kept.insert(ran->first->step).second) {
    reasons.push_back(*ran->first);
    ran = pass(prediction.scheme, kept);
    if (!ran) return std::move(ran.error());
  }
  std::vector<std::size_t> order(runner_.steps().size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return prediction.layers[a].relative_error > prediction.layers[b].relative_error;
  });
  for (std::size_t more = 1, next = 0;
       ran->outcome.level() == Level::kBreaks && next < order.size() && kept.size() < most;
       more *= 2) {
    for (std::size_t i = 0; i < more && next < order.size() && kept.size() < most; ++next)
      if (kept.insert(order[next]).second) {
        reasons.push_back({order[next], Reason::kRounding});
        ++i;
      }
    ran = pass(prediction.scheme, kept);
    if (!ran) return std::move(ran.error());
  }
  if (ran->outcome.level() == Level::kBreaks) return {};
  prediction.with_kept = ran->outcome;
  for (std::size_t i = reasons.size(); i-- > 0 && reasons.size() > 1;) {
    Kepts fewer = kept;
    fewer.erase(reasons[i].step);
    ran = pass(prediction.scheme, fewer);
    if (!ran) return std::move(ran.error());
    if (ran->outcome.level() == Level::kBreaks) continue;
    kept = std::move(fewer);
    reasons.erase(reasons.begin() + static_cast<std::ptrdiff_t>(i));
    prediction.with_kept = ran->outcome;
  }
  std::sort(reasons.begin(), reasons.end(),
            [](const Kept& a, const Kept& b) { return a.step < b.step; });
  prediction.kept = std::move(reasons);
  return {};
}

}  // namespace

const char* name(Level level) {
  switch (level) {
    case Level::kHolds: return "holds";
    case Level::kMoves: return "moves";
    case Level::kBreaks: break;
  }
  return "breaks";
}

const char* name(Reason reason) {
  switch (reason) {
    case Reason::kValue: return "value";
    case Reason::kPartial: return "partial_sum";
    case Reason::kInput: return "input";
    case Reason::kRounding: break;
  }
  return "rounding";
}

Level Outcome::level() const {
  if (not_finite > 0 || !(logit_nrmse <= layers::kIntegerLimits.severe)) return Level::kBreaks;
  return logit_nrmse <= layers::kIntegerLimits.quiet ? Level::kHolds : Level::kMoves;
}

Result<Predicted> predict(const layers::Host& host, const layers::ModelFile& model,
                          const std::vector<Frame>& frames, const std::vector<Scheme>& schemes,
                          const Control& control) {
  if (const std::string state = model::state_of(*model.graph); !state.empty())
    return Error{ErrorKind::kUnsupported, "the model keeps a state ('" + sanitized(state, 60) +
                                              "'); its layers cannot be run one by one"};
  auto runner = StepRunner::open(host, model);
  if (!runner) return std::move(runner.error());
  Predicted predicted;
  predicted.sha256 = model.graph->sha256;
  predicted.frames = frames.size();
  std::size_t in_float = 0;
  for (const Step& step : (*runner)->steps()) {
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
                 "all outputs are whole numbers, as ArgMax and TopK give them: nothing tells how "
                 "far they are off; make the tensor in front of them an output"};
  std::size_t bodies = 0;
  for (const Step& step : (*runner)->steps())
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
  auto whole = host.engine->load(model.bytes, "the model", host.options);
  if (!whole) return std::move(whole.error());
  Study study(**runner, model, frames, control);
  if (auto done = study.measure(**whole, predicted); !done) return std::move(done.error());
  for (std::size_t p = 0; p < predicted.predictions.size(); ++p) {
    auto done = study.search(predicted.predictions[p]);
    if (!done && (p == 0 || done.error().kind != ErrorKind::kInterrupted))
      return std::move(done.error());
    if (done) continue;
    predicted.stopped = true;
    predicted.predictions.resize(p);
  }
  if ((*runner)->unrounded() > 0)
    predicted.warnings.push_back(std::to_string((*runner)->unrounded()) +
                                 " constants lie outside of the model file and were not rounded");
  if ((*runner)->overflowed() > 0)
    predicted.warnings.push_back(
        std::to_string((*runner)->overflowed()) +
        " constants hold values that a precision cannot, and became infinite as a cast makes them; "
        "converters that clip them give other results");
  std::map<std::string, std::size_t> skipped;
  for (std::size_t s = 0; s < predicted.steps.size(); ++s)
    if (!(*runner)->sums_skipped(s).empty()) ++skipped[(*runner)->sums_skipped(s)];
  if (std::find(schemes.begin(), schemes.end(), Scheme::kFloat16Sums) != schemes.end())
    for (const auto& [why, count] : skipped)
      predicted.warnings.push_back("sums of " + std::to_string(count) +
                                   " steps are added up in float32: " + why);
  return predicted;
}

}  // namespace edgeprobe::precision
