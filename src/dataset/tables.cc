// SPDX-License-Identifier: Apache-2.0
#include "dataset/tables.h"

#include <fstream>
#include <memory>
#include <utility>

#include "core/file.h"
#include "core/text.h"
#include "dataset/readings/recording.h"

namespace edgeprobe::dataset {
namespace {

constexpr std::size_t kMostTableBytes = std::size_t{512} << 20, kHead = std::size_t{1} << 16;

std::string axes_text(const std::vector<std::string>& names) {
  return sanitized(joined(names), 120);
}

}  // namespace

bool is_table_name(const std::filesystem::path& file) {
  const std::string ending = file.extension().string();
  return ending == ".csv" || ending == ".CSV";
}

bool holds_recording(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string head(kHead, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(in.gcount()));
  return is_recording(head);
}

Result<Sample> Tables::open(const std::filesystem::path& file, const std::string& name,
                            std::optional<task::Annotation> annotation) {
  EP_TRY(const auto bytes, read_file(file, kMostTableBytes));
  EP_TRY(auto read,
         read_recording(ByteView(bytes).text(), "'" + sanitized(file.string()) + "'", classes_));
  if (first_.empty()) {
    first_ = name;
    axes_ = read.axes;
  }
  if (read.axes != axes_)
    return Error{ErrorKind::kUsage,
                 "'" + sanitized(file.string()) + "' line 1: its axes are " + axes_text(read.axes) +
                     "; those of '" + sanitized(first_) + "' are " + axes_text(axes_) +
                     ": give tables with one header, or each in a folder of its own"};
  if (!read.note.empty() && !note_.empty()) ++other_notes_;
  else if (!read.note.empty()) note_ = "'" + sanitized(name) + "': " + read.note;
  if (!annotation)
    if (const int most = majority(read, 0, read.series.steps()); most >= 0)
      annotation = task::ClassLabel{most};
  auto series = std::make_shared<const sensor::Series>(std::move(read.series));
  return Sample{name, std::move(annotation), [series, hash = sha256(bytes)]() -> Result<Loaded> {
                  return Loaded{Readings{*series}, hash};
                }};
}

std::string Tables::note() const {
  return note_ + (other_notes_ > 0
                      ? "; the same of " + std::to_string(other_notes_) + " other recordings"
                      : "");
}

}  // namespace edgeprobe::dataset
