// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "core/result.h"
#include "trace/export/export.h"

namespace edgeprobe::trace {

/// A tensor of fixed shape in one frame. `real` holds the real numbers of a quantised one; it is
/// empty for others.
using TensorVisitor =
    std::function<Status(const FrameRecord& record, const Channel& channel,
                         const TensorView& tensor, const std::vector<float>& real)>;

/// Visits the selected tensors, frame by frame; counts them in `report`, with a note for each that
/// cannot be read. Messages of open shape (texts, encoded files) go to `left_out`.
Status visit_tensors(const Reader& reader, const ExportOptions& options, ExportReport& report,
                     OpenMessages& left_out, const TensorVisitor& visitor, const Control& control);

}  // namespace edgeprobe::trace
