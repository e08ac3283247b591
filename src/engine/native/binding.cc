// SPDX-License-Identifier: Apache-2.0
#include "engine/native/binding.h"

#include <cstdint>
#include <utility>

#include "engine/native/reason.h"

namespace edgeprobe::engine::native {
namespace {

class NativeBinding final : public Binding {
 public:
  NativeBinding(const edgeprobe_plugin_engine& table, std::string name, void* state,
                std::vector<const void*> inputs, std::vector<edgeprobe_plugin_value> outputs)
      : table_(table),
        name_(std::move(name)),
        state_(state),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)) {}
  NativeBinding(const NativeBinding&) = delete;
  NativeBinding& operator=(const NativeBinding&) = delete;
  ~NativeBinding() override { table_.destroy(state_); }

  Status run() override {
    std::vector<edgeprobe_plugin_value> places = outputs_;
    std::int64_t unused = -1;
    Reason reason;
    const int code = table_.run(state_, inputs_.data(), places.data(), &unused, reason.buffer());
    EP_CHECK(reason.of(code, name_ + " failed while running the model: "));
    for (std::size_t i = 0; i < places.size(); ++i)
      if (!is_same(places[i], outputs_[i]))
        return Error{ErrorKind::kTarget, name_ + " changed the memory of output " +
                                             std::to_string(i) + ", which is fixed"};
    return {};
  }
  std::uint64_t copied() const override { return 0; }

 private:
  const edgeprobe_plugin_engine& table_;
  std::string name_;
  void* state_;
  std::vector<const void*> inputs_;
  std::vector<edgeprobe_plugin_value> outputs_;
};

}  // namespace

bool is_same(const edgeprobe_plugin_value& a, const edgeprobe_plugin_value& b) {
  return a.struct_size == b.struct_size && a.data == b.data && a.size == b.size &&
         a.shape == b.shape && a.rank == b.rank;
}

std::unique_ptr<Binding> bind_to(const edgeprobe_plugin_engine& table, std::string name,
                                 void* state, std::vector<const void*> inputs,
                                 std::vector<edgeprobe_plugin_value> outputs) {
  return std::make_unique<NativeBinding>(table, std::move(name), state, std::move(inputs),
                                         std::move(outputs));
}

}  // namespace edgeprobe::engine::native
