// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/terminal/terminal.h"
#include "core/result.h"
#include "trace/export/table.h"
#include "trace/record/output_file.h"

namespace edgeprobe::cli {

/// Tables as Apache Parquet files, encoded by PyArrow in a child process
/// (python/edgeprobe/parquet). The child gets rows and returns the bytes of the file; only this
/// process writes files, so that they are created and replaced like all other outputs.
class ParquetWriter final : public trace::TableWriter {
 public:
  /// Without `python`: $EDGEPROBE_PYTHON or python3 if it has PyArrow, else an environment under
  /// $XDG_CACHE_HOME/edgeprobe. Starts nothing before the first table.
  ParquetWriter(std::string python, Terminal& terminal);
  ~ParquetWriter() override;
  ParquetWriter(const ParquetWriter&) = delete;
  ParquetWriter& operator=(const ParquetWriter&) = delete;

  Status begin(const std::filesystem::path& path, const std::vector<trace::TableColumn>& columns,
               bool replace) override;
  Status write(const std::vector<trace::TableCells>& columns) override;
  Status end() override;
  Status place() override;

 private:
  class Converter;
  Status start();

  std::string python_;
  Terminal& terminal_;
  std::unique_ptr<Converter> converter_;
  std::vector<trace::OutputFile> outputs_;  ///< The last one is the file being written.
};

}  // namespace edgeprobe::cli
