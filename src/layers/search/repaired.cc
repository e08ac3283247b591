// SPDX-License-Identifier: Apache-2.0
#include "layers/search/repaired.h"

#include <algorithm>

#include "core/index.h"
#include "core/text.h"
#include "layers/capture/order.h"
#include "model/edit.h"

namespace edgeprobe::layers {
namespace {

// Collects the inputs of a part, in its order.
Result<std::vector<TensorView>> feed(const Fragment& fragment, const std::map<int, Tensor>& known,
                                     const ModelFile& model) {
  std::vector<TensorView> inputs;
  for (const int tensor : fragment.part().inputs) {
    const auto found = known.find(tensor);
    if (found == known.end())
      return Error{ErrorKind::kUnsupported,
                   "'" + sanitized(model.spec(tensor).name, 60) + "' is not known"};
    inputs.push_back(found->second);
  }
  return inputs;
}

// A tensor's recorded shape, if it has the same rank as the file's own.
Shape shape_of(const Workspace& workspace, int target, const Shape& stored) {
  const auto found = workspace.shapes.find(target);
  return found != workspace.shapes.end() && found->second.size() == stored.size() ? found->second
                                                                                  : stored;
}

// The tensor with that name: `number` itself if it has the name, or if no tensor has it.
int numbered_in(const model::Graph& graph, const std::string& name, int number) {
  if (at(number) < graph.tensors.size() && graph.tensors[at(number)].spec.name == name)
    return number;
  for (std::size_t i = 0; i < graph.tensors.size(); ++i)
    if (graph.tensors[i].spec.name == name) return static_cast<int>(i);
  return number;
}

// Further outputs of the reference's operator besides the pair's tensor, with the corresponding
// target tensors: those that the target's operator also computes.
std::vector<std::pair<int, int>> other_outputs(const Workspace& workspace, const OpPair& pair) {
  std::vector<std::pair<int, int>> others;
  const std::vector<int>& of_target = workspace.target.graph->layers[at(pair.target_layer)].outputs;
  for (const int output : workspace.reference.graph->layers[at(pair.reference_layer)].outputs) {
    const auto partner = workspace.pairing.target_of.find(output);
    if (output == pair.reference || partner == workspace.pairing.target_of.end()) continue;
    if (std::find(of_target.begin(), of_target.end(), partner->second) != of_target.end())
      others.emplace_back(output, partner->second);
  }
  return others;
}

}  // namespace

Status RepairedModel::edit(const std::vector<Repair>& repairs) {
  const auto of_file = [&](const Repair& repair) -> Status {
    const model::Graph& graph = *target().graph;
    if (repair.by == Repair::By::kChanges) {
      EP_TRY(file_, model::with_changes(graph, file_, repair.changes));
      return {};
    }
    if (repair.by == Repair::By::kBias)
      return model::set_bias(graph, file_, repair.pair.target_layer, repair.bias);
    return model::set_scale(graph, file_, edited(repair.pair.target), repair.stored->scale,
                            repair.stored->zero_point);
  };
  for (const Repair& repair : repairs) {
    if (!repair.stored && repair.by != Repair::By::kBias && repair.by != Repair::By::kChanges)
      continue;
    if (!graph_) file_ = workspace_.target.bytes.copy();
    EP_CHECK(of_file(repair));
    EP_TRY(graph_, model::read_model(file_, "the target's model repaired",
                                     workspace_.target.graph->folder));
  }
  return {};
}

int RepairedModel::edited(int tensor) const {
  return !graph_ ? tensor : numbered_in(*graph_, workspace_.target.spec(tensor).name, tensor);
}

int RepairedModel::unedited(int tensor) const {
  return !graph_
             ? tensor
             : numbered_in(*workspace_.target.graph, graph_->tensors[at(tensor)].spec.name, tensor);
}

Status RepairedModel::plan(const std::vector<Repair>& repairs) {
  const ModelFile model = target();
  std::vector<bool> fed(model.graph->tensors.size());
  for (const int input : model.graph->inputs) fed[at(input)] = true;
  const auto part_to = [&](std::vector<int> wanted) -> Result<std::optional<Fragment>> {
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    std::erase_if(wanted, [&](int tensor) { return fed[at(tensor)]; });
    if (wanted.empty()) return std::optional<Fragment>{};
    model::Part part = model::part_for(*model.graph, wanted, fed);
    std::vector<Shape> shapes;
    for (const int tensor : part.inputs)
      shapes.push_back(shape_of(workspace_, unedited(tensor), model.spec(tensor).shape));
    EP_TRY(auto fragment, Fragment::open(workspace_.host, model, std::move(part), shapes));
    for (const int tensor : wanted) fed[at(tensor)] = true;
    return std::optional<Fragment>(std::move(fragment));
  };
  for (const Repair& repair : repairs) {
    // The edited file already includes this repair, unless input and output must share a scale.
    const bool own_operator = repair.by == Repair::By::kOwn,
               by_reference = repair.by == Repair::By::kReference;
    if (!by_reference &&
        !(own_operator && keeps_scale(model.graph->layers[at(repair.pair.target_layer)].type)))
      continue;
    Step step;
    const int made = edited(repair.pair.target);
    step.makes = {{by_reference ? repair.pair.reference : made, made}};
    std::vector<Shape> shapes;
    model::Part op = by_reference ? reference_part(workspace_, repair.pair)
                                  : model::one_op(*model.graph, repair.pair.target_layer);
    if (by_reference)
      for (const auto& [reference, target] : other_outputs(workspace_, repair.pair)) {
        op.outputs.push_back(reference);
        step.makes.emplace_back(reference, edited(target));
      }
    for (const int tensor : op.inputs) {
      if (own_operator) {
        step.fed.push_back(tensor);
        shapes.push_back(shape_of(workspace_, unedited(tensor), model.spec(tensor).shape));
        step.as.push_back({model.spec(tensor).name, DType::kFloat32, shapes.back(), {}});
        continue;
      }
      const auto partner = workspace_.pairing.target_of.find(tensor);
      if (partner == workspace_.pairing.target_of.end())
        return Error{ErrorKind::kUnsupported,
                     "its input '" + sanitized(workspace_.reference.spec(tensor).name, 60) +
                         "' has no partner in the target"};
      step.fed.push_back(edited(partner->second));
      step.as.push_back(workspace_.reference.spec(tensor));
      const std::vector<int>& order = workspace_.pairing.order_of(partner->second);
      step.orders.push_back(order);
      const Shape& stored = workspace_.reference.spec(tensor).shape;
      shapes.push_back(
          shape_in_reference(shape_of(workspace_, partner->second,
                                      order.empty() ? stored : shape_in_target(stored, order)),
                             order));
    }
    EP_TRY(step.own, part_to(step.fed));
    EP_TRY(auto fragment, by_reference ? Fragment::open(workspace_.reference_host,
                                                        workspace_.reference, std::move(op), shapes)
                                       : own_layer(workspace_.host, model, repair.pair.target_layer,
                                                   made, repair.stored, shapes));
    step.op.emplace(std::move(fragment));
    for (const auto& [_, target] : step.makes) fed[at(target)] = true;
    steps_.push_back(std::move(step));
  }
  Step last;
  EP_TRY(last.own, part_to(shown_));
  steps_.push_back(std::move(last));
  return {};
}

Result<std::unique_ptr<RepairedModel>> RepairedModel::open(const Workspace& workspace,
                                                           std::vector<Repair> repairs,
                                                           std::vector<int> shown) {
  std::unique_ptr<RepairedModel> repaired(new RepairedModel(workspace));
  std::sort(repairs.begin(), repairs.end(), [](const Repair& a, const Repair& b) {
    return a.pair.target_layer < b.pair.target_layer;
  });
  EP_CHECK(repaired->edit(repairs));
  if (shown.empty()) shown = workspace.target.graph->outputs;
  for (int& tensor : shown) tensor = repaired->edited(tensor);
  repaired->shown_ = std::move(shown);
  EP_CHECK(repaired->plan(repairs));
  for (const int tensor : repaired->target().graph->inputs) {
    TensorSpec spec = repaired->target().spec(tensor);
    spec.shape = shape_of(workspace, repaired->unedited(tensor), spec.shape);
    repaired->inputs_.push_back(std::move(spec));
  }
  for (const int tensor : repaired->shown_)
    repaired->outputs_.push_back(repaired->target().spec(tensor));
  return repaired;
}

Result<engine::Inference> RepairedModel::infer(const std::vector<TensorView>& inputs) {
  const ModelFile model = target();
  std::map<int, Tensor> known;
  for (std::size_t i = 0; i < inputs.size() && i < model.graph->inputs.size(); ++i)
    known[model.graph->inputs[i]] = {inputs_[i], inputs[i].bytes.copy()};
  for (Step& step : steps_) {
    if (step.own) {
      EP_TRY(const auto fed, feed(*step.own, known, model));
      EP_TRY(auto made, step.own->run(fed));
      for (std::size_t i = 0; i < made.size(); ++i)
        known[step.own->part().outputs[i]] = std::move(made[i]);
    }
    if (!step.op) continue;
    std::vector<Tensor> values;
    for (std::size_t i = 0; i < step.fed.size(); ++i) {
      const Tensor& own = known.at(step.fed[i]);
      EP_TRY(auto real, to_float(own));
      Shape shape = own.spec.shape;
      if (i < step.orders.size()) {
        shape = shape_in_reference(shape, step.orders[i]);
        EP_TRY(real, in_reference_order(std::move(real), shape, step.orders[i]));
      }
      EP_TRY(auto stored, handed_on(step.as[i], shape, real));
      values.push_back(std::move(stored));
    }
    EP_TRY(auto made, step.op->run({values.begin(), values.end()}));
    for (const auto& [own, target] : step.makes) {
      const auto& outputs = step.op->part().outputs;
      const auto place = static_cast<std::size_t>(std::find(outputs.begin(), outputs.end(), own) -
                                                  outputs.begin());
      if (place >= made.size())
        return Error{ErrorKind::kUnsupported, "the operator does not show its output"};
      EP_TRY(auto real, to_float(made[place]));
      const Shape& made_as = made[place].spec.shape;
      const bool is_own = own == target && step.orders.empty();
      if (!is_own) {
        EP_TRY(real,
               in_target_order(std::move(real), made_as, workspace_.pairing.order_of(target)));
      }
      EP_TRY(known[target],
             stored_as(model.spec(target),
                       is_own ? made_as : shape_of_target(workspace_, target, made_as), real));
    }
  }
  engine::Inference inference;
  for (const int tensor : shown_) inference.outputs.push_back(known.at(tensor));
  return inference;
}

}  // namespace edgeprobe::layers
