// SPDX-License-Identifier: Apache-2.0
#include "diagnose/detectors/input/input.h"

#include <array>

#include "diagnose/detectors/input/finders.h"

namespace edgeprobe::diagnose {
namespace {

// Not gray, a channel that is lost, or one of another place: no word of a log makes these.
bool exchanges_red_and_blue(const Cause& cause) {
  return cause.detail.find("BGR") != std::string::npos &&
         cause.detail.find("gray") == std::string::npos;
}

// Faults of an input that a recipe makes, as the search names them.
Result<Findings> find_recipe_faults(const Examination& examined, const Control&) {
  Findings found;
  const InputEvidence& input = examined.input;
  found.causes = examined.suspected_input;
  // When nothing but the app's word says how the bytes of its pictures stand, they may stand the
  // other way round.
  const pipeline::TraceSamples* const raw = examined.study.known.raw;
  if (raw && !raw->logged_as.empty())
    for (Cause& cause : found.causes)
      if (cause.kind == CauseKind::kChannelOrder && exchanges_red_and_blue(cause))
        cause.alternatives.push_back("the picture was logged as " + raw->logged_as + " but holds " +
                                     (raw->logged_as.substr(0, 3) == "bgr" ? "RGB" : "BGR") +
                                     " (with --data DIR it is compared with the file of its name)");
  if (input.diagnosis && input.diagnosis->status == InputDiagnosis::Status::kUndecidable &&
      input.where.empty())
    found.warnings.push_back("the model input could not be diagnosed: " + input.diagnosis->reason);
  for (const std::string& said : input.without_raw)
    found.warnings.push_back("model input: " + said);
  return found;
}

using kinds::InputId;

/// The causes of one kind of input.
struct InputFinder {
  InputId id{};
  Result<Findings> (*find)(const Examination&, const Control&) = nullptr;
};
constexpr std::array kFinders{
    InputFinder{InputId::kPicture, find_recipe_faults},
    InputFinder{InputId::kSound, find_recipe_faults},
    InputFinder{InputId::kReadings, find_recipe_faults},
    InputFinder{InputId::kText, find_text},
    InputFinder{InputId::kTensors, find_tensor_inputs},
};
static_assert(kinds::has_row_for_each(kFinders, kinds::kLastInput));

}  // namespace

Result<Findings> find_input(const Examination& examined, const Control& control) {
  return kFinders[static_cast<std::size_t>(examined.study.input.kind->id)].find(examined, control);
}

}  // namespace edgeprobe::diagnose
