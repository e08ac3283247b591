// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result.h"
#include "measurements/annotation_of.h"
#include "measurements/measurements.h"
#include "task/answers/statistic.h"
#include "trace/read/reader.h"

namespace edgeprobe::measurements {

/// The boxes of recorded answers beside those that are there, assigned as Kenning does: in each
/// frame by falling score, each to the free box of its class that it overlaps most, by half at
/// least. Adds nothing where no frame has both.
Status add_found(const trace::Reader& trace, const AnnotationOf& annotation_of,
                 const task::Terms& terms, Measurements& out);

}  // namespace edgeprobe::measurements
