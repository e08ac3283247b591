// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "contract/line/line.h"
#include "contract/parts/parts.h"
#include "contract/summary.h"
#include "core/text.h"

namespace edgeprobe::contract {
namespace {

template <class T>
Held held(const std::optional<T>& value) {
  if (!value) return {};
  if constexpr (std::is_same_v<T, std::string>) return *value;
  else return static_cast<double>(*value);
}

Held figure_of(const Moments& moments, const std::string& word) {
  if (word == "min") return moments.least;
  if (word == "max") return moments.most;
  if (word == "mean") return moments.mean;
  if (word == "std") return moments.std;
  return {};
}

Held figure_of(const TensorFigures& figures, const Name& name) {
  const std::string& word = name.words[2];
  if (name.channel) {
    const auto channel = static_cast<std::size_t>(*name.channel);
    return channel < figures.channels.size() ? figure_of(figures.channels[channel], word) : Held{};
  }
  if (word == "not_finite") return static_cast<double>(figures.not_finite);
  if (word == "values") return static_cast<double>(figures.values);
  if (figures.values == figures.not_finite) return {};
  if (word == "sum") return figures.sum;
  if (word == "best") return static_cast<double>(figures.best);
  return figure_of(static_cast<const Moments&>(figures), word);
}

Held answer_of(const AnswerFigures& answer, const std::string& word) {
  if (word == "items") return held(answer.items);
  if (word == "score") return held(answer.score);
  if (word == "label") return held(answer.label);
  if (word == "class") return held(answer.class_number);
  return held(answer.alarm);
}

// The series with that name, or the only one if the name is empty.
template <class Series>
const Series* named(const std::map<std::string, Series>& all, const std::string& name) {
  if (name.empty()) return all.size() == 1 ? &all.begin()->second : nullptr;
  const auto found = all.find(name);
  return found == all.end() ? nullptr : &found->second;
}

template <class T>
const T* of_frame(const std::map<std::uint32_t, T>* series, std::uint32_t frame) {
  if (!series) return nullptr;
  const auto found = series->find(frame);
  return found == series->end() ? nullptr : &found->second;
}

Held value_of(const Name& name, const trace::FrameRecord& record, const TraceFigures& figures) {
  const std::string& subject = name.words[1];
  if (subject == "latency_ms")
    return record.latency_ns ? Held(static_cast<double>(*record.latency_ns) / 1e6) : Held{};
  if (subject == "label") return held(record.label);
  if (subject == "sample") return record.sample.empty() ? Held{} : Held(record.sample);
  if (subject == "answer") {
    const AnswerFigures* const answer = of_frame(named(figures.answers, name.of), record.frame);
    return answer ? answer_of(*answer, name.words[2]) : Held{};
  }
  if (subject == "value") {
    if (const double* const logged = of_frame(named(figures.numbers, name.of), record.frame))
      return *logged;
    const std::string* const text = of_frame(named(figures.texts, name.of), record.frame);
    return text ? Held(*text) : Held{};
  }
  const trace::Stage stage = subject == "input"    ? trace::Stage::kModelInput
                             : subject == "output" ? trace::Stage::kModelOutput
                                                   : trace::Stage::kLayer;
  const TensorSeries* const series = figures.tensor(stage, name.of);
  const TensorFigures* const tensor = of_frame(series ? &series->frames : nullptr, record.frame);
  return tensor ? figure_of(*tensor, name) : Held{};
}

Held value_of(const Name& name, const Evidence& evidence) {
  const std::string& subject = name.words[1];
  if (subject == "frames") return static_cast<double>(evidence.figures.records.size());
  if (subject == "memory_mb") return held(peak_mb(evidence.figures));
  if (subject == "recipe") {
    const auto recipe = evidence.figures.declared.find("recipe");
    return recipe == evidence.figures.declared.end() ? Held{} : Held(recipe->second);
  }
  if (subject == "metric") {
    const auto metric = metric_of(evidence);
    return metric ? Held(metric->value) : Held{};
  }
  if (!evidence.summary) return {};
  return held(name.words[2] == "median" ? evidence.summary->p50_ms : evidence.summary->p90_ms);
}

// The trace's declared recipe holds for each frame.
bool needs_all_frames(const Line& line) {
  for (const Name& name : line.names)
    if (!name.of_frame() && name.words[1] != "recipe") return true;
  return false;
}

}  // namespace

Finding check_line(const std::string& text, const std::string& id, const Evidence& evidence) {
  Finding finding = passing(id);
  const auto line = parse_line(text);
  if (!line) {
    finding.state = State::kCannotTell;
    finding.why = line.error().what;
    return finding;
  }
  finding.of_all_frames = needs_all_frames(*line);
  const std::string quoted = "'" + sanitized(text, 200) + "'";
  std::string missing, clash;
  const auto one = [&](const trace::FrameRecord* record) {
    const Judged judged = judge(*line, [&](const Name& name) {
      return name.of_frame() ? value_of(name, *record, evidence.figures) : value_of(name, evidence);
    });
    if (judged.state == Judged::State::kNotKnown) {
      if (missing.empty()) missing = judged.missing;
      if (clash.empty()) clash = judged.clash;
      return;
    }
    ++finding.frames;
    if (finding.value.empty()) finding.bound = judged.bound;
    if (judged.state == Judged::State::kHolds || finding.failing++ > 0) return;
    finding.value = judged.value;
    finding.bound = judged.bound;
    if (record) set_frame(finding, record->frame, evidence.figures);
  };
  if (line->of_frame())
    for (const trace::FrameRecord& record : evidence.figures.records) one(&record);
  else one(nullptr);
  if (finding.failing > 0) {
    finding.state = State::kFails;
    finding.why = quoted + " does not hold";
    finding.cure = line->of_frame() ? "look at the frame: edgeprobe trace cat TRACE --frame " +
                                          std::to_string(*finding.frame)
                                    : "see what it holds: edgeprobe trace info TRACE";
  } else if (finding.frames == 0 && !clash.empty()) {
    finding.state = State::kCannotTell;
    finding.why = quoted + ": " + sanitized(clash, 200);
    finding.cure = "compare numbers with numbers, and texts with texts by == or !=";
  } else if (finding.frames == 0) {
    finding.state = State::kCannotTell;
    finding.why = quoted + ": the trace has no " + sanitized(missing, 120);
    finding.cure = "record it, or name one of its own: edgeprobe trace info TRACE";
  }
  return finding;
}

}  // namespace edgeprobe::contract
