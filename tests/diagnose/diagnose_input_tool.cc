// SPDX-License-Identifier: Apache-2.0
// diagnose_input_tool CASES: one case a line, fields separated by tabs:
//   id, reference recipe, reference input, target input, then IMAGE=TENSOR for every frame.
// An input is DTYPE:AxBxCxD[:SCALE:ZERO_POINT]; a tensor file holds the raw values. Prints one JSON
// object a line.
#include <chrono>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/file.h"
#include "diagnose/preprocessing/diagnosis.h"
#include "report/words/evidence.h"

using namespace edgeprobe;

namespace {

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> parts;
  std::stringstream in(text);
  for (std::string part; std::getline(in, part, by);) parts.push_back(part);
  return parts;
}

Result<TensorSpec> spec_from(const std::string& text) {
  const auto parts = split(text, ':');
  const auto dtype = parts.empty() ? std::nullopt : dtype_from_name(parts[0]);
  if (!dtype || (parts.size() != 2 && parts.size() != 4))
    return Error{ErrorKind::kUsage, "not an input: " + text};
  TensorSpec spec{"input", *dtype, {}, {}};
  for (const auto& side : split(parts[1], 'x')) spec.shape.push_back(std::stoll(side));
  if (parts.size() == 4) {
    spec.quantization.scale = {std::stof(parts[2])};
    spec.quantization.zero_point = {std::stoll(parts[3])};
  }
  return spec;
}

struct Answer {
  diagnose::InputDiagnosis diagnosis;
  double ms = 0;
  double reproduced = -1;
};

/// A decoded picture, kept because many cases share it.
struct Picture {
  preprocess::Image image;
  Bytes bytes;
};
using Pictures = std::map<std::string, Picture>;

/// The result of a recipe for a frame, including its decode step.
Result<Tensor> again(const preprocess::Recipe& recipe, const diagnose::InputFrame& frame,
                     const TensorSpec& target) {
  const auto* how = preprocess::decode_step(recipe);
  if (!how) return preprocess::apply(recipe, *frame.raw, target);
  auto read = preprocess::read(*frame.source, *how);
  if (!read) return read.error();
  return preprocess::apply(preprocess::without_decode(recipe), read->image, target);
}

Result<Answer> answer(const std::vector<std::string>& fields, Pictures& pictures) {
  auto recipe = preprocess::parse_recipe(fields[1]);
  if (!recipe) return recipe.error();
  auto reference = spec_from(fields[2]);
  if (!reference) return reference.error();
  auto target = spec_from(fields[3]);
  if (!target) return target.error();
  std::vector<Tensor> tensors;
  std::vector<std::string> names;
  for (std::size_t i = 4; i < fields.size(); ++i) {
    const auto at = fields[i].find('=');
    if (at == std::string::npos) return Error{ErrorKind::kUsage, "not IMAGE=TENSOR: " + fields[i]};
    const std::string image = fields[i].substr(0, at);
    if (!pictures.contains(image)) {
      auto bytes = read_file(image);
      if (!bytes) return bytes.error();
      auto decoded = preprocess::decode(*bytes);
      if (!decoded) return std::move(decoded.error()).during(image);
      pictures[image] = {std::move(decoded->image), *std::move(bytes)};
    }
    auto bytes = read_file(fields[i].substr(at + 1));
    if (!bytes) return bytes.error();
    tensors.push_back({*target, std::move(*bytes)});
    names.push_back(image);
  }
  std::vector<diagnose::InputFrame> frames;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const Picture& picture = pictures.at(names[i]);
    frames.push_back(
        {names[i], &picture.image, tensors[i], preprocess::Source{picture.bytes, std::nullopt}});
  }
  const auto start = std::chrono::steady_clock::now();
  auto diagnosis = diagnose::diagnose_input(frames, *recipe, *reference, *target);
  const auto end = std::chrono::steady_clock::now();
  if (!diagnosis) return diagnosis.error();
  Answer out{std::move(*diagnosis), std::chrono::duration<double, std::milli>(end - start).count(),
             -1};
  if (out.diagnosis.status == diagnose::InputDiagnosis::Status::kFound)
    if (auto made = again(out.diagnosis.target_recipe, frames[0], *target)) {
      auto a = stored_as_float(*made), b = stored_as_float(tensors[0]);
      if (a && b && a->size() == b->size()) {
        double sum = 0;
        for (std::size_t i = 0; i < a->size(); ++i)
          sum += (double((*a)[i]) - (*b)[i]) * (double((*a)[i]) - (*b)[i]);
        out.reproduced = std::sqrt(sum / double(a->size()));
      }
    }
  return out;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: diagnose_input_tool CASES\n";
    return 2;
  }
  std::ifstream cases(arguments[1]);
  Pictures pictures;
  static const char* const kStatus[] = {"equal", "found", "partial", "undecidable"};
  for (std::string line; std::getline(cases, line);) {
    const auto fields = split(line, '\t');
    if (fields.size() < 5) continue;
    nlohmann::json json = {{"id", fields[0]}};
    if (auto got = answer(fields, pictures)) {
      const auto& d = got->diagnosis;
      json["status"] = kStatus[int(d.status)];
      json["reason"] = d.reason;
      json["rho0"] = d.residual_before;
      json["rho"] = d.residual;
      json["ms"] = got->ms;
      json["frames"] = {d.frames_agreeing, d.frames_used};
      json["target_recipe"] = preprocess::to_text(d.target_recipe);
      json["reproduced"] = got->reproduced;
      const auto list = [](const std::vector<diagnose::InputFault>& faults) {
        auto array = nlohmann::json::array();
        for (const auto& f : faults)
          array.push_back({{"kind", diagnose::name(f.kind)},
                           {"detail", f.detail},
                           {"contribution", f.contribution},
                           {"alternatives", f.alternatives},
                           {"fix", f.fix_step},
                           {"without_it", preprocess::to_text(f.without_it)}});
        return array;
      };
      json["faults"] = list(d.faults);
      json["notes"] = list(d.notes);
      json["evidence"] = report::evidence_texts(d.evidence);
    } else {
      json["status"] = "error";
      json["reason"] = got.error().what;
    }
    std::cout << json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
  }
  return 0;
}
