// SPDX-License-Identifier: Apache-2.0
#include "evidence/reduce.h"

#include <algorithm>
#include <cstring>

#include "core/index.h"
#include "evidence/bundle.h"
#include "evidence/replay.h"
#include "model/edit.h"

namespace edgeprobe::evidence {
namespace {

// Required margin over the limit, so that another machine reproduces the fault.
constexpr double kClear = 1.5;
constexpr std::size_t kSmall = 64;  // Removing fewer bytes is not worth a run.

// A candidate: a model and its inputs.
struct Trial {
  Bytes model;
  std::vector<Tensor> inputs;
};

std::size_t element_size(const Tensor& tensor) {
  return std::max<std::size_t>(size_of(tensor.spec.dtype), 1);
}

// Clears values: to the zero point for codes, or else to zero bits.
void clear(Tensor& tensor, std::size_t from, std::size_t to) {
  std::byte with{0};
  const Quantization& codes = tensor.spec.quantization;
  if (size_of(tensor.spec.dtype) == 1 && codes.scale.size() == 1)
    with = static_cast<std::byte>(codes.zero_point_at(0) & 0xff);
  std::fill(tensor.bytes.begin() + static_cast<std::ptrdiff_t>(from),
            tensor.bytes.begin() + static_cast<std::ptrdiff_t>(to), with);
}

// The first `keep` entries of one axis.
Tensor cropped(const Tensor& tensor, std::size_t axis, std::int64_t keep) {
  Tensor smaller{tensor.spec, {}};
  smaller.spec.shape[axis] = keep;
  std::size_t outer = 1, inner = element_size(tensor);
  for (std::size_t i = 0; i < axis; ++i) outer *= static_cast<std::size_t>(tensor.spec.shape[i]);
  for (std::size_t i = axis + 1; i < tensor.spec.shape.size(); ++i)
    inner *= static_cast<std::size_t>(tensor.spec.shape[i]);
  const std::size_t row = inner * static_cast<std::size_t>(tensor.spec.shape[axis]);
  const std::size_t kept = inner * static_cast<std::size_t>(keep);
  for (std::size_t o = 0; o < outer && (o + 1) * row <= tensor.bytes.size(); ++o)
    smaller.bytes.insert(smaller.bytes.end(),
                         tensor.bytes.begin() + static_cast<std::ptrdiff_t>(o * row),
                         tensor.bytes.begin() + static_cast<std::ptrdiff_t>(o * row + kept));
  return smaller;
}

// True if an option or a constant repeats a size on this axis. LiteRT's built-in kernels do not
// check the repeated value, and other kernels use it. This applies to the channels of a depthwise
// convolution, whose multiplier is derived from the shapes, and to all sizes of a transposed one,
// whose output shape comes from a constant.
bool is_told_twice(const model::Graph& graph, std::size_t axis) {
  return std::any_of(graph.layers.begin(), graph.layers.end(), [axis](const model::Layer& layer) {
    return layer.type == "TRANSPOSE_CONV" || (layer.type == "DEPTHWISE_CONV_2D" && axis == 3);
  });
}

class Reducer {
 public:
  Reducer(const Sides& sides, const Evidence& about, const ReduceOptions& options,
          const Control& control)
      : sides_(sides), options_(options), control_(control) {
    best_.evidence = about;
  }

  // Keeps the trial if it shows the fault.
  bool take(const Trial& trial) {
    if (runs_ >= options_.most_runs || control_.stopped()) return false;
    const Answer right = answer_of(sides_.host, "a part on the host", trial.model, trial.inputs);
    if (!right.refused.empty()) return false;
    ++runs_;
    if (control_.progress)
      control_.progress(runs_, options_.most_runs, "device runs to make the evidence smaller");
    const Answer seen = answer_of(sides_.device, "a part", trial.model, trial.inputs);
    Evidence& evidence = best_.evidence;
    const bool refuses = !evidence.refused.empty();
    if (refuses != !seen.refused.empty()) return false;
    double off = 0;
    if (!refuses) {
      const auto found = error_over_limit(trial.model, right.outputs, seen.outputs);
      if (!found || *found <= kClear) return false;
      off = *found;
    }
    Evidence smaller = evidence;
    smaller.model = trial.model;
    smaller.inputs = trial.inputs;
    smaller.expected = right.outputs;
    smaller.error_over_limit = off;
    auto file = written(smaller);
    if (!file) return false;
    if (!best_.file.empty() && file->size() > best_.file.size()) return false;
    evidence = std::move(smaller);
    best_.file = *std::move(file);
    return true;
  }

  bool done() const {
    return best_.file.size() <= options_.wanted_bytes || runs_ >= options_.most_runs ||
           control_.stopped();
  }

  Trial current() const { return {best_.evidence.model, best_.evidence.inputs}; }

  void crop() {
    const auto graph = model::read_model(best_.evidence.model, "a part", {});
    for (std::size_t axis = 1; axis < 5; ++axis)
      while (!done()) {
        Trial trial = current();
        if (trial.inputs.empty() || axis >= trial.inputs.front().spec.shape.size()) break;
        if (!graph || is_told_twice(*graph, axis)) break;
        const std::int64_t size = trial.inputs.front().spec.shape[axis];
        if (size < 2) break;
        bool same = true;
        for (Tensor& input : trial.inputs) {
          same = same && axis < input.spec.shape.size() && input.spec.shape[axis] == size;
          if (same) input = cropped(input, axis, size / 2);
        }
        if (!same || !take(trial)) break;
      }
  }

  void zero_inputs() {
    for (std::size_t i = 0; i < best_.evidence.inputs.size(); ++i)
      zero(best_.evidence.inputs[i].bytes.size(), element_size(best_.evidence.inputs[i]),
           [&](Trial& trial, std::size_t a, std::size_t b) {
             clear(trial.inputs[i], a, b);
             return true;
           });
  }

  void zero_constants() {
    const auto graph = model::read_model(best_.evidence.model, "a part", {});
    if (!graph) return;
    std::vector<int> constants;
    for (const model::Layer& layer : graph->layers)
      for (const int weight : layer.weights)
        if (std::find(constants.begin(), constants.end(), weight) == constants.end())
          constants.push_back(weight);
    for (const int tensor : constants) {
      const model::ModelTensor& constant = graph->tensors[at(tensor)];
      if (constant.storage != model::ModelTensor::Storage::kPlain) continue;
      const std::size_t element = std::max<std::size_t>(size_of(constant.spec.dtype), 1);
      zero(constant.data_size, element, [&](Trial& trial, std::size_t a, std::size_t b) {
        const std::size_t start = constant.data_offset;
        if (start + b > trial.model.size()) return false;
        std::fill(trial.model.begin() + static_cast<std::ptrdiff_t>(start + a),
                  trial.model.begin() + static_cast<std::ptrdiff_t>(start + b), std::byte{0});
        return true;
      });
    }
  }

  // Rounds float inputs to 8 fewer mantissa bits: fewer digits compress better.
  void round_inputs() {
    if (done()) return;
    Trial trial = current();
    for (Tensor& input : trial.inputs)
      if (input.spec.dtype == DType::kFloat32)
        for (std::size_t at = 0; at + 4 <= input.bytes.size(); at += 4)
          input.bytes[at] = input.bytes[at + 1] = std::byte{0};
    take(trial);
  }

  Reduced result() && {
    best_.runs = runs_;
    return std::move(best_);
  }

 private:
  // Clears halves of the bytes [0, size) as long as the fault remains, then quarters, and so on.
  template <class Clear>
  void zero(std::size_t size, std::size_t element, Clear&& cleared) {
    const std::size_t count = size / element;
    std::vector<bool> gone(count);
    for (std::size_t pieces = 1; pieces <= 16 && !done(); pieces *= 2) {
      const std::size_t piece = (count + pieces - 1) / pieces;
      if (piece * element < kSmall) break;
      for (std::size_t p = 0; p < pieces && !done(); ++p) {
        const std::size_t from = p * piece, to = std::min(count, from + piece);
        if (from >= to || gone[from]) continue;
        Trial trial = current();
        if (!cleared(trial, from * element, to * element) || !take(trial)) continue;
        std::fill(gone.begin() + static_cast<std::ptrdiff_t>(from),
                  gone.begin() + static_cast<std::ptrdiff_t>(to), true);
      }
    }
  }

  const Sides& sides_;
  const ReduceOptions& options_;
  const Control& control_;
  Reduced best_;
  std::size_t runs_ = 0;
};

}  // namespace

Result<Reduced> reduce(const Sides& sides, const layers::ModelFile& model, const model::Part& part,
                       const std::vector<Tensor>& inputs, const Evidence& about,
                       const ReduceOptions& options, const Control& control) {
  EP_TRY(auto cut, model::cut(*model.graph, model.bytes, part));
  Reducer reducer(sides, about, options, control);
  const auto graph = model::read_model(cut, "a part of the model", {});
  bool shown = false;
  if (graph)
    if (auto scrubbed = model::scrub(*graph, cut, model.bytes); scrubbed)
      shown = reducer.take({*std::move(scrubbed), inputs});
  if (!shown && !reducer.take({std::move(cut), inputs}))
    return Error{ErrorKind::kNotFound,
                 "the part by itself, with one frame, does not show the fault clearly"};
  reducer.crop();
  reducer.zero_inputs();
  reducer.zero_constants();
  reducer.round_inputs();
  return std::move(reducer).result();
}

}  // namespace edgeprobe::evidence
