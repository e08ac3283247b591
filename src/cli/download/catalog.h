// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace edgeprobe::cli {

/// One archive of a published data set.
struct DatasetArchive {
  std::string url;
  std::uint64_t bytes = 0;
  std::string sha256;
  std::vector<std::string> only;  ///< Beginnings of the members to unpack; empty: all.

  /// The file's name: after the last '/' of the address.
  std::string name() const;
};

/// The archives of a layout (dataset/layouts/layouts.h): lines
/// "LAYOUT<tab>URL<tab>BYTES<tab>SHA256" of the file $EDGEPROBE_DATASETS, which has a mirror's
/// addresses, if it has some of this layout; else the published ones. kUsage with the reason if
/// there are none, and for a line of the file that is not one.
Result<std::vector<DatasetArchive>> archives_of(std::string_view layout);

}  // namespace edgeprobe::cli
