// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "diagnose/case/study.h"
#include "diagnose/input/input_evidence.h"

namespace edgeprobe::diagnose {

/// How the values of a model input are ordered in time.
struct InputRows {
  std::size_t rows = 0, columns = 0;
  bool columns_first = false;  ///< Stored column by column, not row by row.
  const char* word = "rows";   ///< Name of a row in reports: "steps", "samples", "feature frames".
};

/// The cause "the app feeds other pieces of the stream". Joins the reference's windows of
/// consecutive frames into one stream and looks up each window of the target in it, piece by piece.
/// Needs no recipe. Nothing if that explains fewer than half of the differing windows.
Result<std::optional<InputEvidence>> stream_windows(const Study& study, const InputRows& how,
                                                    const Control& control);

/// The fault of stream_windows() in one of several inputs, or in recorded tensors.
struct StreamFault {
  CauseKind kind = CauseKind::kWindow;
  std::string detail;
  std::vector<std::string> alternatives;
  bool overlaps = false;  ///< The reference's windows share rows.
};
/// Tries the rows that its shape allows, with the first axis or the last as time. Nothing unless at
/// least four windows differ and all of them are explained.
Result<std::vector<StreamFault>> stream_faults(const Study& study, const std::string& target_name,
                                               const std::string& name, const Control& control);

/// Returns `found` if it explains the inputs or the stream explains nothing; else the stream's
/// explanation.
Result<InputEvidence> or_by_stream(const Study& study, InputDiagnosis found, const InputRows& how,
                                   const Control& control);

}  // namespace edgeprobe::diagnose
