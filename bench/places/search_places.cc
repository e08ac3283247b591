// SPDX-License-Identifier: Apache-2.0
// Searches behind a segmentation or key-point model for the Python benchmark, one case a line on
// stdin:
//   RECORDING.npz WIDTH HEIGHT RECIPE…
// Arrays of frame F: oF_K, the outputs; mF, a mask [H, W], or kF, points [n, 3]; pF, width and
// height of the picture; qK, scale and zero point of output K. WIDTH and HEIGHT are those of the
// model's input. Answers one line: "STATUS PROVEN EVALUATIONS MICROSECONDS | change; change | other
// explanations …".
#include <sys/resource.h>

#include <chrono>
#include <iostream>
#include <map>
#include <sstream>

#include "archive/npz.h"
#include "core/file.h"
#include "diagnose/postprocessing/masks/search.h"
#include "diagnose/postprocessing/points/search.h"

namespace edgeprobe::diagnose {
namespace {

namespace pose = postprocess::pose;
namespace segmentation = postprocess::segmentation;
using Arrays = std::map<std::string, Tensor>;

std::vector<float> values_of(const Arrays& arrays, const std::string& name) {
  const auto found = arrays.find(name);
  return found == arrays.end() ? std::vector<float>{} : *to_float(found->second);
}

fewest::PlacedFrame frame_of(const Arrays& arrays, std::size_t number) {
  fewest::PlacedFrame frame;
  const std::string at = std::to_string(number);
  frame.number = static_cast<std::uint32_t>(number);
  for (std::size_t k = 0; arrays.count("o" + at + "_" + std::to_string(k)); ++k) {
    Tensor output = arrays.at("o" + at + "_" + std::to_string(k));
    const auto codes = values_of(arrays, "q" + std::to_string(k));
    if (codes.size() == 2) {
      output.spec.quantization.scale = {codes[0]};
      output.spec.quantization.zero_point = {static_cast<std::int64_t>(codes[1])};
    }
    frame.outputs.push_back(std::move(output));
  }
  if (const auto mask = arrays.find("m" + at); mask != arrays.end()) {
    const auto values = *to_float(mask->second);
    const Shape& shape = mask->second.spec.shape;
    frame.answer.mask = trace::Mask{static_cast<std::uint32_t>(shape.at(0)),
                                    static_cast<std::uint32_t>(shape.at(1)),
                                    {values.begin(), values.end()}};
  }
  if (arrays.count("k" + at)) {
    const auto points = values_of(arrays, "k" + at);
    frame.answer.points.emplace();
    for (std::size_t i = 0; i + 2 < points.size(); i += 3)
      frame.answer.points->push_back({points[i], points[i + 1], points[i + 2]});
  }
  const auto size = values_of(arrays, "p" + at);
  frame.picture = {size.at(0), size.at(1)};
  return frame;
}

template <class Finding>
std::string line_of(const Finding& found, std::chrono::microseconds took) {
  static constexpr const char* kNames[] = {"agrees", "exact", "some_frames", "partial", "unknown"};
  std::ostringstream out;
  out << kNames[static_cast<int>(found.status)] << ' '
      << (!found.explanations.empty() && found.explanations[0].is_proven) << ' '
      << found.evaluations << ' ' << took.count();
  for (const auto& one : found.explanations) {
    out << " |";
    for (const auto& change : one.changes) out << ' ' << change.words << ';';
    out << " (" << one.bits << " of " << one.needed << " bits)";
  }
  if (found.explanations.empty())
    for (const std::string& part : found.parts) out << " | unlike " << part;
  return out.str();
}

template <class Search>
Result<std::string> searched(Search search) {
  // CPU time: the machine may be busy.
  const auto now = [] {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return std::chrono::seconds(used.ru_utime.tv_sec) +
           std::chrono::microseconds(used.ru_utime.tv_usec);
  };
  const std::chrono::microseconds start = now();
  auto found = search();
  if (!found) return std::move(found).error();
  return line_of(*found, now() - start);
}

Result<std::string> answer(const std::string& line) {
  std::istringstream in(line);
  std::string path, text;
  double width = 0, height = 0;
  in >> path >> width >> height;
  std::getline(in, text);
  auto bytes = read_file(path);
  if (!bytes) return std::move(bytes).error();
  auto npz = archive::parse_npz(*bytes);
  if (!npz) return std::move(npz).error();
  Arrays arrays;
  for (Tensor& array : npz->arrays) {
    const std::string name = array.spec.name;
    arrays.emplace(name, std::move(array));
  }
  std::vector<fewest::PlacedFrame> frames;
  while (arrays.count("p" + std::to_string(frames.size())))
    frames.push_back(frame_of(arrays, frames.size()));
  if (segmentation::is_segmentation(text)) {
    auto recipe = segmentation::parse(text);
    if (!recipe) return std::move(recipe).error();
    return searched([&] { return masks::search(frames, *recipe, {width, height}, Control{}); });
  }
  auto recipe = pose::parse(text);
  if (!recipe) return std::move(recipe).error();
  return searched([&] { return points::search(frames, *recipe, {width, height}, Control{}); });
}

}  // namespace
}  // namespace edgeprobe::diagnose

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const auto said = edgeprobe::diagnose::answer(line);
    std::cout << (said ? *said : "error " + said.error().what) << std::endl;
  }
}
