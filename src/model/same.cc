// SPDX-License-Identifier: Apache-2.0
#include "model/same.h"

#include <cstring>

namespace edgeprobe::model {

bool same(const ModelTensor& a, const ModelTensor& b) {
  // Compares scales by their bits: a NaN scale equals itself here.
  const Quantization &p = a.spec.quantization, &q = b.spec.quantization;
  return a.spec.name == b.spec.name && a.spec.dtype == b.spec.dtype &&
         a.spec.shape == b.spec.shape && p.scale.size() == q.scale.size() &&
         p.zero_point == q.zero_point && p.axis == q.axis &&
         (p.scale.empty() ||
          std::memcmp(p.scale.data(), q.scale.data(), p.scale.size() * sizeof(float)) == 0) &&
         a.is_variable == b.is_variable && a.is_sparse == b.is_sparse &&
         a.is_constant == b.is_constant && a.shape_known == b.shape_known &&
         a.storage == b.storage && a.data_offset == b.data_offset && a.data_size == b.data_size &&
         a.external_file == b.external_file;
}

bool same(const Layer& a, const Layer& b) {
  return a.type == b.type && a.name == b.name && a.version == b.version && a.inputs == b.inputs &&
         a.outputs == b.outputs && a.implicit_inputs == b.implicit_inputs && a.macs == b.macs;
}

}  // namespace edgeprobe::model
