// SPDX-License-Identifier: Apache-2.0
#include "layers/replay/activation_patching.h"

#include <algorithm>

#include "core/text.h"
#include "layers/capture/logits.h"
#include "layers/capture/order.h"

namespace edgeprobe::layers {

Result<ActivationPatching> ActivationPatching::open(const Host& host, const ModelFile& reference,
                                                    int layer, const std::vector<int>& logits,
                                                    const Pairing& pairing,
                                                    const Values& reference_values,
                                                    const Values& target_values) {
  const std::vector<int> maker = makers(*reference.graph);
  std::vector<int> open_logits;
  for (const int tensor : logits)
    if (maker[static_cast<std::size_t>(tensor)] > layer) open_logits.push_back(tensor);
  std::optional<Fragment> rest;
  if (!open_logits.empty()) {
    model::Part part = model::rest_after(*reference.graph, layer, open_logits);
    std::vector<Shape> shapes;
    for (const int tensor : part.inputs) {
      const auto partner = pairing.target_of.find(tensor);
      const TensorSpec* spec = reference_values.find(tensor);
      if (!spec || partner == pairing.target_of.end() || !target_values.find(partner->second))
        return Error{ErrorKind::kNotFound, "'" + sanitized(reference.spec(tensor).name, 60) +
                                               "' has no partner with values"};
      shapes.push_back(spec->shape);
    }
    EP_TRY(auto fragment, Fragment::open(host, reference, std::move(part), shapes));
    rest.emplace(std::move(fragment));
  }
  return ActivationPatching(std::move(rest), reference, logits, pairing, reference_values,
                            target_values);
}

template <class Feed>
Result<double> ActivationPatching::finish(const Feed& feed) {
  std::vector<Spread> sums(logits_.size());
  for (std::size_t frame = 0; frame < t_->frames(); ++frame) {
    std::vector<Tensor> answered;
    if (rest_) {
      std::vector<Tensor> inputs;
      for (const int tensor : rest_->part().inputs) {
        EP_TRY(const auto values, feed(tensor, frame));
        EP_TRY(auto stored, handed_on(reference_.spec(tensor), r_->find(tensor)->shape, values));
        inputs.push_back(std::move(stored));
      }
      EP_TRY(answered, rest_->run({inputs.begin(), inputs.end()}));
    }
    for (std::size_t i = 0; i < logits_.size(); ++i) {
      EP_TRY(const auto expected, real(*r_, logits_[i], frame));
      Result<std::vector<float>> got = std::vector<float>{};
      std::size_t place = answered.size();
      if (rest_) {
        const auto& outputs = rest_->part().outputs;
        place = static_cast<std::size_t>(std::find(outputs.begin(), outputs.end(), logits_[i]) -
                                         outputs.begin());
      }
      got = place < answered.size() ? to_float(answered[place]) : feed(logits_[i], frame);
      if (!got) return got.error();
      if (got->size() == expected.size()) sums[i].add(expected, *got);
    }
  }
  return logit_nrmse_of(sums);
}

Result<double> ActivationPatching::from_target() {
  return finish([&](int tensor, std::size_t frame) -> Result<std::vector<float>> {
    const auto partner = pairing_->target_of.find(tensor);
    if (partner == pairing_->target_of.end())
      return Error{ErrorKind::kNotFound, "a tensor has no partner"};
    auto values = real(*t_, partner->second, frame);
    if (!values) return values;
    return in_reference_order(*std::move(values), r_->find(tensor)->shape,
                              pairing_->order_of(partner->second));
  });
}

Result<double> ActivationPatching::with_replaced(int replaced,
                                                 const std::vector<std::vector<float>>& values) {
  return finish([&](int tensor, std::size_t frame) -> Result<std::vector<float>> {
    if (tensor == replaced) return values[frame];
    return real(*r_, tensor, frame);
  });
}

}  // namespace edgeprobe::layers
