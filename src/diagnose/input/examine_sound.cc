// SPDX-License-Identifier: Apache-2.0
#include "core/evenly_spaced.h"
#include "core/text.h"
#include "diagnose/input/examiners.h"
#include "diagnose/input/extent.h"
#include "diagnose/input/stream_windows.h"
#include "diagnose/sound/diagnosis.h"

namespace edgeprobe::diagnose {
namespace {

/// A recording and the model input that the app made of it; keeps the samples.
struct Heard {
  std::shared_ptr<const dataset::Loaded> loaded;
  Tensor input;
};

Result<std::vector<Heard>> heard(const Case& known, const trace::ReadChannel& input) {
  std::vector<Heard> all;
  for (const std::size_t i : evenly_spaced(known.raw->samples.size(), known.input_frames)) {
    const auto message = known.target->read(known.raw->frames[i], input.id);
    if (!message) return message.error();
    if (!*message) continue;
    auto loaded = known.raw->samples[i].load();
    if (!loaded) return std::move(loaded.error());
    if (!dataset::sound_of(loaded->input)) continue;
    all.push_back(
        {std::make_shared<const dataset::Loaded>(*std::move(loaded)), (*message)->copy()});
  }
  return all;
}

/// Samples, or frames of features.
InputRows rows_of(const audio::FrontEnd& front_end, const Tensor& input) {
  const std::size_t values = element_count(input.spec.shape).value_or(0);
  InputRows rows{values, 1, false, "samples"};
  if (front_end.is_waveform()) return rows;
  const bool cepstrum = front_end.dct != audio::Dct::kNone && front_end.coefficients > 0;
  rows.columns = static_cast<std::size_t>(cepstrum ? front_end.coefficients : front_end.mels);
  if (front_end.c0 == audio::C0::kDropped && values % rows.columns != 0) --rows.columns;
  rows.rows = rows.columns > 0 && values % rows.columns == 0 ? values / rows.columns : 0;
  rows.columns_first = front_end.frequency_first;
  rows.word = "frames of features";
  return rows;
}

}  // namespace

Result<InputEvidence> examine_sound(const Study& study, const NoPicture&, const Control& control) {
  const Case& known = study.known;
  InputEvidence evidence;
  if (!known.raw || known.raw->samples.empty()) {
    evidence.undecided = Hint{HintKind::kGivePictures};
    return evidence;
  }
  const auto all = heard(known, *study.input.target);
  if (!all) return all.error();
  std::vector<sound::Observation> observations;
  for (const Heard& one : *all)
    observations.push_back({&dataset::sound_of(one.loaded->input)->clip, one.input});
  if (observations.empty()) {
    evidence.undecided = Hint{HintKind::kRecordInputAndPicture};
    return evidence;
  }
  const auto& front_end = *std::get<const audio::FrontEnd*>(study.input.front_end);
  auto diagnosis = sound::diagnose(observations, front_end, gray_step(study), control);
  if (!diagnosis) return std::move(diagnosis.error());
  return or_by_stream(study, *std::move(diagnosis), rows_of(front_end, observations.front().input),
                      control);
}

}  // namespace edgeprobe::diagnose
