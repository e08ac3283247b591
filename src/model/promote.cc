#include <algorithm>
#include <cstring>

#include "model/graph.h"
#include "model/tflite.h"
#include "model/tflite_schema.h"

namespace edgeprobe::model {
namespace {

// A FlatBuffer's references reach this far; engines refuse larger files.
constexpr std::size_t kMostBytes = (std::size_t{1} << 31) - 1;

template <class T>
void put(Bytes& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}

template <class T>
void append(Bytes& bytes, T value) {
  bytes.resize(bytes.size() + sizeof(T));
  put(bytes, bytes.size() - sizeof(T), value);
}

void align(Bytes& bytes) { bytes.resize((bytes.size() + 3) / 4 * 4); }

void append_outputs(Bytes& bytes, std::size_t slot, const std::vector<int>& outputs) {
  align(bytes);
  put(bytes, slot, static_cast<std::uint32_t>(bytes.size() - slot));
  append(bytes, static_cast<std::uint32_t>(outputs.size()));
  for (const int output : outputs) append(bytes, static_cast<std::int32_t>(output));
}

// Signatures that do not list every output make LiteRT refuse the file. The model gets a vtable of its
// own without them, because other tables may share the old one.
void drop_signatures(Bytes& bytes, const TfliteFile& parsed) {
  const std::size_t entry = 4 + 2 * static_cast<std::size_t>(schema::model::kSignatureDefs.id);
  if (parsed.vtable_size < entry + 2) return;
  align(bytes);
  const std::size_t copy = bytes.size();
  bytes.resize(copy + parsed.vtable_size);
  std::memcpy(bytes.data() + copy, bytes.data() + parsed.vtable, parsed.vtable_size);
  put(bytes, copy + entry, std::uint16_t{0});
  put(bytes, parsed.root, static_cast<std::int32_t>(static_cast<std::int64_t>(parsed.root) -
                                                    static_cast<std::int64_t>(copy)));
}

bool same(const ModelTensor& a, const ModelTensor& b) {
  // Scales are compared by their bits: a scale that is no number equals itself here.
  const Quantization &p = a.spec.quantization, &q = b.spec.quantization;
  return a.spec.name == b.spec.name && a.spec.dtype == b.spec.dtype && a.spec.shape == b.spec.shape &&
         p.scale.size() == q.scale.size() && p.zero_point == q.zero_point && p.axis == q.axis &&
         (p.scale.empty() || std::memcmp(p.scale.data(), q.scale.data(), p.scale.size() * sizeof(float)) == 0) &&
         a.is_variable == b.is_variable && a.is_sparse == b.is_sparse && a.is_constant == b.is_constant &&
         a.data_offset == b.data_offset && a.data_size == b.data_size;
}

bool same(const Layer& a, const Layer& b) {
  return a.type == b.type && a.version == b.version && a.inputs == b.inputs && a.outputs == b.outputs &&
         a.macs == b.macs;
}

template <class T>
bool same_all(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](const T& x, const T& y) { return same(x, y); });
}

// What the patch must leave alone, and what it must have done.
bool is_promoted(const Graph& before, const Graph& after, const std::vector<int>& outputs) {
  return after.outputs == outputs && after.inputs == before.inputs && after.signatures.empty() &&
         after.subgraph_count == before.subgraph_count && after.metadata == before.metadata &&
         same_all(after.tensors, before.tensors) && same_all(after.layers, before.layers);
}

Status check_request(const Graph& graph, const std::vector<int>& tensors) {
  const std::vector<int> known = capturable(graph);
  std::vector<bool> allowed(graph.tensors.size());
  for (const int tensor : known) allowed[static_cast<std::size_t>(tensor)] = true;
  for (const int tensor : graph.outputs) allowed[static_cast<std::size_t>(tensor)] = true;
  for (const int tensor : tensors)
    if (tensor < 0 || static_cast<std::size_t>(tensor) >= allowed.size() || !allowed[static_cast<std::size_t>(tensor)])
      return Error{Fault::kUsage, "tensor " + std::to_string(tensor) +
                                      " cannot be captured: it is no numeric output of an operator of the main graph"};
  return {};
}

}  // namespace

std::vector<int> promoted_outputs(const Graph& graph, const std::vector<int>& tensors) {
  std::vector<bool> taken(graph.tensors.size());
  std::vector<int> outputs = graph.outputs;
  for (const int output : outputs) taken[static_cast<std::size_t>(output)] = true;
  for (const int tensor : tensors)
    if (!taken[static_cast<std::size_t>(tensor)]) {
      taken[static_cast<std::size_t>(tensor)] = true;
      outputs.push_back(tensor);
    }
  return outputs;
}

Result<Bytes> promote(const Graph& graph, ByteView file, const std::vector<int>& tensors) {
  if (auto checked = check_request(graph, tensors); !checked) return std::move(checked).error();
  auto parsed = parse_tflite(file, "the model");
  if (!parsed) return std::move(parsed).error();
  if (parsed->outputs_slot == 0)
    return Error{Fault::kUnsupported, "the model's main graph has no list of outputs to add intermediates to"};
  const std::vector<int> outputs = promoted_outputs(graph, tensors);
  const std::size_t added = 4 * outputs.size() + parsed->vtable_size + 16;
  if (file.size + added > kMostBytes)
    return Error{Fault::kUnsupported, "the model has " + std::to_string(file.size) +
                                          " bytes, with its intermediates as outputs it would pass the format's 2 GB"};
  Bytes bytes;
  bytes.reserve(file.size + added);
  bytes.assign(file.begin(), file.end());
  append_outputs(bytes, parsed->outputs_slot, outputs);
  drop_signatures(bytes, *parsed);
  align(bytes);
  auto again = parse_tflite(bytes, "the model with its intermediates as outputs");
  if (!again) return std::move(again).error();
  if (!is_promoted(graph, again->graph, outputs))
    return Error{Fault::kUnsupported,
                 "the model's tables overlap, so that adding outputs changes more than the list of outputs"};
  return bytes;
}

}  // namespace edgeprobe::model
