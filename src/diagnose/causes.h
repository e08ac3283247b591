#pragma once

#include "diagnose/diagnose.h"
#include "diagnose/input.h"

namespace edgeprobe::diagnose {

/// What the pre-processing search found, and the frames that it looked at.
struct InputEvidence {
  std::optional<InputDiagnosis> diagnosis;
  std::vector<std::string> without_raw;  ///< What can be said when there is no raw input.
  std::string undecided;                 ///< Why there is no diagnosis; what would decide it.
};
Result<InputEvidence> examine_input(const Case& known);

/// Replays that were made to confirm causes and to measure what is restored.
struct Replays {
  Answers reference, target;    ///< Recorded answers of the replayed frames.
  Answers fixed;                ///< The target's model with every fix applied; empty when not replayed.
  DistanceKind kind = DistanceKind::kTotalVariation;
  std::vector<Answers> after;   ///< After fix 1, 1+2, …
  std::optional<double> reproduced;  ///< Distance of the recorded target from its model on the reconstructed input.
  std::optional<Answers> faulty_reference;  ///< The reference model, replayed with the faults.
  std::string unavailable;      ///< Why there is no replay.
};
Result<Replays> replay_fixes(const Case& known, const InputEvidence& input);

/// The causes of a found or partial input diagnosis, without `restored`.
std::vector<Cause> input_causes(const InputDiagnosis& diagnosis);
/// Fills restored, and evidence from the replays.
void add_restored(std::vector<Cause>& causes, const Replays& replays, const std::map<std::uint32_t, int>& labels);

/// The frame of the reference that shows what each frame of the target shows: by sample name where both have
/// names, else by number. Frames without a partner are left out.
std::map<std::uint32_t, std::uint32_t> partners(const trace::Reader& target, const trace::Reader& reference);

/// True classes by frame, from the target's records, the reference's and the joined data.
std::map<std::uint32_t, int> labels_of(const Case& known);

}  // namespace edgeprobe::diagnose
