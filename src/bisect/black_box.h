// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "core/result.h"

namespace edgeprobe::bisect {

/// What a device made of the units [from, to), fed with the host's tensors at `from`.
struct Seen {
  int from = 0, to = 0;
  std::string refused;  ///< Why it gave nothing: it refused, crashed or hung; "" when it gave.
  /// Largest difference from the host's tensors at `to`, in units of one operator's limit.
  double excess = 0;
  /// Distance of the model's outputs from the host's when the host runs the rest: NRMSE.
  double gap = 0;
  std::shared_ptr<const void> values;  ///< The black box's own.
};

/// A model on a device that shows no layers, beside a host that does. Each device() is one run of
/// a part that is pushed to the device.
class BlackBox {
 public:
  virtual ~BlackBox() = default;
  virtual int units() const = 0;
  virtual std::string type(int unit) const = 0;
  virtual std::string name(int unit) const = 0;
  /// It computes in integers, whose steps of rounding add up along the model.
  virtual bool rounds() const = 0;
  /// What fails on the device is `refused`; an error is a failure of the host.
  virtual Result<Seen> device(int from, int to) = 0;
  /// What the host makes of before's tensors up to after.to, against after's: the largest
  /// difference in units of one operator's limit. Both begin at one place. No device run.
  virtual Result<double> residue(const Seen& before, const Seen& after) = 0;
  /// A repair: the host goes on from before's tensors up to `resume`, the device from there to
  /// `to`. No device run where `resume` is `to`. Seen::from is where `before` began.
  virtual Result<Seen> resumed(const Seen& before, int resume, int to) = 0;
};

}  // namespace edgeprobe::bisect
