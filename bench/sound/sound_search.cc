// SPDX-License-Identifier: Apache-2.0
// Searches for the differences in an app's audio front end, for evaluate.py. One line per question:
//   WAV INPUT SHAPE DTYPE SCALE ZERO RECIPE…     INPUT contains the tensor's bytes
// One line per answer, separated by tabs: status, kinds, residual before and after, hypotheses, CPU
// seconds, the app's recipe, kinds of equal explanations.
#include <ctime>
#include <iostream>
#include <sstream>

#include "audio/decode.h"
#include "core/file.h"
#include "diagnose/sound/changes.h"
#include "diagnose/sound/search.h"
#include "preprocess/recipe/recipe.h"

namespace edgeprobe::diagnose::sound {
namespace {

std::string joined(const std::set<std::string>& kinds) {
  std::string text;
  for (const std::string& kind : kinds) text += (text.empty() ? "" : ",") + kind;
  return text;
}

Result<std::string> answer(const std::string& line) {
  std::istringstream in(line);
  std::string wav, file, shape, dtype, text;
  float scale = 0;
  std::int64_t zero = 0;
  in >> wav >> file >> shape >> dtype >> scale >> zero;
  std::getline(in, text);
  const auto bytes = read_file(wav);
  if (!bytes) return bytes.error();
  const auto clip = audio::decode(*bytes, wav);
  if (!clip) return clip.error();
  const auto recipe = preprocess::parse_recipe(text);
  if (!recipe) return recipe.error();
  auto values = read_file(file);
  if (!values) return values.error();
  Tensor input{{"input", *dtype_from_name(dtype), *shape_from_list(shape), {}}, *values};
  if (scale > 0) input.spec.quantization = {{scale}, {zero}, 0};
  const double begin = double(std::clock()) / CLOCKS_PER_SEC;
  auto problem = Problem::make({{&*clip, input}}, *preprocess::sound_of(*recipe));
  if (!problem) return problem.error();
  const auto found = search(*problem, *clip, {});
  if (!found) return found.error();
  static constexpr const char* kNames[] = {"equal",   "exact",   "measured",
                                           "partial", "unknown", "destroyed"};
  std::ostringstream out;
  out << kNames[std::size_t(found->status)] << '\t'
      << joined(kinds_between(found->app, problem->reference())) << '\t' << found->before << '\t'
      << found->left << '\t' << found->evaluations << '\t'
      << double(std::clock()) / CLOCKS_PER_SEC - begin << '\t'
      << preprocess::to_text(preprocess::recipe_of(found->app)) << '\t';
  for (const audio::FrontEnd& other : found->equals)
    out << joined(kinds_between(other, problem->reference())) << ' ';
  return out.str();
}

}  // namespace
}  // namespace edgeprobe::diagnose::sound

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const auto told = edgeprobe::diagnose::sound::answer(line);
    std::cout << (told ? *told : "error\t" + told.error().what) << std::endl;
  }
}
