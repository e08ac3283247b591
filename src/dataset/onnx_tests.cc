// SPDX-License-Identifier: Apache-2.0
#include "dataset/sources.h"

#include <memory>

#include "core/file.h"
#include "core/protobuf.h"
#include "core/text.h"
#include "model/onnx/onnx.h"

namespace edgeprobe::dataset {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostTensor = std::size_t{1} << 31, kMostSets = 100'000, kMostInputs = 1000;

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

fs::path input_file(const fs::path& set, std::size_t index) {
  return set / ("input_" + std::to_string(index) + ".pb");
}

Result<Tensor> read_tensor(const fs::path& file, std::size_t index) {
  EP_TRY(const auto bytes, read_file(file, kMostTensor));
  auto tensor = parse_onnx_tensor(bytes, "'" + sanitized(file.string()) + "'");
  if (tensor && tensor->spec.name.empty()) tensor->spec.name = "arr_" + std::to_string(index);
  return tensor;
}

}  // namespace

// Reads the tensor as the only constant of a model, because the model reader tolerates any bytes.
Result<Tensor> parse_onnx_tensor(ByteView bytes, const std::string& title) {
  if (bytes.size == 0) return Error{ErrorKind::kCorrupt, title + " is empty"};
  ProtoWriter graph, opset, model;
  graph.bytes(2, "data").bytes(5, bytes.text());
  opset.whole(2, 13);
  model.whole(1, 8).bytes(7, graph).bytes(8, opset);
  const std::string text = std::move(model).text();
  auto read = model::read_onnx(view_of(text), title, {});
  if (!read) return std::move(read.error()).during(title + " is not an ONNX tensor");
  for (std::size_t t = 0; t < read->tensors.size(); ++t) {
    if (!read->tensors[t].is_constant) continue;
    auto values = model::constant(*read, view_of(text), static_cast<int>(t));
    if (!values) return std::move(values.error()).during(title);
    if (values->spec.dtype == DType::kOther)
      return Error{ErrorKind::kUnsupported, title + " contains no numbers"};
    return values;
  }
  return Error{ErrorKind::kCorrupt, title + " contains no tensor"};
}

bool is_onnx_tests(const fs::path& folder) {
  return is_file(input_file(folder, 0)) || is_file(input_file(folder / "test_data_set_0", 0));
}

Result<std::vector<Sample>> open_onnx_tests(const fs::path& folder, const Labels& labels) {
  std::vector<std::pair<std::string, fs::path>> sets;
  if (is_file(input_file(folder, 0))) {
    sets.emplace_back(folder.filename().empty() ? folder.parent_path().filename().string()
                                                : folder.filename().string(),
                      folder);
  } else {
    for (std::size_t k = 0; k < kMostSets; ++k) {
      const std::string name = "test_data_set_" + std::to_string(k);
      if (!is_file(input_file(folder / name, 0))) break;
      sets.emplace_back(name, folder / name);
    }
  }
  std::vector<Sample> samples;
  for (const auto& [name, set] : sets) {
    auto held = std::make_shared<Arrays>();
    std::vector<TensorSpec> specs;
    for (std::size_t i = 0; i < kMostInputs && is_file(input_file(set, i)); ++i) {
      EP_TRY(auto tensor, read_tensor(input_file(set, i), i));
      specs.push_back(tensor.spec);
      held->arrays.push_back(std::move(tensor));
    }
    samples.push_back({name, annotation_of(labels, name),
                       [held = std::shared_ptr<const Arrays>(std::move(held))]() -> Result<Loaded> {
                         return Loaded{*held, ""};
                       },
                       std::move(specs), samples.empty()});
  }
  return samples;
}

}  // namespace edgeprobe::dataset
