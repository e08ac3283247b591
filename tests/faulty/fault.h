// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/result.h"
#include "runtime_structs.h"

namespace edgeprobe::faulty {

enum class Kind {
  kChannel,   ///< chan0: the channel of largest energy is zero.
  kLast,      ///< lastch: the last channel repeats the first.
  kOffset,    ///< offset: +5 steps, or +2 % of the range of a float tensor.
  kPadding,   ///< pad: the kernel sees its first input one row lower, the first row empty.
  kSaturate,  ///< sat: clipped at 35 % of the largest magnitude.
  kScale,     ///< scale: times 1.1.
  kDivisor,   ///< divisor: times 0.75, as when a pool divides by too large a window.
  kCrash,     ///< crash: the kernel ends its process by a signal.
  kHang,      ///< hang: the kernel never returns.
  kShown,     ///< shown: the process ends if the tensor is an output of the model; in other cases
              ///< the kernel is right.
  kHidden,    ///< hidden: times 0.75 while the model has one output; right if it has more.
  kTruncate,  ///< trunc: rounded down instead of to nearest (float: to 255 levels).
};

/// Which operators of the main graph are corrupted, and how.
struct PlantedFault {
  Kind kind = Kind::kOffset;
  std::optional<int> op;  ///< Index of the operator in the file.
  /// Index of the operator's first output tensor, which does not change when the model is cut.
  std::optional<int> output;
  std::string type;  ///< Every operator of that type, by its schema name ("CONV_2D").
};

/// "op=5 kind=offset", "output=32 kind=chan0", "type=CONV_2D kind=scale". kUsage for anything else.
Result<PlantedFault> fault_from_text(const std::string& text);

/// Corrupts the output that a kernel has just written. Only float32, int8 and uint8 tensors
/// (can_corrupt()).
void corrupt(Kind kind, Tensor& output);
bool can_corrupt(const Tensor& output);

}  // namespace edgeprobe::faulty
