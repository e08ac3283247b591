// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocol/generation.h"
#include "protocol/io_spec.h"

/// Packed structures that replace JSON on a serial line.
namespace edgeprobe::protocol {

inline constexpr std::size_t kIoSpecBytesG2 = 160;
inline constexpr std::size_t kIoSpecBytesG3 = 356;

/// kUnsupported for content that the structure cannot hold: more than 2 inputs or 12 outputs, more
/// than 4 dimensions, names of 20 bytes or more; in g2 also outputs of several dtypes.
Result<Bytes> io_spec_to_serial(const IoSpec& spec, Generation generation);
/// Outputs in g2 have one dimension, their number of elements. kCorrupt for another size, for
/// counts beyond the capacity and for an unknown type.
Result<IoSpec> io_spec_from_serial(ByteView payload, Generation generation);

/// A statistic reported by a device.
struct DeviceFigure {
  std::string name;
  std::uint64_t kind = 0;  ///< Used in g3 and g4; 0 in g2.
  std::uint64_t value = 0;

  bool operator==(const DeviceFigure&) const = default;
};
/// Names beyond 31 bytes are truncated.
Bytes figures_to_serial(const std::vector<DeviceFigure>& figures, Generation generation);
/// kCorrupt if the payload is not a whole number of records.
Result<std::vector<DeviceFigure>> figures_from_serial(ByteView payload, Generation generation);

}  // namespace edgeprobe::protocol
