// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>

#include "answers.h"
#include "probe/probe.h"

// Tensors and variables of a frame.

namespace probe = edgeprobe::probe;
using edgeprobe::DType;
using edgeprobe::trace::Stage;
using namespace edgeprobe::c;

namespace {

static_assert(static_cast<int>(DType::kBool) == EDGEPROBE_BOOL &&
              static_cast<int>(DType::kInt8) == EDGEPROBE_INT8 &&
              static_cast<int>(DType::kUInt64) == EDGEPROBE_UINT64 &&
              static_cast<int>(DType::kFloat64) == EDGEPROBE_FLOAT64);

// False for a number that is not a tensor stage.
bool stage_from(int stage, Stage& out, bool& is_embedding) {
  is_embedding = stage == EDGEPROBE_STAGE_EMBEDDING;
  switch (stage) {
    case EDGEPROBE_STAGE_INTERMEDIATE: out = Stage::kIntermediate; return true;
    case EDGEPROBE_STAGE_MODEL_INPUT: out = Stage::kModelInput; return true;
    case EDGEPROBE_STAGE_LAYER:
    case EDGEPROBE_STAGE_EMBEDDING: out = Stage::kLayer; return true;
    case EDGEPROBE_STAGE_MODEL_OUTPUT: out = Stage::kModelOutput; return true;
    case EDGEPROBE_STAGE_VARIABLE: out = Stage::kVariable; return true;
    default: return false;
  }
}

// A variable of the application.
probe::Logged variable(const char* name) {
  probe::Logged logged;
  logged.stage = Stage::kVariable;
  logged.name = name;
  return logged;
}

edgeprobe_status log_text(edgeprobe_frame* handle, const char* name, const char* text,
                          const char* encoding) {
  UsedFrame frame(handle);
  if (!frame) return refused(frame);
  if (!name || !text) return usage("the name or the text is NULL");
  return guarded([&] {
    constexpr std::int64_t kOpen = -1;
    probe::Logged logged = variable(name);
    logged.dtype = DType::kUInt8;
    logged.rank = 1;
    logged.shape = &kOpen;
    logged.encoding = encoding;
    return told(frame, frame->tensor(logged, view(text, std::strlen(text))));
  });
}

// True if the tensor's description is unchanged; its checks are then skipped.
bool is_again(const edgeprobe_tensor& tensor, const probe::ChannelEntry& known) {
  const probe::Logged& logged = known.logged;
  if (number_in(tensor.stage) != logged.told_stage || tensor.position != logged.told_position ||
      tensor.size != known.size || number_in(tensor.dtype) != static_cast<int>(logged.dtype) ||
      tensor.rank != logged.rank || tensor.scale_count != logged.scale_count || !tensor.name ||
      (tensor.rank && !tensor.shape) || (tensor.size && !tensor.data))
    return false;
  for (std::uint32_t i = 0; i < logged.rank; ++i)
    if (tensor.shape[i] != logged.shape[i]) return false;
  if (logged.scale_count) {
    // More than one scale takes the slow comparison.
    if (logged.scale_count != 1 || !tensor.scale ||
        std::memcmp(tensor.scale, logged.scale, sizeof *tensor.scale) != 0)
      return false;
    if (!tensor.zero_point != !logged.zero_point ||
        (tensor.zero_point && *tensor.zero_point != *logged.zero_point))
      return false;
  }
  if (tensor.layer_type ? logged.layer_type != tensor.layer_type : !logged.layer_type.empty())
    return false;
  return std::strcmp(tensor.name, logged.name.data()) == 0;
}

}  // namespace

extern "C" {

int edgeprobe_frame_wants(const edgeprobe_frame* handle, int stage) {
  UsedFrame frame(handle);
  if (!frame) return 0;
  Stage wanted = Stage::kRawInput;
  bool is_embedding = false;
  if (stage == EDGEPROBE_STAGE_RAW_INPUT) return frame->wants_raw();
  if (stage == EDGEPROBE_STAGE_ANSWER) return frame->wants(Stage::kAnswer, false);
  return stage_from(stage, wanted, is_embedding) && frame->wants(wanted, is_embedding);
}

edgeprobe_status edgeprobe_log_tensor(edgeprobe_frame* handle, const edgeprobe_tensor* tensor) {
  UsedFrame frame(handle);
  if (!frame) return refused(frame);
  if (!tensor || !is_struct_of(tensor->struct_size,
                               offsetof(edgeprobe_tensor, layer_type) + sizeof tensor->layer_type))
    return usage("the tensor is NULL, or its struct_size is wrong");
  if (const probe::ChannelEntry* const known = frame->expected();
      known && is_again(*tensor, *known))
    return guarded(
        [&] { return told(frame, frame->put(*known, view(tensor->data, tensor->size))); });
  probe::Logged logged;
  if (!stage_from(number_in(tensor->stage), logged.stage, logged.is_embedding))
    return usage("tensor.stage is not a stage of a tensor");
  if (!in_range(tensor->dtype, EDGEPROBE_BOOL))
    return usage("tensor.dtype is not an edgeprobe_dtype");
  if (!tensor->name) return usage("tensor.name is NULL");
  if (tensor->rank > EDGEPROBE_MAX_RANK || (tensor->rank && !tensor->shape))
    return usage("tensor.rank is over 32, or tensor.shape is NULL");
  if (tensor->size && !tensor->data) return usage("tensor.data is NULL");
  if (tensor->scale_count && !tensor->scale) return usage("tensor.scale is NULL");
  logged.dtype = static_cast<DType>(tensor->dtype);
  logged.name = tensor->name;
  if (tensor->layer_type) logged.layer_type = tensor->layer_type;
  logged.rank = tensor->rank;
  logged.shape = tensor->shape;
  logged.scale_count = tensor->scale_count;
  logged.scale = tensor->scale;
  logged.zero_point = tensor->zero_point;
  logged.axis = tensor->axis;
  logged.position = std::max(-1, tensor->position);
  logged.told_stage = number_in(tensor->stage);
  logged.told_position = tensor->position;
  return guarded(
      [&] { return told(frame, frame->tensor(logged, view(tensor->data, tensor->size))); });
}

edgeprobe_status edgeprobe_log_scalar(edgeprobe_frame* handle, const char* name, double value) {
  UsedFrame frame(handle);
  if (!frame) return refused(frame);
  if (!name) return usage("the name is NULL");
  return guarded([&] {
    probe::Logged logged = variable(name);
    logged.dtype = DType::kFloat64;
    return told(frame, frame->tensor(logged, view(&value, sizeof value)));
  });
}

edgeprobe_status edgeprobe_log_vector(edgeprobe_frame* handle, const char* name,
                                      const double* values, size_t count) {
  UsedFrame frame(handle);
  if (!frame) return refused(frame);
  if (!name || (count && !values)) return usage("the name or the values are NULL");
  if (count > std::numeric_limits<std::size_t>::max() / 16)
    return usage("more values than there is memory");
  return guarded([&] {
    const auto length = static_cast<std::int64_t>(count);
    probe::Logged logged = variable(name);
    logged.dtype = DType::kFloat64;
    logged.rank = 1;
    logged.shape = &length;
    return told(frame, frame->tensor(logged, view(values, count * sizeof *values)));
  });
}

edgeprobe_status edgeprobe_log_text(edgeprobe_frame* frame, const char* name, const char* text) {
  return log_text(frame, name, text, "utf8");
}
edgeprobe_status edgeprobe_log_json(edgeprobe_frame* frame, const char* name, const char* json) {
  return log_text(frame, name, json, "json");
}

}  // extern "C"
