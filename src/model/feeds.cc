// SPDX-License-Identifier: Apache-2.0
#include "model/feeds.h"

#include <algorithm>
#include <limits>
#include <set>

#include "core/text.h"

namespace edgeprobe::model {
namespace {

/// Operators that pass on the values of their first input.
const std::set<std::string> kHandOn{"Cast",        "Reshape",   "Squeeze", "Unsqueeze",
                                    "Identity",    "Transpose", "Flatten", "Slice",
                                    "Expand",      "CAST",      "RESHAPE", "SQUEEZE",
                                    "EXPAND_DIMS", "TRANSPOSE", "SLICE",   "STRIDED_SLICE"};

bool is_whole(const TensorSpec& spec) {
  if (!spec.quantization.empty()) return false;
  switch (spec.dtype) {
    case DType::kInt16:
    case DType::kUInt16:
    case DType::kInt32:
    case DType::kUInt32:
    case DType::kInt64:
    case DType::kUInt64: return true;
    default: return false;
  }
}

struct Lookup {
  std::size_t indices, table;
};
/// For an operator that takes indices: their input and the table that they index.
const Lookup* lookup_of(const std::string& type) {
  static const Lookup kGather{1, 0}, kEmbedding{0, 1};
  if (type == "Gather" || type == "GATHER") return &kGather;
  return type == "EMBEDDING_LOOKUP" ? &kEmbedding : nullptr;
}

/// Number of rows that a look-up can select. The graph does not contain the axis, so for tables of
/// more than two dimensions the smallest one counts.
std::int64_t rows_of(const ModelTensor& table) {
  const Shape& shape = table.spec.shape;
  if (shape.empty()) return 0;
  if (shape.size() <= 2 && table.is_constant) return shape.front();
  return std::max<std::int64_t>(0, *std::min_element(shape.begin(), shape.end()));
}

}  // namespace

std::vector<Feed> feeds(const Graph& graph) {
  std::vector<Feed> found;
  for (const int input : graph.inputs) {
    const ModelTensor& tensor = graph.tensors[static_cast<std::size_t>(input)];
    if (!is_whole(tensor.spec)) continue;
    Feed feed;
    feed.name = tensor.spec.name;
    std::int64_t rows = std::numeric_limits<std::int64_t>::max();
    std::set<int> same{input};
    // Layers are in execution order, so one pass visits every pass-through before its readers.
    for (const Layer& layer : graph.layers) {
      if (kHandOn.count(layer.type) && !layer.inputs.empty() && same.count(layer.inputs.front()))
        same.insert(layer.outputs.begin(), layer.outputs.end());
      const Lookup* const lookup = lookup_of(layer.type);
      if (!lookup || layer.inputs.size() <= std::max(lookup->indices, lookup->table)) continue;
      const int table = layer.inputs[lookup->table];
      if (!same.count(layer.inputs[lookup->indices]) || table < 0) continue;
      const ModelTensor& of = graph.tensors[static_cast<std::size_t>(table)];
      const std::int64_t here = rows_of(of);
      if (here < 1 || here >= rows) continue;
      rows = here;
      feed.table = of.spec.name.empty() ? layer.type : of.spec.name;
    }
    if (!feed.table.empty()) {
      const std::int64_t most = tensor.spec.dtype == DType::kInt16    ? 32767
                                : tensor.spec.dtype == DType::kUInt16 ? 65535
                                                                      : 2147483647;
      feed.low = 0;
      feed.high = std::min(rows - 1, most);
    }
    found.push_back(std::move(feed));
  }
  return found;
}

std::string to_text(const std::vector<Feed>& feeds) {
  std::string text;
  for (const Feed& feed : feeds) {
    text += (text.empty() ? "" : ", ") + sanitized(feed.name, 60) + " ";
    text += feed.table.empty() ? "all 1"
                               : std::to_string(feed.low) + " to " + std::to_string(feed.high) +
                                     " (rows of '" + sanitized(feed.table, 60) + "')";
  }
  return text;
}

const Feed* feed_of(const std::vector<Feed>& feeds, const std::string& input) {
  const auto at = std::find_if(feeds.begin(), feeds.end(),
                               [&](const Feed& feed) { return feed.name == input; });
  return at == feeds.end() ? nullptr : &*at;
}

}  // namespace edgeprobe::model
