// SPDX-License-Identifier: Apache-2.0
#include "engine/binding.h"

#include <cstring>
#include <functional>

#include "core/text.h"
#include "engine/engine.h"
#include "engine/inputs.h"

namespace edgeprobe::engine {
namespace {

/// infer() and two copies.
class CopiedBinding final : public Binding {
 public:
  CopiedBinding(Session& session, std::vector<TensorView> inputs, std::vector<Place> outputs)
      : session_(session), inputs_(std::move(inputs)), outputs_(std::move(outputs)) {
    for (const TensorView& input : inputs_) copied_ += input.bytes.size;
    for (const Place& output : outputs_) copied_ += output.size;
  }

  Status run() override {
    auto inference = session_.infer(inputs_);
    if (!inference) return std::move(inference).error();
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const Tensor& output = inference->outputs[i];
      if (output.bytes.size() != outputs_[i].size)
        return Error{ErrorKind::kTarget, "output '" + sanitized(output.spec.name) + "' has " +
                                             std::to_string(output.bytes.size()) + " bytes, not " +
                                             std::to_string(outputs_[i].size)};
      if (outputs_[i].size > 0)
        std::memcpy(outputs_[i].data, output.bytes.data(), outputs_[i].size);
    }
    return {};
  }
  std::uint64_t copied() const override { return copied_; }

 private:
  Session& session_;
  std::vector<TensorView> inputs_;
  std::vector<Place> outputs_;
  std::uint64_t copied_ = 0;
};

}  // namespace

Status check_places(const std::vector<TensorSpec>& specs, const std::vector<Place>& places,
                    const char* role) {
  if (specs.size() != places.size())
    return Error{ErrorKind::kUsage, std::to_string(places.size()) + " places for " +
                                        std::to_string(specs.size()) + " " + role + "s"};
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const auto size = specs[i].byte_size();
    if (size == places[i].size && (size == 0u || places[i].data)) continue;
    return Error{ErrorKind::kUsage,
                 std::string(role) + " '" + sanitized(specs[i].name) + "' of shape " +
                     to_text(specs[i].shape) + " does not fit a place of " +
                     std::to_string(places[i].size) + " bytes"};
  }
  return {};
}

bool overlap(const std::vector<Place>& inputs, const std::vector<Place>& outputs) {
  const auto meet = [](const Place& a, const Place& b) {
    return std::less<>()(a.data, b.data + b.size) && std::less<>()(b.data, a.data + a.size);
  };
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (const Place& input : inputs)
      if (meet(outputs[i], input)) return true;
    for (std::size_t k = i + 1; k < outputs.size(); ++k)
      if (meet(outputs[i], outputs[k])) return true;
  }
  return false;
}

Result<std::unique_ptr<Binding>> Session::bind(const std::vector<Place>& inputs,
                                               const std::vector<Place>& outputs) {
  if (auto fit = check_places(this->inputs(), inputs, "input"); !fit) return std::move(fit).error();
  if (auto fit = check_places(this->outputs(), outputs, "output"); !fit)
    return std::move(fit).error();
  std::vector<TensorView> views;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    views.emplace_back(this->inputs()[i], ByteView(inputs[i].data, inputs[i].size));
  return std::unique_ptr<Binding>(
      std::make_unique<CopiedBinding>(*this, std::move(views), outputs));
}

}  // namespace edgeprobe::engine
