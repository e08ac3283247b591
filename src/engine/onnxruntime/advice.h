// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace edgeprobe::engine::onnxruntime {

/// The rest of the sentence if ONNX Runtime refuses a file's versions or an operator that it lacks:
/// which releases read such a file, and what else to try. "" for other refusals.
std::string advice_for(std::string_view refusal);

}  // namespace edgeprobe::engine::onnxruntime
