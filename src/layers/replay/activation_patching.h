// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "layers/replay/fragment.h"
#include "layers/replay/local_error.h"

namespace edgeprobe::layers {

/// The reference's model after one of its layers: computes the logits that follow from given
/// tensors.
class ActivationPatching {
 public:
  /// `logits` are tensors of the reference. kNotFound if a tensor that is live after `layer` has no
  /// partner with values.
  static Result<ActivationPatching> open(const Host& host, const ModelFile& reference, int layer,
                                         const std::vector<int>& logits, const Pairing& pairing,
                                         const Values& reference_values,
                                         const Values& target_values);

  /// Logit NRMSE if the reference continues from the target's tensors: the effect of all layers so
  /// far.
  Result<double> from_target();
  /// Logit NRMSE if only `tensor` of the reference is replaced, by one vector per frame.
  Result<double> with_replaced(int tensor, const std::vector<std::vector<float>>& values);

 private:
  ActivationPatching(std::optional<Fragment> rest, ModelFile reference,
                     const std::vector<int>& logits, const Pairing& pairing,
                     const Values& reference_values, const Values& target_values)
      : rest_(std::move(rest)),
        reference_(reference),
        logits_(logits),
        pairing_(&pairing),
        r_(&reference_values),
        t_(&target_values) {}
  template <class Feed>
  Result<double> finish(const Feed& feed);

  std::optional<Fragment> rest_;  ///< Unset if all logits are computed already.
  ModelFile reference_;
  std::vector<int> logits_;
  const Pairing* pairing_;
  const Values *r_, *t_;
};

}  // namespace edgeprobe::layers
