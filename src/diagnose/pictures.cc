// SPDX-License-Identifier: Apache-2.0
#include "diagnose/pictures.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/evenly_spaced.h"
#include "diagnose/examination/decide.h"
#include "diagnose/input/text_inputs.h"
#include "diagnose/recorded/shown_answers.h"
#include "pipeline/inputs/picture.h"
#include "trace/read/answer_text.h"
#include "trace/read/answers.h"

namespace edgeprobe::diagnose {
namespace {

struct Range {
  float low = 0, high = 1;
};

// Height, width and channels, and their positions, for [1,H,W,C], [1,C,H,W], and shapes without a
// batch axis.
struct Geometry {
  std::int64_t height = 0, width = 0, channels = 0;
  bool planar = false;
};

std::optional<Geometry> geometry_of(Shape shape) {
  if (!shape.empty() && shape.front() == 1 && shape.size() > 2) shape.erase(shape.begin());
  if (shape.size() == 2) return Geometry{shape[0], shape[1], 1, false};
  if (shape.size() != 3) return std::nullopt;
  if (shape[2] == 3 || shape[2] == 1) return Geometry{shape[0], shape[1], shape[2], false};
  if (shape[0] == 3 || shape[0] == 1) return Geometry{shape[1], shape[2], shape[0], true};
  return std::nullopt;
}

std::optional<Picture> picture_of(const TensorView& tensor, const Range& range,
                                  const std::string& role, const std::string& sample) {
  const auto geometry = geometry_of(tensor.spec->shape);
  const auto values = to_float(tensor);
  if (!geometry || !values || geometry->height > 4096 || geometry->width > 4096)
    return std::nullopt;
  Picture picture{
      role, sample, static_cast<int>(geometry->height), static_cast<int>(geometry->width), {}};
  const std::int64_t plane = geometry->height * geometry->width;
  picture.rgb.resize(static_cast<std::size_t>(plane) * 3);
  for (std::int64_t p = 0; p < plane; ++p)
    for (std::int64_t c = 0; c < 3; ++c) {
      const std::int64_t channel = std::min(c, geometry->channels - 1);
      const std::int64_t at =
          geometry->planar ? channel * plane + p : p * geometry->channels + channel;
      const float value =
          ((*values)[static_cast<std::size_t>(at)] - range.low) / (range.high - range.low) * 255;
      picture.rgb[static_cast<std::size_t>(p * 3 + c)] =
          std::isfinite(value) ? static_cast<std::uint8_t>(std::clamp(std::lround(value), 0L, 255L))
                               : std::uint8_t{0};
    }
  return picture;
}

Picture raw_picture(const preprocess::Image& image, const std::string& sample) {
  Picture picture{"raw", sample, image.height, image.width, {}};
  const std::size_t pixels =
      static_cast<std::size_t>(image.height) * static_cast<std::size_t>(image.width);
  picture.rgb.resize(pixels * 3);
  for (std::size_t p = 0; p < pixels; ++p)
    for (std::size_t c = 0; c < 3; ++c)
      picture.rgb[p * 3 + c] =
          image.pixels[p * static_cast<std::size_t>(image.channels) +
                       std::min<std::size_t>(c, static_cast<std::size_t>(image.channels) - 1)];
  return picture;
}

// Inputs made by a user's function are in the reference's trace, which then has the target's frame
// numbers.
Result<Tensor> reference_input(const Case& known, std::size_t sample,
                               const dataset::RawInput& input) {
  const pipeline::Pipeline& reference = *known.reference_pipeline;
  if (reference.has_recipe())
    return pipeline::model_input(reference.recipe, input, reference.input());
  for (const trace::ReadChannel& channel : known.reference->channels()) {
    if (channel.channel.stage != trace::Stage::kModelInput) continue;
    EP_TRY(const auto message, known.reference->read(known.raw->frames[sample], channel.id));
    if (message) return message->copy();
  }
  return Tensor{};
}

constexpr std::size_t kBestClasses = 5, kShownAnswers = 8;

// Indices into raw.samples of the samples with shown inputs.
std::vector<std::size_t> shown(const Case& known) {
  return known.raw ? evenly_spaced(known.raw->samples.size(), known.pictures)
                   : std::vector<std::size_t>();
}

// Other samples with a flipped answer, at most as many as are shown.
std::vector<std::size_t> further_flips(const Case& known, const ComparedAnswers& answers) {
  const std::vector<std::uint32_t>& frames = known.raw->frames;
  const auto inputs = shown(known);
  std::vector<std::size_t> flipped, out;
  for (const FlippedAnswer& flip : answers.flips) {
    const auto at = std::find(frames.begin(), frames.end(), flip.frame);
    const auto i = static_cast<std::size_t>(at - frames.begin());
    if (i < known.raw->samples.size() && std::find(inputs.begin(), inputs.end(), i) == inputs.end())
      flipped.push_back(i);
  }
  for (const std::size_t k : evenly_spaced(flipped.size(), known.pictures))
    out.push_back(flipped[k]);
  return out;
}

// The best classes that a trace holds for a frame; empty if that output was not recorded.
Result<std::vector<ClassScore>> best_classes(const trace::Reader& reader, std::uint32_t frame,
                                             std::size_t output) {
  std::vector<ClassScore> best;
  EP_TRY(const auto outputs, outputs_of(reader, frame));
  if (output >= outputs.size()) return best;
  const std::vector<float>& scores = outputs[output];
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (std::isfinite(scores[i])) best.push_back({static_cast<int>(i), scores[i]});
  const std::size_t kept = std::min(kBestClasses, best.size());
  const auto better = [](const ClassScore& a, const ClassScore& b) {
    return a.score != b.score ? a.score > b.score : a.index < b.index;
  };
  std::partial_sort(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(kept), best.end(),
                    better);
  best.resize(kept);
  return best;
}

// Adds the answer that the reference's recipe makes of the outputs of the sample's frame.
Status add_expected(const Case& known, ShownSample& sample) {
  EP_TRY(auto expected, expected_answer(known, sample.frame));
  if (!expected) return {};
  sample.expected_json = trace::answer_json(*expected);
  sample.expected_text = trace::to_text(*expected, kShownAnswers);
  return {};
}

}  // namespace

Result<std::vector<ShownSample>> shown_samples(const Study& study) {
  const Case& known = study.known;
  std::vector<ShownSample> samples;
  if (!known.reference_pipeline) return samples;
  const auto partner = partners(study);
  for (const std::size_t i : shown(known)) {
    ShownSample sample;
    sample.name = known.raw->samples[i].name;
    sample.frame = known.raw->frames[i];
    if (const auto at = study.annotations.find(sample.frame); at != study.annotations.end())
      sample.labels = task::classes_of(at->second);
    if (study.task && study.task->task == &task::kClassification && answers_are_classes(study)) {
      const std::size_t scores = study.task->outputs.front();
      EP_TRY(sample.target, best_classes(*known.target, sample.frame, scores));
      if (const auto pair = partner.find(sample.frame); pair != partner.end()) {
        EP_TRY(sample.reference, best_classes(*known.reference, pair->second, scores));
      }
    }
    // Damaged answers are reported where answers are judged.
    if (const auto app = trace::answer_of(*known.target, sample.frame); app && *app) {
      sample.app_json = trace::answer_json(**app, trace::MaskForm::kSize);
      sample.app_text = trace::to_text(**app, kShownAnswers);
      EP_CHECK(add_expected(known, sample));
    }
    samples.push_back(std::move(sample));
  }
  return samples;
}

Result<std::vector<Picture>> recorded_inputs(const Study& study) {
  const Case& known = study.known;
  const trace::ReadChannel *const target = study.input.target, *const reference =
                                                                   study.input.reference;
  std::vector<Picture> pictures;
  if (!target || !reference || !study.input.kind->is_shown) return pictures;
  compare::Moments all;
  for (const compare::LayerAgreement& layer : study.agreement.layers)
    if (layer.stage == trace::Stage::kModelInput) all.merge(layer.moments);
  const Range range{static_cast<float>(all.min_r),
                    static_cast<float>(all.max_r > all.min_r ? all.max_r : all.min_r + 1)};
  std::map<std::uint32_t, std::string> samples;
  for (std::size_t i = 0; i < known.target->frames().size(); ++i)
    samples.emplace(known.target->frames()[i], known.target->records()[i].sample);
  const auto partner = partners(study);
  const std::vector<std::pair<std::uint32_t, std::uint32_t>> frames(partner.begin(), partner.end());
  for (const std::size_t k : evenly_spaced(frames.size(), known.pictures)) {
    const auto [t, r] = frames[k];
    const std::string sample = samples[t].empty() ? "frame " + std::to_string(t) : samples[t];
    EP_TRY(const auto fed, known.target->read(t, target->id));
    EP_TRY(const auto wanted, known.reference->read(r, reference->id));
    if (!fed || !wanted) continue;
    if (auto picture = picture_of(*fed, range, "target_input", sample))
      pictures.push_back(*std::move(picture));
    if (auto picture = picture_of(*wanted, range, "reference_input", sample))
      pictures.push_back(*std::move(picture));
  }
  return pictures;
}

Result<std::vector<Picture>> input_pictures(const Study& study, const InputEvidence& input,
                                            const std::optional<ComparedAnswers>& answers) {
  const Case& known = study.known;
  std::vector<Picture> pictures;
  if (!known.reference_pipeline) return recorded_inputs(study);
  if (!known.raw || !study.input.kind->is_shown) return pictures;
  const trace::ReadChannel* const channel = study.input.target;
  const bool found = input.diagnosis && input.diagnosis->status == InputDiagnosis::Status::kFound &&
                     !input.diagnosis->faults.empty();
  for (const std::size_t i : shown(known)) {
    EP_TRY(auto loaded, known.raw->samples[i].load());
    const std::string& sample = known.raw->samples[i].name;
    if (const dataset::Picture* const recorded = dataset::picture_of(loaded.input)) {
      pictures.push_back(raw_picture(recorded->image, sample));
      const Picture raw = pictures.back();
      if (auto mask = answered_mask(known, known.raw->frames[i], raw))
        pictures.push_back(*std::move(mask));
    } else if (known.guessed_recipe) {
      continue;  // The default recipe is for pictures.
    }
    EP_TRY(auto reference, reference_input(known, i, loaded.input));
    const auto values = to_float(reference);
    if (!values || values->empty()) continue;
    const auto [low, high] = std::minmax_element(values->begin(), values->end());
    const Range range{*low, *high > *low ? *high : *low + 1};
    const auto show = [&](const TensorView& tensor, const char* role) {
      if (auto picture = picture_of(tensor, range, role, sample))
        pictures.push_back(*std::move(picture));
    };
    if (channel) {
      const auto message = known.target->read(known.raw->frames[i], channel->id);
      if (message && *message) show(**message, "target_input");
    }
    show(reference, "reference_input");
    if (found && input.diagnosis->as_recorded) {
      show(reference, "fixed_input");
    } else if (found && channel) {
      const auto fixed = pipeline::model_input(input.diagnosis->faults.back().without_it,
                                               loaded.input, channel->channel.spec);
      if (fixed) show(*fixed, "fixed_input");
    }
  }
  for (const std::size_t i :
       answers ? further_flips(known, *answers) : std::vector<std::size_t>()) {
    EP_TRY(const auto loaded, known.raw->samples[i].load());
    if (const dataset::Picture* const recorded = dataset::picture_of(loaded.input))
      pictures.push_back(raw_picture(recorded->image, known.raw->samples[i].name));
  }
  return pictures;
}

}  // namespace edgeprobe::diagnose
