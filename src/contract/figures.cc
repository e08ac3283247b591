// SPDX-License-Identifier: Apache-2.0
#include "contract/figures.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/text.h"
#include "task/classification.h"
#include "trace/answer.h"
#include "trace/read/answers.h"
#include "trace/read/events.h"

namespace edgeprobe::contract {
namespace {

using trace::Stage;

/// Sums over one channel; add() expects finite values.
struct Sums {
  double sum = 0, squares = 0;
  double least = std::numeric_limits<double>::infinity(), most = -least;
  std::uint64_t n = 0;

  void add(double value) {
    sum += value;
    squares += value * value;
    least = std::min(least, value);
    most = std::max(most, value);
    ++n;
  }
  Moments moments() const {
    if (n == 0) return {};
    const double count = static_cast<double>(n), mean = sum / count;
    return {mean, std::sqrt(std::max(0.0, squares / count - mean * mean)), least, most};
  }
};

TensorFigures figures_of(const std::vector<float>& values, const TensorSpec& spec, bool is_input) {
  TensorFigures figures;
  const auto axis = is_input ? channel_axis(spec.shape) : std::nullopt;
  const std::size_t channels = axis ? static_cast<std::size_t>(spec.shape[*axis]) : 1;
  // Consecutive values of one channel: 1 if it is the last dimension.
  std::size_t run = 1;
  if (axis)
    for (std::size_t d = *axis + 1; d < spec.shape.size(); ++d)
      run *= static_cast<std::size_t>(spec.shape[d]);
  std::vector<Sums> by_channel(channels);
  Sums all;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = values[i];
    if (!std::isfinite(value)) {
      ++figures.not_finite;
      continue;
    }
    if (all.n == 0 || value > all.most) figures.best = static_cast<int>(i);
    all.add(value);
    if (axis) by_channel[i / run % channels].add(value);
  }
  static_cast<Moments&>(figures) = all.moments();
  figures.values = values.size();
  figures.sum = all.sum;
  if (!is_input) {
    const auto& scale = spec.quantization.scale;
    figures.probabilities =
        values.size() > 1 && task::are_probabilities(values, scale.size() == 1 ? scale[0] : 0);
  }
  if (axis)
    for (const Sums& one : by_channel) figures.channels.push_back(one.moments());
  return figures;
}

AnswerFigures figures_of(const trace::Answer& answer) {
  AnswerFigures figures;
  const auto part = [&](const char* name, bool given) {
    if (given) figures.parts.insert(name);
  };
  part("labels", answer.labels.has_value());
  part("classes", answer.classes.has_value());
  part("scores", answer.scores.has_value());
  part("boxes", answer.boxes.has_value());
  part("mask", answer.mask.has_value());
  part("points", answer.points.has_value());
  part("vector", answer.vector.has_value());
  part("score", answer.score.has_value());
  part("alarm", answer.alarm.has_value());
  part("text", answer.text.has_value());
  if (answer.boxes) figures.items = answer.boxes->size();
  else if (answer.labels) figures.items = answer.labels->size();
  else if (answer.classes) figures.items = answer.classes->size();
  else if (answer.points) figures.items = answer.points->size();
  if (answer.scores && !answer.scores->empty()) {
    const auto [least, most] = std::minmax_element(answer.scores->begin(), answer.scores->end());
    figures.score = *most;
    figures.least_score = *least;
  }
  if (answer.score) figures.score = figures.least_score = *answer.score;
  if (answer.labels && !answer.labels->empty()) figures.label = answer.labels->front();
  if (answer.classes && !answer.classes->empty()) figures.class_number = answer.classes->front();
  figures.alarm = answer.alarm;
  return figures;
}

// Opens dimensions that differ; between ranks, no dimension is known.
void merge_shape(Shape& all, const Shape& one) {
  if (all.size() != one.size()) {
    all.assign(1, -1);
    return;
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i] != one[i]) all[i] = -1;
}

std::string stage_text(const trace::Channel& channel) {
  if (channel.stage == Stage::kRawInput || channel.stage == Stage::kLayer)
    return name(channel.stage);
  return std::string(name(channel.stage)) + "/" + channel.spec.name;
}

bool is_part_of_the_app(Stage stage) {
  return stage != Stage::kKernelTime && stage != Stage::kSketch && stage != Stage::kSketchSample &&
         stage != Stage::kSpan;
}

void add_variable(TraceFigures& figures, const trace::Channel& channel, std::uint32_t frame,
                  ByteView bytes) {
  if (channel.encoding == "utf8" || channel.encoding == "json") {
    figures.texts[channel.spec.name][frame] =
        std::string(reinterpret_cast<const char*>(bytes.data), bytes.size);
    return;
  }
  const auto values = to_float(TensorView(channel.spec, bytes));
  if (values && values->size() == 1) figures.numbers[channel.spec.name][frame] = values->front();
}

// Collects the app's one-time assertions. Among several marks of one name, a failing one counts.
Status add_marks(const trace::Reader& trace, TraceFigures& figures) {
  const auto is_assertion = [](const trace::EventStream& stream) {
    return stream.kind == trace::EventStreamKind::kMark && stream.name.rfind(kAssertion, 0) == 0;
  };
  const auto streams = trace.stream();
  if (std::none_of(streams.begin(), streams.end(),
                   [&](const trace::ReadEventStream& one) { return is_assertion(one.stream); }))
    return {};
  std::vector<std::string> problems;
  return trace::visit_events(
      trace.path(), problems,
      [&](const trace::EventStream& stream, const trace::Event& event) -> Status {
        if (!is_assertion(stream)) return {};
        std::string& said = figures.asserted[stream.name.substr(kAssertion.size())];
        if (said.empty() || said == "holds") said = event.text;
        return {};
      });
}

}  // namespace

std::optional<std::size_t> channel_axis(const Shape& shape) {
  if (shape.size() != 3 && shape.size() != 4) return std::nullopt;
  if (std::any_of(shape.begin(), shape.end(), [](std::int64_t dim) { return dim < 1; }))
    return std::nullopt;
  const auto few = [&](std::size_t axis, std::int64_t most) {
    return shape[axis] >= 2 && shape[axis] <= most;
  };
  if (few(shape.size() - 1, 4)) return shape.size() - 1;
  const std::size_t after_batch = shape.size() - 3;
  if (few(after_batch, 4)) return after_batch;
  // [1, steps, axes] or [1, axes, steps]: the shorter dimension is the axes.
  if (shape.size() != 3 || shape[0] != 1) return std::nullopt;
  const std::size_t axes = shape[2] < shape[1] ? 2 : 1;
  return few(axes, 16) && shape[1] != shape[2] ? std::optional(axes) : std::nullopt;
}

const TensorSeries* TraceFigures::tensor(trace::Stage stage, const std::string& name) const {
  if (!name.empty()) {
    const auto found = tensors.find({stage, name});
    return found == tensors.end() ? nullptr : &found->second;
  }
  const TensorSeries* only = nullptr;
  for (const auto& [key, series] : tensors) {
    if (key.first != stage) continue;
    if (only) return nullptr;
    only = &series;
  }
  return only;
}

const trace::FrameRecord* TraceFigures::record(std::uint32_t frame) const {
  const auto found = std::lower_bound(
      records.begin(), records.end(), frame,
      [](const trace::FrameRecord& one, std::uint32_t wanted) { return one.frame < wanted; });
  return found != records.end() && found->frame == frame ? &*found : nullptr;
}

Result<TraceFigures> figures_of(const trace::Reader& trace, bool with_layers,
                                const Control& control) {
  TraceFigures figures;
  figures.records = trace.records();
  if (figures.records.empty())
    return Error{ErrorKind::kUsage,
                 "'" + sanitized(trace.path().string(), 400) + "' holds no frame"};
  for (const char* const group : {"edgeprobe.run", "edgeprobe.memory"})
    if (const auto found = trace.metadata().find(group); found != trace.metadata().end())
      (group == std::string_view("edgeprobe.run") ? figures.declared : figures.memory) =
          found->second;
  for (const trace::ReadChannel& one : trace.channels())
    if (one.messages > 0 && is_part_of_the_app(one.channel.stage))
      figures.stages.insert(stage_text(one.channel));
  const auto done = trace.visit([&](const trace::ReadChannel& read, std::uint32_t frame,
                                    std::uint64_t, ByteView bytes) -> Status {
    if (control.stopped()) return interrupted();
    const trace::Channel& channel = read.channel;
    if (channel.stage == Stage::kVariable) add_variable(figures, channel, frame, bytes);
    if (channel.is_answer()) {
      const auto answer = trace::decode_answer(bytes);
      if (!answer) return Error(answer.error()).during("frame " + std::to_string(frame));
      figures.answers[channel.spec.name][frame] = figures_of(*answer);
    }
    const bool is_input = channel.stage == Stage::kModelInput;
    if (!is_input && channel.stage != Stage::kModelOutput &&
        !(with_layers && channel.stage == Stage::kLayer))
      return {};
    const auto values = to_float(TensorView(channel.spec, bytes));
    // texts and other non-numeric tensors
    if (!values && values.error().kind == ErrorKind::kUnsupported) return {};
    if (!values) return Error(values.error()).during("frame " + std::to_string(frame));
    auto [series, is_new] = figures.tensors.try_emplace({channel.stage, channel.spec.name});
    if (is_new) {
      series->second.spec = channel.spec;
      series->second.position = channel.position;
    }
    merge_shape(series->second.spec.shape, channel.spec.shape);
    TensorFigures& one = series->second.frames[frame];
    one = figures_of(*values, channel.spec, is_input);
    one.digest = std::hash<std::string_view>()(bytes.text());
    return {};
  });
  if (!done) return done.error();
  EP_CHECK(add_marks(trace, figures));
  return figures;
}

}  // namespace edgeprobe::contract
