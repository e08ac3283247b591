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

/// Knowledge about a deployment's states from outside its trace.
struct StateSources {
  std::vector<pipeline::CarriedState> declared;  ///< Declared by the caller; names of either side.
  const pipeline::TraceSamples* raw = nullptr;   ///< Its samples may mark where sequences begin.
  const trace::Reader* reference = nullptr;
  /// Maps a target frame to its reference frame; null without a reference.
  const std::map<std::uint32_t, std::uint32_t>* partners = nullptr;
};

/// States that a trace holds as model inputs and outputs, and where they are reset.
struct RecordedStates {
  /// Same order as `recording.states`; the target's names.
  std::vector<pipeline::CarriedState> pairs;
  state::Recording recording;
  /// The beginnings of sequences are declared, or there is only one sequence.
  bool begins_known = false;
  /// If not known: frames in which every state has its initial value, assumed to be beginnings.
  std::vector<std::uint32_t> assumed_begins;
  /// For each state: true if its initial value comes from the reference and differs from the one
  /// with which most of the target's sequences begin.
  std::vector<bool> initial_of_reference;
  std::vector<std::string> not_judged;  ///< Sentences about states that could not be examined.
};

/// Returns nothing if the trace holds no carried state. Pairs outputs with states as declared (by
/// the caller or either trace), else by exact copies in the target's trace or the reference's. Of
/// long recordings, reads only the first frames whose values fit into 256 MB.
Result<std::optional<RecordedStates>> recorded_states(const trace::Reader& target,
                                                      const StateSources& sources);

/// Values of a model input over the frames; nothing if its shape changes or it has more than `most`
/// elements.
Result<std::optional<state::Series>> input_series(const trace::Reader& reader,
                                                  const std::string& name,
                                                  const std::vector<std::uint32_t>& frames,
                                                  std::size_t most);

/// The samples with beginnings of sequences from `states`: states are reset in frames that begin a
/// sequence or follow one that was not recorded. `as_meant` is for samples that are the target's
/// own recorded tensors and a model that carries these states: then a beginning gets the initial
/// value instead of the recorded one, and all other frames get no states.
pipeline::TraceSamples with_beginnings(const pipeline::TraceSamples& raw,
                                       const RecordedStates& states, bool as_meant);

/// The values as a tensor with this spec stores them.
Tensor stored(const TensorSpec& spec, const state::Values& values);

}  // namespace edgeprobe::diagnose
