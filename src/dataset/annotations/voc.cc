// SPDX-License-Identifier: Apache-2.0
#include "dataset/annotations/readers.h"

#include <algorithm>
#include <charconv>
#include <pugixml.hpp>

#include "core/text.h"

namespace edgeprobe::dataset {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view trimmed_text(const char* text) {
  std::string_view out = text;
  const std::size_t begin = out.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return out.substr(begin, out.find_last_not_of(kBlanks) + 1 - begin);
}

class Voc {
 public:
  Voc(ByteView xml, ClassNumbers& numbers) : xml_(xml), numbers_(numbers) {}

  Result<std::pair<std::string, task::TrueBoxes>> read() {
    const pugi::xml_parse_result parsed =
        document_.load_buffer(xml_.data, xml_.size, pugi::parse_default, pugi::encoding_utf8);
    if (!parsed) return wrong(parsed.offset, parsed.description());
    const pugi::xml_node root = document_.child("annotation");
    if (!root) return wrong(0, "expected Pascal VOC's <annotation>");
    const std::string name(trimmed_text(root.child("filename").child_value()));
    if (name.empty()) return wrong(root, "expected <filename>, the name of the picture");
    if (!is_utf8(name)) return wrong(root, "<filename> is not UTF-8");
    task::TrueBoxes there;
    if (const pugi::xml_node size = root.child("size")) {
      const auto width = number_of(size, "width"), height = number_of(size, "height");
      if (!width || !height || *width < 0 || *height < 0)
        return wrong(size, "<size> contains no <width> and <height> in pixels");
      there.width = *width;
      there.height = *height;
    }
    for (const pugi::xml_node object : root.children("object")) EP_CHECK(add(object, there));
    return std::pair(name, std::move(there));
  }

 private:
  Status add(const pugi::xml_node& object, task::TrueBoxes& there) {
    task::TrueBox box;
    box.name = trimmed_text(object.child("name").child_value());
    if (box.name.empty() || !is_utf8(box.name))
      return wrong(object, "expected <name>, the object's class");
    const auto label = numbers_.of(box.name);
    if (!label)
      return wrong(
          object,
          "its class '" + sanitized(box.name, 60) +
              "' is not a line of --classes; give the names as in this file, or omit --classes");
    box.label = *label;
    const pugi::xml_node corners = object.child("bndbox");
    const auto left = number_of(corners, "xmin"), top = number_of(corners, "ymin"),
               right = number_of(corners, "xmax"), bottom = number_of(corners, "ymax");
    if (!left || !top || !right || !bottom)
      return wrong(object, "expected <bndbox> with <xmin>, <ymin>, <xmax>, <ymax> in pixels");
    box.box = {*left - 1, *top - 1, *right - *left + 1, *bottom - *top + 1};
    if (box.box.width <= 0 || box.box.height <= 0)
      return wrong(corners, "the box ends before it begins");
    const double x = box.box.x + box.box.width / 2, y = box.box.y + box.box.height / 2;
    if (there.width > 0 && there.height > 0 &&
        (x < 0 || y < 0 || x > there.width || y > there.height))
      return wrong(corners, "the box is outside the picture, " + number(there.width) + " x " +
                                number(there.height) + " pixels");
    box.area = box.box.area();
    box.crowd = trimmed_text(object.child("difficult").child_value()) == "1";
    there.boxes.push_back(std::move(box));
    return {};
  }

  static std::optional<double> number_of(const pugi::xml_node& parent, const char* name) {
    const std::string_view text = trimmed_text(parent.child(name).child_value());
    double value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || end != text.data() + text.size() || !task::is_coordinate(value))
      return std::nullopt;
    return value;
  }

  Error wrong(const pugi::xml_node& at, const std::string& what) const {
    return wrong(at.offset_debug(), what);
  }
  Error wrong(std::ptrdiff_t offset, const std::string& what) const {
    const std::string_view before = xml_.text().substr(
        0, std::min(xml_.size, static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0))));
    return {
        ErrorKind::kCorrupt,
        "line " + std::to_string(1 + std::count(before.begin(), before.end(), '\n')) + ": " + what};
  }

  ByteView xml_;
  ClassNumbers& numbers_;
  pugi::xml_document document_;
};

}  // namespace

Result<std::pair<std::string, task::TrueBoxes>> parse_voc(ByteView xml, ClassNumbers& numbers) {
  return Voc(xml, numbers).read();
}

}  // namespace edgeprobe::dataset
