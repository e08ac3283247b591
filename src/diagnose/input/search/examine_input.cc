// SPDX-License-Identifier: Apache-2.0
#include "diagnose/input/search/examine_input.h"

#include <array>

#include "diagnose/input/byte_order.h"
#include "diagnose/input/search/examiners.h"

namespace edgeprobe::diagnose {
namespace {

using kinds::InputId;

/// The search for one kind of input. Null: detectors compare the recorded integers or tensors.
struct Examiner {
  InputId id{};
  Result<InputEvidence> (*examine)(const Study&, const NoPicture&, const Control&) = nullptr;
};
constexpr std::array kExaminers{
    Examiner{InputId::kPicture, examine_picture}, Examiner{InputId::kSound, examine_series},
    Examiner{InputId::kReadings, examine_series}, Examiner{InputId::kText, nullptr},
    Examiner{InputId::kTensors, nullptr},
};
static_assert(kinds::has_row_for_each(kExaminers, kinds::kLastInput));

// Values in a wrong byte order can look like any fault: checked first, followed by inputs without a
// picture.
Result<InputEvidence> search_with(decltype(Examiner::examine) examine, const Study& study,
                                  const Control& control) {
  EP_TRY(auto reversed, byte_order(study, control));
  if (reversed) return *std::move(reversed);
  EP_TRY(auto empty, no_picture(study, control));
  if (study.input.kind->id == InputId::kPicture) EP_CHECK(explain_constant(study, control, empty));
  if (empty.everywhere()) return evidence_of(empty, study);
  return examine(study, empty, control);
}

}  // namespace

Result<InputEvidence> examine_input(const Study& study, const Control& control) {
  if (!study.input.target) {
    InputEvidence evidence;
    evidence.undecided = Hint{HintKind::kRecordModelInput};
    return evidence;
  }
  const auto examine = kExaminers[static_cast<std::size_t>(study.input.kind->id)].examine;
  if (!examine) return examine_tensors(study);
  return search_with(examine, study, control);
}

}  // namespace edgeprobe::diagnose
