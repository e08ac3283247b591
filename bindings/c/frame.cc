// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <string_view>

#include "answers.h"
#include "probe/probe.h"
#include "trace/json_text.h"

// Frames: begin and end, properties of a whole frame, and spans.

using namespace edgeprobe::c;
namespace trace = edgeprobe::trace;

namespace {

// An escaped text of this length still fits into the frame's record.
constexpr std::size_t kLongestSample = 16384;

}  // namespace

extern "C" {

edgeprobe_status edgeprobe_frame_begin(edgeprobe_probe* handle, edgeprobe_frame** out) {
  if (!out) return usage("the place for the frame is NULL");
  *out = nullptr;
  return guarded([&] {
    *out = edgeprobe::c::begin(handle);
    return *out ? EDGEPROBE_OK : off();
  });
}

edgeprobe_status edgeprobe_frame_end(edgeprobe_frame* handle) {
  UsedFrame frame(handle);
  if (!frame) return refused(frame);
  return guarded([&] { return told(frame, frame.end()); });
}

uint32_t edgeprobe_frame_number(const edgeprobe_frame* handle) {
  UsedFrame frame(handle);
  return frame ? frame->number() : 0;
}

edgeprobe_status edgeprobe_frame_sample(edgeprobe_frame* handle, const char* name) {
  UsedFrame frame(handle);
  if (!frame) return refused(frame);
  if (!name) return usage("the name of the sample is NULL");
  if (std::strlen(name) > kLongestSample)
    return fail(EDGEPROBE_LIMIT,
                "the name of the sample is over 16384 bytes long; it was left out");
  return guarded([&] {
    frame->sample(name);
    return EDGEPROBE_OK;
  });
}

edgeprobe_status edgeprobe_frame_label(edgeprobe_frame* handle, int32_t label) {
  UsedFrame frame(handle);
  if (!frame) return refused(frame);
  frame->label(label);
  return EDGEPROBE_OK;
}

edgeprobe_status edgeprobe_frame_annotation(edgeprobe_frame* handle, const char* kind,
                                            const char* json) {
  UsedFrame frame(handle);
  if (!frame) return refused(frame);
  if (!kind || !*kind) return usage("the kind of the annotation is NULL or empty");
  if (!json) return usage("the value of the annotation is NULL");
  const std::string_view name(kind), value(json);
  if (name.size() > trace::kLongestKind || value.size() > trace::kLongestAnnotation)
    return fail(EDGEPROBE_LIMIT,
                "an annotation has a kind of at most 64 and a value of at most 12288 bytes; it was "
                "left out");
  return guarded([&] {
    if (!trace::is_json(value))
      return usage("the value of the annotation is not valid JSON; it was left out");
    frame->annotation(name, value);
    return EDGEPROBE_OK;
  });
}

edgeprobe_status edgeprobe_frame_sequence_start(edgeprobe_frame* handle) {
  UsedFrame frame(handle);
  if (!frame) return refused(frame);
  frame->begin_sequence();
  return EDGEPROBE_OK;
}

edgeprobe_status edgeprobe_frame_start(edgeprobe_frame* handle) {
  UsedFrame frame(handle);
  if (!frame) return refused(frame);
  frame->start();
  return EDGEPROBE_OK;
}

edgeprobe_status edgeprobe_frame_stop(edgeprobe_frame* handle) {
  UsedFrame frame(handle);
  if (!frame) return refused(frame);
  return told(frame, frame->stop());
}

edgeprobe_status edgeprobe_frame_trip(edgeprobe_frame* handle, const char* reason) {
  UsedFrame frame(handle);
  if (!frame) return refused(frame);
  if (!reason) return usage("the reason is NULL");
  return guarded([&] { return told(frame, frame->trip(reason)); });
}

edgeprobe_span edgeprobe_span_begin(edgeprobe_frame* handle, const char* name) {
  UsedFrame frame(handle);
  return {handle, name, frame ? frame.probe().recorder().clock.now_ns() : 0};
}

edgeprobe_status edgeprobe_span_end(edgeprobe_span* span) {
  if (!span) return usage("the span is NULL");
  UsedFrame frame(span->frame);
  if (!frame) return refused(frame);
  if (!span->name || span->start_ns == 0)
    return usage("the span was not begun, or has ended already");
  return guarded([&] {
    const bool done = frame->span(span->name, span->start_ns);
    span->start_ns = 0;
    return told(frame, done);
  });
}

}  // extern "C"
