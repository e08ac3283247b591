// SPDX-License-Identifier: Apache-2.0
// Runs the search for post-processing faults on cases from standard input, one JSON object per
// line, and prints one object per line.
#include <ctime>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "diagnose/postprocessing/search.h"
#include "diagnose/postprocessing/wording.h"

using namespace edgeprobe;
using namespace edgeprobe::diagnose;
using nlohmann::json;

namespace {

template <class T>
void put(Bytes& bytes, const json& values) {
  for (const json& one : values) {
    const T value = one.is_null() ? static_cast<T>(NAN) : one.get<T>();
    const auto* data = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), data, data + sizeof(T));
  }
}

Tensor tensor_of(const json& given) {
  Tensor tensor;
  tensor.spec.name = given.value("name", "");
  tensor.spec.dtype = *dtype_from_name(given.at("dtype").get<std::string>());
  for (const json& side : given.at("shape")) tensor.spec.shape.push_back(side.get<int>());
  if (given.contains("scale")) {
    tensor.spec.quantization.scale = {given.at("scale").get<float>()};
    tensor.spec.quantization.zero_point = {given.at("zero_point").get<std::int64_t>()};
  }
  const json& values = given.at("values");
  switch (tensor.spec.dtype) {
    case DType::kFloat32: put<float>(tensor.bytes, values); break;
    case DType::kInt8: put<std::int8_t>(tensor.bytes, values); break;
    case DType::kUInt8: put<std::uint8_t>(tensor.bytes, values); break;
    default: std::abort();
  }
  return tensor;
}

trace::Answer answer_of(const json& given) {
  trace::Answer answer;
  if (given.contains("labels")) answer.labels = given["labels"].get<std::vector<std::string>>();
  if (given.contains("classes")) answer.classes = given["classes"].get<std::vector<std::int64_t>>();
  if (given.contains("scores")) {
    answer.scores.emplace();
    for (const json& one : given["scores"])
      answer.scores->push_back(one.is_null() ? NAN : one.get<float>());
  }
  return answer;
}

json result_of(const json& given) {
  auto recipe = postprocess::parse(given.at("recipe").get<std::string>());
  if (!recipe) return {{"error", recipe.error().what}};
  if (recipe->labels) {
    recipe->labels->table.names = given.at("labels").get<std::vector<std::string>>();
    if (recipe->labels->other)
      recipe->labels->other->names = given.at("other").get<std::vector<std::string>>();
  }
  std::vector<postprocessing::RecordedFrame> frames;
  for (const json& one : given.at("frames")) {
    postprocessing::RecordedFrame frame;
    frame.number = static_cast<std::uint32_t>(frames.size());
    for (const json& output : one.at("outputs")) frame.outputs.push_back(tensor_of(output));
    frame.answer = answer_of(one);
    frames.push_back(std::move(frame));
  }
  const std::clock_t start = std::clock();
  const auto found = postprocessing::search(frames, *recipe, Control{});
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  if (!found) return {{"error", found.error().what}};
  constexpr const char* kStatus[] = {"agrees", "exact", "some_frames", "partial", "unknown"};
  json out{{"status", kStatus[static_cast<int>(found->status)]},
           {"seconds", seconds},
           {"evaluations", found->evaluations},
           {"unlike", found->unlike}};
  for (const auto& explanation : found->explanations) {
    json changes = json::array();
    std::string text;
    for (const auto& change : explanation.changes) {
      changes.push_back(postprocessing::short_words(change));
      text += postprocessing::words(
                  change, *recipe,
                  recipe->labels ? recipe->labels->table.names : std::vector<std::string>{}) +
              "; ";
    }
    out["explanations"].push_back({{"changes", changes},
                                   {"proven", explanation.is_proven},
                                   {"bits", explanation.proof.bits},
                                   {"needed", explanation.proof.needed},
                                   {"ties", explanation.owes_ties},
                                   {"text", text}});
  }
  return out;
}

}  // namespace

int main() {
  std::string line;
  while (std::getline(std::cin, line))
    if (!line.empty()) std::cout << result_of(json::parse(line)).dump() << std::endl;
}
