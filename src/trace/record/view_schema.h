// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/record/chunk_file.h"

namespace edgeprobe::trace {

/// Schemas that viewers of MCAP files understand: messages of package foxglove (protobuf, by their
/// published field numbers), and for curves the ROS 2 message for named numbers.
enum class ViewSchema : std::uint16_t {
  kCompressedImage = 1,  ///< timestamp 1, data 2, format 3, frame_id 4.
  /// timestamp 1, width 2, height 3, encoding 4, step 5, data 6, frame_id 7.
  kRawImage,
  kLog,  ///< timestamp 1, level 2, message 3, name 4.
  /// sensor_msgs/msg/JointState (CDR): header, name[], position[], velocity[], effort[].
  kJointState,
};
inline constexpr ViewSchema kViewSchemas[]{ViewSchema::kCompressedImage, ViewSchema::kRawImage,
                                           ViewSchema::kLog, ViewSchema::kJointState};

/// Name of the Metadata record that marks such a file.
inline constexpr const char* kViewMetadata = "edgeprobe.view";

/// The schema as stored in a file: its name, and a FileDescriptorSet or a text that describes it.
ChunkFile::Schema schema_of(ViewSchema schema);
/// "protobuf" or "cdr".
const char* message_encoding(ViewSchema schema);

/// The bytes of a JointState whose positions are `values`; names and values have the same length.
std::string joint_state(std::uint64_t time_ns, const std::vector<std::string>& names,
                        const std::vector<double>& values);

}  // namespace edgeprobe::trace
