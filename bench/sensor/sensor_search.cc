// SPDX-License-Identifier: Apache-2.0
// Searches for the differences in an app's pre-processing of readings, for evaluate.py. One line
// per question:
//   WINDOWS READINGS STEPS,AXES RATE INPUT SHAPE DTYPE SCALE ZERO RECIPE…
// READINGS holds float32, INPUT the tensors' bytes, of all windows one after the other. One line
// per answer, separated by tabs: status, kinds, residual before and after, hypotheses, CPU seconds,
// the app's recipe, kinds of equal explanations. If INPUT is ">FILE", the result of the recipe for
// the readings is written there instead.
#include <cstring>
#include <ctime>
#include <iostream>
#include <sstream>

#include "core/file.h"
#include "diagnose/sensor/members.h"
#include "diagnose/sensor/search.h"
#include "preprocess/recipe/recipe.h"

namespace edgeprobe::diagnose::sensor {
namespace {

std::string joined(const std::set<std::string>& kinds) {
  std::string text;
  for (const std::string& kind : kinds) text += (text.empty() ? "" : ",") + kind;
  return text;
}

Result<std::string> answer(const std::string& line) {
  std::istringstream in(line);
  std::string raw, size, file, shape, dtype, text;
  std::size_t windows = 0;
  double rate = 0;
  float scale = 0;
  std::int64_t zero = 0;
  in >> windows >> raw >> size >> rate >> file >> shape >> dtype >> scale >> zero;
  std::getline(in, text);
  const auto recorded = read_file(raw);
  if (!recorded) return recorded.error();
  const auto recipe = preprocess::parse_recipe(text);
  if (!recipe) return recipe.error();
  const TensorSpec of_readings{"readings", DType::kFloat32, *shape_from_list(size), {}};
  TensorSpec of_input{"input", *dtype_from_name(dtype), *shape_from_list(shape), {}};
  if (scale > 0) of_input.quantization = {{scale}, {zero}, 0};
  std::vector<readings::Series> series;
  const auto part = [&](const Bytes& all, std::size_t k) {
    const std::size_t each = all.size() / windows;
    return ByteView(all).sub(k * each, each);
  };
  for (std::size_t k = 0; k < windows; ++k) {
    auto one = readings::series_from(Tensor{of_readings, part(*recorded, k).copy()}, rate);
    if (!one) return one.error();
    series.push_back(*std::move(one));
  }
  if (file.front() == '>') {
    Bytes made;
    for (const readings::Series& one : series) {
      const auto input = readings::model_input_of(*preprocess::readings_of(*recipe), one, of_input);
      if (!input) return input.error();
      made.insert(made.end(), input->bytes.begin(), input->bytes.end());
    }
    if (auto done = write_file(file.substr(1), made); !done) return done.error();
    return std::string("made");
  }
  const auto inputs = read_file(file);
  if (!inputs) return inputs.error();
  std::vector<Observation> observations;
  for (std::size_t k = 0; k < windows; ++k)
    observations.push_back({&series[k], Tensor{of_input, part(*inputs, k).copy()}});
  const double begin = double(std::clock()) / CLOCKS_PER_SEC;
  const auto problem = Problem::make(observations, *preprocess::readings_of(*recipe));
  if (!problem) return problem.error();
  const auto found = search(*problem, {});
  if (!found) return found.error();
  static constexpr const char* kNames[] = {"equal",   "exact",   "measured",
                                           "partial", "unknown", "destroyed"};
  std::ostringstream out;
  out << kNames[std::size_t(found->status)] << '\t'
      << joined(kinds_between(found->app, problem->reference())) << '\t' << found->before << '\t'
      << found->left << '\t' << found->evaluations << '\t'
      << double(std::clock()) / CLOCKS_PER_SEC - begin << '\t'
      << preprocess::to_text(preprocess::recipe_of(short_form(found->app))) << '\t';
  for (const readings::FrontEnd& other : found->equals)
    out << joined(kinds_between(other, problem->reference())) << ' ';
  return out.str();
}

}  // namespace
}  // namespace edgeprobe::diagnose::sensor

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const auto told = edgeprobe::diagnose::sensor::answer(line);
    std::cout << (told ? *told : "error\t" + told.error().what) << std::endl;
  }
}
