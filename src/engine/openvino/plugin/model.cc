// SPDX-License-Identifier: Apache-2.0
#include "engine/openvino/plugin/model.h"

#include <algorithm>

namespace edgeprobe::engine::openvino {

PortText describe(const ov::Output<const ov::Node>& port) {
  PortText text;
  const auto& names = port.get_names();
  const auto first = std::min_element(names.begin(), names.end());
  if (first != names.end()) text.name = *first;
  text.type = port.get_element_type().get_type_name();
  const ov::PartialShape& shape = port.get_partial_shape();
  text.rank_known = shape.rank().is_static();
  if (text.rank_known)
    for (const ov::Dimension& dimension : shape)
      text.shape.push_back(dimension.is_static() ? dimension.get_length() : -1);
  return text;
}

}  // namespace edgeprobe::engine::openvino

EpOvModel::EpOvModel(std::shared_ptr<ov::Model> read) : model(std::move(read)) {
  using edgeprobe::engine::openvino::describe;
  const std::shared_ptr<const ov::Model> fixed = model;
  for (const auto& port : fixed->inputs()) inputs.push_back(describe(port));
  for (const auto& port : fixed->outputs()) outputs.push_back(describe(port));
}
