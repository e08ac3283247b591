// SPDX-License-Identifier: Apache-2.0
#include "diagnose/input/text_inputs.h"

#include <algorithm>

#include "core/evenly_spaced.h"
#include "core/text.h"

namespace edgeprobe::diagnose {
namespace {

constexpr std::size_t kMostFrames = 16;

/// Names of recorded inputs, each once, in the order of their positions.
std::vector<std::string> recorded_names(const trace::Reader& reader) {
  std::vector<const trace::ReadChannel*> channels;
  for (const trace::ReadChannel& channel : reader.channels())
    if (channel.channel.stage == trace::Stage::kModelInput && channel.messages > 0)
      channels.push_back(&channel);
  std::stable_sort(channels.begin(), channels.end(),
                   [](const trace::ReadChannel* a, const trace::ReadChannel* b) {
                     return a->channel.position < b->channel.position;
                   });
  std::vector<std::string> names;
  for (const trace::ReadChannel* channel : channels)
    if (std::find(names.begin(), names.end(), channel->channel.spec.name) == names.end())
      names.push_back(channel->channel.spec.name);
  return names;
}

/// The role of each recorded input: the reference's of that name, else by its own words.
std::map<std::string, text::Role> recorded_roles(const std::vector<std::string>& recorded,
                                                 const std::map<std::string, text::Role>& own) {
  std::map<std::string, text::Role> roles;
  for (const std::string& name : recorded)
    if (const auto at = own.find(name); at != own.end()) roles.insert(*at);
  if (!roles.empty()) return roles;
  // Names of other files: what their words say. The recipe's own names are the reference's.
  text::FrontEnd anything;
  anything.mask.emplace();
  anything.types.emplace();
  anything.positions.emplace();
  for (const std::string& name : recorded) {
    const text::Role role = recorded.size() == 1 ? text::Role::kIds : text::role_by_words(name);
    const bool taken = std::any_of(roles.begin(), roles.end(),
                                   [&](const auto& one) { return one.second == role; });
    if (!taken) roles.emplace(name, role);
  }
  return roles;
}

std::map<std::string, text::Role> reference_roles(const pipeline::Pipeline& pipeline) {
  std::map<std::string, text::Role> roles;
  std::size_t next = 0;
  const auto& inputs = pipeline.session->inputs();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const bool state = std::any_of(pipeline.states.begin(), pipeline.states.end(),
                                   [&](const auto& place) { return place.input == i; });
    if (!state && next < pipeline.text_roles.size())
      roles.emplace(inputs[i].name, pipeline.text_roles[next++]);
  }
  return roles;
}

std::vector<std::int64_t>& place_of(text::Encoding& encoding, text::Role role) {
  switch (role) {
    case text::Role::kIds: return encoding.ids;
    case text::Role::kMask: return encoding.mask;
    case text::Role::kTypes: return encoding.types;
    case text::Role::kPositions: break;
  }
  return encoding.positions;
}

Result<text::Encoding> recorded_in(const trace::Reader& reader, std::uint32_t frame,
                                   const std::map<std::string, text::Role>& roles) {
  text::Encoding recorded;
  for (const trace::ReadChannel& channel : reader.channels()) {
    if (channel.channel.stage != trace::Stage::kModelInput) continue;
    const auto role = roles.find(channel.channel.spec.name);
    if (role == roles.end()) continue;
    const auto message = reader.read(frame, channel.id);
    if (!message) return message.error();
    if (!*message) continue;
    auto values = text::integers_of(**message);
    if (!values) return std::move(values.error());
    place_of(recorded, role->second) = *std::move(values);
  }
  return recorded;
}

}  // namespace

bool is_text(const Case& known) {
  return known.reference_pipeline && known.reference_pipeline->has_recipe() &&
         known.reference_pipeline->tokenizer &&
         preprocess::text_of(known.reference_pipeline->recipe);
}

Result<TextInputs> text_inputs(const Case& known) {
  TextInputs out;
  const auto own = reference_roles(*known.reference_pipeline);
  const auto roles = recorded_roles(recorded_names(*known.target), own);
  for (const auto& [name, role] : own) {
    const bool recorded =
        std::any_of(roles.begin(), roles.end(),
                    [&, role = role](const auto& one) { return one.second == role; });
    if (recorded) out.names.emplace(role, name);
  }
  if (!out.names.count(text::Role::kIds)) {
    out.skipped = "no model input of the trace holds token ids";
    return out;
  }
  if (!known.raw || known.raw->samples.empty()) {
    out.skipped = "the trace holds no texts: log them with frame.text()";
    return out;
  }
  for (const std::size_t i : evenly_spaced(known.raw->samples.size(), kMostFrames)) {
    auto loaded = known.raw->samples[i].load();
    if (!loaded) return std::move(loaded.error());
    const dataset::Text* const content = dataset::text_of(loaded->input);
    if (!content) continue;
    auto recorded = recorded_in(*known.target, known.raw->frames[i], roles);
    if (!recorded && recorded.error().kind == ErrorKind::kUsage) {
      out.observations.clear();
      out.skipped = recorded.error().what;
      return out;
    }
    if (!recorded) return std::move(recorded.error());
    if (recorded->ids.empty()) continue;
    tokens::Observation one{known.raw->frames[i], {}, *std::move(recorded)};
    for (const dataset::TextPart& part : content->parts) one.texts.push_back(part.text);
    out.observations.push_back(std::move(one));
  }
  if (out.observations.empty()) out.skipped = "no frame has both a text and token ids";
  return out;
}

}  // namespace edgeprobe::diagnose
