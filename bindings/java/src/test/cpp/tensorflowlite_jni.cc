// SPDX-License-Identifier: Apache-2.0
// For tests on a desktop: the natives required by the Java classes of TensorFlow Lite's Android
// archive, implemented with the C interface of a real TensorFlow Lite library
// (EDGEPROBE_TFLITE_LIBRARY names it). Only what running a model needs; floats are the only nested
// arrays. The archive's own natives need Android's C library.
#include <dlfcn.h>
#include <jni.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

struct Quantization {
  float scale;
  std::int32_t zero_point;
};

/// The used part of TfLiteXNNPackDelegateOptions.
struct XnnpackOptions {
  std::int32_t threads;
  std::uint32_t flags;
  char rest[256];
};
constexpr std::uint32_t kEightBitOperators = 3;

/// A function of the library, looked up once.
template <class Signature>
Signature* function(const char* name) {
  static void* library = dlopen(std::getenv("EDGEPROBE_TFLITE_LIBRARY"), RTLD_NOW | RTLD_LOCAL);
  void* found = library == nullptr ? nullptr : dlsym(library, name);
  if (found == nullptr) {
    std::fprintf(stderr, "no %s in EDGEPROBE_TFLITE_LIBRARY\n", name);
    std::abort();
  }
  return reinterpret_cast<Signature*>(found);
}
#define LITE(name, ...) function<__VA_ARGS__>("TfLite" #name)

void* pointer(jlong handle) { return reinterpret_cast<void*>(handle); }
jlong handle(const void* pointer) { return reinterpret_cast<jlong>(pointer); }

void raise(JNIEnv* env, const char* text) {
  env->ThrowNew(env->FindClass("java/lang/IllegalArgumentException"), text);
}
void check(JNIEnv* env, int status, const char* text) {
  if (status != 0) raise(env, text);
}

int inputs(jlong interpreter) {
  return LITE(InterpreterGetInputTensorCount, int(void*))(pointer(interpreter));
}
int outputs(jlong interpreter) {
  return LITE(InterpreterGetOutputTensorCount, int(void*))(pointer(interpreter));
}

/// The C interface identifies tensors as the n-th input or output, Java by index: here inputs come
/// first.
const void* tensor_of(jlong interpreter, jint index) {
  const int first = inputs(interpreter);
  return index < first
             ? LITE(InterpreterGetInputTensor, const void*(void*, int))(pointer(interpreter), index)
             : LITE(InterpreterGetOutputTensor, const void*(void*, int))(pointer(interpreter),
                                                                         index - first);
}
char* data(jlong tensor) {
  return static_cast<char*>(LITE(TensorData, void*(const void*))(pointer(tensor)));
}
std::size_t size(jlong tensor) {
  return LITE(TensorByteSize, std::size_t(const void*))(pointer(tensor));
}

jintArray shape_of(JNIEnv* env, jlong tensor) {
  std::vector<jint> shape(LITE(TensorNumDims, int(const void*))(pointer(tensor)));
  for (std::size_t i = 0; i < shape.size(); i++)
    shape[i] = LITE(TensorDim, int(const void*, int))(pointer(tensor), static_cast<int>(i));
  const jintArray array = env->NewIntArray(static_cast<jsize>(shape.size()));
  env->SetIntArrayRegion(array, 0, static_cast<jsize>(shape.size()), shape.data());
  return array;
}

/// Copies between nested Java float arrays and the tensor. Returns the position after the last
/// value.
float* copy(JNIEnv* env, jobject array, float* values, bool to_java) {
  const jclass floats = env->FindClass("[F");
  if (env->IsInstanceOf(array, floats) != JNI_FALSE) {
    const auto leaf = static_cast<jfloatArray>(array);
    const jsize count = env->GetArrayLength(leaf);
    if (to_java) env->SetFloatArrayRegion(leaf, 0, count, values);
    else env->GetFloatArrayRegion(leaf, 0, count, values);
    return values + count;
  }
  const auto list = static_cast<jobjectArray>(array);
  for (jsize i = 0; i < env->GetArrayLength(list); i++)
    values = copy(env, env->GetObjectArrayElement(list, i), values, to_java);
  return values;
}

}  // namespace

#define NATIVE(type, class_name, name) \
  extern "C" JNIEXPORT type JNICALL Java_org_tensorflow_lite_##class_name##_##name

NATIVE(void, TensorFlowLite, nativeDoNothing)(JNIEnv*, jclass) {}
NATIVE(jstring, InterpreterFactoryImpl, nativeRuntimeVersion)(JNIEnv* env, jclass) {
  return env->NewStringUTF(LITE(Version, const char*())());
}
NATIVE(jstring, InterpreterFactoryImpl, nativeSchemaVersion)(JNIEnv* env, jclass) {
  return env->NewStringUTF("3");
}

NATIVE(jlong, NativeInterpreterWrapper, createErrorReporter)(JNIEnv*, jclass, jint) { return 1; }
NATIVE(jlong, NativeInterpreterWrapper, createModel)(JNIEnv* env, jclass, jstring path, jlong) {
  const char* text = env->GetStringUTFChars(path, nullptr);
  void* model = LITE(ModelCreateFromFile, void*(const char*))(text);
  env->ReleaseStringUTFChars(path, text);
  if (model == nullptr) raise(env, "no model");
  return handle(model);
}
NATIVE(jlong, NativeInterpreterWrapper, createModelWithBuffer)
(JNIEnv* env, jclass, jobject buffer, jlong) {
  return handle(LITE(ModelCreate, void*(const void*, std::size_t))(
      env->GetDirectBufferAddress(buffer), env->GetDirectBufferCapacity(buffer)));
}
NATIVE(jlong, NativeInterpreterWrapper, createInterpreter)
(JNIEnv* env, jclass, jlong model, jlong, jint threads, jboolean xnnpack, jobject) {
  void* options = LITE(InterpreterOptionsCreate, void*())();
  if (threads > 0) LITE(InterpreterOptionsSetNumThreads, void(void*, int))(options, threads);
  if (xnnpack != JNI_FALSE) {
    XnnpackOptions wanted = LITE(XNNPackDelegateOptionsDefault, XnnpackOptions())();
    wanted.threads = threads > 0 ? threads : 1;
    wanted.flags |= kEightBitOperators;
    // Never freed: tests create few.
    LITE(InterpreterOptionsAddDelegate, void(void*, void*))
    (options, LITE(XNNPackDelegateCreate, void*(const XnnpackOptions*))(&wanted));
  }
  void* interpreter = LITE(InterpreterCreate, void*(void*, void*))(pointer(model), options);
  LITE(InterpreterOptionsDelete, void(void*))(options);
  if (interpreter == nullptr) raise(env, "no interpreter");
  return handle(interpreter);
}
NATIVE(void, NativeInterpreterWrapper, delete)
(JNIEnv*, jclass, jlong, jlong model, jlong interpreter) {
  if (interpreter != 0) LITE(InterpreterDelete, void(void*))(pointer(interpreter));
  if (model != 0) LITE(ModelDelete, void(void*))(pointer(model));
}
NATIVE(jlong, NativeInterpreterWrapper, allocateTensors)
(JNIEnv* env, jclass, jlong interpreter, jlong) {
  check(env, LITE(InterpreterAllocateTensors, int(void*))(pointer(interpreter)), "allocation");
  return 0;
}
NATIVE(void, NativeInterpreterWrapper, run)(JNIEnv* env, jclass, jlong interpreter, jlong) {
  check(env, LITE(InterpreterInvoke, int(void*))(pointer(interpreter)), "invoke");
}
NATIVE(jboolean, NativeInterpreterWrapper, resizeInput)
(JNIEnv* env, jclass, jlong interpreter, jlong, jint input, jintArray shape, jboolean) {
  std::vector<jint> dimensions(env->GetArrayLength(shape));
  env->GetIntArrayRegion(shape, 0, static_cast<jsize>(dimensions.size()), dimensions.data());
  check(env,
        LITE(InterpreterResizeInputTensor, int(void*, int, const int*, int))(
            pointer(interpreter), input, dimensions.data(), static_cast<int>(dimensions.size())),
        "resize");
  return JNI_TRUE;
}
NATIVE(jlong, NativeInterpreterWrapper, deleteCancellationFlag)(JNIEnv*, jclass, jlong) {
  return 0;
}
NATIVE(jboolean, NativeInterpreterWrapper, hasUnresolvedFlexOp)(JNIEnv*, jclass, jlong) {
  return JNI_FALSE;
}
NATIVE(jint, NativeInterpreterWrapper, getInputCount)(JNIEnv*, jclass, jlong interpreter) {
  return inputs(interpreter);
}
NATIVE(jint, NativeInterpreterWrapper, getOutputCount)(JNIEnv*, jclass, jlong interpreter) {
  return outputs(interpreter);
}
NATIVE(jint, NativeInterpreterWrapper, getInputTensorIndex)(JNIEnv*, jclass, jlong, jint input) {
  return input;
}
NATIVE(jint, NativeInterpreterWrapper, getOutputTensorIndex)
(JNIEnv*, jclass, jlong interpreter, jint output) { return inputs(interpreter) + output; }
NATIVE(jobjectArray, NativeInterpreterWrapper, getSignatureKeys)(JNIEnv* env, jclass, jlong) {
  return env->NewObjectArray(0, env->FindClass("java/lang/String"), nullptr);
}

NATIVE(jlong, TensorImpl, create)(JNIEnv*, jclass, jlong interpreter, jint index, jint) {
  return handle(tensor_of(interpreter, index));
}
NATIVE(void, TensorImpl, delete)(JNIEnv*, jclass, jlong) {}
NATIVE(jobject, TensorImpl, buffer)(JNIEnv* env, jclass, jlong tensor) {
  return env->NewDirectByteBuffer(data(tensor), static_cast<jlong>(size(tensor)));
}
NATIVE(void, TensorImpl, writeDirectBuffer)(JNIEnv* env, jclass, jlong tensor, jobject source) {
  std::memcpy(data(tensor), env->GetDirectBufferAddress(source), size(tensor));
}
NATIVE(jint, TensorImpl, dtype)(JNIEnv*, jclass, jlong tensor) {
  return LITE(TensorType, int(const void*))(pointer(tensor));
}
NATIVE(jintArray, TensorImpl, shape)(JNIEnv* env, jclass, jlong tensor) {
  return shape_of(env, tensor);
}
NATIVE(jintArray, TensorImpl, shapeSignature)(JNIEnv* env, jclass, jlong tensor) {
  return shape_of(env, tensor);
}
NATIVE(jint, TensorImpl, numBytes)(JNIEnv*, jclass, jlong tensor) {
  return static_cast<jint>(size(tensor));
}
NATIVE(jboolean, TensorImpl, hasDelegateBufferHandle)(JNIEnv*, jclass, jlong) { return JNI_FALSE; }
NATIVE(void, TensorImpl, readMultiDimensionalArray)
(JNIEnv* env, jclass, jlong tensor, jobject target) {
  copy(env, target, reinterpret_cast<float*>(data(tensor)), true);
}
NATIVE(void, TensorImpl, writeMultiDimensionalArray)
(JNIEnv* env, jclass, jlong tensor, jobject source) {
  copy(env, source, reinterpret_cast<float*>(data(tensor)), false);
}
NATIVE(jint, TensorImpl, index)(JNIEnv*, jclass, jlong) { return -1; }
NATIVE(jstring, TensorImpl, name)(JNIEnv* env, jclass, jlong tensor) {
  return env->NewStringUTF(LITE(TensorName, const char*(const void*))(pointer(tensor)));
}
NATIVE(jfloat, TensorImpl, quantizationScale)(JNIEnv*, jclass, jlong tensor) {
  return LITE(TensorQuantizationParams, Quantization(const void*))(pointer(tensor)).scale;
}
NATIVE(jint, TensorImpl, quantizationZeroPoint)(JNIEnv*, jclass, jlong tensor) {
  return LITE(TensorQuantizationParams, Quantization(const void*))(pointer(tensor)).zero_point;
}
