// SPDX-License-Identifier: Apache-2.0
#include "precision/steps.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>

#include "core/index.h"
#include "core/text.h"
#include "model/edit.h"

namespace edgeprobe::precision {
namespace {

// A sum that is emulated differs from the engine's own by the order of its terms alone.
// Of 10^5 and more, one after the other, to 10^-3.
constexpr double kSameSum = 3e-3;

template <std::size_t n>
bool is_among(const std::string_view (&types)[n], std::string_view type) {
  return std::find(std::begin(types), std::end(types), type) != std::end(types);
}

// They add up as well, and are not emulated: said rather than passed over.
bool adds_otherwise(const std::string& type) {
  static constexpr std::string_view kTypes[] = {"ConvTranspose",
                                                "AveragePool",
                                                "LayerNormalization",
                                                "InstanceNormalization",
                                                "GroupNormalization",
                                                "Einsum",
                                                "ReduceL1",
                                                "ReduceL2",
                                                "ReduceSumSquare",
                                                "ReduceLogSum",
                                                "ReduceLogSumExp",
                                                "LpPool",
                                                "GlobalLpPool",
                                                "LRN",
                                                "CumSum",
                                                "Attention",
                                                "com.microsoft:FusedConv",
                                                "com.microsoft:FusedGemm",
                                                "com.microsoft:FusedMatMul",
                                                "com.microsoft:Attention",
                                                "com.microsoft:MultiHeadAttention",
                                                "com.microsoft:SkipLayerNormalization",
                                                "LSTM",
                                                "GRU",
                                                "RNN",
                                                "TRANSPOSE_CONV",
                                                "CONV_3D",
                                                "AVERAGE_POOL_2D",
                                                "UNIDIRECTIONAL_SEQUENCE_LSTM"};
  return is_among(kTypes, type);
}

bool all_finite(const std::vector<float>& values) {
  return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

std::map<int, int> reader_counts(const model::Graph& graph) {
  std::map<int, int> counts;
  for (const model::Layer& layer : graph.layers)
    for (const int tensor : layer.inputs) ++counts[tensor];
  return counts;
}

Tensor with(const TensorSpec& spec, const std::vector<float>& values) {
  Tensor tensor{spec, Bytes(values.size() * sizeof(float))};
  if (!values.empty()) std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
  return tensor;
}

// The scheme whose constants are the same.
Scheme constants_of(Scheme scheme) { return sums_in_float16(scheme) ? Scheme::kFloat16 : scheme; }

}  // namespace

bool multiplies(const std::string& type) {
  static constexpr std::string_view kTypes[] = {"Conv",
                                                "ConvTranspose",
                                                "Gemm",
                                                "MatMul",
                                                "CONV_2D",
                                                "CONV_3D",
                                                "DEPTHWISE_CONV_2D",
                                                "FULLY_CONNECTED",
                                                "BATCH_MATMUL",
                                                "TRANSPOSE_CONV"};
  return is_among(kTypes, type);
}

void keep(std::size_t step, const std::map<int, std::size_t>& last, Stepped& made, Values& known) {
  for (auto& [tensor, value] : made.outputs) known[tensor] = std::move(value);
  std::erase_if(known, [&](const auto& one) {
    const auto found = last.find(one.first);
    return found == last.end() || found->second <= step;
  });
}

Result<std::unique_ptr<StepRunner>> StepRunner::open(const layers::Host& host,
                                                     const layers::ModelFile& model) {
  std::unique_ptr<StepRunner> runner(new StepRunner(host, model));
  auto attributes = model::attributes(*model.graph, model.bytes);
  if (!attributes) return std::move(attributes.error());
  runner->attributes_ = *std::move(attributes);
  runner->steps_ = steps_of(*model.graph);
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

// Weights that a device stores with a batch norm in them. The norm's own constants and the bias
// in front of it are folded in float32; nothing stands for their tail.
std::map<int, const Tail*> StepRunner::folded() const {
  std::map<int, const Tail*> all;
  const std::map<int, int> readers = reader_counts(*model_.graph);
  for (const model::Layer& layer : model_.graph->layers)
    if (layer.type == "BatchNormalization")
      for (std::size_t i = 1; i < layer.inputs.size(); ++i) all[layer.inputs[i]] = nullptr;
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    if (tails_[s].gain.empty()) continue;
    const model::Layer& head = model_.graph->layers[at(steps_[s].layers.front())];
    // Weights that another layer reads too are stored without the norm of this one.
    if (head.inputs.size() > 1 && readers.at(head.inputs[1]) == 1) all[head.inputs[1]] = &tails_[s];
    if (head.inputs.size() > 2) all[head.inputs[2]] = nullptr;
  }
  return all;
}

// A folded bias stands in the norm's own: it is moved by what rounding moves the two together.
// Norms that share it have one for all, which is left in float32.
Status StepRunner::round_offsets(Scheme scheme, Bytes& file) {
  const std::map<int, int> readers = reader_counts(*model_.graph);
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    const Tail& tail = tails_[s];
    if (tail.gain.empty()) continue;
    const model::Layer& head = model_.graph->layers[at(steps_[s].layers.front())];
    std::vector<float> bias(tail.gain.size());
    if (head.inputs.size() > 2 && head.inputs[2] >= 0) {
      const auto stored = model::constant(*model_.graph, model_.bytes, head.inputs[2]);
      auto values = stored ? to_float(*stored) : Result<std::vector<float>>(stored.error());
      if (!values || values->size() != bias.size()) continue;
      bias = *std::move(values);
    }
    for (const int index : steps_[s].layers) {
      const model::Layer& norm = model_.graph->layers[at(index)];
      if (norm.type != "BatchNormalization" || norm.inputs.size() < 3 || index == head.index ||
          readers.at(norm.inputs[2]) != 1)
        continue;
      const auto stored = model::constant(*model_.graph, model_.bytes, norm.inputs[2]);
      auto values = stored ? to_float(*stored) : Result<std::vector<float>>(stored.error());
      if (!values || values->size() != bias.size()) continue;
      for (std::size_t c = 0; c < bias.size(); ++c) {
        const float whole = bias[c] * tail.gain[c] + tail.offset[c];
        (*values)[c] += rounded(scheme, whole) - whole;
      }
      const Tensor changed = with(stored->spec, *values);
      auto done = model::set_constant(*model_.graph, file, norm.inputs[2], changed.bytes);
      if (!done && done.error().kind != ErrorKind::kUnsupported) return done;
    }
  }
  return {};
}

// Operands of products: what stands in the second place, and in the first of others.
std::vector<bool> factors(const model::Graph& graph) {
  std::vector<bool> all(graph.tensors.size());
  for (const model::Layer& layer : graph.layers)
    if (multiplies(layer.type))
      for (std::size_t i = 0; i < layer.inputs.size() && i < 2; ++i)
        if (layer.inputs[i] >= 0) all[at(layer.inputs[i])] = true;
  return all;
}

Status StepRunner::round_constants(Scheme scheme) {
  Bytes& file = files_[constants_of(scheme)];
  if (!file.empty()) return {};
  file = model_.bytes.copy();
  if (scheme == Scheme::kInt8)
    return int8_ ? quantise_constants(*model_.graph, model_.bytes, attributes_, steps_, tails_,
                                      *int8_, file)
                 : Error{ErrorKind::kUsage, "int8 needs a calibration"};
  std::size_t refused = 0, infinite = 0;
  const std::map<int, const Tail*> folds = folded();
  const std::vector<bool> multiplied = factors(*model_.graph);
  for (std::size_t t = 0; t < model_.graph->tensors.size(); ++t) {
    const model::ModelTensor& tensor = model_.graph->tensors[t];
    if (!tensor.is_constant || tensor.is_sparse || tensor.spec.dtype != DType::kFloat32) continue;
    if (rounds_products(scheme) && !multiplied[t]) continue;
    const auto fold = folds.find(static_cast<int>(t));
    if (fold != folds.end() && !fold->second) continue;
    const auto stored = model::constant(*model_.graph, model_.bytes, static_cast<int>(t));
    if (!stored) return stored.error();
    auto values = to_float(*stored);
    if (!values) return std::move(values.error());
    const std::size_t channels = fold != folds.end() ? fold->second->gain.size() : 0;
    const std::size_t each = channels > 0 ? values->size() / channels : 0;
    bool overflows = false;
    for (std::size_t i = 0; i < values->size(); ++i) {
      const float gain = each > 0 ? fold->second->gain[i / each] : 1.0F;
      if (gain == 0) continue;  // Folded, it is 0 whatever it was.
      const float before = (*values)[i], kept = rounded(scheme, before * gain) / gain;
      (*values)[i] = std::isnan(kept) ? rounded(scheme, before) : kept;
      overflows = overflows || (std::isfinite(before) && !std::isfinite((*values)[i]));
    }
    infinite += overflows;
    const Tensor changed = with(stored->spec, *values);
    auto done = model::set_constant(*model_.graph, file, static_cast<int>(t), changed.bytes);
    if (!done && done.error().kind != ErrorKind::kUnsupported) return done;
    refused += !done;
  }
  if (!rounds_products(scheme))
    if (auto done = round_offsets(scheme, file); !done) return done;
  unrounded_ = std::max(unrounded_, refused);
  overflowed_ = std::max(overflowed_, infinite);
  return {};
}

Result<std::vector<Tensor>> StepRunner::run(std::size_t step, std::optional<Scheme> scheme,
                                            const std::vector<Tensor>& inputs) {
  if (step != opened_) open_.clear();  // Each holds an engine process.
  opened_ = step;
  const int key = scheme ? static_cast<int>(constants_of(*scheme)) : -1;
  auto found = open_.find(key);
  if (found == open_.end()) {
    if (scheme)
      if (auto done = round_constants(*scheme); !done) return std::move(done.error());
    const layers::ModelFile file{model_.graph,
                                 scheme ? ByteView(files_[constants_of(*scheme)]) : model_.bytes};
    std::vector<Shape> shapes;
    for (const Tensor& input : inputs) shapes.push_back(input.spec.shape);
    auto fragment = layers::Fragment::open(host_, file, steps_[step].part, shapes);
    if (!fragment) return std::move(fragment.error());
    found = open_.emplace(key, *std::move(fragment)).first;
  }
  return found->second.run({inputs.begin(), inputs.end()});
}

// The operator at the head of a step, when it is one of those that add up. Without a scheme: in
// float32, to be held against what the engine made of it.
Result<std::optional<Summed>> StepRunner::sums(std::size_t step, const Values& known,
                                               const Tensor& output, std::optional<Scheme> scheme) {
  const bool check = !scheme;
  const model::Layer& layer = model_.graph->layers[at(steps_[step].layers.front())];
  if (!is_sum(layer) || !skipped_[step].empty()) return std::optional<Summed>{};
  Sum work{&layer, &attributes_[at(layer.index)], {}, output.spec.shape};
  for (const int input : layer.inputs) {
    if (input < 0) {
      work.inputs.emplace_back();
      continue;
    }
    const auto value = known.find(input);
    auto tensor =
        value != known.end()
            ? Result<Tensor>(value->second)
            : model::constant(*model_.graph,
                              check ? model_.bytes : ByteView(files_[Scheme::kFloat16]), input);
    auto values = tensor ? to_float(*tensor) : Result<std::vector<float>>(Error{});
    if (!tensor || !values) {
      skipped_[step] = "its operands are not known";
      return std::optional<Summed>{};
    }
    work.inputs.push_back(Array{tensor->spec.shape, *std::move(values)});
  }
  if (!tails_[step].gain.empty()) {
    if (work.inputs.size() < 3) work.inputs.resize(3);
    if (!work.inputs[2]) work.inputs[2].emplace();
    fold(tails_[step], *work.inputs[1], *work.inputs[2]);
    if (!check)
      for (const std::size_t i : {1, 2})
        for (float& value : work.inputs[i]->values) value = to_float16(value);
  }
  auto made = sum(work, check                               ? Accumulator::kFloat32
                        : *scheme == Scheme::kFloat16Blocks ? Accumulator::kFloat16Blocks
                                                            : Accumulator::kFloat16);
  if (!made) {
    skipped_[step] = made.error().what;
    return std::optional<Summed>{};
  }
  for (float& value : made->values) value = tails_[step].activated(value);
  return std::optional(*std::move(made));
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
  auto made = run(step, {}, inputs);
  if (!made) return std::move(made.error());
  Stepped stepped;
  for (std::size_t i = 0; i < made->size(); ++i) {
    const int tensor = steps_[step].part.outputs[i];
    if (is_float((*made)[i].spec.dtype)) {
      const auto values = to_float((*made)[i]);
      if (!values) return values.error();
      for (const float v : *values)
        stepped.largest = std::max(stepped.largest, std::fabs(double{v}));
      if (!checked_[step] && steps_[step].outputs.size() == 1 && all_finite(*values)) {
        checked_[step] = true;
        const auto own = sums(step, known, (*made)[i], {});
        if (!own) return own.error();
        if (*own) {
          double off = 0, size = 0;
          for (std::size_t k = 0; k < values->size(); ++k) {
            const double d = double{(*own)->values[k]} - double{(*values)[k]};
            off += d * d, size += double{(*values)[k]} * double{(*values)[k]};
          }
          if (!(off <= kSameSum * kSameSum * size))
            skipped_[step] =
                "the engine computes something else than our sums, so they are not predicted";
        }
      }
    }
    stepped.outputs[tensor] = std::move((*made)[i]);
  }
  return stepped;
}

Status StepRunner::calibrate(std::vector<Values> frames, const Control& control) {
  Ranges ranges;
  const auto last = last_readers(steps_, {});
  const auto widen = [&](int tensor, const Tensor& value) -> Status {
    if (value.spec.dtype != DType::kFloat32) return {};
    const auto values = to_float(value);
    if (!values) return values.error();
    for (const float v : *values) {
      if (!std::isfinite(v)) continue;
      auto& range = ranges.try_emplace(tensor, v, v).first->second;
      range = {std::min(range.first, v), std::max(range.second, v)};
    }
    return {};
  };
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    if (control.progress) control.progress(s + 1, steps_.size(), "steps calibrated");
    for (Values& known : frames) {
      if (control.stopped()) return interrupted();
      for (const int tensor : steps_[s].part.inputs)
        if (const auto found = known.find(tensor); found != known.end())
          if (auto done = widen(tensor, found->second); !done) return done;
      auto made = exact(s, known);
      if (!made) return std::move(made.error());
      for (const auto& [tensor, value] : made->outputs)
        if (auto done = widen(tensor, value); !done) return done;
      keep(s, last, *made, known);
    }
  }
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

// Whether the step computes in the scheme at all.
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
      auto values = to_float(input);
      if (!values) return std::move(values.error());
      const bool before = all_finite(*values);
      if (rounds(step, scheme))
        for (float& value : *values) value = stored(scheme, tensor, value);
      const bool after = all_finite(*values);
      stepped.input_overflow = stepped.input_overflow || (before && !after);
      finite = finite && before;
      input = with(input.spec, *values);
    }
    read[tensor] = input;
    inputs.push_back(std::move(input));
  }
  // A step that does not compute in the scheme has the constants of the file.
  auto made = rounds(step, scheme) ? run(step, scheme, inputs) : run(step, {}, inputs);
  if (!made) return std::move(made.error());
  const bool writes = rounds(step, scheme) && !rounds_products(scheme);
  for (std::size_t i = 0; i < made->size(); ++i) {
    Tensor& output = (*made)[i];
    const int made_of = steps_[step].part.outputs[i];
    if (output.spec.dtype == DType::kFloat32) {
      auto values = to_float(output);
      if (!values) return std::move(values.error());
      if (sums_in_float16(scheme) && steps_[step].outputs.size() == 1) {
        auto own = sums(step, read, output, scheme);
        if (!own) return std::move(own.error());
        if (*own) {
          stepped.partial = (*own)->largest_partial;
          *values = std::move((*own)->values);
        }
      }
      for (float& value : *values) {
        if (std::isfinite(value))
          stepped.largest = std::max(stepped.largest, std::fabs(double{value}));
        if (writes) value = stored(scheme, made_of, value);
        stepped.not_finite += finite && !std::isfinite(value);
      }
      output = with(output.spec, *values);
    }
    stepped.outputs[steps_[step].part.outputs[i]] = std::move(output);
  }
  return stepped;
}

}  // namespace edgeprobe::precision
