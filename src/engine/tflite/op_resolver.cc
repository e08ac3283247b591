// SPDX-License-Identifier: Apache-2.0
#include "engine/tflite/op_resolver.h"

namespace edgeprobe::engine::tflite {

ReferenceResolver::ReferenceResolver(const Api& api) : api_(api) {
  api_.reference_resolver_construct(memory_);
}

ReferenceResolver::~ReferenceResolver() {
  if (api_.reference_resolver_destroy) api_.reference_resolver_destroy(memory_);
}

void ReferenceResolver::install(COptions* options) {
  // A member function takes `this` as its first argument (Itanium C++ ABI), so the two overloads of
  // FindOp can be used directly as callbacks.
  api_.set_resolver(options, api_.find_builtin, api_.find_custom, memory_);
}

}  // namespace edgeprobe::engine::tflite
