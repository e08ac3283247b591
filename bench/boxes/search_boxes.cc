// SPDX-License-Identifier: Apache-2.0
// Searches for faults after a detector, for the Python benchmark, with one case per line on stdin:
//   RECORDING.npz WIDTH HEIGHT RECIPE…
// Arrays of frame F: oF_K, the outputs; bF, boxes [n, 4]; sF, scores; cF, class numbers, or nF,
// lines of the recipe's label file; pF, width and height of the picture; qK, scale and zero point
// of output K. WIDTH and HEIGHT are those of the model's input. Answers one line: "STATUS PROVEN
// EVALUATIONS MICROSECONDS | change; change | other explanations …".
#include <chrono>
#include <iostream>
#include <map>
#include <sstream>

#include "archive/npz.h"
#include "core/file.h"
#include "diagnose/postprocessing/boxes/search.h"

namespace edgeprobe::diagnose::boxes {
namespace {

using Arrays = std::map<std::string, Tensor>;

std::vector<float> values_of(const Arrays& arrays, const std::string& name) {
  const auto found = arrays.find(name);
  return found == arrays.end() ? std::vector<float>{} : *to_float(found->second);
}

RecordedFrame frame_of(const Arrays& arrays, const Recipe& recipe, std::size_t number) {
  RecordedFrame frame;
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
  const auto boxes = values_of(arrays, "b" + at), size = values_of(arrays, "p" + at);
  frame.answer.boxes.emplace();
  for (std::size_t i = 0; i + 3 < boxes.size(); i += 4)
    frame.answer.boxes->push_back({boxes[i], boxes[i + 1], boxes[i + 2], boxes[i + 3]});
  if (arrays.count("s" + at)) frame.answer.scores = values_of(arrays, "s" + at);
  if (arrays.count("c" + at)) {
    frame.answer.classes.emplace();
    for (const float id : values_of(arrays, "c" + at))
      frame.answer.classes->push_back(static_cast<std::int64_t>(id));
  }
  if (arrays.count("n" + at)) {
    frame.answer.labels.emplace();
    for (const float line : values_of(arrays, "n" + at)) {
      const auto& names = recipe.labels->table.names;
      const auto index = static_cast<std::size_t>(line);
      frame.answer.labels->push_back(line >= 0 && index < names.size() ? names[index] : "?");
    }
  }
  frame.picture = {size.at(0), size.at(1)};
  return frame;
}

Result<std::string> answer(const std::string& line) {
  std::istringstream in(line);
  std::string path, text;
  int width = 0, height = 0;
  in >> path >> width >> height;
  std::getline(in, text);
  auto recipe = postprocess::detection::parse(text);
  if (!recipe) return std::move(recipe).error();
  if (auto done = postprocess::detection::load_labels(*recipe); !done)
    return std::move(done).error();
  auto bytes = read_file(path);
  if (!bytes) return std::move(bytes).error();
  auto npz = archive::parse_npz(*bytes);
  if (!npz) return std::move(npz).error();
  Arrays arrays;
  for (Tensor& array : npz->arrays) {
    const std::string name = array.spec.name;
    arrays.emplace(name, std::move(array));
  }
  std::vector<RecordedFrame> frames;
  while (arrays.count("b" + std::to_string(frames.size())))
    frames.push_back(frame_of(arrays, *recipe, frames.size()));
  const auto& shape = frames.at(0).outputs.at(recipe->outputs.boxes).spec.shape;
  const std::size_t count = shape.size() < 2 ? 0 : static_cast<std::size_t>(shape.end()[-2]);
  if (auto done = postprocess::detection::load_anchors(*recipe, width, height, count); !done)
    return std::move(done).error();
  const auto start = std::chrono::steady_clock::now();
  auto found = search(frames, *recipe, {double(width), double(height)}, Control{});
  if (!found) return std::move(found).error();
  const auto took = std::chrono::steady_clock::now() - start;
  static constexpr const char* kNames[] = {"agrees", "exact", "some_frames", "partial", "unknown"};
  std::ostringstream out;
  out << kNames[static_cast<int>(found->status)] << ' '
      << (!found->explanations.empty() && found->explanations[0].is_proven) << ' '
      << found->evaluations << ' '
      << std::chrono::duration_cast<std::chrono::microseconds>(took).count();
  for (const Explanation& one : found->explanations) {
    out << " |";
    for (const Change& change : one.changes) out << ' ' << change.words << ';';
  }
  if (found->explanations.empty() || found->status == SearchStatus::kPartial)
    out << " | before " << found->before.labels << ' ' << found->before.scores << ' '
        << found->before.boxes << ' ' << found->before.count << " after " << found->after.labels
        << ' ' << found->after.scores << ' ' << found->after.boxes << ' ' << found->after.count;
  return out.str();
}

}  // namespace
}  // namespace edgeprobe::diagnose::boxes

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const auto said = edgeprobe::diagnose::boxes::answer(line);
    std::cout << (said ? *said : "error " + said.error().what) << std::endl;
  }
}
