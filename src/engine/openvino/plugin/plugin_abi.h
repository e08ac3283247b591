// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

/// Interface between the program and its OpenVINO plug-in. It uses only C types, because both sides
/// may have been built with different compilers, and no exception crosses it: a function that fails
/// writes a message and returns null or false. Text is UTF-8 with a terminating zero; returned
/// pointers stay valid until the object they came from changes or is destroyed. Not thread-safe.
extern "C" {

struct EpOvCore;
struct EpOvModel;
struct EpOvSession;
struct EpOvBound;

/// Buffer for the reason of a failure.
struct EpOvMessage {
  char* text;
  size_t room;
};

/// A model file: in memory (ONNX; IR with `weights`), or by its name if `path` is not null.
struct EpOvFile {
  const char* path;
  const void* data;
  size_t size;
  const void* weights;
  size_t weights_size;
};

/// An input or output. Open dimensions are -1; `rank_known` is 0 if even their number is unknown.
struct EpOvPort {
  const char* name;  ///< Its alphabetically first name; "" if it has none.
  const char* type;  ///< OpenVINO's name of the element type: "f32", "i8", …
  const int64_t* shape;
  size_t rank;
  int rank_known;
};

/// Maps tensors to layers of the model file.
struct EpOvLayers {
  /// The same model with more outputs, and the layer of each output (-1: none). If null, `names`
  /// are used.
  const EpOvModel* promoted;
  const char* const* names;
  const int32_t* layers;
  size_t count;
};

struct EpOvOptions {
  int32_t threads;
  int32_t float32;  ///< 1: compute the file's float32 parts in float32; 0: OpenVINO chooses.
  int32_t profile;
  const int64_t* const* shapes;  ///< The shape of each input.
  const size_t* ranks;
  const EpOvLayers* layers;  ///< Null: kernels have no layer names.
};

/// One kernel of a compiled model. `type` and `primitive` are OpenVINO's terms ("Convolution",
/// "brgconv_avx512_f32").
struct EpOvKernel {
  const char* name;
  const char* type;
  const char* primitive;
  const char* precision;
  const int32_t* layers;
  size_t layer_count;
};

struct EpOvBuffer {
  const void* data;
  size_t size;
};

/// Fixed memory of one tensor.
struct EpOvPlace {
  void* data;
  size_t size;
};

/// All functions of the plug-in.
struct EpOvTable {
  const char* (*built_for)(void);  ///< The OpenVINO version of the headers at compile time.
  EpOvCore* (*open)(EpOvMessage*);
  void (*close)(EpOvCore*);

  EpOvModel* (*read)(EpOvCore*, const EpOvFile*, EpOvMessage*);
  void (*forget)(EpOvModel*);
  size_t (*model_ports)(const EpOvModel*, int outputs);
  EpOvPort (*model_port)(const EpOvModel*, int outputs, size_t index);

  EpOvSession* (*compile)(EpOvCore*, EpOvModel*, const EpOvOptions*, EpOvMessage*);
  void (*end)(EpOvSession*);
  EpOvPort (*port)(const EpOvSession*, int outputs, size_t index);
  size_t (*kernels)(const EpOvSession*);
  EpOvKernel (*kernel)(const EpOvSession*, size_t index);

  /// Runs one inference; returns OpenVINO's time, or -1.
  int64_t (*infer)(EpOvSession*, const EpOvBuffer* inputs, EpOvMessage*);
  /// From the last inference: an output with its shape, and the nanoseconds of each kernel.
  int (*output)(EpOvSession*, size_t index, EpOvPort*, EpOvBuffer*, EpOvMessage*);
  int (*times)(EpOvSession*, int64_t* nanoseconds, EpOvMessage*);

  /// Prepares the session's model, with its own request, to compute in places that have its ports'
  /// current shapes. Null for a model that keeps a state, decides shapes or returns an input as an
  /// output.
  EpOvBound* (*bind)(EpOvSession*, const EpOvPlace* inputs, const EpOvPlace* outputs, EpOvMessage*);
  int (*run)(EpOvBound*, EpOvMessage*);
  void (*unbind)(EpOvBound*);
};

/// The only symbol that the plug-in exports; returns null for another version of this file.
using EpOvEntry = const EpOvTable*(uint32_t version);
}

namespace edgeprobe::engine::openvino {
inline constexpr uint32_t kBorderVersion = 2;
inline constexpr const char* kEntry = "edgeprobe_openvino_plugin";
}  // namespace edgeprobe::engine::openvino
