// SPDX-License-Identifier: Apache-2.0
// Searches for faults after embedding models and anomaly detectors, for the Python evaluation, with
// one case per line on stdin: RECORDING.npz RECIPE… Arrays of frame F: iF_K and oF_K, inputs and
// outputs; vF, the vector, or sF, the score, and aF, the alarm (0 or 1); q[io]K, scale and zero
// point of input or output K. Answers one line: "STATUS PROVEN EVALUATIONS MICROSECONDS | change;
// change | other explanations …".
#include <chrono>
#include <iostream>
#include <map>
#include <sstream>

#include "archive/npz.h"
#include "core/file.h"
#include "diagnose/postprocessing/numbers/scores.h"
#include "diagnose/postprocessing/numbers/vectors.h"
#include "search/search.h"

namespace edgeprobe::diagnose::numbers {
namespace {

using Arrays = std::map<std::string, Tensor>;

std::vector<float> values_of(const Arrays& arrays, const std::string& name) {
  const auto found = arrays.find(name);
  return found == arrays.end() ? std::vector<float>{} : *to_float(found->second);
}

std::vector<Tensor> tensors_of(const Arrays& arrays, char kind, const std::string& frame) {
  std::vector<Tensor> out;
  for (std::size_t k = 0; arrays.count(kind + frame + "_" + std::to_string(k)); ++k) {
    Tensor tensor = arrays.at(kind + frame + "_" + std::to_string(k));
    const auto codes = values_of(arrays, std::string("q") + kind + std::to_string(k));
    if (codes.size() == 2) {
      tensor.spec.quantization.scale = {codes[0]};
      tensor.spec.quantization.zero_point = {static_cast<std::int64_t>(codes[1])};
    }
    out.push_back(std::move(tensor));
  }
  return out;
}

std::vector<RecordedFrame> frames_of(const Arrays& arrays) {
  std::vector<RecordedFrame> frames;
  for (std::size_t f = 0; arrays.count("o" + std::to_string(f) + "_0"); ++f) {
    const std::string at = std::to_string(f);
    RecordedFrame frame{static_cast<std::uint32_t>(f),
                        tensors_of(arrays, 'i', at),
                        tensors_of(arrays, 'o', at),
                        {}};
    if (arrays.count("v" + at)) frame.answer.vector = values_of(arrays, "v" + at);
    if (arrays.count("s" + at)) frame.answer.score = values_of(arrays, "s" + at).at(0);
    if (arrays.count("a" + at)) frame.answer.alarm = values_of(arrays, "a" + at).at(0) != 0;
    frames.push_back(std::move(frame));
  }
  return frames;
}

template <class Predictions>
Result<std::string> searched(const std::vector<RecordedFrame>& frames,
                             const Result<typename Predictions::Recipe>& recipe) {
  if (!recipe) return recipe.error();
  const auto start = std::chrono::steady_clock::now();
  Predictions predictions(frames, *recipe);
  if (const std::string why = predictions.why_not(); !why.empty())
    return Error{ErrorKind::kUsage, why};
  const Control control;
  const auto found = search::search<typename Predictions::Recipe>(predictions, control);
  if (!found) return found.error();
  const auto took = std::chrono::steady_clock::now() - start;
  static constexpr const char* kNames[] = {"agrees", "exact", "some_frames", "partial", "unknown"};
  std::ostringstream out;
  out << kNames[static_cast<int>(found->status)] << ' '
      << (!found->explanations.empty() && found->explanations[0].is_proven) << ' '
      << found->evaluations << ' '
      << std::chrono::duration_cast<std::chrono::microseconds>(took).count();
  for (const auto& one : found->explanations) {
    out << " |";
    for (const auto& change : one.changes) out << ' ' << change.words << ';';
  }
  return out.str();
}

Result<std::string> answer(const std::string& line) {
  const std::size_t blank = line.find(' ');
  if (blank == std::string::npos) return Error{ErrorKind::kUsage, "RECORDING.npz RECIPE"};
  const std::string text = line.substr(blank + 1);
  auto bytes = read_file(line.substr(0, blank));
  if (!bytes) return std::move(bytes).error();
  auto npz = archive::parse_npz(*bytes);
  if (!npz) return std::move(npz).error();
  Arrays arrays;
  for (Tensor& array : npz->arrays) {
    const std::string name = array.spec.name;
    arrays.emplace(name, std::move(array));
  }
  const auto frames = frames_of(arrays);
  if (postprocess::embedding::is_embedding(text))
    return searched<Vectors>(frames, postprocess::embedding::parse(text));
  return searched<Scores>(frames, postprocess::anomaly::parse(text));
}

}  // namespace
}  // namespace edgeprobe::diagnose::numbers

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const auto said = edgeprobe::diagnose::numbers::answer(line);
    std::cout << (said ? *said : "error " + said.error().what) << std::endl;
  }
}
