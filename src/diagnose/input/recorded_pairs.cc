// SPDX-License-Identifier: Apache-2.0
#include "diagnose/input/recorded_pairs.h"

#include <algorithm>

#include "pipeline/inputs/recorded_inputs.h"
#include "preprocess/picture/values.h"

namespace edgeprobe::diagnose {
namespace {

constexpr std::size_t kMostValues = std::size_t{1} << 24;
/// Tolerance as a fraction of a code step if the other side has real numbers: rounding, plus a
/// margin.
constexpr double kHalfStep = 0.51;
constexpr double kWhole = 0.01;

const Quantization& scale_of(const trace::ReadChannel& channel) {
  return channel.channel.spec.quantization;
}

// A trace may omit the scale of its codes.
std::optional<tensors::Codes> codes_of(const trace::ReadChannel& target,
                                       const trace::ReadChannel& reference) {
  const TensorSpec &fed = target.channel.spec, &wanted = reference.channel.spec;
  const auto range = preprocess::integer_range(wanted.dtype);
  if (!range || fed.dtype != wanted.dtype || wanted.quantization.per_channel() ||
      !(fed.quantization.empty() || fed.quantization == wanted.quantization))
    return std::nullopt;
  const bool has_scale = !wanted.quantization.empty();
  return tensors::Codes{has_scale ? double(wanted.quantization.scale_at(0)) : 0,
                        has_scale ? double(wanted.quantization.zero_point_at(0)) : 0, range->least,
                        range->most};
}

double resolution(const trace::ReadChannel& target, const trace::ReadChannel& reference) {
  double step = 0;
  for (const trace::ReadChannel* side : {&target, &reference}) {
    for (const float scale : scale_of(*side).scale)
      step = std::max(step, kHalfStep * double(scale));
    if (scale_of(*side).empty() && is_integer(side->channel.spec.dtype))
      step = std::max(step, kWhole);
  }
  return step;
}

Result<std::vector<float>> values_in(const trace::Reader& reader, const trace::ReadChannel& channel,
                                     std::uint32_t frame, bool as_stored) {
  EP_TRY(const auto message, reader.read(frame, channel.id));
  if (!message) return std::vector<float>();
  return as_stored ? stored_as_float(*message) : to_float(*message);
}

}  // namespace

Result<tensors::Pairs> recorded_pairs(const Study& study, const trace::ReadChannel* target,
                                      const trace::ReadChannel* reference, const Control& control) {
  if (!target || !reference) return tensors::Pairs();
  const auto codes = codes_of(*target, *reference);
  const pipeline::RecordedInputs recorded(*study.known.target);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> frames;
  for (const compare::FrameAgreement& frame : study.agreement.frames)
    frames.emplace_back(frame.target, frame.reference);
  std::sort(frames.begin(), frames.end());
  std::vector<tensors::Pair> pairs;
  std::size_t held = 0;
  for (const auto& [fed, wanted] : frames) {
    if (control.stopped()) return interrupted();
    tensors::Pair pair{fed, recorded.begins_sequence(fed), {}, {}};
    EP_TRY(pair.wanted, values_in(*study.known.reference, *reference, wanted, codes.has_value()));
    EP_TRY(pair.fed, values_in(*study.known.target, *target, fed, codes.has_value()));
    held += pair.fed.size();
    if (held > kMostValues) break;
    pairs.push_back(std::move(pair));
  }
  return tensors::paired(std::move(pairs), reference->channel.spec.shape,
                         target->channel.spec.dtype, codes, resolution(*target, *reference));
}

}  // namespace edgeprobe::diagnose
