// SPDX-License-Identifier: Apache-2.0
#include "stretch/search/exactness.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "bench/load.h"
#include "core/index.h"
#include "core/text.h"
#include "engine/target.h"
#include "model/cut.h"
#include "stretch/schedule.h"

namespace edgeprobe::stretch {
namespace {

std::size_t largest(const std::vector<float>& values) {
  return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

/// Adds one output of one input to what is known; true where its largest element is another one.
Result<bool> add(Difference& known, const Tensor& mine, const Tensor& theirs) {
  known.bit_equal = known.bit_equal && mine.bytes == theirs.bytes;
  const auto a = to_float(mine), b = to_float(theirs);
  if (!a) return a.error();
  if (!b) return b.error();
  if (a->size() != b->size())
    return Error{ErrorKind::kTarget, "output '" + sanitized(theirs.spec.name) + "' has " +
                                         std::to_string(a->size()) + " elements, not " +
                                         std::to_string(b->size())};
  double most = 0, scale = 0;
  for (std::size_t i = 0; i < a->size(); ++i) {
    const double d = std::fabs(static_cast<double>((*a)[i]) - (*b)[i]);
    // What is no number on one side alone is as wrong as can be.
    const bool alike = std::isnan((*a)[i]) && std::isnan((*b)[i]);
    most = std::max(most, (*a)[i] == (*b)[i] || alike ? 0 : std::isnan(d) ? HUGE_VAL : d);
    if (std::isfinite((*b)[i])) scale = std::max(scale, std::fabs(static_cast<double>((*b)[i])));
  }
  known.absolute = std::max(known.absolute, most);
  const double relative = most == 0 ? 0 : scale > 0 ? most / scale : HUGE_VAL;
  if (relative > known.relative) {
    known.relative = relative;
    known.worst = theirs.spec.name;
  }
  // Two elements that are equal up to rounding have no order.
  const bool other = !a->empty() && largest(*a) != largest(*b) &&
                     (*b)[largest(*b)] - (*b)[largest(*a)] > kSameRelative * scale;
  return other;
}

}  // namespace

bool is_same(const Difference& difference) {
  return difference.relative <= kSameRelative && difference.other_answer == 0;
}

Result<Difference> difference(engine::Session& session, engine::Session& reference,
                              const std::vector<model::Feed>& feeds, std::size_t inputs,
                              const Control& control) {
  Difference known;
  for (std::size_t seed = 1; seed <= inputs; ++seed) {
    if (control.stopped()) return interrupted();
    const auto tensors = bench::random_inputs(reference.inputs(), seed, feeds);
    if (!tensors) return tensors.error();
    const std::vector<TensorView> views(tensors->begin(), tensors->end());
    const auto mine = session.infer(views), theirs = reference.infer(views);
    if (!mine) return mine.error();
    if (!theirs) return theirs.error();
    bool other = false;
    for (std::size_t i = 0; i < theirs->outputs.size(); ++i) {
      const auto added = add(known, mine->outputs.at(i), theirs->outputs[i]);
      if (!added) return added.error();
      other = other || *added;
    }
    known.other_answer += other ? 1 : 0;
    ++known.inputs;
  }
  return known;
}

Result<std::string> first_wrong_piece(const Plan& plan, const model::Graph& graph, ByteView file,
                                      const engine::EngineChoice& reference,
                                      const engine::SessionOptions& options,
                                      const std::vector<model::Feed>& feeds,
                                      const Control& control) {
  const auto schedule = schedule_of(plan, graph);
  if (!schedule) return schedule.error();
  std::map<std::string, std::unique_ptr<engine::Engine>> engines;
  const auto engine_of = [&](const std::string& key,
                             const engine::EngineChoice& choice) -> Result<engine::Engine*> {
    auto& engine = engines[key];
    if (!engine) {
      auto opened = engine::open_supervised(choice);
      if (!opened) return std::move(opened).error();
      engine = *std::move(opened);
    }
    return engine.get();
  };
  engine::SessionOptions plain = options;
  plain.shared_process = true;
  // What is put together of slices stays random: each piece is judged by itself.
  std::vector<std::optional<Tensor>> values(graph.tensors.size());
  for (const std::size_t index : schedule->order) {
    if (control.stopped()) return interrupted();
    const model::Part& part = schedule->parts[index];
    const Processor& processor =
        *std::find_if(plan.processors.begin(), plan.processors.end(), [&](const Processor& one) {
          return one.name == plan.programs[schedule->program_of[index]].processor;
        });
    const auto bytes = model::cut(graph, file, part);
    if (!bytes) return bytes.error();
    const auto own = engine::engine_choice_from_text(processor.engine);
    if (!own) return own.error();
    const auto host = engine_of(processor.engine, *own), other = engine_of("", reference);
    if (!host) return host.error();
    if (!other) return other.error();
    auto mine = (*host)->load(*bytes, plan.pieces[index].name, plain);
    auto theirs = (*other)->load(*bytes, plan.pieces[index].name, plain);
    const std::string sentence = "piece '" + plan.pieces[index].name + "' on processor '" +
                                 processor.name + "' (" + processor.engine + ")";
    if (!mine) return std::move(mine.error()).during(sentence);
    if (!theirs) return std::move(theirs.error()).during(sentence);
    const auto random = bench::random_inputs((*theirs)->inputs(), 1, feeds);
    if (!random) return random.error();
    std::vector<Tensor> inputs = *random;
    for (std::size_t i = 0; i < part.inputs.size(); ++i)
      if (const auto& value = values[at(part.inputs[i])]) inputs[i] = *value;
    const std::vector<TensorView> views(inputs.begin(), inputs.end());
    const auto a = (*mine)->infer(views), b = (*theirs)->infer(views);
    if (!a) return Error(a.error()).during(sentence);
    if (!b) return Error(b.error()).during(sentence);
    Difference known;
    for (std::size_t i = 0; i < part.outputs.size(); ++i) {
      const auto added = add(known, a->outputs.at(i), b->outputs.at(i));
      if (!added) return added.error();
      values[at(part.outputs[i])] = b->outputs[i];
    }
    if (known.relative > kSameRelative)
      return sentence + " computes '" + sanitized(known.worst, 60) +
             "' otherwise: " + number(known.relative) + " of its largest value";
  }
  return std::string();
}

}  // namespace edgeprobe::stretch
