// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/tensor.h"
#include "model/replace.h"
#include "stretch/split/split.h"
#include "stretch/split/subject.h"

namespace edgeprobe::stretch {

/// Constants added by splits, each once.
class PartConstants {
 public:
  PartConstants(const SplitSubject& subject, ByteView file) : subject_(subject), file_(file) {}

  /// Returns the name of the indices [first, first + count) of one dimension of a stored tensor:
  /// "weights/axis0/16to32". Errors of model::constant().
  Result<std::string> cut(int tensor, std::size_t axis, std::int64_t first, std::int64_t count);
  /// Zeros with the type and shape of a stored tensor.
  Result<std::string> zeros(int tensor);
  std::string wholes(const std::vector<std::int64_t>& values, const std::string& name);

  /// Constants added since the last call.
  std::vector<Tensor> take();

 private:
  std::string add(Tensor tensor, const std::string& name);

  const SplitSubject& subject_;
  ByteView file_;
  std::map<int, Tensor> read_;
  std::set<std::string> known_;
  std::vector<Tensor> fresh_;
};

/// "conv1/part2" for the second part; `part` counts from 0.
std::string part_name(const std::string& name, std::size_t part);

/// The layer under the name of one of its parts, with unchanged inputs, outputs and attributes.
model::NewLayer layer_part(const SplitSubject& subject, int layer, std::size_t part);
/// Sets or replaces an attribute.
void set_attribute(model::NewLayer& layer, const std::string& name, model::AttributeValue value);

/// The layers that parts replace: those of the split and the DequantizeLinear in `unpacked`, but
/// for those that other layers or the user read as well.
std::vector<int> replaced_layers(const SplitSubject& subject, const Matched& matched,
                                 const std::set<int>& unpacked);

/// Replaces the layers of a split. Errors of PartConstants.
Result<model::Replacement> channel_parts(const SplitSubject& subject, const Matched& matched,
                                         const Split& split, PartConstants& constants);
Result<model::Replacement> row_parts(const SplitSubject& subject, const Matched& matched,
                                     const Split& split, PartConstants& constants);

}  // namespace edgeprobe::stretch
