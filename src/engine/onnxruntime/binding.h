// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "core/tensor.h"
#include "engine/binding.h"
#include "engine/onnxruntime/runtime.h"

namespace edgeprobe::engine::onnxruntime {

/// A value of `spec` that lies in `place` and stays there. kTarget when the library does not take
/// it.
Result<Owned<CValue>> value_over(const Runtime& runtime, const TensorSpec& spec, Place place);

/// Pointers into `specs`.
std::vector<const char*> names_of(const std::vector<TensorSpec>& specs);

/// What became of a run; kTarget with the engine's sentence. Frees the status.
Status run_status(const Runtime& runtime, CStatus* status);

/// Whether an output is an input as it stands: the library does not write it into the value that it
/// was given.
bool hands_inputs_on(const std::vector<TensorSpec>& inputs, const std::vector<TensorSpec>& outputs);

/// Runs `session` over places that fit the specs and do not overlap; no output is an input.
/// Runtime, session and names of the specs outlive it.
Result<std::unique_ptr<Binding>> bind_values(const Runtime& runtime, CSession* session,
                                             const std::vector<TensorSpec>& inputs,
                                             const std::vector<Place>& input_places,
                                             const std::vector<TensorSpec>& outputs,
                                             const std::vector<Place>& output_places);

}  // namespace edgeprobe::engine::onnxruntime
