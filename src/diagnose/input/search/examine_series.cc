// SPDX-License-Identifier: Apache-2.0
#include "core/evenly_spaced.h"
#include "diagnose/input/by_values.h"
#include "diagnose/input/extent.h"
#include "diagnose/input/search/examiners.h"
#include "diagnose/input/search/search_input.h"

namespace edgeprobe::diagnose {

Result<InputEvidence> examine_series(const Study& study, const NoPicture&, const Control& control) {
  const Case& known = study.known;
  InputEvidence evidence;
  if (!known.raw || known.raw->samples.empty()) {
    evidence.undecided = Hint{HintKind::kGivePictures};
    return evidence;
  }
  const trace::ReadChannel& input = *study.input.target;
  EP_TRY(const auto observed,
         observed_inputs(*known.target, input, *known.raw,
                         evenly_spaced(known.raw->samples.size(), known.input_frames)));
  EP_TRY(auto searched, search_input({study.input.front_end, known.reference_pipeline->input(),
                                      input.channel.spec, gray_step(study)},
                                     observed, control));
  if (!searched) {
    evidence.undecided = Hint{HintKind::kRecordInputAndPicture};
    return evidence;
  }
  EP_TRY(auto by_stream,
         or_by_stream(study, std::move(searched->diagnosis), searched->rows, control));
  return or_by_values(study, std::move(by_stream), control);
}

}  // namespace edgeprobe::diagnose
