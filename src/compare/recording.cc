// SPDX-License-Identifier: Apache-2.0
#include "compare/recording.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "compare/align/op_kind.h"
#include "core/codes.h"
#include "core/text.h"
#include "trace/read/events.h"

namespace edgeprobe::compare {
namespace {

constexpr std::size_t kMostFrames = 1000, kListed = 3, kMostSteps = 4;

std::uint64_t count_from(const std::map<std::string, std::string>& values, const std::string& key) {
  const auto at = values.find(key);
  std::uint64_t count = 0;
  if (at != values.end())
    std::from_chars(at->second.data(), at->second.data() + at->second.size(), count);
  return count;
}

// Reads the file's own count. A truncated recording has none, so its frame records are counted.
std::uint64_t dropped_frames(const trace::Reader& trace) {
  const auto told = trace.metadata().find("edgeprobe.dropped");
  const std::uint64_t count =
      told == trace.metadata().end() ? 0 : count_from(told->second, "frames");
  const auto marked = std::count_if(trace.records().begin(), trace.records().end(),
                                    [](const trace::FrameRecord& r) { return r.dropped > 0; });
  return std::max(count, static_cast<std::uint64_t>(marked));
}

void add_steps(const trace::Reader& trace, std::vector<std::string>& sentences) {
  const auto stream = trace.stream();
  if (std::none_of(stream.begin(), stream.end(), [](const trace::ReadEventStream& s) {
        return s.stream.kind == trace::EventStreamKind::kLevel && s.messages > 0;
      }))
    return;
  std::vector<std::string> problems;
  std::size_t steps = 0;
  (void)trace::visit_events(
      trace.path(), problems,
      [&](const trace::EventStream& one, const trace::Event& event) -> Status {
        if (one.kind != trace::EventStreamKind::kLevel || ++steps > kMostSteps) return {};
        const std::string advice = event.reason.rfind("the recording has its", 0) == 0
                                       ? " (the probe's total_bytes; 0 sets no limit)"
                                       : "";
        const std::string from =
            event.frame ? "from frame " + std::to_string(*event.frame) + " on " : "";
        sentences.push_back(from +
                            (event.to == "off"
                                 ? "nothing was recorded any more"
                                 : "only level '" + sanitized(event.to, 20) + "' was recorded") +
                            ": " + sanitized(event.reason, 200) + advice);
        return {};
      });
}

std::string frames_text(const std::vector<std::uint32_t>& frames) {
  std::string text = frames.size() == 1 ? "frame " : "frames ";
  for (std::size_t i = 0; i < std::min(kListed, frames.size()); ++i)
    text += (i ? ", " : "") + std::to_string(frames[i]);
  return text + (frames.size() > kListed ? ", …" : "");
}

}  // namespace

bool in_codes(const trace::Channel& channel) {
  return holds_codes(channel.spec) ||
         (is_integer(channel.spec.dtype) && computes_in_codes(channel.layer_type));
}

std::vector<std::string> shortfalls(const trace::Reader& trace) {
  std::vector<std::string> sentences;
  if (const std::uint64_t dropped = dropped_frames(trace)) {
    // Frames lost on a serial line have no record here; those a probe dropped have one, without
    // tensors.
    const bool received = trace.metadata().count("edgeprobe.receive") != 0;
    sentences.push_back(
        received ? std::to_string(dropped) + " frames did not come whole over the line"
                 : "the recorder dropped " + std::to_string(dropped) + " of " +
                       std::to_string(trace.frames().size()) +
                       " frames, because the disk took them too slowly: a program that reads files "
                       "waits for it with "
                       "wait_when_full; one with a camera records less (every, raw, level)");
  }
  add_steps(trace, sentences);
  return sentences;
}

std::string unlike_tensors(const trace::Reader& reference, const trace::Reader& target) {
  const auto only = [](const trace::Reader& reader, trace::Stage stage) {
    std::string shape;
    for (const trace::ReadChannel& channel : reader.channels())
      if (channel.channel.stage == stage && shape.empty())
        shape = to_text(channel.channel.spec.shape);
    return shape;
  };
  std::string text;
  for (const auto& [stage, title] : {std::pair{trace::Stage::kModelInput, "model inputs"},
                                     {trace::Stage::kModelOutput, "outputs"}}) {
    const std::string r = only(reference, stage), t = only(target, stage);
    if (!r.empty() && !t.empty() && r != t)
      text += std::string(text.empty() ? "" : "; ") + "the " + title + " are " + r + " and " + t;
  }
  return text;
}

std::string why_uncompared(const trace::Reader& reference, const trace::Reader& target) {
  if (auto apart = pictures_apart(target)) return *std::move(apart);
  const std::string unlike = unlike_tensors(reference, target);
  return unlike.empty()
             ? ""
             : "a trace and a reference of one model: here " + unlike + " (reference, target)";
}

std::optional<std::string> pictures_apart(const trace::Reader& trace) {
  const auto holds = [&](std::uint32_t frame, bool raw) {
    for (const trace::ReadChannel& channel : trace.channels()) {
      const trace::Stage stage = channel.channel.stage;
      const bool wanted =
          raw ? stage == trace::Stage::kRawInput
              : stage == trace::Stage::kModelInput || stage == trace::Stage::kModelOutput;
      if (!wanted) continue;
      const auto message = trace.read(frame, channel.id);
      if (message && *message) return true;
    }
    return false;
  };
  std::vector<std::uint32_t> pictures, tensors;
  for (std::size_t i = 0; i < std::min(kMostFrames, trace.frames().size()); ++i) {
    const std::uint32_t frame = trace.frames()[i];
    const bool picture = holds(frame, true), tensor = holds(frame, false);
    if (picture && tensor) return {};
    if (picture) pictures.push_back(frame);
    if (tensor) tensors.push_back(frame);
  }
  if (pictures.empty() || tensors.empty()) return {};
  return frames_text(pictures) +
         (pictures.size() == 1 ? " holds a picture, " : " hold pictures, ") + frames_text(tensors) +
         " tensors: log both in one frame";
}

}  // namespace edgeprobe::compare
