// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace edgeprobe::engine::onnxruntime {

/// The end of the error message after ONNX Runtime refused a file because of its versions or a
/// missing operator: which releases read such a file, and what else to try. "" for other refusals.
std::string advice_for(std::string_view refusal);

}  // namespace edgeprobe::engine::onnxruntime
