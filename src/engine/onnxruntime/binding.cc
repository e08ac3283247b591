// SPDX-License-Identifier: Apache-2.0
#include "engine/onnxruntime/binding.h"

#include <algorithm>

#include "core/text.h"
#include "engine/onnxruntime/runtime.h"

namespace edgeprobe::engine::onnxruntime {
namespace {

/// One side of a run: names, and values in the places.
struct BoundSide {
  std::vector<const char*> names;
  std::vector<Owned<CValue>> owned;
  std::vector<CValue*> values;
};

Result<BoundSide> bind_side(const Runtime& runtime, const std::vector<TensorSpec>& specs,
                            const std::vector<Place>& places) {
  BoundSide side;
  side.names = names_of(specs);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    EP_TRY(auto value, value_over(runtime, specs[i], places[i]));
    side.values.push_back(side.owned.emplace_back(std::move(value)).get());
  }
  return side;
}

/// The library computes in the places: it writes outputs into the given values and refuses to
/// change their shape.
class OrtBinding final : public Binding {
 public:
  OrtBinding(const Runtime& runtime, CSession* session, BoundSide inputs, BoundSide outputs)
      : runtime_(runtime),
        run_(runtime.api().run),
        session_(session),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)) {}

  Status run() override {
    CStatus* const status =
        run_(session_, nullptr, inputs_.names.data(), inputs_.values.data(), inputs_.values.size(),
             outputs_.names.data(), outputs_.names.size(), outputs_.values.data());
    return status ? run_status(runtime_, status) : Status();
  }
  std::uint64_t copied() const override { return 0; }

 private:
  const Runtime& runtime_;
  decltype(Api::run) run_;
  CSession* session_;
  BoundSide inputs_;
  BoundSide outputs_;
};

}  // namespace

Result<Owned<CValue>> value_over(const Runtime& runtime, const TensorSpec& spec, Place place) {
  Owned<CValue> value(runtime.api().release_value);
  const std::string failed = runtime.reason(
      runtime.api().create_tensor(runtime.memory(), place.data, place.size, spec.shape.data(),
                                  spec.shape.size(), number_of(spec.dtype), value.slot()));
  if (!failed.empty())
    return Error{ErrorKind::kTarget,
                 "onnxruntime does not take '" + sanitized(spec.name) + "': " + failed};
  return value;
}

std::vector<const char*> names_of(const std::vector<TensorSpec>& specs) {
  std::vector<const char*> names;
  for (const TensorSpec& spec : specs) names.push_back(spec.name.c_str());
  return names;
}

Status run_status(const Runtime& runtime, CStatus* status) {
  const std::string failed = runtime.reason(status);
  if (failed.empty()) return {};
  return Error{ErrorKind::kTarget, "onnxruntime failed while running the model: " + failed};
}

bool hands_inputs_on(const std::vector<TensorSpec>& inputs,
                     const std::vector<TensorSpec>& outputs) {
  return std::any_of(outputs.begin(), outputs.end(), [&](const TensorSpec& output) {
    return std::any_of(inputs.begin(), inputs.end(),
                       [&](const TensorSpec& input) { return input.name == output.name; });
  });
}

Result<std::unique_ptr<Binding>> bind_values(const Runtime& runtime, CSession* session,
                                             const std::vector<TensorSpec>& inputs,
                                             const std::vector<Place>& input_places,
                                             const std::vector<TensorSpec>& outputs,
                                             const std::vector<Place>& output_places) {
  EP_TRY(auto given, bind_side(runtime, inputs, input_places));
  EP_TRY(auto made, bind_side(runtime, outputs, output_places));
  return std::unique_ptr<Binding>(
      std::make_unique<OrtBinding>(runtime, session, std::move(given), std::move(made)));
}

}  // namespace edgeprobe::engine::onnxruntime
