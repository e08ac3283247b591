// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compare/outputs/agreement.h"
#include "core/result.h"
#include "trace/read/reader.h"

namespace edgeprobe::compare {

/// The joined frames of two traces.
struct JoinedFrames {
  const trace::Reader *reference = nullptr, *target = nullptr;
  /// Frame numbers of the reference and of the target.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> numbers;
  std::vector<std::optional<task::Annotation>> truths;  ///< One for each of `numbers`.
};

/// Compares the answers of the apps on both sides. Nothing if the target's trace has no answer that
/// a task reads; without the reference's, only the target's metric, if there are annotations.
Result<std::optional<AnswerAgreement>> compare_answers(const JoinedFrames& frames,
                                                       const task::Terms& terms, bool quantized);

}  // namespace edgeprobe::compare
