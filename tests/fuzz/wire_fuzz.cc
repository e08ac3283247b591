// SPDX-License-Identifier: Apache-2.0
// Any bytes as what an engine process says to its parent, or the parent to it.
#include <cstdint>
#include <cstdlib>

#include "engine/wire.h"

using namespace edgeprobe;
using namespace edgeprobe::engine;

namespace {

template <class Read>
void read(ByteView body, Read what) {
  wire::Reader in(body);
  what(in);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView body(reinterpret_cast<const std::byte*>(data), size);
  read(body, [](wire::Reader& in) { (void)wire::read_choice(in); });
  read(body, [](wire::Reader& in) { (void)wire::read_identity(in); });
  read(body, [](wire::Reader& in) { (void)wire::read_options(in); });
  read(body, [](wire::Reader& in) {
    Inference inference;
    wire::read_times(in, inference);
  });
  read(body, [](wire::Reader& in) {
    const wire::Loaded loaded = wire::read_loaded(in);
    if (!in.ok()) return;
    const wire::Arena arena = wire::arena_for(loaded.inputs, loaded.outputs);
    if (arena.inputs.size() != loaded.inputs.size() ||
        arena.outputs.size() != loaded.outputs.size())
      std::abort();
    for (const auto& slots : {arena.inputs, arena.outputs})
      for (const wire::Slot& slot : slots)
        if (slot.length > arena.size || slot.offset > arena.size - slot.length) std::abort();
  });
  read(body, [](wire::Reader& in) {
    const TensorSpec spec = wire::read_spec(in);
    if (!in.ok()) return;
    // Converts the accompanying values as a parent does.
    if (const auto bytes = spec.byte_size(); bytes && *bytes <= std::size_t{1} << 20) {
      const Bytes values(*bytes);
      (void)to_float({spec, values});
    }
    wire::Writer out;
    wire::write(out, spec);
    wire::Reader back(out.bytes());
    const TensorSpec again = wire::read_spec(back);
    if (!back.ok() || again.name != spec.name || again.shape != spec.shape ||
        again.dtype != spec.dtype)
      std::abort();
  });
  return 0;
}
