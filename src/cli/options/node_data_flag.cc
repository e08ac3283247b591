// SPDX-License-Identifier: Apache-2.0
#include "cli/options/node_data_flag.h"

#include "core/file.h"

namespace edgeprobe::cli {

void add_node_data(Parser& parser, std::string& file) {
  parser
      .option("--node-data", file,
              "The drift of each layer as node data of Model Explorer, which colours the target's "
              "graph by it (JSON)")
      .type("FILE");
}

Status write_node_data(const std::string& file, const std::vector<report::TensorDrift>& drifts) {
  return file.empty() ? Status() : write_file(file, view_of(report::node_data_text(drifts)));
}

}  // namespace edgeprobe::cli
