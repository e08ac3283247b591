// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace edgeprobe::engine::onnxruntime {

/// The rest of the sentence, for a refusal of ONNX Runtime that is about the file's versions or an
/// operator that it does not have: which releases read such a file, and how else to go on. "" for
/// other refusals.
std::string advice_for(std::string_view refusal);

}  // namespace edgeprobe::engine::onnxruntime
