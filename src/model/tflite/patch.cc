// SPDX-License-Identifier: Apache-2.0
#include "model/tflite/patch.h"

#include "model/tflite/schema.h"

namespace edgeprobe::model {
namespace {

template <class T>
void append(Bytes& bytes, T value) {
  bytes.resize(bytes.size() + sizeof(T));
  put(bytes, bytes.size() - sizeof(T), value);
}

}  // namespace

void align(Bytes& bytes, std::size_t to) { bytes.resize((bytes.size() + to - 1) / to * to); }

void append_indices(Bytes& bytes, std::size_t slot, const std::vector<int>& indices) {
  align(bytes);
  put(bytes, slot, static_cast<std::uint32_t>(bytes.size() - slot));
  append(bytes, static_cast<std::uint32_t>(indices.size()));
  for (const int index : indices) append(bytes, static_cast<std::int32_t>(index));
}

void append_text(Bytes& bytes, std::size_t slot, std::string_view text) {
  align(bytes);
  const std::size_t start = bytes.size();
  append(bytes, static_cast<std::uint32_t>(text.size()));
  for (const char letter : text) append(bytes, letter);
  append(bytes, char{0});
  align(bytes);
  put(bytes, slot, static_cast<std::uint32_t>(start - slot));
}

void drop_signatures(Bytes& bytes, const TfliteFile& parsed) {
  const std::size_t entry = 4 + 2 * static_cast<std::size_t>(schema::model::kSignatureDefs.id);
  if (parsed.vtable_size < entry + 2) return;
  align(bytes);
  const std::size_t copy = bytes.size();
  bytes.resize(copy + parsed.vtable_size);
  std::memcpy(bytes.data() + copy, bytes.data() + parsed.vtable, parsed.vtable_size);
  put(bytes, copy + entry, std::uint16_t{0});
  put(bytes, parsed.root,
      static_cast<std::int32_t>(static_cast<std::int64_t>(parsed.root) -
                                static_cast<std::int64_t>(copy)));
}

}  // namespace edgeprobe::model
