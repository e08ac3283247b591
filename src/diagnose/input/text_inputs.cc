// SPDX-License-Identifier: Apache-2.0
#include "diagnose/input/text_inputs.h"

#include <algorithm>
#include <set>

#include "core/evenly_spaced.h"
#include "core/text.h"

namespace edgeprobe::diagnose {
namespace {

constexpr std::size_t kMostFrames = 16;

using Roles = std::map<std::string, text::Role>;

/// Distinct names of recorded inputs, in the order of their positions.
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

/// Role of each recorded input: the reference's for that name, else by words in the name.
Roles recorded_roles(const std::vector<std::string>& recorded, const Roles& own) {
  Roles roles;
  for (const std::string& name : recorded)
    if (const auto at = own.find(name); at != own.end()) roles.insert(*at);
  if (!roles.empty()) return roles;
  // No input has a name known from the recipe: the words in the names decide.
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

Roles reference_roles(const pipeline::Pipeline& pipeline) {
  Roles roles;
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

Result<text::Encoding> recorded_in(const trace::Reader& reader, std::uint32_t frame,
                                   const Roles& roles) {
  text::Encoding recorded;
  for (const trace::ReadChannel& channel : reader.channels()) {
    if (channel.channel.stage != trace::Stage::kModelInput) continue;
    const auto role = roles.find(channel.channel.spec.name);
    if (role == roles.end()) continue;
    EP_TRY(const auto message, reader.read(frame, channel.id));
    if (!message) continue;
    EP_TRY(auto values, text::integers_of(*message));
    tokens::place_of(recorded, role->second) = std::move(values);
  }
  return recorded;
}

/// True if an input that both recorded differs.
bool are_unlike(const text::Encoding& a, const text::Encoding& b) {
  return std::any_of(tokens::kRoles.begin(), tokens::kRoles.end(), [&](text::Role role) {
    const tokens::Ids &x = text::values_of(a, role), &y = text::values_of(b, role);
    return !x.empty() && !y.empty() && x != y;
  });
}

Status find_unlike(const Study& study, const Roles& roles, const Roles& own, TextInputs& out,
                   const Control& control) {
  for (const compare::FrameAgreement& pair : study.agreement.frames) {
    if (control.stopped()) return interrupted();
    const auto fed = recorded_in(*study.known.target, pair.target, roles);
    const auto meant = recorded_in(*study.known.reference, pair.reference, own);
    for (const auto* one : {&fed, &meant})
      if (!*one && one->error().kind != ErrorKind::kUsage) return one->error();
    if (!fed || !meant) continue;
    ++out.compared;
    if (are_unlike(*fed, *meant)) out.unlike.push_back(pair.target);
  }
  std::sort(out.unlike.begin(), out.unlike.end());
  return {};
}

/// Samples to examine, ascending.
std::set<std::size_t> chosen(const pipeline::TraceSamples& raw,
                             const std::vector<std::uint32_t>& unlike) {
  std::vector<std::size_t> differing;
  for (std::size_t i = 0; i < raw.samples.size(); ++i)
    if (std::binary_search(unlike.begin(), unlike.end(), raw.frames[i])) differing.push_back(i);
  std::set<std::size_t> out;
  for (const std::size_t k : evenly_spaced(differing.size(), kMostFrames / 2))
    out.insert(differing[k]);
  for (const std::size_t i : evenly_spaced(raw.samples.size(), kMostFrames - out.size()))
    out.insert(i);
  return out;
}

std::vector<std::string> texts_of(const dataset::Text& content) {
  std::vector<std::string> texts;
  for (const dataset::TextPart& part : content.parts) texts.push_back(part.text);
  return texts;
}

/// The text and the inputs of one sample's frame; nothing if either is missing.
Result<std::optional<tokens::Observation>> observation_of(const Case& known, std::size_t sample,
                                                          const Roles& roles) {
  using Observed = std::optional<tokens::Observation>;
  EP_TRY(auto loaded, known.raw->samples[sample].load());
  const dataset::Text* const content = dataset::text_of(loaded.input);
  if (!content) return Observed();
  const std::uint32_t frame = known.raw->frames[sample];
  EP_TRY(auto recorded, recorded_in(*known.target, frame, roles));
  if (recorded.ids.empty()) return Observed();
  return Observed({frame, texts_of(*content), std::move(recorded)});
}

Result<std::optional<tokens::Observation>> with_before(const Case& known, std::size_t sample,
                                                       const Roles& roles) {
  auto one = observation_of(known, sample, roles);
  if (!one || !*one || sample == 0 ||
      known.raw->frames[sample - 1] + 1 != known.raw->frames[sample])
    return one;
  auto before = observation_of(known, sample - 1, roles);
  if (!before) return before;
  if (*before) (*one)->before = {std::move((*before)->texts), std::move((*before)->recorded)};
  return one;
}

}  // namespace

Result<TextInputs> text_inputs(const Study& study, const Control& control) {
  const Case& known = study.known;
  TextInputs out;
  const Roles own = reference_roles(*known.reference_pipeline);
  const Roles roles = recorded_roles(recorded_names(*known.target), own);
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
    out.skipped = "the trace contains no texts: log them with frame.text()";
    return out;
  }
  EP_CHECK(find_unlike(study, roles, own, out, control));
  for (const std::size_t i : chosen(*known.raw, out.unlike)) {
    auto one = with_before(known, i, roles);
    if (!one && one.error().kind == ErrorKind::kUsage) {
      out.observations.clear();
      out.skipped = one.error().what;
      return out;
    }
    if (!one) return std::move(one.error());
    if (*one) out.observations.push_back(**std::move(one));
  }
  if (out.observations.empty()) out.skipped = "no frame has both a text and token ids";
  return out;
}

}  // namespace edgeprobe::diagnose
