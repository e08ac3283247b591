// SPDX-License-Identifier: Apache-2.0
#include "audio/shared_object.h"

#include <dlfcn.h>

namespace edgeprobe::audio {

SharedObject::SharedObject(const char* file) : handle_(::dlopen(file, RTLD_NOW | RTLD_LOCAL)) {}

void* SharedObject::find(const char* symbol) const {
  return handle_ ? ::dlsym(handle_, symbol) : nullptr;
}

}  // namespace edgeprobe::audio
