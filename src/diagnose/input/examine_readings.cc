// SPDX-License-Identifier: Apache-2.0
#include <list>

#include "core/evenly_spaced.h"
#include "core/text.h"
#include "diagnose/input/examiners.h"
#include "diagnose/input/extent.h"
#include "diagnose/input/stream_windows.h"
#include "diagnose/sensor/diagnosis.h"

namespace edgeprobe::diagnose {

Result<InputEvidence> examine_readings(const Study& study, const NoPicture&,
                                       const Control& control) {
  const Case& known = study.known;
  InputEvidence evidence;
  if (!known.raw || known.raw->samples.empty()) {
    evidence.undecided = Hint{HintKind::kGivePictures};
    return evidence;
  }
  std::list<edgeprobe::sensor::Series> held;
  std::vector<sensor::Observation> observations;
  for (const std::size_t i : evenly_spaced(known.raw->samples.size(), known.input_frames)) {
    const auto message = known.target->read(known.raw->frames[i], study.input.target->id);
    if (!message) return message.error();
    if (!*message) continue;
    auto loaded = known.raw->samples[i].load();
    if (!loaded) return std::move(loaded.error());
    auto series = dataset::readings_of(loaded->input);
    if (!series)
      return std::move(series.error()).during("'" + sanitized(known.raw->samples[i].name) + "'");
    held.push_back(*std::move(series));
    observations.push_back({&held.back(), (*message)->copy()});
  }
  if (observations.empty()) {
    evidence.undecided = Hint{HintKind::kRecordInputAndPicture};
    return evidence;
  }
  const auto& front_end = *std::get<const edgeprobe::sensor::FrontEnd*>(study.input.front_end);
  auto diagnosis = sensor::diagnose(observations, front_end, gray_step(study), control);
  if (!diagnosis) return std::move(diagnosis.error());
  InputRows rows;
  rows.columns =
      front_end.axes.empty() ? static_cast<std::size_t>(held.front().axes) : front_end.axes.size();
  rows.rows = element_count(observations.front().input.spec.shape).value_or(0) / rows.columns;
  rows.columns_first = front_end.axes_first;
  rows.word = "steps";
  return or_by_stream(study, *std::move(diagnosis), rows, control);
}

}  // namespace edgeprobe::diagnose
