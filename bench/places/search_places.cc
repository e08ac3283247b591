// SPDX-License-Identifier: Apache-2.0
// Searches for faults after a segmentation or key-point model, for the Python benchmark, with one
// case per line on stdin:
//   RECORDING.npz WIDTH HEIGHT RECIPE…
// Arrays of frame F: oF_K, the outputs; mF, a mask [H, W], or kF, points [n, 3]; pF, width and
// height of the picture; qK, scale and zero point of output K. WIDTH and HEIGHT are those of the
// model's input. xF_K and xpF are outputs and pictures of further frames, without an answer; where
// several explanations fit, " | > F > PROPERTY" ends the line: the further frame that would decide,
// or -1, and what another must have. Answers one line: "STATUS PROVEN EVALUATIONS MICROSECONDS |
// change; change | other explanations …".
#include <sys/resource.h>

#include <chrono>
#include <iostream>
#include <map>
#include <sstream>

#include "archive/npz.h"
#include "core/file.h"
#include "diagnose/postprocessing/masks/deciding.h"
#include "diagnose/postprocessing/masks/search.h"
#include "diagnose/postprocessing/points/deciding.h"
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

// `is_further`: a frame without an answer.
places::Frame frame_of(const Arrays& arrays, std::size_t number, bool is_further = false) {
  places::Frame frame;
  const std::string at = std::to_string(number), output_name = (is_further ? "x" : "o") + at + "_";
  frame.number = static_cast<std::uint32_t>(number);
  for (std::size_t k = 0; arrays.count(output_name + std::to_string(k)); ++k) {
    Tensor output = arrays.at(output_name + std::to_string(k));
    const auto codes = values_of(arrays, "q" + std::to_string(k));
    if (codes.size() == 2) {
      output.spec.quantization.scale = {codes[0]};
      output.spec.quantization.zero_point = {static_cast<std::int64_t>(codes[1])};
    }
    frame.outputs.push_back(std::move(output));
  }
  if (const auto mask = arrays.find((is_further ? "-" : "m") + at); mask != arrays.end()) {
    const auto values = *to_float(mask->second);
    const Shape& shape = mask->second.spec.shape;
    frame.answer.mask = trace::Mask{static_cast<std::uint32_t>(shape.at(0)),
                                    static_cast<std::uint32_t>(shape.at(1)),
                                    {values.begin(), values.end()}};
  }
  if (!is_further && arrays.count("k" + at)) {
    const auto points = values_of(arrays, "k" + at);
    frame.answer.points.emplace();
    for (std::size_t i = 0; i + 2 < points.size(); i += 3)
      frame.answer.points->push_back({points[i], points[i + 1], points[i + 2]});
  }
  const auto size = values_of(arrays, (is_further ? "xp" : "p") + at);
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
    out << " (" << one.proof.bits << " of " << one.proof.needed << " bits)";
  }
  if (found.explanations.empty())
    for (const std::string& part : found.parts) out << " | unlike " << part;
  return out.str();
}

// The further frame that distinguishes most explanations from the first, and a property that
// distinguishes one.
template <class Recipe, class Finding, class Differ, class Deciding>
std::string decider(const Finding& found, const Recipe& reference,
                    const std::vector<places::Frame>& further, Differ differ, Deciding deciding) {
  std::vector<Recipe> open;
  for (const auto& one : found.explanations)
    open.push_back(search::changed<Recipe>(reference, one.changes));
  const bool is_exact = found.status == search::SearchStatus::kExact;
  if (!is_exact || open.empty() || (open.size() == 1 && found.explanations[0].is_proven)) return "";
  if (open.size() == 1) open.push_back(reference);
  int best = -1;
  std::size_t most = 0;
  std::string property;
  for (std::size_t f = 0; f < further.size(); ++f) {
    std::size_t apart = 0;
    for (std::size_t i = 1; i < open.size(); ++i) apart += differ(open[0], open[i], further[f]);
    if (apart > most) most = apart, best = static_cast<int>(f);
  }
  for (std::size_t i = 1; i < open.size() && property.empty(); ++i)
    property = deciding(open[0], open[i]);
  return " | > " + std::to_string(best) + " > " + property;
}

template <class Search, class Decide>
Result<std::string> searched(Search search, Decide decide) {
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
  const auto took = now() - start;
  return line_of(*found, took) + decide(*found);
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
  std::vector<places::Frame> frames;
  while (arrays.count("p" + std::to_string(frames.size())))
    frames.push_back(frame_of(arrays, frames.size()));
  std::vector<places::Frame> further;
  while (arrays.count("xp" + std::to_string(further.size())))
    further.push_back(frame_of(arrays, further.size(), true));
  const postprocess::detection::Size model{width, height};
  if (segmentation::is_segmentation(text)) {
    auto recipe = segmentation::parse(text);
    if (!recipe) return std::move(recipe).error();
    return searched([&] { return masks::search(frames, *recipe, model, Control{}); },
                    [&](const masks::Finding& found) {
                      return decider(
                          found, *recipe, further,
                          [&](const auto& a, const auto& b, const auto& frame) {
                            return masks::differ(a, b, frame, model);
                          },
                          [&](const auto& a, const auto& b) {
                            return masks::deciding_picture(*recipe, a, b, frames, model);
                          });
                    });
  }
  auto recipe = pose::parse(text);
  if (!recipe) return std::move(recipe).error();
  return searched([&] { return points::search(frames, *recipe, model, Control{}); },
                  [&](const points::Finding& found) {
                    return decider(
                        found, *recipe, further,
                        [&](const auto& a, const auto& b, const auto& frame) {
                          return points::differ(a, b, frame, model);
                        },
                        [&](const auto& a, const auto& b) {
                          return points::deciding_picture(*recipe, a, b, frames, model);
                        });
                  });
}

}  // namespace
}  // namespace edgeprobe::diagnose

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const auto said = edgeprobe::diagnose::answer(line);
    std::cout << (said ? *said : "error " + said.error().what) << std::endl;
  }
}
