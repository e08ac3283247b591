// SPDX-License-Identifier: Apache-2.0
#include "model/properties.h"

#include "model/onnx/proto.h"
#include "model/onnx/wire.h"

namespace edgeprobe::model {

std::map<std::string, std::string> properties(ByteView file) {
  WireReader reader(file, "");
  const onnx::Model read = onnx::read_model(reader);
  std::map<std::string, std::string> out;
  if (reader.failed()) return out;
  for (const onnx::Entry& entry : read.metadata) out[std::string(entry.key)] = entry.value;
  return out;
}

}  // namespace edgeprobe::model
