// SPDX-License-Identifier: Apache-2.0
#include "diagnose/case/counterfactual.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "compare/outputs/answers.h"
#include "compare/recorded_tensor.h"
#include "core/text.h"

namespace edgeprobe::diagnose {
namespace {

// Sums of one frame for each output; nothing if their number or sizes differ or a value is not
// finite.
std::optional<std::vector<compare::Squares>> squares_of(const Outputs& reference,
                                                        const Outputs& target, double& variation) {
  if (reference.empty() || reference.size() != target.size()) return std::nullopt;
  std::vector<compare::Squares> squares;
  double absolute = 0;
  for (std::size_t o = 0; o < reference.size(); ++o) {
    if (reference[o].size() != target[o].size()) return std::nullopt;
    compare::Squares one;
    for (std::size_t i = 0; i < reference[o].size(); ++i) {
      const double r = reference[o][i], d = target[o][i] - r;
      absolute += std::abs(d);
      one.difference += d * d;
      one.reference += r * r;
    }
    if (!std::isfinite(one.difference) || !std::isfinite(one.reference)) return std::nullopt;
    squares.push_back(one);
  }
  variation = absolute / 2 / static_cast<double>(reference.size());
  return squares;
}

}  // namespace

Result<Outputs> outputs_of(const std::vector<Tensor>& tensors) {
  Outputs outputs;
  for (const Tensor& tensor : tensors) {
    auto values = to_float(tensor);
    if (!values)
      return std::move(values.error()).during("output '" + sanitized(tensor.spec.name) + "'");
    outputs.push_back(*std::move(values));
  }
  return outputs;
}

const trace::ReadChannel* input_channel(const trace::Reader& reader) {
  for (const trace::ReadChannel& channel : reader.channels())
    if (channel.channel.stage == trace::Stage::kModelInput) return &channel;
  return nullptr;
}

std::set<std::string> input_names(const trace::Reader& reader) {
  std::set<std::string> names;
  for (const trace::ReadChannel& channel : reader.channels())
    if (channel.channel.stage == trace::Stage::kModelInput && channel.messages > 0)
      names.insert(channel.channel.spec.name);
  return names;
}

std::vector<const trace::ReadChannel*> output_channels(const trace::Reader& reader) {
  std::vector<const trace::ReadChannel*> channels;
  for (const trace::ReadChannel& channel : reader.channels())
    if (channel.channel.stage == trace::Stage::kModelOutput) channels.push_back(&channel);
  std::stable_sort(channels.begin(), channels.end(), [](const auto* a, const auto* b) {
    return a->channel.position < b->channel.position;
  });
  return channels;
}

std::size_t output_count(const trace::Reader& reader) {
  std::set<std::pair<std::int32_t, std::string>> outputs;
  for (const trace::ReadChannel* channel : output_channels(reader))
    outputs.emplace(channel->channel.position, channel->channel.spec.name);
  return outputs.size();
}

Result<Outputs> outputs_of(const trace::Reader& reader, std::uint32_t frame) {
  Outputs outputs;
  for (const trace::ReadChannel* channel : output_channels(reader)) {
    EP_TRY(const auto message, reader.read(frame, channel->id));
    if (!message) continue;
    auto values = to_float(*message);
    if (!values)
      return std::move(values.error())
          .during("output '" + sanitized(channel->channel.spec.name) + "'");
    outputs.push_back(*std::move(values));
  }
  return outputs;
}

Result<Answers> recorded(const trace::Reader& reader, const std::vector<std::uint32_t>& frames) {
  Answers answers{frames, {}};
  for (const std::uint32_t frame : frames) {
    EP_TRY(auto outputs, outputs_of(reader, frame));
    answers.outputs.push_back(std::move(outputs));
  }
  return answers;
}

Result<Answers> replayed_inputs(engine::Session& session, const trace::Reader& reader,
                                const std::vector<std::uint32_t>& frames, const std::string& title,
                                const Control& control) {
  Answers answers;
  const trace::ReadChannel* input = nullptr;
  for (const trace::ReadChannel& channel : reader.channels())
    if (channel.channel.stage == trace::Stage::kModelInput && channel.messages > 0 && !input)
      input = &channel;
  for (const std::uint32_t frame : frames) {
    if (control.stopped()) return interrupted();
    answers.frames.push_back(frame);
    answers.outputs.emplace_back();
    if (!input) continue;
    EP_TRY(const auto message, compare::read_in_any_shape(reader, frame, *input));
    if (!message) continue;
    // A session with open dimensions takes the recorded size.
    TensorSpec spec = session.inputs().front();
    if (spec.byte_size() != message->bytes.size) spec.shape = message->spec->shape;
    auto inference = session.infer({TensorView(spec, message->bytes)});
    if (!inference)
      return std::move(inference.error()).during("replay of frame " + std::to_string(frame));
    EP_TRY(auto outputs, outputs_of(inference->outputs));
    answers.outputs.back() = std::move(outputs);
    if (control.progress) control.progress(answers.frames.size(), frames.size(), title);
  }
  return answers;
}

task::Figure scored(const Answers& answers,
                    const std::map<std::uint32_t, task::Annotation>& annotations,
                    const std::optional<task::Reading>& reading) {
  if (!reading) return {};
  std::vector<double> scores;
  for (std::size_t i = 0; i < answers.frames.size(); ++i) {
    const auto annotation = annotations.find(answers.frames[i]);
    if (annotation == annotations.end()) continue;
    const auto score = task::score_of(*reading->task, task::answer_of(*reading, answers.outputs[i]),
                                      annotation->second);
    if (score) scores.push_back(*score);
  }
  return reading->task->aggregate(scores);
}

std::uint64_t broken_frames(const Answers& reference, const Answers& target) {
  const auto finite = [](const Outputs& outputs) {
    return std::all_of(outputs.begin(), outputs.end(), [](const std::vector<float>& output) {
      return std::all_of(output.begin(), output.end(),
                         [](float value) { return std::isfinite(value); });
    });
  };
  std::uint64_t broken = 0;
  for (std::size_t i = 0; i < std::min(reference.outputs.size(), target.outputs.size()); ++i)
    broken +=
        !reference.outputs[i].empty() && finite(reference.outputs[i]) && !finite(target.outputs[i]);
  return broken;
}

std::optional<double> mean_distance(compare::OutputDistance kind, const Answers& reference,
                                    const Answers& target) {
  std::vector<double> distances;
  std::vector<compare::Squares> squares;
  std::size_t outputs = 0;
  for (std::size_t i = 0; i < std::min(reference.outputs.size(), target.outputs.size()); ++i) {
    double variation = 0;
    const auto frame = squares_of(reference.outputs[i], target.outputs[i], variation);
    if (!frame || (outputs > 0 && frame->size() != outputs)) continue;
    outputs = frame->size();
    squares.insert(squares.end(), frame->begin(), frame->end());
    distances.push_back(variation);
  }
  if (kind == compare::OutputDistance::kRelativeL2)
    distances = compare::relative_distances(squares, outputs);
  if (distances.empty()) return std::nullopt;
  return std::accumulate(distances.begin(), distances.end(), 0.0) /
         static_cast<double>(distances.size());
}

}  // namespace edgeprobe::diagnose
