// SPDX-License-Identifier: Apache-2.0
#include "bisect/host_values.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"

namespace edgeprobe::bisect {
namespace {

constexpr std::size_t kBudget = std::size_t{256} << 20;
constexpr double kFar = 1e6;

// Runs the model with some tensors as outputs: returns these and the graph's outputs for each
// frame.
Result<Frames> run_group(const layers::Host& host, const layers::ModelFile& model,
                         const std::vector<std::vector<Tensor>>& inputs,
                         const std::vector<int>& group, const Control& control) {
  EP_TRY(auto patched, group.empty() ? Result<Bytes>(model.bytes.copy())
                                     : model::promote(*model.graph, model.bytes, group));
  engine::SessionOptions options = host.options;
  options.profile = false;
  options.shared_process = true;
  EP_TRY(auto session, host.engine->load(patched, "the host's model (layers as outputs)", options));
  const std::vector<int> shown = model::promoted_outputs(*model.graph, group);
  if (session->outputs().size() != shown.size())
    return Error{ErrorKind::kTarget, "the host shows " + std::to_string(session->outputs().size()) +
                                         " outputs, expected " + std::to_string(shown.size())};
  Frames frames;
  for (const std::vector<Tensor>& frame : inputs) {
    if (control.stopped()) return interrupted();
    EP_TRY(auto inference, session->infer({frame.begin(), frame.end()}));
    for (std::size_t o = 0; o < shown.size(); ++o) {
      Tensor value = std::move(inference.outputs[o]);
      Shape shape = std::move(value.spec.shape);
      value.spec = model.spec(shown[o]);
      value.spec.shape = std::move(shape);
      frames[shown[o]].push_back(std::move(value));
    }
  }
  return frames;
}

double gap_of(const std::vector<Tensor>& host, const std::vector<Tensor>& other) {
  double sum = 0, squared = 0, apart = 0, count = 0;
  for (std::size_t f = 0; f < host.size(); ++f) {
    const auto a = to_float(host[f]), b = to_float(other[f]);
    if (!a || !b || a->size() != b->size()) return kFar;
    for (std::size_t i = 0; i < a->size(); ++i) {
      const double x = (*a)[i], y = (*b)[i];
      if (!std::isfinite(x) || !std::isfinite(y)) {
        if (!(x == y || (std::isnan(x) && std::isnan(y)))) return kFar;
        continue;
      }
      sum += x;
      squared += x * x;
      apart += (x - y) * (x - y);
      ++count;
    }
  }
  if (apart == 0 || count == 0) return 0;
  const double variance = squared / count - (sum / count) * (sum / count);
  return variance > 0 ? std::min(kFar, std::sqrt(apart / count / variance)) : kFar;
}

}  // namespace

Result<HostValues> host_values(const layers::Host& host, const layers::ModelFile& model,
                               const std::vector<std::vector<Tensor>>& inputs,
                               const std::vector<int>& tensors, const Control& control) {
  HostValues held;
  for (std::size_t i = 0; i < model.graph->inputs.size(); ++i)
    for (const std::vector<Tensor>& frame : inputs)
      held.frames[model.graph->inputs[i]].push_back(frame[i]);
  std::vector<int> wanted;
  for (const int tensor : tensors)
    if (!held.frames.count(tensor)) wanted.push_back(tensor);
  auto groups = model::capture_groups(*model.graph, wanted, kBudget);
  if (groups.empty()) groups.emplace_back();  // Only the graph's outputs.
  std::size_t done = 0;
  bool runs = false;
  model::CaptureList list(std::move(groups));
  while (auto group = list.next()) {
    auto frames = run_group(host, model, inputs, group->tensors, control);
    if (!frames && frames.error().kind == ErrorKind::kInterrupted) return std::move(frames.error());
    if (!frames) {
      const Error refused = std::move(frames.error());
      if (!runs) frames = run_group(host, model, inputs, {}, control);
      if (!runs && !frames) return std::move(frames.error());
      list.failed(*std::move(group), refused);
    }
    if (frames) held.frames.merge(*frames);  // Each group includes the graph's outputs.
    runs = true;
    ++done;
    if (control.progress)
      control.progress(done, done + list.left(), "groups of layers on the host");
  }
  held.missing = list.not_captured();
  return held;
}

Result<std::vector<TensorView>> values_of(const Frames& frames, const std::vector<int>& tensors,
                                          std::size_t frame) {
  std::vector<TensorView> values;
  for (const int tensor : tensors) {
    const auto found = frames.find(tensor);
    if (found == frames.end() || frame >= found->second.size())
      return Error{ErrorKind::kNotFound,
                   "tensor " + std::to_string(tensor) + " has no values on the host"};
    values.emplace_back(found->second[frame]);
  }
  return values;
}

double gap_between(const Frames& host, const Frames& other, const std::vector<int>& outputs) {
  double gap = 0;
  for (const int output : outputs) {
    const auto a = host.find(output), b = other.find(output);
    if (a == host.end() || b == other.end()) continue;
    gap = std::max(gap, gap_of(a->second, b->second));
  }
  return gap;
}

}  // namespace edgeprobe::bisect
