// SPDX-License-Identifier: Apache-2.0
// COCO's layout: annotations/instances_SET.json, pictures in SET/, images/SET/ or images/. Visual
// Wake Words (arXiv:1906.05721) are two classes of it: 1 with a person whose area is above 0.5 % of
// the picture, else 0.
#include <algorithm>
#include <charconv>

#include "core/file.h"
#include "core/text.h"
#include "dataset/annotations/readers.h"
#include "dataset/layouts/files.h"
#include "dataset/sources.h"

namespace edgeprobe::dataset {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostJson = std::size_t{1} << 30;
constexpr double kSmallest = 0.005;

/// The one SET of annotations/KIND_SET.json.
Result<std::string> set_of(const Place& place, const std::string& kind) {
  if (const std::string given = place.option("set"); !given.empty()) {
    if (given.find_first_of("/\\") == std::string::npos) return given;
    return Error{ErrorKind::kUsage, "set=" + sanitized(given, 60) + ": expected a word as val2017"};
  }
  EP_TRY(const auto files, files_below(place.folder / "annotations", {".json"}));
  std::vector<std::string> sets;
  for (const std::string& file : files)
    if (file.starts_with(kind + "_"))
      sets.push_back(file.substr(kind.size() + 1, file.size() - kind.size() - 6));
  if (sets.size() == 1) return sets.front();
  return Error{ErrorKind::kUsage,
               sets.empty() ? "annotations/ contains no " + kind + "_SET.json"
                            : "annotations/ contains the sets " + sanitized(listed(sets), 200) +
                                  "; choose one with ?set=" + sanitized(sets.front(), 60)};
}

Result<fs::path> pictures_of(const Place& place, const std::string& set) {
  std::error_code failure;
  for (const fs::path& folder : {fs::path(set), fs::path("images") / set, fs::path("images")})
    if (fs::is_directory(place.folder / folder, failure)) return folder;
  return Error{ErrorKind::kUsage, "there is neither " + set + "/ nor images/" + set +
                                      "/ nor images/ with the pictures"};
}

/// Pictures and their boxes or points.
Result<DataSet> opened(const Place& place, const std::string& kind) {
  EP_TRY(const auto set, set_of(place, kind));
  const fs::path file = place.folder / "annotations" / (kind + "_" + set + ".json");
  const auto bytes = read_file(file, kMostJson);
  if (!bytes && bytes.error().kind == ErrorKind::kNotFound)
    return Error{ErrorKind::kUsage, in_quotes(file.string(), 200) + " does not exist"};
  if (!bytes) return Error(bytes.error());
  auto annotated = parse_coco(*bytes, place.names);
  if (!annotated) return std::move(annotated.error()).during(in_quotes(file.string(), 200));
  EP_TRY(const auto folder, pictures_of(place, set));
  EP_TRY(const auto files, files_below(place.folder / folder, picture_extensions()));
  DataSet data;
  data.classes = place.names;
  Lone unlisted("pictures are not in " + file.filename().string() + ", and are left out"),
      absent("pictures of " + file.filename().string() + " do not exist");
  for (const std::string& picture : files) {
    const auto known = annotated->find(picture);
    if (known == annotated->end()) {
      unlisted.add(picture);
      continue;
    }
    data.samples.push_back(sample_of_file(place.folder / folder / picture,
                                          (folder / picture).generic_string(),
                                          std::move(known->second)));
    annotated->erase(known);
  }
  for (const auto& [name, annotation] : *annotated) absent.add(name);
  unlisted.note(data.notes);
  absent.note(data.notes);
  return data;
}

}  // namespace

Result<DataSet> open_coco(const Place& place) { return opened(place, place.option("annotations")); }

Result<DataSet> open_visual_wake_words(const Place& place) {
  Place coco = place;
  coco.names.clear();
  EP_TRY(auto data, opened(coco, "instances"));
  const std::string object = place.option("object").empty() ? "person" : place.option("object");
  const std::string share = place.option("area");
  double area = kSmallest;
  const char* const end = share.data() + share.size();
  const auto [at, failure] = std::from_chars(share.data(), end, area);
  if (!share.empty() && (failure != std::errc{} || at != end || !(area >= 0 && area < 1)))
    return Error{ErrorKind::kUsage, "option area of visual_wake_words is '" + sanitized(share, 60) +
                                        "'; expected a share as 0.005"};
  data.classes = {"no " + object, object};
  for (Sample& sample : data.samples) {
    const auto* const boxes = std::get_if<task::TrueBoxes>(&*sample.annotation);
    if (!boxes)
      return Error{ErrorKind::kCorrupt, "the annotations are of points; expected COCO's instances"};
    const double all = boxes->width * boxes->height;
    if (!(all > 0))
      return Error{ErrorKind::kCorrupt,
                   "the annotations lack the width and height of " + in_quotes(sample.name, 80)};
    const bool has_person = std::any_of(
        boxes->boxes.begin(), boxes->boxes.end(),
        [&](const task::TrueBox& box) { return box.name == object && box.area / all > area; });
    sample.annotation = task::ClassLabel{has_person ? 1 : 0};
  }
  EP_CHECK(check_no_class_is_empty(data, "visual_wake_words"));
  EP_CHECK(renumber(data, place.names, ""));
  return data;
}

}  // namespace edgeprobe::dataset
