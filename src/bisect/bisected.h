// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "bisect/found.h"
#include "engine/engine.h"
#include "evidence/evidence.h"

namespace edgeprobe::bisect {

/// Name of a unit in the file's terms.
struct UnitName {
  std::string text;  ///< "#12 CONV_2D 'block1/conv'".
  int first = 0, last = 0, layer = 0;
  std::vector<int> joined;   ///< See Unit.
  std::string type, output;  ///< Type and first tensor of `layer`.
};

/// A tensor that the host does not expose.
struct NotShown {
  int layer = -1;  ///< The layer that makes it.
  std::string type, name, reason;
};

/// A minimal reproduction written to a file.
struct Written {
  std::size_t wrong = 0;  ///< Index into Found::wrong.
  std::string file;
  std::size_t bytes = 0;
  std::size_t runs = 0;  ///< Number of device runs used to shrink it.
  /// Reason why there is no file, or why it is larger than intended; else "".
  std::string incomplete;
};

/// Result of a bisection.
struct Bisected {
  std::string model, sha256;
  engine::EngineIdentity device, host;
  std::string device_options;  ///< As JSON.
  std::vector<evidence::DelegateFile> delegates;
  std::string inputs;  ///< "pictures", "seeded random inputs".
  std::size_t frames = 0;
  std::vector<UnitName> units;
  std::vector<NotShown> not_shown;
  Found found;
  std::vector<Written> written;
};

}  // namespace edgeprobe::bisect
