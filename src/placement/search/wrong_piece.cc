// SPDX-License-Identifier: Apache-2.0
#include "placement/search/wrong_piece.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "bench/load.h"
#include "core/index.h"
#include "core/text.h"
#include "engine/target.h"
#include "model/cut.h"
#include "placement/search/exactness.h"
#include "placement/search/timing.h"
#include "stretch/schedule.h"
#include "stretch/split/fit.h"

namespace edgeprobe::placement {
namespace {

/// Limit on bytes of captured tensors at once.
constexpr std::size_t kCaptured = std::size_t{1} << 28;

using Sessions = std::pair<std::unique_ptr<engine::Session>, std::unique_ptr<engine::Session>>;
struct Both {
  std::vector<Tensor> mine, theirs;
};

/// The engines of a plan and the reference, opened once each.
class Judge {
 public:
  Judge(const stretch::Plan& plan, const Reference& reference, const Control& control)
      : plan_(plan), reference_(reference), control_(control) {}

  Result<std::string> first_wrong_piece();

 private:
  Result<engine::Engine*> engine_of(const std::string& key, const engine::EngineChoice& choice);
  Result<Sessions> load(ByteView model, const std::string& label,
                        const stretch::Processor& processor);
  Result<Both> run(const Sessions& sessions, const std::vector<TensorView>& inputs) const;
  Result<std::string> first_wrong_layer(ByteView piece, const stretch::Processor& processor,
                                        const std::vector<TensorView>& inputs);

  const stretch::Plan& plan_;
  const Reference& reference_;
  const Control& control_;
  std::map<std::string, std::unique_ptr<engine::Engine>> engines_;
};

Result<engine::Engine*> Judge::engine_of(const std::string& key,
                                         const engine::EngineChoice& choice) {
  auto& engine = engines_[key];
  if (engine) return engine.get();
  EP_TRY(engine, engine::open_supervised(choice));
  return engine.get();
}

/// Loads a model on the processor and on the reference.
Result<Sessions> Judge::load(ByteView model, const std::string& label,
                             const stretch::Processor& processor) {
  EP_TRY(const auto choice, engine::engine_choice_from_text(processor.engine));
  engine::SessionOptions base = reference_.options;
  base.shared_process = true;
  EP_TRY(const auto own, options_on(processor, base));
  const auto host = engine_of(processor.engine, choice);
  const auto other = engine_of("", reference_.engine);
  if (!host) return host.error();
  if (!other) return other.error();
  EP_TRY(auto mine, (*host)->load(model, label, own));
  EP_TRY(auto theirs, (*other)->load(model, label, base));
  return Sessions{std::move(mine), std::move(theirs)};
}

Result<Both> Judge::run(const Sessions& sessions, const std::vector<TensorView>& inputs) const {
  EP_TRY(auto mine, sessions.first->infer(inputs));
  EP_TRY(auto theirs, sessions.second->infer(inputs));
  if (mine.outputs.size() != theirs.outputs.size())
    return Error{ErrorKind::kTarget, "the engines have other numbers of outputs"};
  return Both{std::move(mine.outputs), std::move(theirs.outputs)};
}

/// "'block1/conv3/conv' (Conv)"; "" if no layer differs with all outputs visible.
Result<std::string> Judge::first_wrong_layer(ByteView piece, const stretch::Processor& processor,
                                             const std::vector<TensorView>& inputs) {
  EP_TRY(const auto graph, model::read_model(piece, "a piece", reference_.options.folder));
  for (const auto& group : model::capture_groups(graph, model::capturable(graph), kCaptured)) {
    if (control_.stopped()) return interrupted();
    EP_TRY(const auto promoted, model::promote(graph, piece, group));
    EP_TRY(const auto sessions, load(promoted, "a piece with its layers", processor));
    EP_TRY(const auto both, run(sessions, inputs));
    const std::vector<int> tensors = model::promoted_outputs(graph, group);
    int first = -1;
    for (std::size_t i = 0; i < tensors.size() && i < both.mine.size(); ++i) {
      const auto relative = relative_difference(both.mine[i], both.theirs[i]);
      const model::Layer* const layer = model::layer_of(graph, tensors[i]);
      if (relative && layer && *relative > kSameRelative && (first < 0 || layer->index < first))
        first = layer->index;
    }
    if (first < 0) continue;
    const model::Layer& layer = graph.layers[at(first)];
    return "'" + sanitized(graph.tensors[at(layer.outputs.front())].spec.name, 80) + "' (" +
           sanitized(layer.type, 40) + ")";
  }
  return std::string();
}

Result<std::string> Judge::first_wrong_piece() {
  EP_TRY(const auto fitted, stretch::fit(plan_, reference_.graph, reference_.file));
  const stretch::Schedule* const schedule = &fitted.schedule;
  // Tensors merged from slices keep random values: each piece is judged separately.
  std::vector<std::optional<Tensor>> values(fitted.graph.tensors.size());
  for (const std::size_t index : schedule->order) {
    if (control_.stopped()) return interrupted();
    const model::Part& part = schedule->parts[index];
    const stretch::Processor& processor = *std::find_if(
        plan_.processors.begin(), plan_.processors.end(), [&](const stretch::Processor& one) {
          return one.name == plan_.programs[schedule->program_of[index]].processor;
        });
    const std::string sentence = "piece '" + sanitized(plan_.pieces[index].name, 60) +
                                 "' on processor '" + sanitized(processor.name, 60) + "'";
    EP_TRY(const auto bytes, model::cut(fitted.graph, fitted.file(reference_.file), part));
    const auto sessions = load(bytes, plan_.pieces[index].name, processor);
    if (!sessions) return Error(sessions.error()).during(sentence);
    EP_TRY(auto inputs, bench::random_inputs(sessions->second->inputs(), 1, reference_.feeds));
    for (std::size_t i = 0; i < part.inputs.size() && i < inputs.size(); ++i)
      if (const auto& value = values[at(part.inputs[i])]) inputs[i] = *value;
    const std::vector<TensorView> views(inputs.begin(), inputs.end());
    auto both = run(*sessions, views);
    if (!both) return Error(both.error()).during(sentence);
    for (std::size_t i = 0; i < part.outputs.size() && i < both->mine.size(); ++i) {
      EP_TRY(const auto relative, relative_difference(both->mine[i], both->theirs[i]));
      if (relative > kSameRelative) {
        const auto layer = first_wrong_layer(bytes, processor, views);
        return sentence + " computes '" + sanitized(both->theirs[i].spec.name, 60) +
               "' differently, by " + number(relative) + " of its largest value" +
               (layer && !layer->empty() ? "; the first layer that differs there is " + *layer
                                         : "");
      }
      values[at(part.outputs[i])] = std::move(both->theirs[i]);
    }
  }
  return std::string();
}

}  // namespace

Result<std::string> first_wrong_piece(const stretch::Plan& plan, const Reference& reference,
                                      const Control& control) {
  return Judge(plan, reference, control).first_wrong_piece();
}

}  // namespace edgeprobe::placement
