// SPDX-License-Identifier: Apache-2.0
#include "diagnose/detectors/input/input.h"

#include <array>

#include "diagnose/detectors/input/finders.h"

namespace edgeprobe::diagnose {
namespace {

// True for BGR, but not for gray, a lost channel, or one from elsewhere: a mislabelled picture
// cannot explain those.
bool exchanges_red_and_blue(const Cause& cause) {
  return cause.detail.find("BGR") != std::string::npos &&
         cause.detail.find("gray") == std::string::npos;
}

// Faults that the search finds in an input that a recipe makes.
Result<Findings> find_recipe_faults(const Examination& examined, const Control&) {
  Findings found;
  const InputEvidence& input = examined.input;
  found.causes = examined.suspected_input;
  // If only the app's log states the channel order of its pictures, the log may be wrong.
  const pipeline::TraceSamples* const raw = examined.study.known.raw;
  if (raw && !raw->logged_as.empty())
    for (Cause& cause : found.causes)
      if (cause.kind == CauseKind::kChannelOrder && exchanges_red_and_blue(cause)) {
        cause.may_be_the_log = true;
        cause.alternatives.push_back("the picture was logged as " + raw->logged_as + " but holds " +
                                     (raw->logged_as.substr(0, 3) == "bgr" ? "RGB" : "BGR") +
                                     " (with --data DIR it is compared with the file of its name)");
      }
  if (input.diagnosis && input.diagnosis->status == InputDiagnosis::Status::kUndecidable &&
      input.where.empty())
    found.warnings.push_back("the model input could not be diagnosed: " + input.diagnosis->reason);
  for (const std::string& said : input.without_raw)
    found.warnings.push_back("model input: " + said);
  return found;
}

using kinds::InputId;

/// Finds the causes for one kind of input.
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
