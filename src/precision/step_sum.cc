// SPDX-License-Identifier: Apache-2.0
#include "precision/step_sum.h"

namespace edgeprobe::precision {
namespace {

// An emulated sum differs from the engine's own only by the order of its terms. For 10^5 or more
// terms in sequence, up to 10^-3.
constexpr double kSameSum = 3e-3;

Accumulator accumulator_of(std::optional<Scheme> scheme) {
  if (!scheme) return Accumulator::kFloat32;
  return *scheme == Scheme::kFloat16Blocks ? Accumulator::kFloat16Blocks : Accumulator::kFloat16;
}

}  // namespace

Result<Summed> step_sum(const Head& head, const Values& known, ByteView file, const Shape& output,
                        std::optional<Scheme> scheme) {
  Sum work{&head.layer, &head.attributes, {}, output};
  for (const int input : head.layer.inputs) {
    if (input < 0) {
      work.inputs.emplace_back();
      continue;
    }
    const auto value = known.find(input);
    auto tensor = value != known.end() ? Result<Tensor>(value->second)
                                       : model::constant(head.graph, file, input);
    auto values = tensor ? to_float(*tensor) : Result<std::vector<float>>(Error{});
    if (!tensor || !values) return Error{ErrorKind::kUnsupported, "its operands are not known"};
    work.inputs.push_back(Array{tensor->spec.shape, *std::move(values)});
  }
  if (!head.tail.gain.empty()) {
    if (work.inputs.size() < 3) work.inputs.resize(3);
    if (!work.inputs[2]) work.inputs[2].emplace();
    fold(head.tail, *work.inputs[1], *work.inputs[2]);
    if (scheme)
      for (const std::size_t i : {1, 2})
        for (float& value : work.inputs[i]->values) value = to_float16(value);
  }
  auto made = sum(work, accumulator_of(scheme));
  if (!made) return made;
  for (float& value : made->values) value = head.tail.activated(value);
  return made;
}

bool is_same_sum(const std::vector<float>& own, const std::vector<float>& engine) {
  double off = 0, size = 0;
  for (std::size_t k = 0; k < engine.size(); ++k) {
    const double d = double{own[k]} - double{engine[k]};
    off += d * d, size += double{engine[k]} * double{engine[k]};
  }
  return off <= kSameSum * kSameSum * size;
}

}  // namespace edgeprobe::precision
