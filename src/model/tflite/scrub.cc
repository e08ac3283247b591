// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <string_view>

#include "core/index.h"
#include "model/tflite/patch.h"
#include "model/tflite/schema.h"
#include "model/tflite/tensor.h"
#include "model/tflite/tflite.h"

namespace edgeprobe::model {
namespace {

// A range of the file that holds one object. References point only to its start.
struct Span {
  std::size_t at = 0, size = 0;
};

template <class T>
T load(ByteView file, std::size_t at) {
  T value{};
  if (at <= file.size && sizeof(T) <= file.size - at)
    std::memcpy(&value, file.data + at, sizeof(T));
  return value;
}

Span span_of(ByteView file, const Table& table) {
  return {table.at, table ? load<std::uint16_t>(file, table.vtable + 2) : std::size_t{0}};
}

Span span_of(const Vector& vector, std::size_t element) {
  return {vector.at, vector.count * element};
}

// The ranges that belong to one tensor only: its table, shape, name, scales, zero points.
std::vector<Span> spans_of_tensor(FlatReader& reader, const Table& tensor) {
  std::vector<Span> spans{
      span_of(reader.file(), tensor),
      span_of(reader.vector(tensor, schema::tensor::kShape, 4), 4),
      span_of(reader.vector(tensor, schema::tensor::kShapeSignature, 4), 4),
      span_of(reader.vector(tensor, schema::tensor::kName, 1), 1),
  };
  const Table parameters = reader.table(tensor, schema::tensor::kQuantization);
  if (!parameters) return spans;
  spans.push_back(span_of(reader.file(), parameters));
  spans.push_back(span_of(reader.vector(parameters, schema::quantization::kScale, 4), 4));
  spans.push_back(span_of(reader.vector(parameters, schema::quantization::kZeroPoint, 8), 8));
  return spans;
}

std::vector<Span> spans_of_operator(FlatReader& reader, const Table& one) {
  return {span_of(reader.file(), one), span_of(reader.vector(one, schema::op::kInputs, 4), 4),
          span_of(reader.vector(one, schema::op::kOutputs, 4), 4),
          span_of(reader.file(), reader.table(one, schema::op::kBuiltinOptions))};
}

// The part of a tensor that no engine reads: the value range from which its scales were computed.
std::vector<Span> range_of_tensor(FlatReader& reader, const Table& tensor) {
  const Table parameters = reader.table(tensor, schema::tensor::kQuantization);
  if (!parameters) return {};
  return {span_of(reader.vector(parameters, schema::quantization::kMin, 4), 4),
          span_of(reader.vector(parameters, schema::quantization::kMax, 4), 4)};
}

// Which objects of a file are kept, and which become zeros.
class Objects {
 public:
  void add(const std::vector<Span>& spans, bool used) {
    for (const Span& span : spans) {
      end_ = std::max(end_, span.at + span.size);
      if (used) kept_.insert(span.at);
      else unused_.push_back(span);
    }
  }
  /// End of the last object.
  std::size_t end() const { return end_; }
  void clear(Bytes& bytes) const {
    for (const Span& span : unused_)
      if (!kept_.count(span.at) && span.at <= bytes.size() && span.size <= bytes.size() - span.at)
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(span.at), span.size, std::byte{0});
  }

 private:
  std::set<std::size_t> kept_;
  std::vector<Span> unused_;
  std::size_t end_ = 0;
};

// Redirects each reference to an unused table to the next used one. False if there is none, since
// references only point forwards.
bool redirect(Bytes& bytes, const Vector& tables, const std::vector<Table>& at,
              const std::vector<bool>& used, std::size_t substitute) {
  for (std::size_t i = 0; i < at.size(); ++i) {
    const std::size_t slot = tables.at + 4 * i;
    if (used[i]) continue;
    if (at[substitute].at <= slot) return false;
    put(bytes, slot, static_cast<std::uint32_t>(at[substitute].at - slot));
  }
  return true;
}

std::vector<Table> tables_of(FlatReader& reader, const Vector& tables) {
  std::vector<Table> all;
  for (std::size_t i = 0; i < tables.count && !reader.failed(); ++i)
    all.push_back(reader.table_at(tables, i));
  return all;
}

std::vector<bool> used_tensors(const Graph& graph) {
  std::vector<bool> used(graph.tensors.size());
  const auto use = [&](const std::vector<int>& tensors) {
    for (const int tensor : tensors)
      if (tensor >= 0) used[at(tensor)] = true;
  };
  for (const Layer& layer : graph.layers) {
    use(layer.inputs);
    use(layer.outputs);
  }
  use(graph.inputs);
  use(graph.outputs);
  return used;
}

struct Lists {
  Vector tensors, operators;
};

Result<Lists> lists_of(FlatReader& reader) {
  const Table root = reader.root();
  const Vector subgraphs = reader.vector(root, schema::model::kSubgraphs, 4);
  if (reader.failed()) return reader.error();
  if (subgraphs.count != 1) return Error{ErrorKind::kUnsupported, "the model has several graphs"};
  const Table main = reader.table_at(subgraphs, 0);
  Lists lists{reader.vector(main, schema::subgraph::kTensors, 4),
              reader.vector(main, schema::subgraph::kOperators, 4)};
  if (reader.failed()) return reader.error();
  return lists;
}

// Adds operators removed by the cut; kept ones are at their old positions.
Status add_operators(ByteView before, const std::vector<Table>& kept, Objects& objects) {
  FlatReader reader(before, "the model");
  EP_TRY(const auto lists, lists_of(reader));
  std::set<std::size_t> places;
  for (const Table& one : kept) places.insert(one.at);
  const std::vector<Table> all = tables_of(reader, lists.operators);
  for (const Table& one : all) objects.add(spans_of_operator(reader, one), places.count(one.at));
  if (reader.failed()) return reader.error();
  return {};
}

// Clears buffers that no used tensor reads, including the metadata's: their tables, and their
// values in the file's own ranges.
bool clear_buffers(FlatReader& reader, const std::vector<Table>& tensors,
                   const std::vector<bool>& used, Objects& objects, Bytes& bytes) {
  const Table root = reader.root();
  const Vector list = reader.vector(root, schema::model::kBuffers, 4);
  const std::vector<Table> tables = tables_of(reader, list);
  const std::vector<BufferRange> ranges = read_buffers(reader, root);
  if (reader.failed() || tables.empty()) return !reader.failed();
  std::vector<bool> read(tables.size());
  // 0 means "no values".
  read[0] = true;
  const auto use = [&](std::uint32_t buffer) {
    if (buffer < read.size()) read[buffer] = true;
  };
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (used[i]) use(reader.scalar<std::uint32_t>(tensors[i], schema::tensor::kBuffer, 0));
  for (std::size_t i = 0; i < tables.size(); ++i)
    objects.add({span_of(reader.file(), tables[i]), {ranges[i].at, ranges[i].size}}, read[i]);
  return !reader.failed() && redirect(bytes, list, tables, read, 0);
}

// Removes the metadata: empties its list and the archive of its files after the model.
void clear_metadata(FlatReader& reader, std::size_t before, const Objects& objects, Bytes& bytes) {
  const Table root = reader.root();
  const Vector metadata = reader.vector(root, schema::model::kMetadata, 4);
  if (metadata) put(bytes, metadata.at - 4, std::uint32_t{0});
  constexpr std::string_view kArchive("PK\3\4");
  const std::size_t found = ByteView(bytes).text().substr(0, before).find(kArchive, objects.end());
  if (found == std::string_view::npos) return;
  std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(found),
            bytes.begin() + static_cast<std::ptrdiff_t>(before), std::byte{0});
}

}  // namespace

Result<Bytes> scrub_tflite(const Graph& graph, ByteView file, ByteView before) {
  FlatReader reader(file, "the model");
  EP_TRY(const auto lists, lists_of(reader));
  const std::vector<bool> used = used_tensors(graph);
  const std::vector<Table> tensors = tables_of(reader, lists.tensors);
  const std::vector<Table> operators = tables_of(reader, lists.operators);
  const auto first = std::find(used.begin(), used.end(), true);
  if (reader.failed()) return reader.error();
  if (tensors.size() != used.size() || first == used.end())
    return Error{ErrorKind::kUnsupported, "the graph and the file do not belong together"};
  Objects objects;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    objects.add(spans_of_tensor(reader, tensors[i]), used[i]);
    objects.add(range_of_tensor(reader, tensors[i]), false);
  }
  EP_CHECK(add_operators(before, operators, objects));
  Bytes bytes = file.copy();
  const auto substitute = static_cast<std::size_t>(first - used.begin());
  const bool moved = redirect(bytes, lists.tensors, tensors, used, substitute) &&
                     clear_buffers(reader, tensors, used, objects, bytes);
  if (reader.failed()) return reader.error();
  if (!moved) return Error{ErrorKind::kUnsupported, "the model's tables are before their lists"};
  objects.clear(bytes);
  clear_metadata(reader, std::min(before.size, bytes.size()), objects, bytes);
  EP_TRY(auto again, parse_tflite(bytes, "the model without what it does not use"));
  const bool whole = again.graph.inputs == graph.inputs && again.graph.outputs == graph.outputs &&
                     again.graph.layers.size() == graph.layers.size();
  if (!whole) return Error{ErrorKind::kUnsupported, "the model's tables overlap"};
  return bytes;
}

}  // namespace edgeprobe::model
