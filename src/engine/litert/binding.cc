// SPDX-License-Identifier: Apache-2.0
#include "engine/litert/binding.h"

#include <utility>

namespace edgeprobe::engine::litert {
namespace {

/// Buffers over the caller's memory, in the order of the signature.
class HostBuffers {
 public:
  explicit HostBuffers(const Api& api) : api_(api) {}
  HostBuffers(const HostBuffers&) = delete;
  HostBuffers& operator=(const HostBuffers&) = delete;
  ~HostBuffers() {
    for (CBuffer* const buffer : all) api_.destroy_buffer(buffer);
  }

  bool add(const TypedPlace& one) {
    CBuffer* buffer = nullptr;
    if (api_.create_host_buffer(&one.type, one.place.data, one.place.size, nullptr, &buffer) != kOk)
      return false;
    all.push_back(buffer);
    return true;
  }

  std::vector<CBuffer*> all;

 private:
  const Api& api_;
};

/// On each run, the runtime uses the buffers as the memory of its tensors.
class LiteRtBinding final : public Binding {
 public:
  LiteRtBinding(const Api& api, Run run)
      : api_(api), run_(std::move(run)), inputs_(api), outputs_(api) {}

  bool take(const std::vector<TypedPlace>& inputs, const std::vector<TypedPlace>& outputs) {
    for (const TypedPlace& input : inputs)
      if (!inputs_.add(input)) return false;
    for (const TypedPlace& output : outputs)
      if (!outputs_.add(output)) return false;
    return true;
  }

  Status run() override {
    const int status = api_.run(run_.compiled, run_.signature, inputs_.all.size(),
                                inputs_.all.data(), outputs_.all.size(), outputs_.all.data());
    return status == kOk ? Status() : run_.failure(status);
  }
  std::uint64_t copied() const override { return 0; }

 private:
  const Api& api_;
  Run run_;
  HostBuffers inputs_;
  HostBuffers outputs_;
};

}  // namespace

std::unique_ptr<Binding> bind_places(const Api& api, Run run, const std::vector<TypedPlace>& inputs,
                                     const std::vector<TypedPlace>& outputs) {
  if (!api.create_host_buffer) return nullptr;
  auto binding = std::make_unique<LiteRtBinding>(api, std::move(run));
  if (!binding->take(inputs, outputs)) return nullptr;
  return binding;
}

}  // namespace edgeprobe::engine::litert
