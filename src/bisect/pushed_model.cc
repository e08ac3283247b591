// SPDX-License-Identifier: Apache-2.0
#include "bisect/pushed_model.h"

#include <algorithm>
#include <set>

#include "core/codes.h"
#include "core/index.h"
#include "core/text.h"
#include "layers/replay/kernel_error.h"

namespace edgeprobe::bisect {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;

std::size_t bytes_of(const model::Graph& graph, const std::set<int>& tensors) {
  std::size_t bytes = 0;
  for (const int tensor : tensors) {
    TensorSpec spec = graph.tensors[at(tensor)].spec;
    for (std::int64_t& dim : spec.shape) dim = dim < 0 ? 1 : dim;
    bytes += spec.byte_size().value_or(0);
  }
  return bytes;
}

}  // namespace

Result<PushedModel> PushedModel::open(const layers::Host& device, const layers::Host& host,
                                      const layers::ModelFile& model, const std::string& label,
                                      std::vector<std::vector<Tensor>> inputs,
                                      const Control& control) {
  PushedModel opened(device, host, model, label);
  EP_TRY(opened.units_, units_of(*model.graph));
  opened.frames_ = inputs.size();
  std::set<int> crossing;
  for (const auto& cut : opened.units_.crossing) crossing.insert(cut.begin(), cut.end());
  if (const std::size_t bytes = bytes_of(*model.graph, crossing) * inputs.size();
      bytes > kMostBytes)
    return Error{ErrorKind::kLimit, "the tensors between operators take " +
                                        bytes_text(static_cast<double>(bytes)) + " in " +
                                        std::to_string(inputs.size()) +
                                        " frames, more than 1 GB; take fewer (--frames)"};
  auto held = host_values(host, model, inputs, {crossing.begin(), crossing.end()}, control);
  if (!held) return std::move(held.error()).during("host");
  opened.host_frames_ = std::move(held->frames);
  opened.not_captured_ = std::move(held->missing);
  std::vector<int> missing;
  for (const model::NotCaptured& one : opened.not_captured_) missing.push_back(one.tensor);
  opened.units_ = joined(*model.graph, std::move(opened.units_), missing);
  opened.inputs_ = std::move(inputs);
  opened.maker_.assign(model.graph->tensors.size(), -1);
  for (const int tensor : crossing)
    if (const model::Layer* layer = model::layer_of(*model.graph, tensor))
      opened.maker_[at(tensor)] = layer->index;
  return opened;
}

std::string PushedModel::type(int index) const {
  return model_.graph->layers[at(unit(index).layer)].type;
}

std::string PushedModel::name(int index) const { return unit_text(*model_.graph, unit(index)); }

bool PushedModel::rounds() const {
  for (const auto& cut : units_.crossing)
    for (const int tensor : cut)
      if (holds_codes(model_.spec(tensor))) return true;
  return false;
}

model::Part PushedModel::part(int from, int to) const {
  const model::Graph& graph = *model_.graph;
  const int first = units_.units[at(from)].first;
  std::vector<bool> fed(graph.tensors.size());
  for (const int tensor : units_.crossing[at(from)]) fed[at(tensor)] = true;
  std::vector<int> made;
  for (const int tensor : units_.crossing[at(to)]) {
    const auto makes = [&](const model::Layer& layer) {
      return layer.index >= first &&
             std::find(layer.outputs.begin(), layer.outputs.end(), tensor) != layer.outputs.end();
    };
    if (std::any_of(graph.layers.begin(), graph.layers.end(), makes)) made.push_back(tensor);
  }
  return model::part_for(graph, made, fed);
}

Result<Frames> PushedModel::whole() {
  EP_TRY(auto session, device_.engine->load(model_.bytes, label_, device_.options));
  if (session->outputs().size() != model_.graph->outputs.size())
    return Error{ErrorKind::kTarget, "it shows " + std::to_string(session->outputs().size()) +
                                         " outputs, the model has " +
                                         std::to_string(model_.graph->outputs.size())};
  Frames seen;
  for (const std::vector<Tensor>& frame : inputs_) {
    EP_TRY(auto inference, session->infer({frame.begin(), frame.end()}));
    for (std::size_t o = 0; o < model_.graph->outputs.size(); ++o) {
      Tensor value = std::move(inference.outputs[o]);
      Shape shape = std::move(value.spec.shape);
      value.spec = model_.spec(model_.graph->outputs[o]);
      value.spec.shape = std::move(shape);
      seen[model_.graph->outputs[o]].push_back(std::move(value));
    }
  }
  return seen;
}

Result<Frames> PushedModel::run(const layers::Host& engine, const model::Part& part,
                                const Frames& fed) {
  std::vector<Shape> shapes;
  EP_TRY(const auto first, values_of(fed, part.inputs, 0));
  for (const TensorView& value : first) shapes.push_back(value.spec->shape);
  EP_TRY(auto fragment, layers::Fragment::open(engine, model_, part, shapes));
  Frames made;
  for (std::size_t f = 0; f < frames_; ++f) {
    EP_TRY(const auto values, values_of(fed, part.inputs, f));
    EP_TRY(auto outputs, fragment.run(values));
    for (std::size_t o = 0; o < outputs.size(); ++o)
      made[part.outputs[o]].push_back(std::move(outputs[o]));
  }
  return made;
}

Result<Frames> PushedModel::from(const layers::Host& engine, const model::Part& part,
                                 const Frames* values) {
  Frames fed;
  for (const int input : part.inputs) {
    const Frames* source = values && values->count(input) ? values : &host_frames_;
    const auto found = source->find(input);
    if (found == source->end())
      return Error{ErrorKind::kNotFound,
                   "'" + sanitized(model_.spec(input).name, 60) + "' has no values on the host"};
    fed[input] = found->second;
  }
  return run(engine, part, fed);
}

Result<double> PushedModel::excess(const Frames& expected, const Frames& seen,
                                   const std::vector<int>& tensors) const {
  double worst = 0;
  for (const int tensor : tensors) {
    const auto a = expected.find(tensor), b = seen.find(tensor);
    if (a == expected.end() || b == seen.end() || maker_[at(tensor)] < 0) continue;
    layers::KernelErrorSums sums;
    for (std::size_t f = 0; f < frames_; ++f)
      if (auto added = sums.add(model_.spec(tensor), a->second[f], b->second[f]); !added)
        return 1e9;  // The number of values differs.
    worst = std::max(worst, layers::excess(model_, sums.judged(model_, maker_[at(tensor)])));
  }
  return worst;
}

Result<double> PushedModel::gap(int to, const Frames& seen) {
  const std::vector<int>& outputs = model_.graph->outputs;
  if (to == units()) return gap_between(host_frames_, seen, outputs);
  auto rest = from(host_, part(to, units()), &seen);
  if (!rest) return std::move(rest.error()).during("the rest on the host");
  for (const int output : outputs)
    if (!rest->count(output) && seen.count(output)) (*rest)[output] = seen.at(output);
  return gap_between(host_frames_, *rest, outputs);
}

Result<Seen> PushedModel::device(int first, int last) {
  Seen seen;
  seen.from = first;
  seen.to = last;
  const bool all = first == 0 && last == units();
  const model::Part pushed = part(first, last);
  auto made = all ? whole() : from(device_, pushed, nullptr);
  if (!made) {
    // A missing result proves nothing about an operator.
    const bool missing = all && made.error().kind == ErrorKind::kNotFound;
    if (missing || made.error().kind == ErrorKind::kInterrupted) return std::move(made.error());
    seen.refused = made.error().what;
    return seen;
  }
  return judged(std::move(seen), all ? model_.graph->outputs : pushed.outputs, *std::move(made));
}

Result<Seen> PushedModel::judged(Seen seen, const std::vector<int>& tensors, Frames made) {
  EP_TRY(seen.excess, excess(host_frames_, made, tensors));
  if (seen.excess > 0) {
    EP_TRY(seen.gap, gap(seen.to, made));
  }
  seen.values = std::make_shared<const Frames>(std::move(made));
  return seen;
}

Result<Seen> PushedModel::resumed(const Seen& before, int resume, int to) {
  Seen seen;
  seen.from = before.from;
  seen.to = to;
  const auto* const values = static_cast<const Frames*>(before.values.get());
  Frames now = values ? *values : Frames();
  auto repaired = from(host_, part(before.to, resume), &now);
  if (!repaired) return std::move(repaired.error()).during("a part on the host");
  for (auto& [tensor, made] : *repaired) now[tensor] = std::move(made);
  if (resume < to) {
    auto made = from(device_, part(resume, to), &now);
    if (!made) {
      if (made.error().kind == ErrorKind::kInterrupted) return std::move(made.error());
      seen.refused = made.error().what;
      return seen;
    }
    for (auto& [tensor, value] : *made) now[tensor] = std::move(value);
  }
  return judged(std::move(seen), units_.crossing[at(to)], std::move(now));
}

Result<double> PushedModel::residue(const Seen& before, const Seen& after) {
  const auto* const values = static_cast<const Frames*>(before.values.get());
  const auto* const found = static_cast<const Frames*>(after.values.get());
  if (!found || before.to >= after.to) return 0.0;
  const model::Part between = part(before.to, after.to);
  auto made = from(host_, between, values);
  if (!made) return std::move(made.error()).during("a part on the host");
  return excess(*made, *found, between.outputs);
}

}  // namespace edgeprobe::bisect
