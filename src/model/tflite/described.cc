// SPDX-License-Identifier: Apache-2.0
#include "model/described.h"

#include <cmath>

#include "model/tflite/flatbuffer.h"
#include "model/tflite/schema.h"

namespace edgeprobe::model {
namespace {

constexpr const char* kEntry = "TFLITE_METADATA";
constexpr std::uint8_t kNormalizationOptions = 1;

// Bytes of the metadata, which are a separate FlatBuffer.
ByteView metadata_of(ByteView file) {
  FlatReader reader(file, "");
  const Table root = reader.root();
  const Vector entries = reader.vector(root, schema::model::kMetadata, 4);
  const Vector buffers = reader.vector(root, schema::model::kBuffers, 4);
  for (std::size_t i = 0; i < entries.count && !reader.failed(); ++i) {
    const Table entry = reader.table_at(entries, i);
    if (reader.string(entry, schema::metadata::kName) != kEntry) continue;
    const auto index = reader.scalar<std::uint32_t>(entry, schema::metadata::kBuffer, 0);
    if (index >= buffers.count) return {};
    const Table buffer = reader.table_at(buffers, index);
    const Vector data = reader.vector(buffer, schema::buffer::kData, 1);
    return reader.failed() ? ByteView{} : file.sub(data.at, data.count);
  }
  return {};
}

std::vector<double> doubles(const std::vector<float>& numbers) {
  return {numbers.begin(), numbers.end()};
}

bool is_good(const Normalization& said) {
  if (said.mean.empty() || said.mean.size() != said.std.size() || said.mean.size() > 4)
    return false;
  for (std::size_t i = 0; i < said.mean.size(); ++i)
    if (!std::isfinite(said.mean[i]) || !std::isfinite(said.std[i]) || said.std[i] == 0)
      return false;
  return true;
}

}  // namespace

std::optional<Normalization> described_normalization(ByteView file) {
  const ByteView bytes = metadata_of(file);
  if (bytes.size == 0) return std::nullopt;
  FlatReader reader(bytes, "");
  const Table root = reader.root();
  const Vector graphs = reader.vector(root, schema::described::kSubgraphs, 4);
  if (graphs.count == 0) return std::nullopt;
  const Table graph = reader.table_at(graphs, 0);
  const Vector inputs = reader.vector(graph, schema::described::kInputs, 4);
  if (inputs.count == 0) return std::nullopt;
  const Table input = reader.table_at(inputs, 0);
  const Vector units = reader.vector(input, schema::described::kProcessUnits, 4);
  for (std::size_t i = 0; i < units.count && !reader.failed(); ++i) {
    const Table unit = reader.table_at(units, i);
    if (reader.scalar<std::uint8_t>(unit, schema::described::kOptionsType, 0) !=
        kNormalizationOptions)
      continue;
    const Table options = reader.table(unit, schema::described::kOptions);
    const Normalization said{doubles(reader.numbers<float>(options, schema::described::kMean)),
                             doubles(reader.numbers<float>(options, schema::described::kStd))};
    if (!reader.failed() && is_good(said)) return said;
  }
  return std::nullopt;
}

}  // namespace edgeprobe::model
