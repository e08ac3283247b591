// SPDX-License-Identifier: Apache-2.0
#include "diagnose/input/byte_order.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/evenly_spaced.h"
#include "core/text.h"
#include "diagnose/preprocessing/search/explanation.h"

namespace edgeprobe::diagnose {
namespace {

/// Frames examined; a wrong byte order affects every frame.
constexpr std::size_t kFrames = 16;
/// Factor by which values may exceed the reference's range because of another fault.
constexpr double kPlausible = 4;
constexpr double kTiny = 1e-12;
/// Largest fraction of plausible values when the bytes are read in the recorded order.
constexpr double kFewPlausible = 0.5;

struct Way {
  std::size_t width = 0;
  std::array<std::size_t, 8> from{};
  const char* words = "";
};
constexpr Way kWays[] = {
    {2, {1, 0}, "big-endian"},
    {4, {3, 2, 1, 0}, "big-endian"},
    {4, {2, 3, 0, 1}, "written with their 16-bit halves exchanged"},
    {4, {1, 0, 3, 2}, "written with the bytes of each 16-bit half exchanged"},
    {8, {7, 6, 5, 4, 3, 2, 1, 0}, "big-endian"},
};

Tensor reordered(const Tensor& tensor, const Way& way) {
  Tensor out = tensor;
  for (std::size_t i = 0; i + way.width <= tensor.bytes.size(); i += way.width)
    for (std::size_t k = 0; k < way.width; ++k)
      out.bytes.data()[i + k] = tensor.bytes.data()[i + way.from[k]];
  return out;
}

struct Suspect {
  std::uint32_t target = 0;
  Tensor fed;
  std::vector<float> values, wanted;
  double step = 0, low = 0, high = 0;
};

double apart(const std::vector<float>& values, const Suspect& frame) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    sum += (double(values[i]) - frame.wanted[i]) * (double(values[i]) - frame.wanted[i]);
  sum = std::sqrt(sum / double(values.size())) / frame.step;
  return std::isfinite(sum) ? sum : std::numeric_limits<double>::infinity();
}

// Fraction of the values that may belong to a picture, sound or reading. Denormal values do not
// count.
double plausible(const std::vector<float>& values, const Suspect& frame) {
  const double reach = kPlausible * std::max({std::abs(frame.low), std::abs(frame.high)});
  const auto n = std::count_if(values.begin(), values.end(), [&](float v) {
    const double size = std::abs(double(v));
    return v == 0 || (std::isnormal(v) && size <= reach && size > kTiny * reach);
  });
  return double(n) / double(values.size());
}

InputFault fault_of(const Way& way, double distance, double left, const TensorSpec& spec) {
  InputFault fault;
  fault.kind = CauseKind::kByteOrder;
  const std::string what = is_float(spec.dtype) ? "floats" : "integers";
  fault.detail = "the app's " + what + " are " + way.words + "; the reference's are little-endian" +
                 (left > kDecoder ? " (with their bytes in order they are still " +
                                        number(left, 3) + " gray steps from the reference's)"
                                  : "");
  fault.alternatives.push_back("a ByteBuffer without order(ByteOrder.nativeOrder())");
  fault.contribution = distance;
  return fault;
}

InputEvidence evidence_of(InputFault fault, double distance, double left, std::size_t frames,
                          const std::vector<std::uint32_t>& same) {
  InputDiagnosis diagnosis;
  diagnosis.status = InputDiagnosis::Status::kFound;
  diagnosis.as_recorded = true;
  diagnosis.residual_before = std::isfinite(distance) ? distance : 0;
  diagnosis.residual = left;
  diagnosis.frames_used = diagnosis.frames_agreeing = frames;
  diagnosis.faults.push_back(std::move(fault));
  diagnosis.evidence = {{EvidenceKind::kBytesReordered, {{"left", left}, {"frames", frames}}}};
  InputEvidence evidence;
  evidence.diagnosis = std::move(diagnosis);
  evidence.not_with = same;
  return evidence;
}

}  // namespace

Result<std::optional<InputEvidence>> byte_order(const Study& study, const Control& control) {
  const Case& known = study.known;
  const trace::ReadChannel *const target = study.input.target, *const reference =
                                                                   study.input.reference;
  if (!target || !reference || target->channel.spec.shape != reference->channel.spec.shape)
    return std::optional<InputEvidence>();
  const std::size_t width = size_of(target->channel.spec.dtype);
  if (width < 2) return std::optional<InputEvidence>();
  std::vector<Suspect> frames;
  std::vector<std::uint32_t> same;
  for (const std::size_t k : evenly_spaced(study.agreement.frames.size(), kFrames)) {
    if (control.stopped()) return interrupted();
    const auto& pair = study.agreement.frames[k];
    EP_TRY(const auto fed, known.target->read(pair.target, target->id));
    EP_TRY(const auto wanted, known.reference->read(pair.reference, reference->id));
    if (!fed || !wanted) continue;
    Suspect frame;
    frame.target = pair.target;
    frame.fed = fed->copy();
    EP_TRY(frame.values, to_float(*fed));
    EP_TRY(frame.wanted, to_float(*wanted));
    if (frame.wanted.empty() || frame.values.size() != frame.wanted.size()) continue;
    const auto [low, high] = std::minmax_element(frame.wanted.begin(), frame.wanted.end());
    frame.low = *low;
    frame.high = *high;
    frame.step = (frame.high - frame.low) / 255;
    if (!(frame.step > 0) || !std::isfinite(frame.step)) continue;
    if (apart(frame.values, frame) <= 2 * kDecoder) same.push_back(frame.target);
    else frames.push_back(std::move(frame));
  }
  if (frames.empty()) return std::optional<InputEvidence>();
  for (const Way& way : kWays) {
    if (way.width != width) continue;
    double squares = 0, before = 0;
    bool holds = true;
    for (const Suspect& frame : frames) {
      EP_TRY(const auto values, to_float(reordered(frame.fed, way)));
      const double left = apart(values, frame);
      // With a second fault, the values only become plausible once the bytes are in order.
      holds =
          left <= kDecoder || (is_float(frame.fed.spec.dtype) && plausible(values, frame) == 1 &&
                               plausible(frame.values, frame) < kFewPlausible);
      if (!holds) break;
      const double own = apart(frame.values, frame);
      squares += left * left / double(frames.size());
      before += own * own / double(frames.size());
    }
    if (!holds) continue;
    return std::optional(
        evidence_of(fault_of(way, std::sqrt(before), std::sqrt(squares), target->channel.spec),
                    std::sqrt(before), std::sqrt(squares), frames.size(), same));
  }
  return std::optional<InputEvidence>();
}

}  // namespace edgeprobe::diagnose
