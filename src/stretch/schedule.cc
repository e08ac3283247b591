// SPDX-License-Identifier: Apache-2.0
#include "stretch/schedule.h"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>

#include "core/index.h"
#include "core/text.h"
#include "model/state.h"
#include "stretch/course.h"
#include "stretch/merge.h"
#include "stretch/wording.h"

namespace edgeprobe::stretch {
namespace {

using model::Graph;

/// Resolves the tensors of a plan in a model.
class Scheduler {
 public:
  Scheduler(const Plan& plan, const Graph& graph)
      : plan_(plan),
        graph_(graph),
        texts_(tensor_texts(graph)),
        layer_of_(graph.tensors.size(), -1),
        given_(graph.tensors.size()),
        makers_(graph.tensors.size()) {
    for (std::size_t i = 0; i < texts_.size(); ++i) tensor_of_[texts_[i]] = static_cast<int>(i);
    for (const model::Layer& layer : graph.layers)
      for (const int tensor : layer.outputs)
        if (is_tensor(tensor)) layer_of_[at(tensor)] = layer.index;
  }

  Result<Schedule> schedule() {
    EP_CHECK(find_tensors());
    EP_CHECK(take_parts());
    EP_CHECK(add_outputs());
    EP_CHECK(take_merges());
    Course course = course_of(plan_);
    EP_CHECK(check_times(course));
    const std::size_t pieces = plan_.pieces.size();
    made_.before.assign(pieces, std::vector<bool>(pieces));
    for (std::size_t a = 0; a < pieces; ++a)
      for (std::size_t b = 0; b < pieces; ++b) made_.before[a][b] = course.has_ended(a, b);
    made_.program_of = std::move(course.program_of);
    for (const std::vector<Course::Action>& actions : course.programs) {
      std::vector<Schedule::Action>& program = made_.programs.emplace_back();
      for (const Course::Action& action : actions) program.push_back({action.kind, action.index});
    }
    made_.flags = course.flags;
    made_.order = std::move(course.order);
    return std::move(made_);
  }

 private:
  bool is_tensor(int tensor) const { return tensor >= 0 && at(tensor) < graph_.tensors.size(); }

  Result<int> tensor(const std::string& name, const std::string& here) const {
    const auto found = tensor_of_.find(name);
    if (found != tensor_of_.end()) return found->second;
    return wrong(here, "the model has no tensor " + in_quotes(name) + suggestion(name, texts_));
  }
  Result<std::vector<int>> tensors(const std::vector<std::string>& names,
                                   const std::string& here) const {
    std::vector<int> found;
    for (std::size_t i = 0; i < names.size(); ++i) {
      EP_TRY(const auto one, tensor(names[i], item(here, i)));
      found.push_back(one);
    }
    return found;
  }

  Status find_tensors() {
    for (const int tensor : graph_.inputs)
      if (is_tensor(tensor)) given_[at(tensor)] = true;
    for (std::size_t i = 0; i < plan_.pieces.size(); ++i) {
      const std::string here = item("pieces", i);
      EP_TRY(auto inputs, tensors(plan_.pieces[i].inputs, here + ".inputs"));
      EP_TRY(auto outputs, tensors(plan_.pieces[i].outputs, here + ".outputs"));
      for (std::size_t j = 0; j < outputs.size(); ++j) {
        const int output = outputs[j];
        if (layer_of_[at(output)] < 0 || given_[at(output)])
          return wrong(item(here + ".outputs", j),
                       "no layer makes " + in_quotes(texts_[at(output)]));
        makers_[at(output)] = {i};
      }
      inputs_.push_back(std::move(inputs));
      made_.parts.push_back({{}, {}, std::move(outputs)});
    }
    for (std::size_t i = 0; i < plan_.merges.size(); ++i) {
      const Merge& merge = plan_.merges[i];
      const std::string here = item("merges", i);
      EP_TRY(const auto whole, tensor(merge.tensor, here + ".tensor"));
      wholes_.push_back(whole);
      std::vector<std::string> slices;
      for (const Merge::Slice& slice : merge.slices) slices.push_back(slice.tensor);
      EP_TRY(auto found, tensors(slices, here + ".slices"));
      slices_.push_back(std::move(found));
    }
    for (const model::Part& part : made_.parts)
      for (const int tensor : part.outputs) given_[at(tensor)] = true;
    for (const int tensor : wholes_) given_[at(tensor)] = true;
    return {};
  }

  /// Builds each piece as the part that computes its outputs from the tensors made by others.
  Status take_parts() {
    for (std::size_t i = 0; i < plan_.pieces.size(); ++i) {
      const std::string here = item("pieces", i);
      for (std::size_t j = 0; j < inputs_[i].size(); ++j)
        if (!given_[at(inputs_[i][j])])
          return wrong(item(here + ".inputs", j),
                       in_quotes(texts_[at(inputs_[i][j])]) +
                           " is not an input of the model, and no piece makes it");
      // Its own tensors are marked as given, too: part_for() handles that.
      made_.parts[i] = model::part_for(graph_, made_.parts[i].outputs, given_);
      const std::set<int> named(inputs_[i].begin(), inputs_[i].end());
      const std::set<int> needed(made_.parts[i].inputs.begin(), made_.parts[i].inputs.end());
      for (const int tensor : needed)
        if (!named.count(tensor))
          return wrong(here + ".inputs", "piece " + in_quotes(plan_.pieces[i].name) + " needs " +
                                             in_quotes(texts_[at(tensor)]) + ", too");
      for (const int tensor : named)
        if (!needed.count(tensor))
          return wrong(here + ".inputs", "piece " + in_quotes(plan_.pieces[i].name) +
                                             " does not need " + in_quotes(texts_[at(tensor)]) +
                                             "; leave it out");
    }
    return {};
  }

  /// Outputs of the model that the plan does not name, such as those of captured layers.
  Status add_outputs() {
    std::vector<std::size_t> piece_of(graph_.layers.size(), plan_.pieces.size());
    for (std::size_t i = 0; i < made_.parts.size(); ++i)
      for (const int layer : made_.parts[i].layers)
        piece_of[at(layer)] = std::min(piece_of[at(layer)], i);
    for (const int output : graph_.outputs) {
      if (!is_tensor(output) || given_[at(output)]) continue;
      const int layer = layer_of_[at(output)];
      const std::size_t piece = layer < 0 ? plan_.pieces.size() : piece_of[at(layer)];
      if (piece == plan_.pieces.size())
        return Error{ErrorKind::kUsage, in_quotes(texts_[at(output)]) +
                                            " is an output of the model that no piece makes; let "
                                            "one make it"};
      made_.parts[piece].outputs.push_back(output);
      makers_[at(output)] = {piece};
      given_[at(output)] = true;
    }
    return {};
  }

  Status take_merges() {
    std::unordered_map<int, std::size_t> merge_of;
    for (std::size_t i = 0; i < wholes_.size(); ++i) {
      merge_of[wholes_[i]] = i;
      const int layer = layer_of_[at(wholes_[i])];
      EP_TRY(const auto offsets,
             offsets_of(graph_, plan_.merges[i], item("merges", i),
                        layer < 0 ? nullptr : &graph_.layers[at(layer)], wholes_[i], slices_[i]));
      for (const int slice : slices_[i])
        if (!given_[at(slice)])
          return wrong(item("merges", i),
                       "no piece makes its slice " + in_quotes(texts_[at(slice)]));
      for (std::size_t j = 0; j < slices_[i].size(); ++j)
        made_.views.push_back({slices_[i][j], wholes_[i], offsets[j]});
    }
    // A whole inside another one is made by the makers of its slices. check() has ruled out cycles.
    for (std::size_t i = 0; i < wholes_.size(); ++i) {
      std::vector<int> open = slices_[i];
      std::vector<std::size_t>& makers = makers_[at(wholes_[i])];
      while (!open.empty()) {
        const int tensor = open.back();
        open.pop_back();
        if (const auto inner = merge_of.find(tensor); inner != merge_of.end())
          open.insert(open.end(), slices_[inner->second].begin(), slices_[inner->second].end());
        else makers.insert(makers.end(), makers_[at(tensor)].begin(), makers_[at(tensor)].end());
      }
    }
    return {};
  }

  Status check_times(const Course& course) const {
    const auto processor = [&](std::size_t piece) {
      return in_quotes(plan_.programs[course.program_of[piece]].processor);
    };
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      for (const int tensor : inputs_[i])
        for (const std::size_t maker : makers_[at(tensor)]) {
          if (course.has_ended(maker, i)) continue;
          const bool is_same = course.program_of[maker] == course.program_of[i];
          std::string what = "piece " + in_quotes(plan_.pieces[i].name) + " on processor " +
                             processor(i) + " reads " + in_quotes(texts_[at(tensor)]) + ", which ";
          if (maker == i) what += "it makes itself";
          else what += "piece " + in_quotes(plan_.pieces[maker].name);
          if (is_same && maker != i) what += " makes after it: run that one first";
          if (!is_same)
            what +=
                " on " + processor(maker) +
                " may not have made yet: let it wait for a flag that is signalled after that piece";
          return wrong(item("pieces", i), what);
        }
    return {};
  }

  const Plan& plan_;
  const Graph& graph_;
  std::vector<std::string> texts_;
  std::unordered_map<std::string, int> tensor_of_;
  std::vector<int> layer_of_;                      ///< By tensor: its layer; -1: none.
  std::vector<bool> given_;                        ///< By tensor: True if pieces can read it.
  std::vector<std::vector<std::size_t>> makers_;   ///< By tensor that is passed on: its pieces.
  std::vector<std::vector<int>> inputs_, slices_;  ///< Indexed by piece; by merge.
  std::vector<int> wholes_;                        ///< Indexed by merge.
  Schedule made_;
};

}  // namespace

Status check_model(const Plan& plan, const Graph& graph) {
  if (plan.format != graph.format)
    return Error{ErrorKind::kUsage, "the plan is of a model in the format " +
                                        in_quotes(plan.format) + ", this one is in " +
                                        in_quotes(graph.format)};
  if (const std::string state = model::state_of(graph); !state.empty())
    return Error{ErrorKind::kUnsupported,
                 "the model keeps a state in " + in_quotes(state) +
                     ": only models whose layers depend only on tensors can be divided"};
  const std::vector<std::string> layers = layer_texts(graph);
  for (std::size_t i = 0; i < std::min(layers.size(), plan.layers.size()); ++i)
    if (layers[i] != plan.layers[i])
      return wrong(item("model.layers", i), "the plan has '" + sanitized(plan.layers[i], 300) +
                                                "', the model '" + sanitized(layers[i], 300) +
                                                "': the plan is of another model");
  if (layers.size() != plan.layers.size())
    return wrong("model.layers", "the plan has " + std::to_string(plan.layers.size()) +
                                     " layers, the model " + std::to_string(layers.size()) +
                                     ": the plan is of another model");
  return {};
}

Result<Schedule> schedule_of(const Plan& plan, const Graph& graph) {
  EP_CHECK(check(plan));
  if (plan.splits.empty()) EP_CHECK(check_model(plan, graph));
  return Scheduler(plan, graph).schedule();
}

}  // namespace edgeprobe::stretch
