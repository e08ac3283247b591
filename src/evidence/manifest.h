// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "evidence/evidence.h"

/// manifest.json. Internal to this folder.
namespace edgeprobe::evidence {

/// The manifest's data about the other members.
struct Manifest {
  Evidence evidence;                          ///< Without the bytes of the model and the tensors.
  std::string model;                          ///< Member name.
  std::vector<std::string> inputs, expected;  ///< Member names.
  std::map<std::string, std::string> hashes;  ///< Keyed by member name.
};

std::string to_json(const Manifest& manifest);
/// kCorrupt names the key that is missing or of another type.
Result<Manifest> manifest_from_json(std::string_view text);

}  // namespace edgeprobe::evidence
