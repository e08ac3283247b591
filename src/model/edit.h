#pragma once

#include <cstdint>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "model/graph.h"

namespace edgeprobe::model {

/// Overwrites the stored bytes of a constant, in place. Other constants that share its buffer change with it.
/// kUsage when the tensor is no constant or the length differs.
Status set_constant(const Graph& graph, Bytes& file, int tensor, ByteView values);

/// Gives a computed tensor that is quantised as a whole another scale and zero point, in place, so that the rest of the
/// graph still computes the same real values: tensors that share its scale through a layer that only moves values
/// (RESHAPE, pools, PAD, …) get the same, and int32 biases that are added to products of it are rescaled. The layer that
/// makes it is not looked at: in a whole model, its output must not be tied to its input.
/// kUnsupported when a tied layer joins several tensors, a bias would leave its range, or the file shares it or the
/// parameters with another layer or tensor; `file` is then undefined.
Status set_scale(const Graph& graph, Bytes& file, int tensor, float scale, std::int64_t zero_point);

}  // namespace edgeprobe::model
