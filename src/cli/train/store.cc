// SPDX-License-Identifier: Apache-2.0
#include "cli/train/store.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/file.h"
#include "core/text.h"

namespace edgeprobe::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNpyHeader = 128;  // Room for any number of rows.

Error not_written(const fs::path& path, int code) {
  return {disk_error_kind(code, ErrorKind::kTarget), disk_problem(path, code)};
}

/// NumPy's format, version 1.0.
std::string npy_header(const std::string& type, std::size_t count, const Shape& row) {
  std::string shape = std::to_string(count) + ",";
  for (const std::int64_t size : row) shape += " " + std::to_string(size) + ",";
  std::string text =
      "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  text.resize(kNpyHeader - 11, ' ');
  const std::size_t length = kNpyHeader - 10;
  std::string header = "\x93NUMPY\x01";
  header += '\0';
  header += static_cast<char>(length & 255);
  header += static_cast<char>(length >> 8);
  return header + text + "\n";
}

Status write_all(int file, const fs::path& path, ByteView bytes) {
  for (std::size_t at = 0; at < bytes.size;) {
    const ssize_t done = ::write(file, bytes.data + at, bytes.size - at);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return not_written(path, errno);
    at += static_cast<std::size_t>(done);
  }
  return {};
}

template <class T>
ByteView bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const std::byte*>(values.data()), values.size_bytes()};
}

/// Adds `values`, `size` of them a row, and completes the file.
template <class T>
Status write_rows(NpyRows& file, std::span<const T> values, std::size_t size) {
  for (std::size_t at = 0; at < values.size(); at += size)
    EP_CHECK(file.add(bytes_of(values.subspan(at, size))));
  return file.finish();
}

}  // namespace

Result<NpyRows> NpyRows::create(const fs::path& path, const char* type, const Shape& row) {
  NpyRows made;
  made.path_ = path;
  made.type_ = type;
  made.row_ = row;
  made.file_ =
      Descriptor(::open(path.c_str(), O_CREAT | O_TRUNC | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (made.file_.get() < 0) return not_written(path, errno);
  EP_CHECK(write_all(made.file_.get(), path, view_of(std::string(kNpyHeader, ' '))));
  return made;
}

Status NpyRows::add(ByteView row) {
  EP_CHECK(write_all(file_.get(), path_, row));
  ++count_;
  return {};
}

Status NpyRows::finish() {
  const std::string header = npy_header(type_, count_, row_);
  if (::pwrite(file_.get(), header.data(), header.size(), 0) !=
          static_cast<ssize_t>(header.size()) ||
      ::fsync(file_.get()) != 0)
    return not_written(path_, errno);
  return {};
}

Status NpyRows::read(std::size_t number, std::span<std::byte> row) const {
  const auto begin = static_cast<off_t>(kNpyHeader + number * row.size());
  const ssize_t got = ::pread(file_.get(), row.data(), row.size(), begin);
  if (got != static_cast<ssize_t>(row.size()))
    return Error{ErrorKind::kTarget,
                 "'" + sanitized(path_.string(), 300) + "' cannot be read back"};
  return {};
}

Result<StoreWriter> StoreWriter::create(const fs::path& folder, const Shape& shape) {
  StoreWriter made(folder, shape);
  made.codes_.emplace(shape, /*by_channel=*/false);
  made.row_.resize(element_count(shape).value_or(0));
  EP_CHECK(made.open_rows());
  return made;
}

Status StoreWriter::open_rows() {
  const std::string name = "inputs.npy." + std::to_string(forms_++);
  EP_TRY(auto rows, NpyRows::create(folder_ / name, codes_ ? "|u1" : "<f4", shape_));
  rows_ = std::make_unique<NpyRows>(std::move(rows));
  return {};
}

Status StoreWriter::widen() {
  const Codes narrow = std::move(*codes_);
  const auto before = std::move(rows_);
  codes_.reset();
  if (Codes wide(shape_, /*by_channel=*/true); wide.tables() > narrow.tables())
    codes_ = std::move(wide);
  EP_CHECK(open_rows());
  std::vector<std::uint8_t> codes(row_.size());
  std::vector<float> values(row_.size());
  for (std::size_t i = 0; i < before->count(); ++i) {
    EP_CHECK(before->read(i, std::as_writable_bytes(std::span(codes))));
    narrow.decode(codes, values);
    EP_CHECK(add(values));
  }
  std::error_code ignored;
  fs::remove(before->path(), ignored);
  return {};
}

Status StoreWriter::add(std::span<const float> values) {
  while (codes_) {
    if (codes_->encode(values, row_))
      return rows_->add(bytes_of(std::span<const std::uint8_t>(row_)));
    EP_CHECK(widen());
  }
  return rows_->add(bytes_of(values));
}

Status StoreWriter::finish(const std::vector<std::int32_t>& labels) {
  EP_CHECK(rows_->finish());
  EP_TRY(auto classes, NpyRows::create(folder_ / "labels.npy", "<i4", {}));
  EP_CHECK(write_rows(classes, std::span(labels), 1));
  if (codes_) {
    const std::vector<float> table = codes_->table();
    EP_TRY(auto tables, NpyRows::create(folder_ / "table.npy", "<f4",
                                        {static_cast<std::int64_t>(Codes::kMost)}));
    EP_CHECK(write_rows(tables, std::span(table), Codes::kMost));
  }
  std::error_code failed;
  fs::rename(rows_->path(), folder_ / "inputs.npy", failed);
  if (failed) return not_written(folder_ / "inputs.npy", failed.value());
  return {};
}

}  // namespace edgeprobe::cli
