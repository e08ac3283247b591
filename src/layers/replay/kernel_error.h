// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "layers/pairing/values.h"
#include "layers/replay/fragment.h"

namespace edgeprobe::layers {

/// How far a layer's recorded output lies from what the host's kernels make of the layer's recorded
/// inputs. Nothing that went wrong before the layer counts.
struct KernelError {
  int layer = -1;           ///< Of the target's graph.
  std::string not_checked;  ///< Why there are no numbers; empty when there are.
  bool integer = false;     ///< Numbers are in steps of the output; else relative to its RMS.
  double largest = 0;       ///< Largest absolute difference.
  /// Signed mean over live elements: off the ends of the range and off the zero point.
  double mean = 0;
  double differing = 0;    ///< Share of elements that differ at all.
  double relative_l2 = 0;  ///< Of the real values.
  std::uint64_t elements = 0, live = 0;
  std::uint64_t not_finite = 0;  ///< NaN or infinite on one side only.
  /// Integer: distinct range of the host's output in steps; below 8 a fault may hide in one step.
  double steps_used = 0;
  bool faulty = false;
};

/// What is added up over tensors and frames before a kernel error can be told.
struct KernelErrorSums {
  double largest = 0, live = 0, squared = 0, norm = 0, low = 1e300, high = -1e300;
  std::uint64_t elements = 0, differing = 0, live_count = 0, not_finite = 0;
  bool integers = true;

  /// One tensor of one frame, as the host and as the other side made it from the same inputs;
  /// `stored` is what the model file says of it. kUnsupported when their sizes differ.
  Status add(const TensorSpec& stored, const Tensor& host, const Tensor& seen);
  /// The same of codes.
  void add_codes(const TensorSpec& stored, const std::vector<float>& expected,
                 const std::vector<float>& seen);
  /// The kernel error, judged as one of `layer`.
  KernelError judged(const ModelFile& target, int layer) const;
};

/// Kernel kernel error of one layer. `fragment` is the layer alone.
Result<KernelError> kernel_error_of(const ModelFile& target, int layer, Fragment& fragment,
                                    const Values& values);

/// Why this layer cannot be run alone on recorded values; empty when it can. The values need its
/// inputs and outputs.
std::string unplayable(const ModelFile& target, int layer, const Values& values);

/// The layer alone, on the host, for these values.
Result<Fragment> open_layer(const Host& host, const ModelFile& model, int layer,
                            const Values& values);

/// The error in units of the limit for this layer's arithmetic: above 1 it is faulty. 10^9 stands
/// for "without bound".
double excess(const ModelFile& target, const KernelError& kernel_error);
/// Sets `faulty` by the limits for this layer's arithmetic (docs/internals/diagnosis.md).
void judge(const ModelFile& target, KernelError& kernel_error);

}  // namespace edgeprobe::layers
