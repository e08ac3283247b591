// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

/// What the program and its OpenVINO plug-in say to each other. Only C types cross, because both
/// sides may have been built with other compilers, and no exception crosses: a function that can
/// fail writes one message and gives null or false. Text is UTF-8 with a closing zero; pointers
/// that a function gives stay good until the object that they came from changes or goes. Not
/// thread-safe.
extern "C" {

struct EpOvCore;
struct EpOvModel;
struct EpOvSession;
struct EpOvBound;

/// Room for the reason of a failure.
struct EpOvMessage {
  char* text;
  size_t room;
};

/// A model file: in memory (ONNX; IR with `weights`), or by its name when `path` is not null.
struct EpOvFile {
  const char* path;
  const void* data;
  size_t size;
  const void* weights;
  size_t weights_size;
};

/// An input or output. Open dimensions are -1; `rank_known` is 0 when not even their count is
/// known.
struct EpOvPort {
  const char* name;  ///< The first of its names in alphabetical order; "" when it has none.
  const char* type;  ///< OpenVINO's name of the element type: "f32", "i8", …
  const int64_t* shape;
  size_t rank;
  int rank_known;
};

/// Which layer of the model file each of these tensors comes from.
struct EpOvLayers {
  /// The same model with more outputs, and the layer of each of its outputs (-1: of none). Null:
  /// `names` are used.
  const EpOvModel* promoted;
  const char* const* names;
  const int32_t* layers;
  size_t count;
};

struct EpOvOptions {
  int32_t threads;
  int32_t float32;  ///< 1: compute in float32 what the file says in float32; 0: as OpenVINO likes.
  int32_t profile;
  const int64_t* const* shapes;  ///< The shape of each input.
  const size_t* ranks;
  const EpOvLayers* layers;  ///< Null: kernels name no layers.
};

/// One kernel of a compiled model. `type` and `primitive` are OpenVINO's words ("Convolution",
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

/// Memory of one tensor that stays where it is.
struct EpOvPlace {
  void* data;
  size_t size;
};

/// Everything that the plug-in does.
struct EpOvTable {
  const char* (*built_for)(void);  ///< The version of the headers that it was compiled with.
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

  /// One inference; the time that OpenVINO took, or -1.
  int64_t (*infer)(EpOvSession*, const EpOvBuffer* inputs, EpOvMessage*);
  /// Of the last inference: an output with its shape, and the nanoseconds of each kernel.
  int (*output)(EpOvSession*, size_t index, EpOvPort*, EpOvBuffer*, EpOvMessage*);
  int (*times)(EpOvSession*, int64_t* nanoseconds, EpOvMessage*);

  /// The session's model over places of the shapes that its ports have now, with a request of its
  /// own. Null for a model that keeps a state, decides shapes or hands an input on as an output.
  EpOvBound* (*bind)(EpOvSession*, const EpOvPlace* inputs, const EpOvPlace* outputs, EpOvMessage*);
  int (*run)(EpOvBound*, EpOvMessage*);
  void (*unbind)(EpOvBound*);
};

/// The one symbol that the plug-in exports; null when it speaks another version of this file.
using EpOvEntry = const EpOvTable*(uint32_t version);
}

namespace edgeprobe::engine::openvino {
inline constexpr uint32_t kBorderVersion = 2;
inline constexpr const char* kEntry = "edgeprobe_openvino_plugin";
}  // namespace edgeprobe::engine::openvino
