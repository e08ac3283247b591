// SPDX-License-Identifier: Apache-2.0
// Pascal VOC's layout: JPEGImages/, Annotations/*.xml with boxes, SegmentationClass/*.png with the
// number of each pixel's class (255: border, not scored), and lists of names in ImageSets/.
#include <algorithm>

#include "core/csv.h"
#include "core/file.h"
#include "core/text.h"
#include "dataset/annotations/readers.h"
#include "dataset/layouts/files.h"
#include "dataset/sources.h"

namespace edgeprobe::dataset {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostXml = std::size_t{4} << 20;
/// VOC's classes in the order of its numbers; 0 is the background.
constexpr const char* kClasses[]{
    "background", "aeroplane", "bicycle",     "bird",  "boat",        "bottle", "bus",
    "car",        "cat",       "chair",       "cow",   "diningtable", "dog",    "horse",
    "motorbike",  "person",    "pottedplant", "sheep", "sofa",        "train",  "tvmonitor"};

/// The folder itself, or the only year in it: VOCdevkit/VOC2012.
Result<fs::path> root_of(const fs::path& folder) {
  std::error_code failure;
  if (fs::is_directory(folder / "JPEGImages", failure)) return folder;
  std::vector<fs::path> found;
  for (const fs::path& base : {folder, folder / "VOCdevkit"}) {
    if (!fs::is_directory(base, failure)) continue;
    EP_TRY(const auto names, folders_in(base));
    for (const std::string& name : names)
      if (fs::is_directory(base / name / "JPEGImages", failure)) found.push_back(base / name);
  }
  if (found.size() == 1) return found.front();
  return Error{ErrorKind::kUsage, found.empty() ? "there is no folder JPEGImages"
                                                : "there are several years, such as " +
                                                      in_quotes(found.front().string(), 200) +
                                                      "; name the folder of one"};
}

Result<std::vector<std::string>> names_in(const fs::path& list) {
  EP_TRY(const auto text, list_file(list, "voc"));
  std::vector<std::string> names;
  std::set<std::string> different;
  const auto lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto words = words_of(lines[i]);
    if (words.empty()) continue;
    if (words.size() > 1 || words.front().find_first_of("/\\") != std::string::npos)
      return at_line(list, i + 1,
                     "expected the name of one picture, found " + in_quotes(lines[i], 60));
    if (!different.insert(words.front()).second)
      return at_line(list, i + 1, in_quotes(words.front(), 60) + " appears twice");
    names.push_back(words.front());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<task::Annotation> boxes_of(const fs::path& file, ClassNumbers& numbers) {
  EP_TRY(const auto bytes, read_file(file, kMostXml));
  auto parsed = parse_voc(bytes, numbers);
  if (!parsed) return std::move(parsed.error()).during(in_quotes(file.string(), 200));
  if (fs::path(parsed->first).stem() != file.stem())
    return Error{ErrorKind::kCorrupt, in_quotes(file.string(), 200) +
                                          " annotates another picture, " +
                                          in_quotes(parsed->first, 80)};
  return task::Annotation(std::move(parsed->second));
}

}  // namespace

Result<DataSet> open_voc(const Place& place) {
  EP_TRY(const auto root, root_of(place.folder));
  const bool masks = place.option("annotations") == "masks";
  const fs::path list =
      root / "ImageSets" / (masks ? "Segmentation" : "Main") / (place.option("set") + ".txt");
  EP_TRY(const auto names, names_in(list));
  DataSet data;
  if (masks) data.classes.assign(std::begin(kClasses), std::end(kClasses));
  else data.classes = place.names;
  ClassNumbers numbers(place.names);
  Lone absent("pictures of the list do not exist"),
      bare("pictures of the list have no annotation, and are left out");
  for (const std::string& name : names) {
    const fs::path picture = root / "JPEGImages" / (name + ".jpg"),
                   annotation = masks ? root / "SegmentationClass" / (name + ".png")
                                      : root / "Annotations" / (name + ".xml");
    std::error_code failure;
    if (!fs::is_regular_file(picture, failure)) {
      absent.add(name);
      continue;
    }
    if (!fs::is_regular_file(annotation, failure)) {
      bare.add(name);
      continue;
    }
    Sample sample = sample_of_file(picture, "JPEGImages/" + name + ".jpg", std::nullopt);
    if (masks)
      sample.annotate = [annotation]() -> Result<task::Annotation> {
        EP_TRY(auto mask, read_mask(annotation));
        return task::Annotation(std::move(mask));
      };
    else {
      EP_TRY(sample.annotation, boxes_of(annotation, numbers));
    }
    data.samples.push_back(std::move(sample));
  }
  absent.note(data.notes);
  bare.note(data.notes);
  return data;
}

}  // namespace edgeprobe::dataset
