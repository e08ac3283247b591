// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "core/result.h"
#include "trace/export/export.h"

namespace edgeprobe::trace {

/// Receives a tensor of fixed shape in one frame. `real` holds the real numbers of a quantised
/// tensor and is empty for others.
using TensorVisitor =
    std::function<Status(const FrameRecord& record, const Channel& channel,
                         const TensorView& tensor, const std::vector<float>& real)>;

/// Visits the selected tensors frame by frame; counts them in `report` and adds a note for each
/// unreadable one. Messages of variable length (texts, encoded files) go to `left_out`.
Status visit_tensors(const Reader& reader, const ExportOptions& options, ExportReport& report,
                     OpenMessages& left_out, const TensorVisitor& visitor, const Control& control);

}  // namespace edgeprobe::trace
