// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "core/bytes.h"

namespace edgeprobe::model {

/// The texts that an exporter wrote into an ONNX file (metadata_props), by name; empty for a file
/// of another kind, or one that cannot be read.
std::map<std::string, std::string> properties(ByteView file);

}  // namespace edgeprobe::model
