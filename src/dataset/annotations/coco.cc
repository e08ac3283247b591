// SPDX-License-Identifier: Apache-2.0
#include "dataset/annotations/readers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/text.h"

namespace edgeprobe::dataset {
namespace {

using Json = nlohmann::json;

struct Picture {
  std::string name;
  double width = 0, height = 0;
  std::vector<task::TrueBox> boxes;
  std::vector<task::TruePose> poses;
};

Error wrong(const std::string& where, const std::string& what) {
  return {ErrorKind::kCorrupt, where + ": " + what};
}

std::optional<std::int64_t> whole(const Json& object, const char* key) {
  const auto at = object.find(key);
  if (at == object.end() || !at->is_number()) return std::nullopt;
  const double value = at->get<double>();
  if (!(std::fabs(value) < 9e15) || std::floor(value) != value) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

std::optional<double> number_of(const Json& object, const char* key) {
  const auto at = object.find(key);
  if (at == object.end() || !at->is_number()) return std::nullopt;
  const double value = at->get<double>();
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<std::vector<double>> numbers_of(const Json& object, const char* key) {
  const auto at = object.find(key);
  if (at == object.end() || !at->is_array()) return std::nullopt;
  std::vector<double> values;
  for (const Json& one : *at) {
    if (!one.is_number() || !task::is_coordinate(one.get<double>())) return std::nullopt;
    values.push_back(one.get<double>());
  }
  return values;
}

const Json* list_of(const Json& file, const char* key) {
  const auto at = file.find(key);
  return at != file.end() && at->is_array() ? &*at : nullptr;
}

class Coco {
 public:
  explicit Coco(const std::vector<std::string>& classes) : classes_(classes) {}

  Result<ByName> read(const Json& file) {
    const Json *images = list_of(file, "images"), *annotations = list_of(file, "annotations"),
               *categories = list_of(file, "categories");
    if (!images || !annotations || !categories)
      return Error{ErrorKind::kCorrupt,
                   "expected COCO's lists \"images\", \"annotations\" and \"categories\""};
    EP_CHECK(add_categories(*categories));
    EP_CHECK(add_images(*images));
    for (std::size_t i = 0; i < annotations->size(); ++i)
      EP_CHECK(add((*annotations)[i], "annotation " + std::to_string(i)));
    if (pictures_.empty()) return Error{ErrorKind::kCorrupt, "\"images\" is empty"};
    return result();
  }

 private:
  Status add_categories(const Json& categories) {
    for (std::size_t i = 0; i < categories.size(); ++i) {
      const std::string where = "category " + std::to_string(i);
      const Json& one = categories[i];
      if (!one.is_object()) return wrong(where, "expected an object");
      const auto id = whole(one, "id");
      const auto name = one.find("name");
      if (!id || *id < 0 || *id > std::numeric_limits<int>::max() || name == one.end() ||
          !name->is_string())
        return wrong(where, "expected \"id\", a number from 0, and \"name\", a text");
      if (!categories_.emplace(*id, name->get<std::string>()).second)
        return wrong(where, "its \"id\" " + std::to_string(*id) + " appears twice");
    }
    return {};
  }

  Status add_images(const Json& images) {
    for (std::size_t i = 0; i < images.size(); ++i) {
      const std::string where = "image " + std::to_string(i);
      const Json& one = images[i];
      if (!one.is_object()) return wrong(where, "expected an object");
      const auto id = whole(one, "id");
      const auto name = one.find("file_name");
      if (!id || name == one.end() || !name->is_string() || name->get<std::string>().empty())
        return wrong(where, "expected \"id\", a number, and \"file_name\", a text");
      Picture picture{name->get<std::string>(),
                      number_of(one, "width").value_or(0),
                      number_of(one, "height").value_or(0),
                      {},
                      {}};
      for (const double length : {picture.width, picture.height})
        if (length < 0 || !task::is_coordinate(length))
          return wrong(where, "its size " + number(length) + " is not a valid number of pixels");
      if (!names_.emplace(picture.name, *id).second)
        return wrong(where, "'" + sanitized(picture.name, 80) + "' appears twice");
      if (!pictures_.emplace(*id, std::move(picture)).second)
        return wrong(where, "its \"id\" " + std::to_string(*id) + " appears twice");
    }
    return {};
  }

  Result<int> class_of(std::int64_t category, const std::string& where) const {
    const auto known = categories_.find(category);
    if (known == categories_.end())
      return wrong(where,
                   "\"category_id\" " + std::to_string(category) + " is not in \"categories\"");
    if (classes_.empty()) return static_cast<int>(category);
    const auto at = std::find(classes_.begin(), classes_.end(), known->second);
    if (at == classes_.end())
      return wrong(
          where,
          "its category '" + sanitized(known->second, 60) +
              "' is not a line of --classes; give the names as in this file, or omit --classes");
    return static_cast<int>(at - classes_.begin());
  }

  Status add(const Json& one, const std::string& where) {
    if (!one.is_object()) return wrong(where, "expected an object");
    const auto image = whole(one, "image_id"), category = whole(one, "category_id");
    if (!image || !category) return wrong(where, "expected numbers \"image_id\", \"category_id\"");
    const auto at = pictures_.find(*image);
    if (at == pictures_.end())
      return wrong(where, "\"image_id\" " + std::to_string(*image) + " is not in \"images\"");
    Picture& picture = at->second;
    EP_TRY(const auto label, class_of(*category, where));
    const auto box = numbers_of(one, "bbox");
    if (!box || box->size() != 4)
      return wrong(where, "\"bbox\" is not four numbers: x, y, width, height");
    const task::Box thing{(*box)[0], (*box)[1], (*box)[2], (*box)[3]};
    if (thing.width < 0 || thing.height < 0)
      return wrong(where,
                   "\"bbox\" has a negative size; COCO's are x, y, width, height, not two corners");
    const double x = thing.x + thing.width / 2, y = thing.y + thing.height / 2;
    if (picture.width > 0 && picture.height > 0 &&
        (x < 0 || y < 0 || x > picture.width || y > picture.height))
      return wrong(where, "\"bbox\" is outside '" + sanitized(picture.name, 80) + "', " +
                              number(picture.width) + " x " + number(picture.height) +
                              " pixels; COCO's are x, y, width, height in pixels");
    const double area = number_of(one, "area").value_or(thing.area());
    if (!(area >= 0 && area <= 1e18))
      return wrong(where, "\"area\" " + number(area) + " is not a valid number of pixels");
    const bool crowd = whole(one, "iscrowd").value_or(0) != 0;
    if (one.contains("keypoints")) {
      const auto points = numbers_of(one, "keypoints");
      if (!points || points->empty() || points->size() % 3 != 0)
        return wrong(where, "\"keypoints\" is not a list of x, y, v for each point");
      if (points_ == 0) points_ = points->size();
      if (points->size() != points_)
        return wrong(where, "\"keypoints\" are " + std::to_string(points->size() / 3) +
                                ", those before it " + std::to_string(points_ / 3));
      task::TruePose pose{{}, thing, area, crowd};
      for (std::size_t i = 0; i < points->size(); i += 3)
        pose.points.push_back({(*points)[i], (*points)[i + 1], (*points)[i + 2]});
      picture.poses.push_back(std::move(pose));
      return {};
    }
    picture.boxes.push_back({label, categories_.at(*category), thing, area, crowd});
    return {};
  }

  ByName result() {
    ByName by_name;
    for (auto& [id, picture] : pictures_) {
      if (points_ > 0)
        by_name.emplace(picture.name,
                        task::TruePoses{picture.width, picture.height, std::move(picture.poses)});
      else
        by_name.emplace(picture.name,
                        task::TrueBoxes{picture.width, picture.height, std::move(picture.boxes)});
    }
    return by_name;
  }

  const std::vector<std::string>& classes_;
  std::map<std::int64_t, std::string> categories_;
  std::map<std::int64_t, Picture> pictures_;
  std::map<std::string, std::int64_t> names_;
  /// Number of points in each "keypoints"; 0 until the first one is read.
  std::size_t points_ = 0;
};

}  // namespace

Result<ByName> parse_coco(ByteView json, const std::vector<std::string>& classes) {
  // Outlines take most of the file and are not used.
  const auto keep = [](int, Json::parse_event_t event, Json& parsed) {
    return event != Json::parse_event_t::key || parsed != "segmentation";
  };
  const Json file = Json::parse(json.text(), keep, /*allow_exceptions=*/false);
  if (file.is_discarded() || !file.is_object())
    return Error{ErrorKind::kCorrupt, "it is not a JSON object"};
  return Coco(classes).read(file);
}

}  // namespace edgeprobe::dataset
