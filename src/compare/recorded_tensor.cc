// SPDX-License-Identifier: Apache-2.0
#include "compare/recorded_tensor.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace edgeprobe::compare {
namespace {

using trace::Stage;

bool compared(Stage stage) { return trace::of_model(stage) || stage == Stage::kIntermediate; }

int stage_rank(Stage stage) {
  switch (stage) {
    case Stage::kRawInput: return 0;
    case Stage::kIntermediate: return 1;
    case Stage::kModelInput: return 2;
    case Stage::kLayer: return 3;
    case Stage::kModelOutput: return 4;
    default: return 5;  // Not compared.
  }
}

bool holds(const trace::Reader& reader, std::uint32_t frame, const trace::ReadChannel& channel) {
  const auto value = reader.read(frame, channel.id);
  return value && *value;
}

// True if no frame has two of them: if name and position occur twice in a frame, there are two
// tensors.
bool take_turns(const trace::Reader& reader, const std::vector<const trace::ReadChannel*>& ones) {
  std::uint64_t messages = 0;
  for (const trace::ReadChannel* one : ones) messages += one->messages;
  return messages <= reader.frames().size();
}

}  // namespace

trace::Channel RecordedTensor::channel() const {
  trace::Channel whole = channels.front()->channel;
  for (const trace::ReadChannel* one : channels)
    for (std::size_t d = 0; d < whole.spec.shape.size(); ++d)
      if (one->channel.spec.shape[d] != whole.spec.shape[d]) whole.spec.shape[d] = -1;
  return whole;
}

Result<std::optional<TensorView>> RecordedTensor::read(const trace::Reader& reader,
                                                       std::uint32_t frame) const {
  for (const trace::ReadChannel* one : channels) {
    auto value = reader.read(frame, one->id);
    if (!value || *value) return value;
  }
  return std::optional<TensorView>{};
}

namespace {

bool are_alike_but_in_shape(const trace::Channel& x, const trace::Channel& y) {
  return x.stage == y.stage && x.position == y.position && x.spec.name == y.spec.name &&
         x.spec.dtype == y.spec.dtype;
}

}  // namespace

bool is_one_tensor(const RecordedTensor& a, const RecordedTensor& b) {
  const trace::Channel &x = a.channels.front()->channel, &y = b.channels.front()->channel;
  return are_alike_but_in_shape(x, y) && x.spec.shape.size() == y.spec.shape.size();
}

Result<std::optional<TensorView>> read_in_any_shape(const trace::Reader& reader,
                                                    std::uint32_t frame,
                                                    const trace::ReadChannel& channel) {
  auto value = reader.read(frame, channel.id);
  if (!value || *value) return value;
  for (const trace::ReadChannel& other : reader.channels()) {
    if (other.id == channel.id || !are_alike_but_in_shape(other.channel, channel.channel)) continue;
    value = reader.read(frame, other.id);
    if (!value || *value) break;
  }
  return value;
}

std::vector<RecordedTensor> recorded_tensors(const trace::Reader& reader, bool outputs_only,
                                             std::optional<std::uint32_t> first) {
  // Channels of one rank that differ only in shape, in the trace's order.
  using Key = std::tuple<Stage, std::int32_t, std::string, DType, std::string, std::size_t>;
  std::map<Key, std::size_t> place;
  std::vector<RecordedTensor> groups;
  for (const trace::ReadChannel& channel : reader.channels()) {
    const trace::Channel& c = channel.channel;
    if (!compared(c.stage) || channel.messages == 0 ||
        (outputs_only && c.stage != Stage::kModelOutput))
      continue;
    const Key key{c.stage,      c.position,   c.spec.name,
                  c.spec.dtype, c.layer_type, c.spec.shape.size()};
    const auto [at, fresh] = place.emplace(key, groups.size());
    if (fresh || c.stage == Stage::kIntermediate) groups.push_back({{&channel}});
    else groups[at->second].channels.push_back(&channel);
  }
  std::vector<RecordedTensor> tensors;
  for (RecordedTensor& group : groups) {
    if (!group.varies() || take_turns(reader, group.channels)) {
      if (group.varies() && first)
        std::stable_partition(group.channels.begin(), group.channels.end(),
                              [&](const auto* one) { return holds(reader, *first, *one); });
      tensors.push_back(std::move(group));
    } else {
      for (const trace::ReadChannel* one : group.channels) tensors.push_back({{one}});
    }
  }
  std::stable_sort(tensors.begin(), tensors.end(), [](const auto& a, const auto& b) {
    const trace::Channel &one = a.channels.front()->channel, &other = b.channels.front()->channel;
    const int x = stage_rank(one.stage), y = stage_rank(other.stage);
    return x != y ? x < y : one.position < other.position;
  });
  return tensors;
}

}  // namespace edgeprobe::compare
