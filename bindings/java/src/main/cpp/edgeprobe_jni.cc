// SPDX-License-Identifier: Apache-2.0
// The natives of dev.edgeprobe.Native: each converts its arguments, calls the C library and returns
// its status.
#include <edgeprobe.h>
#include <jni.h>

#include "values.h"

namespace edgeprobe::jni {
namespace {

// jlong and int64_t are the same type on some systems, and different types of equal size on others.
static_assert(sizeof(jlong) == sizeof(std::int64_t));

/// Target of Java's handle of a probe.
struct Handle {
  edgeprobe_probe* probe = nullptr;
  JavaVM* machine = nullptr;
  jobject redactor = nullptr;
  jmethodID redact = nullptr;
};

Handle& handle_of(jlong handle) { return *reinterpret_cast<Handle*>(handle); }
edgeprobe_probe* probe_of(jlong handle) { return handle_of(handle).probe; }
edgeprobe_frame* frame_of(jlong handle) { return reinterpret_cast<edgeprobe_frame*>(handle); }

jbyteArray to_java(JNIEnv* env, const void* bytes, std::size_t size) {
  const jbyteArray array = env->NewByteArray(static_cast<jsize>(size));
  if (array != nullptr)
    env->SetByteArrayRegion(array, 0, static_cast<jsize>(size), static_cast<const jbyte*>(bytes));
  return array;
}

void store(JNIEnv* env, jintArray target, edgeprobe_status status) {
  const jint value = status;
  env->SetIntArrayRegion(target, 0, 1, &value);
}

/// Lets Java's redactor change the bytes. If the call fails, the bytes are cleared.
void redact(void* context, const char* name, void* bytes, size_t size) {
  const auto& handle = *static_cast<const Handle*>(context);
  JNIEnv* env = nullptr;
  bool done = false;
  if (handle.machine->GetEnv(reinterpret_cast<void**>(&env), JNI_VERSION_1_6) == JNI_OK &&
      size <= 0x7FFFFFFF) {
    const jbyteArray copy = to_java(env, bytes, size);
    const jbyteArray text = copy == nullptr ? nullptr : to_java(env, name, std::strlen(name));
    if (text != nullptr) {
      env->CallVoidMethod(handle.redactor, handle.redact, text, copy);
      done = env->ExceptionCheck() == JNI_FALSE;
    }
    env->ExceptionClear();
    if (done)
      env->GetByteArrayRegion(copy, 0, static_cast<jsize>(size), static_cast<jbyte*>(bytes));
    env->DeleteLocalRef(text);
    env->DeleteLocalRef(copy);
  }
  if (!done) std::memset(bytes, 0, size);
}

// --- probe

jint abi_version(JNIEnv*, jclass) { return edgeprobe_abi_version(); }

jbyteArray version(JNIEnv* env, jclass) {
  return to_java(env, edgeprobe_version(), std::strlen(edgeprobe_version()));
}

jbyteArray last_error(JNIEnv* env, jclass) {
  const char* text = edgeprobe_last_error();
  return to_java(env, text, std::strlen(text));
}

jlong open(JNIEnv* env, jclass, jbyteArray path, jbyteArray include, jbyteArray exclude,
           jlongArray numbers, jdouble below_confidence, jdouble time_share, jobject redactor,
           jintArray status) {
  std::unique_ptr<Handle> handle(new (std::nothrow) Handle);
  if (!handle) {
    store(env, status, EDGEPROBE_LIMIT);
    return 0;
  }
  const Text path_text(env, path), include_text(env, include), exclude_text(env, exclude);
  const Longs number(env, numbers);
  const jlong* n = number.data();
  edgeprobe_options options;
  edgeprobe_options_init(&options);
  options.level = static_cast<edgeprobe_level>(n[0]);
  options.include = include_text;
  options.exclude = exclude_text;
  options.sampling = static_cast<edgeprobe_sampling>(n[1]);
  options.every = static_cast<std::uint32_t>(n[2]);
  options.seed = static_cast<std::uint64_t>(n[3]);
  options.before = static_cast<std::uint32_t>(n[4]);
  options.raw = static_cast<edgeprobe_raw>(n[5]);
  options.raw_frames = static_cast<std::uint32_t>(n[6]);
  options.raw_bytes = static_cast<std::uint64_t>(n[7]);
  options.sketch = static_cast<int>(n[8]);
  options.bytes_per_second = static_cast<std::uint64_t>(n[9]);
  options.total_bytes = static_cast<std::uint64_t>(n[10]);
  options.part_bytes = static_cast<std::uint64_t>(n[11]);
  options.newest_parts = static_cast<std::uint32_t>(n[12]);
  options.own_outputs = static_cast<std::uint32_t>(n[13]);
  options.flush_ms = static_cast<std::uint32_t>(n[14]);
  options.wait_when_full = static_cast<int>(n[15]);
  options.below_confidence = below_confidence;
  options.time_share = time_share;
  if (redactor != nullptr) {
    env->GetJavaVM(&handle->machine);
    handle->redact = env->GetMethodID(env->GetObjectClass(redactor), "redact", "([B[B)V");
    handle->redactor = env->NewGlobalRef(redactor);
    options.redact = redact;
    options.redact_context = handle.get();
  }
  const edgeprobe_status opened = edgeprobe_try_open(path_text, &options, &handle->probe);
  store(env, status, opened);
  if (opened == EDGEPROBE_OK) return reinterpret_cast<jlong>(handle.release());
  if (handle->redactor != nullptr) env->DeleteGlobalRef(handle->redactor);
  return 0;
}

void store(JNIEnv* env, jlongArray target, const edgeprobe_statistics& from) {
  const jlong values[] = {from.level,
                          static_cast<jlong>(from.frames),
                          static_cast<jlong>(from.recorded_frames),
                          static_cast<jlong>(from.dropped_frames),
                          static_cast<jlong>(from.tensors),
                          static_cast<jlong>(from.bytes),
                          static_cast<jlong>(from.time_ns)};
  env->SetLongArrayRegion(target, 0, sizeof values / sizeof values[0], values);
}

jint statistics(JNIEnv* env, jclass, jlong probe, jlongArray values) {
  edgeprobe_statistics now{};
  now.struct_size = sizeof now;
  const edgeprobe_status status = edgeprobe_statistics_now(probe_of(probe), &now);
  store(env, values, now);
  return status;
}

jint flush(JNIEnv*, jclass, jlong probe) { return edgeprobe_flush(probe_of(probe)); }

jint close(JNIEnv* env, jclass, jlong probe, jlongArray values) {
  const std::unique_ptr<Handle> handle(&handle_of(probe));
  edgeprobe_statistics last{};
  last.struct_size = sizeof last;
  const edgeprobe_status status = edgeprobe_close(handle->probe, &last);
  store(env, values, last);
  if (handle->redactor != nullptr) env->DeleteGlobalRef(handle->redactor);
  return status;
}

jint describe(JNIEnv* env, jclass, jlong probe, jbyteArray key, jbyteArray value) {
  return edgeprobe_describe(probe_of(probe), Text(env, key), Text(env, value));
}

jint mark(JNIEnv* env, jclass, jlong probe, jbyteArray name, jbyteArray text) {
  return edgeprobe_mark(probe_of(probe), Text(env, name), Text(env, text));
}

jint assert_that(JNIEnv* env, jclass, jlong probe, jbyteArray name, jbyteArray wrong) {
  return edgeprobe_assert_that(probe_of(probe), Text(env, name), Text(env, wrong));
}

jint sensor(JNIEnv* env, jclass, jlong probe, jbyteArray name, jdoubleArray values, jbyteArray unit,
            jlong age_ns) {
  const Doubles value(env, values);
  return edgeprobe_sensor_ago(probe_of(probe), Text(env, name), value.data(), value.count(),
                              Text(env, unit), static_cast<std::uint64_t>(age_ns));
}

jint sensor_absent(JNIEnv* env, jclass, jlong probe, jbyteArray name, jbyteArray unit,
                   jbyteArray reason) {
  return edgeprobe_sensor_absent(probe_of(probe), Text(env, name), Text(env, unit),
                                 Text(env, reason));
}

// --- frame

jlong frame_begin(JNIEnv* env, jclass, jlong probe, jintArray status) {
  edgeprobe_frame* frame = nullptr;
  store(env, status, edgeprobe_frame_begin(probe_of(probe), &frame));
  return reinterpret_cast<jlong>(frame);
}

jint frame_end(JNIEnv*, jclass, jlong frame) { return edgeprobe_frame_end(frame_of(frame)); }

jint frame_number(JNIEnv*, jclass, jlong frame) {
  return static_cast<jint>(edgeprobe_frame_number(frame_of(frame)));
}

jint frame_sample(JNIEnv* env, jclass, jlong frame, jbyteArray name) {
  return edgeprobe_frame_sample(frame_of(frame), Text(env, name));
}

jint frame_label(JNIEnv*, jclass, jlong frame, jint label) {
  return edgeprobe_frame_label(frame_of(frame), label);
}

jint frame_annotation(JNIEnv* env, jclass, jlong frame, jbyteArray kind, jbyteArray json) {
  return edgeprobe_frame_annotation(frame_of(frame), Text(env, kind), Text(env, json));
}

jint frame_sequence_start(JNIEnv*, jclass, jlong frame) {
  return edgeprobe_frame_sequence_start(frame_of(frame));
}

jint frame_start(JNIEnv*, jclass, jlong frame) { return edgeprobe_frame_start(frame_of(frame)); }

jint frame_stop(JNIEnv*, jclass, jlong frame) { return edgeprobe_frame_stop(frame_of(frame)); }

jint frame_trip(JNIEnv* env, jclass, jlong frame, jbyteArray reason) {
  return edgeprobe_frame_trip(frame_of(frame), Text(env, reason));
}

jboolean frame_wants(JNIEnv*, jclass, jlong frame, jint stage) {
  return edgeprobe_frame_wants(frame_of(frame), stage) != 0 ? JNI_TRUE : JNI_FALSE;
}

jint log_tensor(JNIEnv* env, jclass, jlong frame, jint stage, jbyteArray name, jint dtype,
                jlongArray shape, jobject direct, jobject array, jlong offset, jlong size,
                jfloatArray scale, jlongArray zero_point, jint axis, jint position,
                jbyteArray layer_type) {
  const Text name_text(env, name), type_text(env, layer_type);
  const Longs dimensions(env, shape), zero_points(env, zero_point);
  const Floats scales(env, scale);
  const Bytes bytes(env, direct, array, offset, size, false);
  edgeprobe_tensor tensor{};
  tensor.struct_size = sizeof tensor;
  tensor.stage = static_cast<edgeprobe_stage>(stage);
  tensor.name = name_text;
  tensor.dtype = static_cast<edgeprobe_dtype>(dtype);
  tensor.rank = dimensions.count();
  tensor.shape = reinterpret_cast<const std::int64_t*>(dimensions.data());
  tensor.data = bytes.data();
  tensor.size = static_cast<std::size_t>(size);
  tensor.scale_count = scales.count();
  tensor.scale = scales.data();
  tensor.zero_point = reinterpret_cast<const std::int64_t*>(zero_points.data());
  tensor.axis = axis;
  tensor.position = position;
  tensor.layer_type = type_text;
  return edgeprobe_log_tensor(frame_of(frame), &tensor);
}

// The flags of dev.edgeprobe.Frame.
constexpr jint kMirrored = 1, kFullRange = 2, kBt709 = 4, kCopy = 8;

jint log_image(JNIEnv* env, jclass, jlong frame, jbyteArray name, jint pixels, jint width,
               jint height, jint stride, jint chroma_stride, jint rotation, jint flags,
               jobject direct, jobject array, jlong offset, jlong size) {
  const Text name_text(env, name);
  const Bytes bytes(env, direct, array, offset, size, (flags & kCopy) != 0);
  edgeprobe_image image{};
  image.struct_size = sizeof image;
  image.name = name_text;
  image.format = static_cast<edgeprobe_pixels>(pixels);
  image.width = static_cast<std::uint32_t>(width);
  image.height = static_cast<std::uint32_t>(height);
  image.stride = static_cast<std::uint32_t>(stride);
  image.chroma_stride = static_cast<std::uint32_t>(chroma_stride);
  image.data = bytes.data();
  image.size = static_cast<std::size_t>(size);
  image.rotation = rotation;
  image.mirrored = (flags & kMirrored) != 0;
  image.full_range = (flags & kFullRange) != 0;
  image.bt709 = (flags & kBt709) != 0;
  return edgeprobe_log_image(frame_of(frame), &image);
}

jint log_audio(JNIEnv* env, jclass, jlong frame, jbyteArray name, jint dtype, jobject direct,
               jobject array, jlong offset, jlong size, jboolean copy, jlong samples_per_channel,
               jint channels, jint samples_per_second) {
  const Text name_text(env, name);
  const Bytes bytes(env, direct, array, offset, size, copy != JNI_FALSE);
  return edgeprobe_log_audio(frame_of(frame), name_text, static_cast<edgeprobe_dtype>(dtype),
                             bytes.data(), static_cast<std::size_t>(samples_per_channel),
                             static_cast<std::uint32_t>(channels),
                             static_cast<std::uint32_t>(samples_per_second));
}

jint log_readings(JNIEnv* env, jclass, jlong frame, jbyteArray name, jint dtype, jobject direct,
                  jobject array, jlong offset, jlong size, jboolean copy, jlong steps, jint axes,
                  jdouble steps_per_second) {
  const Text name_text(env, name);
  const Bytes bytes(env, direct, array, offset, size, copy != JNI_FALSE);
  return edgeprobe_log_readings(frame_of(frame), name_text, static_cast<edgeprobe_dtype>(dtype),
                                bytes.data(), static_cast<std::size_t>(steps),
                                static_cast<std::uint32_t>(axes), steps_per_second);
}

jint log_encoded(JNIEnv* env, jclass, jlong frame, jbyteArray name, jobject direct, jobject array,
                 jlong offset, jlong size, jboolean copy) {
  const Text name_text(env, name);
  const Bytes bytes(env, direct, array, offset, size, copy != JNI_FALSE);
  return edgeprobe_log_encoded(frame_of(frame), name_text, bytes.data(),
                               static_cast<std::size_t>(size));
}

jint log_raw_text(JNIEnv* env, jclass, jlong frame, jbyteArray name, jbyteArray text) {
  const Text name_text(env, name);
  const jsize size = env->GetArrayLength(text);
  // The redactor may be called: no array may be held.
  const Bytes bytes(env, nullptr, text, 0, size, true);
  return edgeprobe_log_raw_text(frame_of(frame), name_text, static_cast<const char*>(bytes.data()),
                                static_cast<std::size_t>(size));
}

jint log_answer(JNIEnv* env, jclass, jlong frame, jbyteArray name, jint parts, jint count,
                jbyteArray labels, jlongArray classes, jfloatArray scores, jfloatArray boxes,
                jobject mask, jint mask_dtype, jint height, jint width, jfloatArray points,
                jfloatArray vector, jfloat score, jboolean alarm, jbyteArray text) {
  const Text name_text(env, name), label_texts(env, labels), own_text(env, text);
  const Longs class_numbers(env, classes);
  const Floats score_numbers(env, scores), box_numbers(env, boxes), point_numbers(env, points),
      vector_numbers(env, vector);
  const auto number = static_cast<std::size_t>(count);
  const std::unique_ptr<const char*[]> label_list(
      labels == nullptr ? nullptr : new (std::nothrow) const char*[number + 1]);
  const char* at = label_texts;
  for (std::size_t i = 0; label_list && at != nullptr && i < number; ++i) {
    label_list[i] = at;
    at += std::strlen(at) + 1;
  }
  edgeprobe_answer answer{};
  answer.struct_size = sizeof answer;
  answer.parts = static_cast<std::uint32_t>(parts);
  answer.name = name_text;
  answer.count = number;
  answer.labels = at == nullptr ? nullptr : label_list.get();
  answer.classes = reinterpret_cast<const std::int64_t*>(class_numbers.data());
  answer.scores = score_numbers.data();
  answer.boxes = box_numbers.data();
  answer.mask_dtype = static_cast<edgeprobe_dtype>(mask_dtype);
  answer.mask_height = static_cast<std::uint32_t>(height);
  answer.mask_width = static_cast<std::uint32_t>(width);
  answer.point_count = point_numbers.count() / 3;
  answer.points = point_numbers.data();
  answer.vector_count = vector_numbers.count();
  answer.vector = vector_numbers.data();
  answer.score = score;
  answer.alarm = alarm != JNI_FALSE;
  answer.text = own_text;
  const Bytes mask_bytes(env, nullptr, mask, 0, 0, false);
  answer.mask = mask_bytes.data();
  return edgeprobe_log_answer(frame_of(frame), &answer);
}

jint log_scalar(JNIEnv* env, jclass, jlong frame, jbyteArray name, jdouble value) {
  return edgeprobe_log_scalar(frame_of(frame), Text(env, name), value);
}

jint log_vector(JNIEnv* env, jclass, jlong frame, jbyteArray name, jdoubleArray values) {
  const Doubles value(env, values);
  return edgeprobe_log_vector(frame_of(frame), Text(env, name), value.data(), value.count());
}

jint log_text(JNIEnv* env, jclass, jlong frame, jbyteArray name, jbyteArray text) {
  return edgeprobe_log_text(frame_of(frame), Text(env, name), Text(env, text));
}

jint frame_assert_that(JNIEnv* env, jclass, jlong frame, jbyteArray name, jbyteArray wrong) {
  return edgeprobe_frame_assert_that(frame_of(frame), Text(env, name), Text(env, wrong));
}

jint log_json(JNIEnv* env, jclass, jlong frame, jbyteArray name, jbyteArray json) {
  return edgeprobe_log_json(frame_of(frame), Text(env, name), Text(env, json));
}

jlong span_begin(JNIEnv* env, jclass, jlong frame, jbyteArray name) {
  return static_cast<jlong>(edgeprobe_span_begin(frame_of(frame), Text(env, name)).start_ns);
}

jint span_end(JNIEnv* env, jclass, jlong frame, jbyteArray name, jlong start_ns) {
  const Text name_text(env, name);
  edgeprobe_span span{frame_of(frame), name_text, static_cast<std::uint64_t>(start_ns)};
  return edgeprobe_span_end(&span);
}

template <class Function>
JNINativeMethod method(const char* name, const char* signature, Function* function) {
  return {const_cast<char*>(name), const_cast<char*>(signature), reinterpret_cast<void*>(function)};
}

}  // namespace
}  // namespace edgeprobe::jni

// The library's only symbol. Registering checks every name and signature on loading, not on the
// first call.
extern "C" JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM* machine, void*) {
  using namespace edgeprobe::jni;
  JNIEnv* env = nullptr;
  if (machine->GetEnv(reinterpret_cast<void**>(&env), JNI_VERSION_1_6) != JNI_OK) return JNI_ERR;
  const jclass natives = env->FindClass("dev/edgeprobe/Native");
  if (natives == nullptr) return JNI_ERR;
  const JNINativeMethod methods[] = {
      method("abiVersion", "()I", abi_version),
      method("version", "()[B", version),
      method("lastError", "()[B", last_error),
      method("open", "([B[B[B[JDDLdev/edgeprobe/Redaction;[I)J", open),
      method("statistics", "(J[J)I", statistics),
      method("flush", "(J)I", flush),
      method("close", "(J[J)I", close),
      method("describe", "(J[B[B)I", describe),
      method("mark", "(J[B[B)I", mark),
      method("assertThat", "(J[B[B)I", assert_that),
      method("frameAssertThat", "(J[B[B)I", frame_assert_that),
      method("sensor", "(J[B[D[BJ)I", sensor),
      method("sensorAbsent", "(J[B[B[B)I", sensor_absent),
      method("frameBegin", "(J[I)J", frame_begin),
      method("frameEnd", "(J)I", frame_end),
      method("frameNumber", "(J)I", frame_number),
      method("frameSample", "(J[B)I", frame_sample),
      method("frameLabel", "(JI)I", frame_label),
      method("frameAnnotation", "(J[B[B)I", frame_annotation),
      method("frameSequenceStart", "(J)I", frame_sequence_start),
      method("frameStart", "(J)I", frame_start),
      method("frameStop", "(J)I", frame_stop),
      method("frameTrip", "(J[B)I", frame_trip),
      method("frameWants", "(JI)Z", frame_wants),
      method("tensor", "(JI[BI[JLjava/nio/Buffer;Ljava/lang/Object;JJ[F[JII[B)I", log_tensor),
      method("image", "(J[BIIIIIIILjava/nio/Buffer;Ljava/lang/Object;JJ)I", log_image),
      method("audio", "(J[BILjava/nio/Buffer;Ljava/lang/Object;JJZJII)I", log_audio),
      method("readings", "(J[BILjava/nio/Buffer;Ljava/lang/Object;JJZJID)I", log_readings),
      method("encoded", "(J[BLjava/nio/Buffer;Ljava/lang/Object;JJZ)I", log_encoded),
      method("rawText", "(J[B[B)I", log_raw_text),
      method("answer", "(J[BII[B[J[F[FLjava/lang/Object;III[F[FFZ[B)I", log_answer),
      method("scalar", "(J[BD)I", log_scalar),
      method("vector", "(J[B[D)I", log_vector),
      method("text", "(J[B[B)I", log_text),
      method("json", "(J[B[B)I", log_json),
      method("spanBegin", "(J[B)J", span_begin),
      method("spanEnd", "(J[BJ)I", span_end),
  };
  if (env->RegisterNatives(natives, methods, sizeof methods / sizeof methods[0]) != JNI_OK)
    return JNI_ERR;
  return JNI_VERSION_1_6;
}
