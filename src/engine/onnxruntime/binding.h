// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "core/tensor.h"
#include "engine/binding.h"
#include "engine/onnxruntime/runtime.h"

namespace edgeprobe::engine::onnxruntime {

/// A value of `spec` over the memory `place`. kTarget if the library does not accept it.
Result<Owned<CValue>> value_over(const Runtime& runtime, const TensorSpec& spec, Place place);

/// Pointers into `specs`.
std::vector<const char*> names_of(const std::vector<TensorSpec>& specs);

/// Result of a run; kTarget with the engine's message. Frees the status.
Status run_status(const Runtime& runtime, CStatus* status);

/// True if an output is an unchanged input: the library does not write it into the given value.
bool hands_inputs_on(const std::vector<TensorSpec>& inputs, const std::vector<TensorSpec>& outputs);

/// Runs `session` over places that match the specs and do not overlap; no output may be an input.
/// Runtime, session and names of the specs must outlive it.
Result<std::unique_ptr<Binding>> bind_values(const Runtime& runtime, CSession* session,
                                             const std::vector<TensorSpec>& inputs,
                                             const std::vector<Place>& input_places,
                                             const std::vector<TensorSpec>& outputs,
                                             const std::vector<Place>& output_places);

}  // namespace edgeprobe::engine::onnxruntime
