// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "diagnose/case/study.h"
#include "diagnose/input/input_evidence.h"

namespace edgeprobe::diagnose {

/// How the values of a model input follow each other in time.
struct InputRows {
  std::size_t rows = 0, columns = 0;
  bool columns_first = false;  ///< Column by column, not row by row.
  const char* word = "rows";   ///< What a person calls a row: "steps", "samples", "feature frames".
};

/// The cause "the app feeds other pieces of the stream": the reference's windows of consecutive
/// frames make one stream, in which every window of the target is looked up piece by piece. Needs
/// no recipe. Nothing when fewer than half of the windows that differ are so explained.
Result<std::optional<InputEvidence>> stream_windows(const Study& study, const InputRows& how,
                                                    const Control& control);

/// The same of one of several inputs, or of recorded tensors.
struct StreamFault {
  CauseKind kind = CauseKind::kWindow;
  std::string detail;
  std::vector<std::string> alternatives;
  bool overlaps = false;  ///< The reference's windows share rows.
};
/// By the rows that its shape may have, the first axis or the last in order of time. Nothing unless
/// every window that differs is explained, of four at least.
Result<std::vector<StreamFault>> stream_faults(const Study& study, const std::string& target_name,
                                               const std::string& name, const Control& control);

/// `found` where it explains the inputs, or the stream explains nothing; else what the stream does.
Result<InputEvidence> or_by_stream(const Study& study, InputDiagnosis found, const InputRows& how,
                                   const Control& control);

}  // namespace edgeprobe::diagnose
