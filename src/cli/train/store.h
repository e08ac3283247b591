// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/train/codes.h"
#include "core/bytes.h"
#include "core/descriptor.h"
#include "core/result.h"
#include "core/shape.h"

namespace edgeprobe::cli {

/// A .npy file whose number of rows is known only at its end.
class NpyRows {
 public:
  /// `type`: NumPy's, such as "|u1" and "<f4".
  static Result<NpyRows> create(const std::filesystem::path& path, const char* type,
                                const Shape& row);
  Status add(ByteView row);
  /// Writes the header; the file is then complete and on the disk.
  Status finish();

  const std::filesystem::path& path() const { return path_; }
  std::size_t count() const { return count_; }
  /// Reads a row back.
  Status read(std::size_t number, std::span<std::byte> row) const;

 private:
  NpyRows() = default;
  std::filesystem::path path_;
  std::string type_;
  Shape row_;
  Descriptor file_;
  std::size_t count_ = 0;
};

/// Writes the inputs of a training as `inputs.npy`: 8-bit codes with `table.npy` as long as they
/// restore all values bit for bit, else float32. Both are plain NumPy files that can be mapped.
class StoreWriter {
 public:
  /// `shape`: of one sample, without its batch dimension.
  static Result<StoreWriter> create(const std::filesystem::path& folder, const Shape& shape);

  /// The values of one sample. kLimit if the disk is full.
  Status add(std::span<const float> values);
  /// Completes the files; `labels` has a class for each sample.
  Status finish(const std::vector<std::int32_t>& labels);

  std::size_t count() const { return rows_->count(); }
  bool holds_codes() const { return codes_.has_value(); }

 private:
  StoreWriter(std::filesystem::path folder, Shape shape)
      : folder_(std::move(folder)), shape_(std::move(shape)) {}
  Status open_rows();
  /// Writes the samples so far in the next form: codes by channel, then float32.
  Status widen();

  std::filesystem::path folder_;
  Shape shape_;
  std::optional<Codes> codes_;  ///< Empty: float32.
  std::unique_ptr<NpyRows> rows_;
  std::vector<std::uint8_t> row_;
  int forms_ = 0;  ///< Files begun: each form is a new one.
};

}  // namespace edgeprobe::cli
