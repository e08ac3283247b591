// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/onnx/proto.h"

/// What the readers of the messages share. Internal to this folder. Each adds a message to what
/// `into` has already, as parsers merge a message that comes in parts.
namespace edgeprobe::model::onnx {

void read_tensor(WireReader& reader, Run run, const Place& place, Tensor& into);
void read_sparse(WireReader& reader, Run run, const Place& place, SparseTensor& into);
void read_value(WireReader& reader, Run run, const Place& place, Value& into);
void read_node(WireReader& reader, Run run, const Place& place, Node& into, int& subgraphs);
/// A body (attribute `g`), given as the runs of its message: counts it and those inside of it, and
/// adds the names that it reads from around it to `outer`, in no order, some several times.
/// kLimit for over 32 bodies inside each other.
void read_body(WireReader& reader, const std::vector<Run>& parts, const Place& place, int depth,
               int& count, std::vector<std::string_view>& outer);
/// Appends the numbers of a repeated field.
void add_number(WireReader& reader, const WireField& field, const Place& place,
                std::vector<std::int64_t>& into);

}  // namespace edgeprobe::model::onnx
