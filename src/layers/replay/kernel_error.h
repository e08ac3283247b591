// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "layers/pairing/values.h"
#include "layers/replay/fragment.h"

namespace edgeprobe::layers {

/// Distance of a layer's recorded output from the host kernels' result on the layer's recorded
/// inputs. Independent of errors before the layer.
struct KernelError {
  int layer = -1;           ///< Index in the target's graph.
  std::string not_checked;  ///< Why there are no numbers; empty if there are.
  bool integer = false;     ///< Numbers are in steps of the output; else relative to its RMS.
  double largest = 0;       ///< Largest absolute difference.
  /// Signed mean over live elements: away from the ends of the range and the zero point.
  double mean = 0;
  double differing = 0;    ///< Fraction of elements that differ at all.
  double relative_l2 = 0;  ///< Computed from the real values.
  std::uint64_t elements = 0, live = 0;
  std::uint64_t not_finite = 0;  ///< Elements that are NaN or infinite on only one side.
  /// Integer: range of the host's output in steps; below 8 a fault may hide within one step.
  double steps_used = 0;
  bool faulty = false;
};

/// Sums over tensors and frames for a kernel error.
struct KernelErrorSums {
  double largest = 0, live = 0, squared = 0, norm = 0, low = 1e300, high = -1e300;
  std::uint64_t elements = 0, differing = 0, live_count = 0, not_finite = 0;
  bool integers = true;

  /// Adds one tensor of one frame, computed by the host and the other side from the same inputs;
  /// `stored` is its spec in the model file. kUnsupported if their sizes differ.
  Status add(const TensorSpec& stored, const Tensor& host, const Tensor& seen);
  /// add() for codes.
  void add_codes(const TensorSpec& stored, const std::vector<float>& expected,
                 const std::vector<float>& seen);
  /// The kernel error, judged as that of `layer`.
  KernelError judged(const ModelFile& target, int layer) const;
};

/// Kernel error of one layer. `fragment` contains only that layer.
Result<KernelError> kernel_error_of(const ModelFile& target, int layer, Fragment& fragment,
                                    const Values& values);

/// Why this layer cannot be run by itself on recorded values; empty if it can. The values must
/// include its inputs and outputs.
std::string unplayable(const ModelFile& target, int layer, const Values& values);

/// Opens only this layer, on the host, for these values.
Result<Fragment> open_layer(const Host& host, const ModelFile& model, int layer,
                            const Values& values);

/// The error in units of the limit for this layer's arithmetic: above 1 it is faulty. 10^9 means
/// "without bound".
double excess(const ModelFile& target, const KernelError& kernel_error);
/// Sets `faulty` by the limits for this layer's arithmetic (docs/internals/diagnosis.md).
void judge(const ModelFile& target, KernelError& kernel_error);

}  // namespace edgeprobe::layers
