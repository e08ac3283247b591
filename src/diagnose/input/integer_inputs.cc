// SPDX-License-Identifier: Apache-2.0
#include "diagnose/input/integer_inputs.h"

#include <algorithm>
#include <vector>

#include "compare/recorded_tensor.h"
#include "diagnose/input/tensor_inputs.h"
#include "text/encode.h"

namespace edgeprobe::diagnose {
namespace {

using Integers = std::vector<std::int64_t>;

bool holds_integers(const trace::ReadChannel* channel) {
  return channel && is_integer(channel->channel.spec.dtype) &&
         channel->channel.spec.quantization.empty();
}

Result<Integers> integers_in(const trace::Reader& reader, const trace::ReadChannel& channel,
                             std::uint32_t frame) {
  EP_TRY(const auto message, compare::read_in_any_shape(reader, frame, channel));
  if (!message) return Integers();
  return text::integers_of(*message);
}

std::optional<std::int64_t> value_at(const Integers& values, std::size_t place) {
  return place < values.size() ? std::optional(values[place]) : std::nullopt;
}

void count(IntegerDifference& sum, std::uint32_t frame, const Integers& own, const Integers& fed) {
  const std::size_t longer = std::max(own.size(), fed.size());
  std::size_t unlike = 0, first = longer;
  for (std::size_t i = 0; i < longer; ++i)
    if (value_at(own, i) != value_at(fed, i)) {
      ++unlike;
      first = std::min(first, i);
    }
  ++sum.of_frames;
  sum.of_values += longer;
  if (unlike == 0) return;
  if (sum.frames == 0 || frame < sum.frame) {
    sum.frame = frame;
    sum.place = first;
    sum.own = value_at(own, first);
    sum.recorded = value_at(fed, first);
  }
  ++sum.frames;
  sum.values += unlike;
}

std::string shown(const std::optional<std::int64_t>& value) {
  return value ? std::to_string(*value) : "nothing";
}

}  // namespace

std::map<std::string, Value> values_of(const IntegerDifference& difference) {
  return {{"values", difference.values},
          {"of", difference.of_values},
          {"frame", std::int64_t{difference.frame}},
          {"place", difference.place},
          {"input", difference.input},
          {"target", shown(difference.recorded)},
          {"reference", shown(difference.own)}};
}

Result<std::optional<IntegerDifference>> integer_difference(const Study& study,
                                                            const std::string& target_name,
                                                            const std::string& name,
                                                            const Control& control) {
  const trace::ReadChannel* const target = input_of(*study.known.target, target_name);
  const trace::ReadChannel* const reference = input_of(*study.known.reference, name);
  if (!holds_integers(target) || !holds_integers(reference))
    return std::optional<IntegerDifference>();
  IntegerDifference sum;
  sum.input = name;
  for (const compare::FrameAgreement& pair : study.agreement.frames) {
    if (control.stopped()) return interrupted();
    EP_TRY(const auto fed, integers_in(*study.known.target, *target, pair.target));
    EP_TRY(const auto own, integers_in(*study.known.reference, *reference, pair.reference));
    if (!fed.empty() && !own.empty()) count(sum, pair.target, own, fed);
  }
  return sum.values > 0 ? std::optional(std::move(sum)) : std::nullopt;
}

Result<std::optional<IntegerDifference>> integer_differences(const Study& study,
                                                             const Control& control) {
  std::optional<IntegerDifference> all;
  for (const TensorInput& input : tensor_inputs(study)) {
    if (input.state == TensorInput::State::kEqual) continue;
    auto one = integer_difference(study, input.target_name, input.name, control);
    if (!one) return one;
    if (!*one) return std::optional<IntegerDifference>();
    if (!all) {
      all = **std::move(one);
      continue;
    }
    // Within one frame, the first input in the model's order: masks come after ids.
    IntegerDifference first = (*one)->frame < all->frame ? **one : *all;
    first.values = all->values + (*one)->values;
    first.of_values = all->of_values + (*one)->of_values;
    all = std::move(first);
  }
  return all;
}

}  // namespace edgeprobe::diagnose
