// SPDX-License-Identifier: Apache-2.0
// Runs the library for the Python test, one command a line on stdin; arrays are files of float64:
//   anchors ssd|ultraface|short_range WIDTH HEIGHT OUT
//   decode ssd|linear|offset ORDER V1 V2 SIDE CODES ANCHORS OUT       boxes as x1 y1 x2 y2
//   nms none|all|class union|smaller LIMIT MOST BOXES IDS SCORES OUT  rows of box, class, score
// Answers "ok" or "error …", one line each.
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>

#include "postprocess/detection/anchors.h"
#include "postprocess/detection/decoding.h"
#include "postprocess/detection/recipe.h"
#include "postprocess/detection/suppression.h"
#include "recipe/read.h"

namespace edgeprobe::postprocess::detection {
namespace {

std::vector<double> read(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::vector<double> values(static_cast<std::size_t>(file.tellg()) / sizeof(double));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(values.data()),
            std::streamsize(values.size() * sizeof(double)));
  return values;
}

void write(const std::string& path, const std::vector<double>& values) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(values.data()),
             std::streamsize(values.size() * sizeof(double)));
}

void write_anchors(std::istream& in) {
  std::string rule, out;
  int width = 0, height = 0;
  in >> rule >> width >> height >> out;
  SquaresRule squares;
  squares.width = width, squares.height = height;
  PointsRule points;
  points.width = width, points.height = height;
  const auto list = rule == "ssd"         ? anchors(ssd_rule(width, height))
                    : rule == "ultraface" ? anchors(squares)
                                          : anchors(points);
  std::vector<double> values;
  for (const Anchor& one : list) values.insert(values.end(), {one.x, one.y, one.width, one.height});
  write(out, values);
}

void decode(std::istream& in) {
  std::string coder, order, codes_path, anchors_path, out;
  Decoding decoding;
  in >> coder >> order >> decoding.centre_variance >> decoding.size_variance >> decoding.side >>
      codes_path >> anchors_path >> out;
  decoding.coder = coder == "ssd"      ? Coder::kSsd
                   : coder == "linear" ? Coder::kLinear
                                       : Coder::kOffset;
  for (const recipe::Word& word : recipe::find_field(steps(), "decode.order")->words)
    if (word.text == order) decoding.order = static_cast<CodeOrder>(word.value);
  const auto codes = read(codes_path), list = read(anchors_path);
  std::vector<double> values;
  for (std::size_t i = 0; i + 3 < codes.size(); i += 4) {
    const Box box = decoded(std::span<const double, 4>(codes.data() + i, 4),
                            {list[i], list[i + 1], list[i + 2], list[i + 3]}, decoding);
    values.insert(values.end(), {box.x1, box.y1, box.x2, box.y2});
  }
  write(out, values);
}

void suppress(std::istream& in) {
  std::string rivals, of, boxes_path, ids_path, scores_path, out;
  Suppression rule;
  in >> rivals >> of >> rule.limit >> rule.most >> boxes_path >> ids_path >> scores_path >> out;
  rule.rivals = rivals == "none"  ? Rivals::kNone
                : rivals == "all" ? Rivals::kAllClasses
                                  : Rivals::kSameClass;
  rule.of = of == "union" ? OverlapOf::kUnion : OverlapOf::kSmallerArea;
  const auto boxes = read(boxes_path), ids = read(ids_path), scores = read(scores_path);
  std::vector<Detection> all;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double* const b = boxes.data() + 4 * i;
    all.push_back({{b[0], b[1], b[2], b[3]}, static_cast<int>(ids[i]), scores[i]});
  }
  std::vector<double> values;
  for (const Detection& one : suppressed(all, rule))
    values.insert(values.end(),
                  {one.box.x1, one.box.y1, one.box.x2, one.box.y2, double(one.id), one.score});
  write(out, values);
}

}  // namespace
}  // namespace edgeprobe::postprocess::detection

int main() {
  using namespace edgeprobe::postprocess::detection;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream in(line);
    std::string command;
    in >> command;
    if (command == "anchors") write_anchors(in);
    else if (command == "decode") decode(in);
    else if (command == "nms") suppress(in);
    else {
      std::cout << "error unknown command" << std::endl;
      continue;
    }
    std::cout << "ok" << std::endl;
  }
}
