// SPDX-License-Identifier: Apache-2.0
#include "contract/text_front.h"

#include <algorithm>
#include <map>

#include "core/evenly_spaced.h"
#include "core/text.h"
#include "dataset/raw_input.h"
#include "diagnose/tokens/search.h"
#include "text/encode.h"

namespace edgeprobe::contract {
namespace {

namespace tokens = diagnose::tokens;

// Limit, since the search runs the tokenizer on every frame for each of hundreds of changes.
constexpr std::size_t kSearchedTexts = 16;

FrontReplay not_told(std::string reason) {
  FrontReplay out;
  out.reason = std::move(reason);
  return out;
}

struct Input {
  const trace::ReadChannel* channel = nullptr;
  text::Role role = text::Role::kIds;
};

Result<std::vector<Input>> text_inputs(const trace::Reader& trace,
                                       const text::FrontEnd& front_end) {
  std::map<std::string, const trace::ReadChannel*> recorded;
  for (const trace::ReadChannel& read : trace.channels())
    if (read.channel.stage == trace::Stage::kModelInput && read.messages > 0)
      recorded.emplace(read.channel.spec.name, &read);
  std::vector<std::string> names;
  for (const auto& [name, channel] : recorded) names.push_back(name);
  const auto roles = text::roles_of(names, front_end);
  if (!roles) return Error(roles.error());
  std::vector<Input> inputs;
  for (std::size_t i = 0; i < names.size(); ++i)
    inputs.push_back({recorded.at(names[i]), (*roles)[i]});
  return inputs;
}

// A frame's texts, and the integers that the model received for them.
Result<std::optional<tokens::Observation>> observed(const trace::Reader& trace,
                                                    const pipeline::TraceSamples& raw,
                                                    std::size_t sample,
                                                    const std::vector<Input>& inputs) {
  EP_TRY(auto loaded, raw.samples[sample].load());
  const dataset::Text* const content = dataset::text_of(loaded.input);
  if (!content) return std::optional<tokens::Observation>();
  tokens::Observation one{raw.frames[sample], {}, {}};
  for (const dataset::TextPart& part : content->parts) one.texts.push_back(part.text);
  for (const Input& input : inputs) {
    EP_TRY(const auto message, trace.read(one.frame, input.channel->id));
    if (!message) return std::optional<tokens::Observation>();
    EP_TRY(auto values, text::integers_of(*message));
    tokens::place_of(one.recorded, input.role) = std::move(values);
  }
  return std::optional(std::move(one));
}

// Number of differing values, and of all values in recorded roles.
struct Unlike {
  std::size_t values = 0, of = 0;
};
Unlike unlike(const text::Encoding& made, const text::Encoding& recorded) {
  Unlike out;
  for (const text::Role role : tokens::kRoles) {
    const auto& given = text::values_of(recorded, role);
    if (given.empty()) continue;
    out.values += tokens::unlike(text::values_of(made, role), given);
    out.of += given.size();
  }
  return out;
}

diagnose::InputDiagnosis diagnosis_of(const tokens::Finding& found) {
  diagnose::InputDiagnosis out;
  using Status = diagnose::InputDiagnosis::Status;
  out.as_recorded = true;
  const bool is_exact = found.status == tokens::SearchStatus::kExact ||
                        found.status == tokens::SearchStatus::kSomeFrames;
  if (found.explanations.empty()) {
    out.reason = "no change that is known gives the recorded ids";
    return out;
  }
  const tokens::Explanation& first = found.explanations.front();
  out.status = is_exact && first.is_proven ? Status::kFound : Status::kPartial;
  if (out.status == Status::kPartial)
    out.reason = is_exact ? "these texts are too few to distinguish the change from chance"
                          : "the nearest change does not give the recorded ids";
  for (const tokens::Change& change : first.changes) {
    diagnose::InputFault fault;
    fault.kind = change.kind;
    fault.detail = change.words;
    if (first.changes.size() == 1)
      for (std::size_t i = 1; i < found.explanations.size(); ++i)
        if (found.explanations[i].changes.size() == 1)
          fault.alternatives.push_back(found.explanations[i].changes.front().words);
    out.faults.push_back(std::move(fault));
  }
  return out;
}

}  // namespace

Result<FrontReplay> replay_text(const trace::Reader& trace, const pipeline::TraceSamples& raw,
                                const text::FrontEnd& front_end, pipeline::Tokenizer* tokenizer,
                                const Control& control) {
  if (!tokenizer)
    return not_told("the recipe is one of text, and its tokenizer is not known: give --tokenizer");
  if (raw.samples.empty()) return not_told("the trace holds no texts: record them (frame.text())");
  const auto inputs = text_inputs(trace, front_end);
  if (!inputs) return not_told(inputs.error().what);
  std::vector<tokens::Observation> seen;
  std::vector<std::size_t> samples;
  for (const std::size_t i : evenly_spaced(raw.samples.size(), kReplayedFrames)) {
    EP_TRY(auto one, observed(trace, raw, i, *inputs));
    if (!one) continue;
    seen.push_back(*std::move(one));
    samples.push_back(i);
  }
  if (seen.empty()) return not_told("no frame has both its text and all model inputs");
  const tokens::Tokenizer runs{
      [&](const std::vector<std::vector<std::string>>& texts,
          const std::vector<text::TextStep>& before,
          const std::string& edit) { return tokenizer->encode(texts, before, edit, control); },
      tokenizer->edits()};
  tokens::Problem all(front_end, seen, runs);
  const auto made = all.encode(all.reference());
  if (!made) return Error(made.error()).during("tokenizer");
  FrontReplay out;
  out.frames = seen.size();
  std::vector<tokens::Observation> differing;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const Unlike here = unlike((*made)[i], seen[i].recorded);
    if (here.values == 0) continue;
    differing.push_back(seen[i]);
    const double part = static_cast<double>(here.values) / static_cast<double>(here.of);
    if (part <= out.worst) continue;
    out.worst = part;
    out.distance =
        std::to_string(here.values) + " of " + std::to_string(here.of) + " values differ";
    out.worst_frame = seen[i].frame;
    out.worst_sample = raw.samples[samples[i]].name;
  }
  out.differing = differing.size();
  if (differing.empty()) {
    out.state = FrontReplay::State::kSame;
    return out;
  }
  out.state = FrontReplay::State::kDiffers;
  std::vector<tokens::Observation> searched;
  for (const std::size_t i : evenly_spaced(seen.size(), kSearchedTexts))
    searched.push_back(seen[i]);
  // Includes differing frames, in case only few frames have the fault.
  for (std::size_t i = 0; i < std::min<std::size_t>(differing.size(), 2); ++i)
    if (std::none_of(searched.begin(), searched.end(),
                     [&](const auto& one) { return one.frame == differing[i].frame; }))
      searched.push_back(differing[i]);
  tokens::Problem problem(front_end, std::move(searched), runs);
  const auto found = tokens::search(problem, control);
  if (!found) return Error(found.error()).during("tokenizer");
  out.diagnosis = diagnosis_of(*found);
  return out;
}

}  // namespace edgeprobe::contract
