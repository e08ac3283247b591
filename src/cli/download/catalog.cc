// SPDX-License-Identifier: Apache-2.0
// Sizes and SHA-256 as published by TensorFlow Datasets (url_checksums/ and
// datasets/*/checksums.tsv of its repository), addresses as by torchvision and torchaudio. A data
// set without a published SHA-256 is not fetched.
#include "cli/download/catalog.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

#include "core/csv.h"
#include "core/file.h"
#include "core/text.h"

namespace edgeprobe::cli {
namespace {

struct Published {
  const char* layout;
  const char* url;
  std::uint64_t bytes;
  const char* sha256;
  const char* only;  ///< Separated by blanks.
};

constexpr std::array kPublished{
    Published{"pets", "https://www.robots.ox.ac.uk/~vgg/data/pets/data/images.tar.gz", 791'918'971,
              "67195c5e1c01f1ab5f9b6a5d22b8c27a580d896ece458917e61d459337fa318d", ""},
    Published{"pets", "https://www.robots.ox.ac.uk/~vgg/data/pets/data/annotations.tar.gz",
              19'173'078, "52425fb6de5c424942b7626b428656fcbd798db970a937df61750c0f1d358e91", ""},
    Published{"coco", "http://images.cocodataset.org/zips/val2017.zip", 815'585'330,
              "4f7e2ccb2866ec5041993c9cf2a952bbed69647b115d0f74da7ce8f4bef82f05", ""},
    Published{"coco", "http://images.cocodataset.org/annotations/annotations_trainval2017.zip",
              252'907'541, "113a836d90195ee1f884e704da6304dfaaecff1f023f49b6ca93c4aaae470268",
              "annotations/instances_val2017.json annotations/person_keypoints_val2017.json"},
    Published{"voc", "http://host.robots.ox.ac.uk/pascal/VOC/voc2012/VOCtrainval_11-May-2012.tar",
              1'999'639'040, "e14f763270cf193d0b5f74b169f44157a4b0c6efa708f4dd0ff78ee691763bcb",
              ""},
    Published{"speech_commands", "http://download.tensorflow.org/data/speech_commands_v0.02.tar.gz",
              2'428'923'189, "af14739ee7dc311471de98f5f9d2c9191b18aedfe957f4a6ff791c709868ff58",
              ""},
};

constexpr std::size_t kMostCatalog = std::size_t{1} << 20, kShaDigits = 64;

std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields(1);
  for (const char c : line) {
    if (c == '\t') fields.emplace_back();
    else fields.back() += c;
  }
  return fields;
}

/// Archives of a layout in the user's own list.
Result<std::vector<DatasetArchive>> listed(const char* file, std::string_view layout) {
  const auto bytes = read_file(file, kMostCatalog);
  if (!bytes) return Error{ErrorKind::kUsage, "$EDGEPROBE_DATASETS: " + bytes.error().what};
  std::vector<DatasetArchive> found;
  const auto lines = lines_of(ByteView(*bytes).text());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].empty() || lines[i].front() == '#') continue;
    const auto fields = fields_of(lines[i]);
    DatasetArchive one;
    bool good = fields.size() == 4 && fields[3].size() == kShaDigits &&
                fields[3].find_first_not_of("0123456789abcdef") == std::string::npos;
    if (good) {
      const char* const end = fields[2].data() + fields[2].size();
      const auto [at, failure] = std::from_chars(fields[2].data(), end, one.bytes);
      one.url = fields[1];
      one.sha256 = fields[3];
      const std::string name = one.name();
      good = failure == std::errc{} && at == end && one.bytes > 0 && !name.empty() &&
             name.front() != '.';
    }
    if (!good)
      return Error{ErrorKind::kUsage,
                   "$EDGEPROBE_DATASETS: '" + sanitized(file, 200) + "' line " +
                       std::to_string(i + 1) +
                       ": expected a layout, an address, the bytes and the SHA-256 of an archive, "
                       "separated by tabs"};
    if (fields[0] == layout) found.push_back(std::move(one));
  }
  return found;
}

const char* why_not(std::string_view layout) {
  if (layout == "imagenet")
    return "its licence needs an agreement with image-net.org; unpack the files from there";
  if (layout == "magic_wand") return "no SHA-256 of its archive is published; unpack it yourself";
  return "there is no archive of it";
}

}  // namespace

std::string DatasetArchive::name() const { return url.substr(url.rfind('/') + 1); }

Result<std::vector<DatasetArchive>> archives_of(std::string_view layout) {
  if (const char* const file = std::getenv("EDGEPROBE_DATASETS"); file && *file) {
    EP_TRY(auto found, listed(file, layout));
    if (!found.empty()) return found;
  }
  // Its pictures are COCO's.
  const std::string_view published = layout == "visual_wake_words" ? "coco" : layout;
  std::vector<DatasetArchive> archives;
  for (const Published& one : kPublished) {
    if (one.layout != published) continue;
    DatasetArchive archive{one.url, one.bytes, one.sha256, {}};
    for (std::string_view left = one.only; !left.empty();) {
      const std::size_t end = std::min(left.find(' '), left.size());
      archive.only.emplace_back(left.substr(0, end));
      left.remove_prefix(std::min(end + 1, left.size()));
    }
    archives.push_back(std::move(archive));
  }
  if (!archives.empty()) return archives;
  return Error{ErrorKind::kUsage, "--download-dataset: '" + std::string(layout) +
                                      "' cannot be fetched: " + why_not(layout)};
}

}  // namespace edgeprobe::cli
