// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "core/result.h"

namespace edgeprobe::bisect {

/// The device's result for the units [from, to), fed with the host's tensors at `from`.
struct Seen {
  int from = 0, to = 0;
  /// Reason for a missing result: the device refused, crashed or hung; else "".
  std::string refused;
  /// Largest difference from the host's tensors at `to`, in units of one operator's limit.
  double excess = 0;
  /// NRMSE of the model's outputs against the host's if the host runs the rest.
  double gap = 0;
  std::shared_ptr<const void> values;  ///< Owned by the black box.
};

/// A model on a device that exposes no layers, and on a host that does. Each device() is one run of
/// a part that is pushed to the device.
class BlackBox {
 public:
  virtual ~BlackBox() = default;
  virtual int units() const = 0;
  virtual std::string type(int unit) const = 0;
  virtual std::string name(int unit) const = 0;
  /// True if it computes in integers, whose rounding accumulates along the model.
  virtual bool rounds() const = 0;
  /// A failure on the device is reported in Seen::refused; an error means that the host failed.
  virtual Result<Seen> device(int from, int to) = 0;
  /// Largest difference between two results at after.to, in units of one operator's limit: `after`,
  /// and the host's result when it continues from `before`. Both begin at the same unit. Needs no
  /// device run.
  virtual Result<double> residue(const Seen& before, const Seen& after) = 0;
  /// A repair: the host continues from before's tensors up to `resume`, the device from there to
  /// `to`. Needs no device run if `resume` is `to`. Seen::from is where `before` began.
  virtual Result<Seen> resumed(const Seen& before, int resume, int to) = 0;
};

}  // namespace edgeprobe::bisect
