// SPDX-License-Identifier: Apache-2.0
#include <cstring>

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
