// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "archive/zip.h"
#include "core/text.h"
#include "names/class_names.h"
#include "names/kinds.h"

namespace edgeprobe::names {
namespace {

constexpr archive::ZipKind kMetadata{"metadata of the model", "of files", std::uint64_t{1} << 31,
                                     1000};
constexpr std::string_view kIdentifier = "TFL3", kFirstMember = "PK\3\4";

// The archive appended to a model: its offsets count from the file's beginning, as written by
// Python's zipfile, or from its own.
struct Archive {
  ByteView bytes;
  std::vector<archive::ZipMember> members;
};
Archive archive_in(ByteView file) {
  const std::size_t begin = file.text().find(kFirstMember);
  if (begin == std::string_view::npos) return {};
  for (const ByteView bytes : {file, ByteView{file.data + begin, file.size - begin}})
    if (auto members = archive::read_zip(bytes, kMetadata);
        members && !members->empty() && archive::unpack(bytes, members->front(), kMetadata))
      return {bytes, *std::move(members)};
  return {};
}

}  // namespace

bool is_model(ByteView file) {
  return file.size >= 8 && file.text().substr(4, kIdentifier.size()) == kIdentifier;
}

Result<Names> read_model(ByteView file) {
  const Archive archive = archive_in(file);
  std::vector<archive::ZipMember> texts;
  std::copy_if(archive.members.begin(), archive.members.end(), std::back_inserter(texts),
               [](const auto& member) { return lower_case(member.name).ends_with(".txt"); });
  if (texts.size() > 1)
    std::erase_if(texts, [](const auto& member) {
      return lower_case(member.name).find("label") == std::string::npos;
    });
  if (texts.size() != 1)
    return Error{ErrorKind::kUsage,
                 texts.empty()
                     ? "is a .tflite file without a label file in its metadata: give the "
                       "label file itself"
                     : "is a .tflite file with several label files in its metadata: " +
                           joined(texts, ", ",
                                  [](const auto& member) { return in_quotes(member.name, 60); }) +
                           "; unpack it (it is a ZIP file, too) and give one"};
  EP_TRY(const auto text, archive::unpack(archive.bytes, texts[0], kMetadata));
  auto names = class_names(text, texts[0].name);
  if (!names) return std::move(names.error()).during("its metadata's " + in_quotes(texts[0].name));
  return names;
}

}  // namespace edgeprobe::names
