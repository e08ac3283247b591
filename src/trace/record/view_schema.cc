// SPDX-License-Identifier: Apache-2.0
#include "trace/record/view_schema.h"

#include "core/protobuf.h"

namespace edgeprobe::trace {
namespace {

// Numbers from google/protobuf/descriptor.proto.
enum Type {
  kInt64 = 3,
  kInt32 = 5,
  kFixed32 = 7,
  kText = 9,
  kMessage = 11,
  kBytes = 12,
  kEnum = 14
};
constexpr std::uint64_t kOptional = 1;  // a field's label
constexpr const char* kTimestampFile = "google/protobuf/timestamp.proto";

ProtoWriter field(const char* name, int number, Type type, const char* type_name = nullptr) {
  ProtoWriter descriptor;
  descriptor.bytes(1, name)
      .whole(3, static_cast<std::uint64_t>(number))
      .whole(4, kOptional)
      .whole(5, type);
  if (type_name) descriptor.bytes(6, type_name);
  return descriptor;
}
ProtoWriter timestamp_field() {
  return field("timestamp", 1, kMessage, ".google.protobuf.Timestamp");
}

ProtoWriter message(const char* name, const std::vector<ProtoWriter>& fields) {
  ProtoWriter descriptor;
  descriptor.bytes(1, name);
  for (const ProtoWriter& one : fields) descriptor.bytes(2, one);
  return descriptor;
}

ProtoWriter file(const std::string& name, const char* package, const ProtoWriter& message,
                 bool has_timestamp) {
  ProtoWriter descriptor;
  descriptor.bytes(1, name).bytes(2, package);
  if (has_timestamp) descriptor.bytes(3, kTimestampFile);
  return descriptor.bytes(4, message).bytes(12, "proto3");
}

ProtoWriter levels() {
  ProtoWriter descriptor;
  descriptor.bytes(1, "Level");
  int number = 0;
  for (const char* name : {"UNKNOWN", "DEBUG", "INFO", "WARNING", "ERROR", "FATAL"}) {
    ProtoWriter value;
    descriptor.bytes(2, value.bytes(1, name).whole(2, static_cast<std::uint64_t>(number++)));
  }
  return descriptor;
}

ChunkFile::Schema foxglove(const char* name, const ProtoWriter& message_type) {
  const ProtoWriter time =
      file(kTimestampFile, "google.protobuf",
           message("Timestamp", {field("seconds", 1, kInt64), field("nanos", 2, kInt32)}), false);
  ProtoWriter set;
  set.bytes(1, time).bytes(
      1, file(std::string("foxglove/") + name + ".proto", "foxglove", message_type, true));
  return {std::string("foxglove.") + name, "protobuf", set.text()};
}

/// Plain CDR, little-endian: every number is aligned to a multiple of its size, counted from after
/// the four header bytes.
class Cdr {
 public:
  void whole(std::uint32_t value) { number(value); }
  void real(double value) { number(value); }
  void text(const std::string& value) {
    number(static_cast<std::uint32_t>(value.size() + 1));
    bytes_.append(value.c_str(), value.size() + 1);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  template <class T>
  void number(T value) {
    while ((bytes_.size() - 4) % sizeof value) bytes_ += '\0';
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  std::string bytes_{"\0\1\0\0", 4};
};

}  // namespace

ChunkFile::Schema schema_of(ViewSchema schema) {
  switch (schema) {
    case ViewSchema::kCompressedImage:
      return foxglove(
          "CompressedImage",
          message("CompressedImage", {timestamp_field(), field("data", 2, kBytes),
                                      field("format", 3, kText), field("frame_id", 4, kText)}));
    case ViewSchema::kRawImage:
      return foxglove("RawImage",
                      message("RawImage", {timestamp_field(), field("width", 2, kFixed32),
                                           field("height", 3, kFixed32),
                                           field("encoding", 4, kText), field("step", 5, kFixed32),
                                           field("data", 6, kBytes), field("frame_id", 7, kText)}));
    case ViewSchema::kLog: {
      ProtoWriter log =
          message("Log", {timestamp_field(), field("level", 2, kEnum, ".foxglove.Log.Level"),
                          field("message", 3, kText), field("name", 4, kText),
                          field("file", 5, kText), field("line", 6, kFixed32)});
      return foxglove("Log", log.bytes(4, levels()));
    }
    case ViewSchema::kJointState: break;
  }
  const std::string rule = std::string(80, '=') + "\n";
  return {"sensor_msgs/msg/JointState", "ros2msg",
          "std_msgs/Header header\nstring[] name\nfloat64[] position\nfloat64[] "
          "velocity\nfloat64[] effort\n" +
              rule + "MSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id\n" +
              rule + "MSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n"};
}

const char* message_encoding(ViewSchema schema) {
  return schema == ViewSchema::kJointState ? "cdr" : "protobuf";
}

std::string joint_state(std::uint64_t time_ns, const std::vector<std::string>& names,
                        const std::vector<double>& values) {
  Cdr out;
  out.whole(static_cast<std::uint32_t>(time_ns / 1'000'000'000));
  out.whole(static_cast<std::uint32_t>(time_ns % 1'000'000'000));
  out.text("");
  out.whole(static_cast<std::uint32_t>(names.size()));
  for (const std::string& name : names) out.text(name);
  out.whole(static_cast<std::uint32_t>(values.size()));
  for (const double value : values) out.real(value);
  out.whole(0);  // velocity
  out.whole(0);  // effort
  return out.bytes();
}

}  // namespace edgeprobe::trace
