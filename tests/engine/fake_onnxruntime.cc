// SPDX-License-Identifier: Apache-2.0
// A shared library with ONNX Runtime's one export whose "model" is a word that says how to
// misbehave, so that refusals and the supervision can be tested without the real one: "good" copies
// its one input (4 bytes) to its one output; "crash load", "hang load", "crash run", "hang run",
// "refuse load", "refuse run".
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#ifndef FAKE_VERSION
#define FAKE_VERSION "1.20.0"
#endif
#ifndef FAKE_TABLE
#define FAKE_TABLE 1
#endif

namespace {

struct Status {
  std::string text;
};
struct Session {
  std::string word;
};
struct Value {
  unsigned char bytes[4] = {};
  void* data = bytes;
};

[[noreturn]] void loop() {
  while (true) ::pause();
}
[[noreturn]] void crash() {
  std::signal(SIGSEGV, SIG_DFL);
  std::raise(SIGSEGV);
  std::abort();
}

const char* error_message(const Status* status) { return status->text.c_str(); }
void release_status(Status* status) { delete status; }
Status* create_env(int, const char*, void** env) {
  *env = new int;
  return nullptr;
}
void release_env(void* env) { delete static_cast<int*>(env); }
Status* create_session(void*, const char* model, std::size_t size, void*, Session** session) {
  const std::string word(model, size);
  if (word == "crash load") crash();
  if (word == "hang load") loop();
  if (word == "refuse load") return new Status{"this word\nis no model"};
  *session = new Session{word};
  return nullptr;
}
void release_session(Session* session) { delete session; }
Status* run(Session* session, void*, const char* const*, const Value* const* inputs, std::size_t,
            const char* const*, std::size_t, Value** outputs) {
  if (session->word == "crash run") crash();
  if (session->word == "hang run") loop();
  if (session->word == "refuse run") return new Status{"node 3 does not like it"};
  outputs[0] = new Value;
  std::memcpy(outputs[0]->bytes, inputs[0]->data, 4);
  return nullptr;
}
Status* create_anything(void** thing) {
  *thing = new int;
  return nullptr;
}
void release_anything(void* thing) { delete static_cast<int*>(thing); }
Status* accept() { return nullptr; }
Status* one(void*, std::size_t* count) {
  *count = 1;
  return nullptr;
}
Status* type(void*, std::size_t, void** info) { return create_anything(info); }
Status* name(void*, std::size_t, void*, char** text) {
  *text = ::strdup("x");
  return nullptr;
}
Status* free_text(void*, void* text) {
  std::free(text);
  return nullptr;
}
Status* is_tensor(void*, int* kind) {
  *kind = 1;
  return nullptr;
}
Status* same(void* from, void** to) {
  *to = from;
  return nullptr;
}
Status* element(void*, int* type) {
  *type = 2;  // uint8
  return nullptr;
}
Status* four(void*, std::int64_t* dimensions, std::size_t) {
  dimensions[0] = 4;
  return nullptr;
}
Status* no_names(void*, const char** names, std::size_t) {
  names[0] = "";
  return nullptr;
}
Status* create_tensor(void*, void* data, std::size_t, void*, std::size_t, int, Value** value) {
  *value = new Value;
  (*value)->data = data;
  return nullptr;
}
Status* value_data(Value* value, void** data) {
  *data = value->data;
  return nullptr;
}
void release_value(Value* value) { delete value; }
Status* memory_info(int, int, void** info) { return create_anything(info); }
Status* allocator(void** allocator) {
  static int only;
  *allocator = &only;
  return nullptr;
}
Status* value_info(void*, void** info) { return create_anything(info); }

const void* table[140];

template <class F>
void put(std::size_t slot, F* function) {
  table[slot] = reinterpret_cast<const void*>(function);
}

const void* get_api(std::uint32_t) {
  if (!FAKE_TABLE) return nullptr;
  put(2, error_message), put(3, create_env), put(6, accept), put(8, create_session), put(9, run),
      put(10, create_anything);
  for (const int slot : {11, 13, 22, 23, 24, 25, 130}) put(static_cast<std::size_t>(slot), accept);
  put(30, one), put(31, one), put(33, type), put(34, type), put(36, name), put(37, name),
      put(39, create_anything);
  put(49, create_tensor), put(51, value_data), put(55, same), put(56, is_tensor), put(60, element),
      put(61, one);
  put(62, four), put(63, no_names), put(65, value_info), put(67, is_tensor), put(69, memory_info),
      put(76, free_text);
  put(78, allocator), put(92, release_env), put(93, release_status), put(94, release_anything),
      put(95, release_session);
  put(96, release_value), put(97, release_anything), put(98, release_anything),
      put(99, release_anything);
  put(100, release_anything);
  return table;
}

struct Base {
  const void* (*get_api)(std::uint32_t);
  const char* (*version)();
};

}  // namespace

extern "C" const Base* OrtGetApiBase() {
  static const Base base{get_api, [] { return FAKE_VERSION; }};
  return &base;
}
