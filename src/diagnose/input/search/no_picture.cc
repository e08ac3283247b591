// SPDX-License-Identifier: Apache-2.0
#include "diagnose/input/search/no_picture.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "core/integer_limits.h"
#include "core/text.h"
#include "diagnose/preprocessing/model/reference.h"

namespace edgeprobe::diagnose {
namespace {

bool is_constant(const TensorView& tensor) {
  const std::size_t width = size_of(tensor.spec->dtype), size = tensor.bytes.size;
  return width > 0 && size > width &&
         std::memcmp(tensor.bytes.data, tensor.bytes.data + width, size - width) == 0;
}

// Strides of a picture's channels in its tensor; nothing unless it has three channels.
struct Channels {
  std::size_t step = 0, run = 0;
};
std::optional<Channels> channels_of(const Shape& shape) {
  if (shape.size() < 3) return std::nullopt;
  if (shape.back() == 3) return Channels{3, 1};
  const std::size_t n = shape.size();
  if (shape[n - 3] != 3) return std::nullopt;
  return Channels{3, std::size_t(shape[n - 1] * shape[n - 2])};
}

// Colour order of the model's channels in the reference's recipe.
std::string colors_of(const Case& known) {
  if (!known.reference_pipeline) return "";
  std::string order = "RGB";
  for (const preprocess::Step& step : known.reference_pipeline->recipe.steps) {
    if (std::holds_alternative<preprocess::Gray>(step)) return "";
    if (const auto* color = std::get_if<preprocess::Color>(&step)) order = name(color->order);
  }
  return known.reference_pipeline->has_recipe() ? order : "";
}

// Counts of non-finite values over all frames.
struct NotFinite {
  std::size_t nan = 0, infinite = 0, values = 0, frames = 0;
  std::set<std::size_t> channels;
};

bool add(NotFinite& sum, const std::vector<float>& values,
         const std::optional<Channels>& channels) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    ++found;
    ++(std::isnan(values[i]) ? sum.nan : sum.infinite);
    if (channels) sum.channels.insert(i / channels->run % channels->step);
  }
  if (found == 0) return false;
  sum.values += values.size();
  ++sum.frames;
  return true;
}

std::string in_frames(std::size_t n, std::size_t all) {
  return std::to_string(n) + " of " + std::to_string(all) + (all == 1 ? " frame" : " frames");
}

InputFault not_finite_fault(const NotFinite& sum, std::size_t all, const Case& known,
                            const std::string& declared) {
  const std::string colors = colors_of(known);
  const char* what = sum.infinite == 0 ? "NaN" : sum.nan == 0 ? "infinity" : "NaN and infinity";
  InputFault fault;
  fault.kind = CauseKind::kNonFiniteInput;
  fault.detail = std::string("the app feeds ") + what;
  if (!sum.channels.empty() && sum.channels.size() < 3) {
    std::string names;
    for (const std::size_t c : sum.channels)
      names += (names.empty() ? "" : " and ") +
               (colors.empty() ? std::to_string(c) : std::string(1, colors[c]));
    fault.detail += std::string(" in channel") + (sum.channels.size() > 1 ? "s " : " ") + names;
  }
  fault.detail += " of " + in_frames(sum.frames, all) + " (" +
                  std::to_string(sum.nan + sum.infinite) + " of " + std::to_string(sum.values) +
                  " values); the reference feeds finite values";
  fault.fix_step = declared;
  return fault;
}

struct Constant {
  std::set<float> values;  // As stored.
  float real = 0;          // Real value of the first.
  std::size_t frames = 0, n = 0;
  double squares = 0;       // Sum of squared distances from the reference's values.
  float low = 0, high = 0;  // Range of the reference's values.
};

// How values that are not empty become this one code; empty without codes.
std::string cut_off_to(double code, const TensorSpec& spec) {
  const auto limits = code_limits(spec.dtype);
  if (!limits || spec.quantization.scale.size() != 1) return "";
  const double scale = spec.quantization.scale_at(0),
               zero = double(spec.quantization.zero_point_at(0));
  if (code == zero) return "values too small for the codes' step of " + number(scale, 3);
  if (code != double(limits->least) && code != double(limits->most)) return "";
  return "values beyond the codes' range, " + number((double(limits->least) - zero) * scale, 3) +
         ".." + number((double(limits->most) - zero) * scale, 3);
}

InputFault constant_fault(const Constant& sum, std::size_t all, const TensorSpec& spec,
                          const std::string& declared, const kinds::InputKind& kind) {
  InputFault fault;
  fault.kind = CauseKind::kEmptyInput;
  std::string value = sum.values.size() == 1 ? number(*sum.values.begin(), 5) : "one value";
  if (sum.values.size() == 1 && !spec.quantization.empty())
    value = "code " + value + " (" + number(sum.real, 3) + ")";
  fault.detail = std::string("nothing of the ") + kind.name + " arrives: the model input is " +
                 value + " everywhere in " + in_frames(sum.frames, all) +
                 "; the reference's is not";
  fault.alternatives.push_back("the input buffer was not written, or another one was handed over");
  if (kind.has_pixels && sum.values.size() == 1 && *sum.values.begin() == 0)
    fault.alternatives.push_back(is_integer(spec.dtype)
                                     ? "real values between -1 and 1 cast to integers, without the "
                                       "model's scale and zero point"
                                     : "pixels divided by 255 in whole numbers");
  if (sum.values.size() == 1)
    if (std::string cut = cut_off_to(*sum.values.begin(), spec); !cut.empty())
      fault.alternatives.push_back(std::move(cut));
  fault.fix_step = declared;
  return fault;
}

}  // namespace

bool NoPicture::holds(std::uint32_t frame) const {
  return std::binary_search(frames.begin(), frames.end(), frame);
}

Result<NoPicture> no_picture(const Study& study, const Control& control) {
  const Case& known = study.known;
  NoPicture out;
  const trace::ReadChannel *const target = study.input.target, *const reference =
                                                                   study.input.reference;
  if (!target || !reference) return out;
  const auto channels = channels_of(target->channel.spec.shape);
  const bool real = is_float(target->channel.spec.dtype);
  NotFinite not_finite;
  Constant constant;
  for (const compare::FrameAgreement& frame : study.agreement.frames) {
    if (control.stopped()) return interrupted();
    EP_TRY(const auto message, known.target->read(frame.target, target->id));
    if (!message) continue;
    EP_TRY(const auto partner, known.reference->read(frame.reference, reference->id));
    if (!partner) continue;
    ++out.all;
    const bool same_everywhere = is_constant(*message);
    if (!same_everywhere && !real) continue;
    EP_TRY(const auto values, to_float(*message));
    const bool finite = !real || std::all_of(values.begin(), values.end(),
                                             [](float v) { return std::isfinite(v); });
    if (finite && !same_everywhere) continue;
    EP_TRY(const auto wanted, to_float(*partner));
    const bool fine =
        std::all_of(wanted.begin(), wanted.end(), [](float v) { return std::isfinite(v); });
    if (!fine || is_constant(*partner)) continue;
    if (!finite) {
      add(not_finite, values, channels);
    } else {
      EP_TRY(const auto stored, stored_as_float(*message));
      const auto [low, high] = std::minmax_element(wanted.begin(), wanted.end());
      if (constant.frames++ == 0) {
        constant.real = values.front();
        constant.low = *low;
        constant.high = *high;
      }
      constant.low = std::min(constant.low, *low);
      constant.high = std::max(constant.high, *high);
      constant.values.insert(stored.front());
      for (const float v : wanted)
        constant.squares += (double(v) - values.front()) * (double(v) - values.front());
      constant.n += wanted.size();
    }
    out.frames.push_back(frame.target);
  }
  std::sort(out.frames.begin(), out.frames.end());
  const std::string declared = known.reference_pipeline && known.reference_pipeline->has_recipe()
                                   ? preprocess::to_text(known.reference_pipeline->recipe)
                                   : "";
  if (constant.frames) {
    out.faults.push_back(
        constant_fault(constant, out.all, target->channel.spec, declared, *study.input.kind));
    out.residual = std::sqrt(constant.squares / double(constant.n)) * 255 /
                   (double(constant.high) - constant.low);
    out.faults.back().contribution = out.residual;
  }
  if (not_finite.frames)
    out.faults.push_back(not_finite_fault(not_finite, out.all, known, declared));
  return out;
}

InputEvidence evidence_of(const NoPicture& found, const Study& study) {
  InputEvidence evidence;
  InputDiagnosis diagnosis;
  diagnosis.status = InputDiagnosis::Status::kFound;
  diagnosis.as_recorded = true;
  diagnosis.residual_before = found.residual;
  diagnosis.faults = found.faults;
  diagnosis.frames_used = found.all;
  diagnosis.frames_agreeing = found.frames.size();
  evidence.diagnosis = std::move(diagnosis);
  for (const compare::FrameAgreement& frame : study.agreement.frames)
    if (!found.holds(frame.target)) evidence.not_with.push_back(frame.target);
  std::sort(evidence.not_with.begin(), evidence.not_with.end());
  return evidence;
}

}  // namespace edgeprobe::diagnose
