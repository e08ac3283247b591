// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "diagnose/state/recording.h"
#include "pipeline/inputs/raw_inputs.h"
#include "pipeline/states.h"
#include "trace/read/reader.h"

namespace edgeprobe::diagnose {

/// What is known of a deployment's states beside its trace.
struct StateSources {
  std::vector<pipeline::CarriedState> declared;  ///< By whoever asks; names of either side.
  const pipeline::TraceSamples* raw = nullptr;   ///< Its samples may say where sequences begin.
  const trace::Reader* reference = nullptr;
  /// The reference's frame by the target's; null without a reference.
  const std::map<std::uint32_t, std::uint32_t>* partners = nullptr;
};

/// The states that a trace holds as inputs and outputs of the model, and where they begin anew.
struct RecordedStates {
  std::vector<pipeline::CarriedState> pairs;  ///< As `recording.states`, by the target's names.
  state::Recording recording;
  bool begins_known = false;  ///< Somebody says where sequences begin, or that there is one alone.
  /// Without that: frames in which every state has its initial value, taken for beginnings.
  std::vector<std::uint32_t> assumed_begins;
  /// Of each state: its initial value is the reference's word, and another than most sequences
  /// of the target begin with.
  std::vector<bool> initial_of_reference;
  std::vector<std::string> not_judged;  ///< Sentences on states that could not be looked at.
};

/// Nothing where the trace holds no such state. Which output is which state: as declared (by the
/// caller, either trace), else by exact copies in the target's trace, or in the reference's. Of
/// long recordings the first so many frames are read that their values fit into 256 MB.
Result<std::optional<RecordedStates>> recorded_states(const trace::Reader& target,
                                                      const StateSources& sources);

/// A model input over the frames of a recording; nothing for one that changes its shape or has more
/// than `most` elements.
Result<std::optional<state::Series>> input_series(const trace::Reader& reader,
                                                  const std::string& name,
                                                  const std::vector<std::uint32_t>& frames,
                                                  std::size_t most);

/// The samples with what `states` say of beginnings: in the frames that begin a sequence, or follow
/// one that was not recorded, states begin anew. With `as_meant`, for samples that are the target's
/// own recorded tensors and a model that carries these states, a beginning has the initial value in
/// place of what the target fed there, and other frames have no states at all.
pipeline::TraceSamples with_beginnings(const pipeline::TraceSamples& raw,
                                       const RecordedStates& states, bool as_meant);

/// Values as they are stored in a tensor of these specs.
Tensor stored(const TensorSpec& spec, const state::Values& values);

}  // namespace edgeprobe::diagnose
