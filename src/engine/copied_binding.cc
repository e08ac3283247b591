// SPDX-License-Identifier: Apache-2.0
#include "engine/copied_binding.h"

#include <cstring>
#include <utility>

#include "core/text.h"
#include "engine/inputs.h"

namespace edgeprobe::engine {
namespace {

/// Binding made of infer() and two copies.
class CopiedBinding final : public Binding {
 public:
  CopiedBinding(Session& session, std::vector<TensorView> inputs, std::vector<Place> outputs,
                std::function<void(Inference&)> seen)
      : session_(session),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)),
        seen_(std::move(seen)) {
    for (const TensorView& input : inputs_) copied_ += input.bytes.size;
    for (const Place& output : outputs_) copied_ += output.size;
  }

  Status run() override {
    EP_TRY(auto inference, session_.infer(inputs_));
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const Tensor& output = inference.outputs[i];
      if (output.bytes.size() != outputs_[i].size)
        return Error{ErrorKind::kTarget, "output '" + sanitized(output.spec.name) + "' has " +
                                             std::to_string(output.bytes.size()) + " bytes, not " +
                                             std::to_string(outputs_[i].size)};
      if (outputs_[i].size > 0)
        std::memcpy(outputs_[i].data, output.bytes.data(), outputs_[i].size);
    }
    if (seen_) seen_(inference);
    return {};
  }
  std::uint64_t copied() const override { return copied_; }

 private:
  Session& session_;
  std::vector<TensorView> inputs_;
  std::vector<Place> outputs_;
  std::function<void(Inference&)> seen_;
  std::uint64_t copied_ = 0;
};

}  // namespace

Result<std::unique_ptr<Binding>> bind_by_copies(Session& session, const std::vector<Place>& inputs,
                                                const std::vector<Place>& outputs,
                                                std::function<void(Inference&)> seen) {
  EP_CHECK(check_places(session.inputs(), inputs, "input"));
  EP_CHECK(check_places(session.outputs(), outputs, "output"));
  std::vector<TensorView> views;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    views.emplace_back(session.inputs()[i], ByteView(inputs[i].data, inputs[i].size));
  return std::unique_ptr<Binding>(
      std::make_unique<CopiedBinding>(session, std::move(views), outputs, std::move(seen)));
}

Result<std::unique_ptr<Binding>> Session::bind(const std::vector<Place>& inputs,
                                               const std::vector<Place>& outputs) {
  return bind_by_copies(*this, inputs, outputs);
}

}  // namespace edgeprobe::engine
