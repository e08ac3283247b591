#pragma once

#include "model/onnx_proto.h"

/// What the readers of the messages share. Internal to this folder. Each adds a message to what `into` has already,
/// as parsers merge a message that comes in parts.
namespace edgeprobe::model::onnx {

void read_tensor(WireReader& reader, Run run, const Place& place, Tensor& into);
void read_sparse(WireReader& reader, Run run, const Place& place, SparseTensor& into);
void read_value(WireReader& reader, Run run, const Place& place, Value& into);
void read_node(WireReader& reader, Run run, const Place& place, Node& into, int& subgraphs);
/// Appends the numbers of a repeated field.
void add_number(WireReader& reader, const WireField& field, const Place& place, std::vector<std::int64_t>& into);

}  // namespace edgeprobe::model::onnx
