// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe.onnxruntime;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OnnxTensorLike;
import ai.onnxruntime.OnnxValue;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.TensorInfo;
import dev.edgeprobe.DType;
import dev.edgeprobe.Frame;
import dev.edgeprobe.Probe;
import dev.edgeprobe.Stage;
import dev.edgeprobe.TensorSpec;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Runs an {@link OrtSession} and records each run: {@code probed.run(inputs)} in place of {@code session.run(inputs)}.
 * A run belongs to the frame that is open in this thread, if any; else it is its own frame.
 *
 * <p>Results and exceptions are the session's own. Inputs in a direct buffer of the application are read in place; for
 * other tensors ONNX Runtime's Java interface returns only a copy. Values other than dense tensors of numbers (text,
 * sequences, maps, sparse) are skipped. Threads may share a SessionProbe, like the session.
 */
public final class SessionProbe {
  private final Probe probe;
  private final OrtSession session;
  private final List<String> inputs;
  private final List<String> outputs;
  private final Map<String, TensorSpec> specs = new ConcurrentHashMap<>();

  public SessionProbe(Probe probe, OrtSession session) {
    this.probe = probe;
    this.session = session;
    inputs = new ArrayList<>(session.getInputNames());
    outputs = new ArrayList<>(session.getOutputNames());
    probe.describe("engine", "onnxruntime");
    probe.describe("engine_version", OrtEnvironment.getEnvironment().getVersion());
  }

  /** Records in the frame that is open in this thread, or in a new one. */
  public OrtSession.Result run(Map<String, ? extends OnnxTensorLike> values) throws OrtException {
    Frame current = probe.current();
    if (current != null) return run(current, values);
    try (Frame frame = probe.frame()) {
      return run(frame, values);
    }
  }

  /** Records in this frame, for example one of another thread. */
  public OrtSession.Result run(Frame frame, Map<String, ? extends OnnxTensorLike> values) throws OrtException {
    return run(frame, values, session.getOutputNames(), null);
  }

  public OrtSession.Result run(Frame frame, Map<String, ? extends OnnxTensorLike> values, Set<String> wanted,
      OrtSession.RunOptions options) throws OrtException {
    if (frame.wants(Stage.MODEL_INPUT)) {
      for (Map.Entry<String, ? extends OnnxTensorLike> input : values.entrySet()) {
        log(frame, Stage.MODEL_INPUT, inputs, input.getKey(), input.getValue());
      }
    }
    frame.start();
    OrtSession.Result result = session.run(values, wanted, options);
    frame.stop();
    if (frame.wants(Stage.MODEL_OUTPUT)) {
      for (Map.Entry<String, OnnxValue> output : result) {
        log(frame, Stage.MODEL_OUTPUT, outputs, output.getKey(), output.getValue());
      }
    }
    return result;
  }

  private void log(Frame frame, Stage stage, List<String> names, String name, OnnxValue value) {
    try {
      if (!(value instanceof OnnxTensor)) return;
      OnnxTensor tensor = (OnnxTensor) value;
      DType dtype = dtype(tensor.getInfo());
      if (dtype == null) return;
      TensorSpec spec = spec(stage, names, name, dtype, tensor.getInfo().getShape());
      Buffer own = stage == Stage.MODEL_INPUT ? own(tensor, dtype) : null;
      frame.tensor(spec, own != null ? own : tensor.getByteBuffer());
    } catch (RuntimeException why) {
      probe.report(why);
    }
  }

  private TensorSpec spec(Stage stage, List<String> names, String name, DType dtype, long[] shape) {
    String key = stage + "/" + name;
    TensorSpec known = specs.get(key);
    if (known != null && known.describes(dtype, shape)) return known;
    TensorSpec made = TensorSpec.of(stage, name, dtype, shape).position(names.indexOf(name));
    specs.put(key, made);
    return made;
  }

  /** The application's buffer, if it certainly still has the tensor's values. */
  private static Buffer own(OnnxTensor tensor, DType dtype) {
    Buffer buffer;
    try {
      buffer = tensor.getBufferRef().orElse(null);
    } catch (NullPointerException none) {  // ONNX Runtime 1.23 returns this for a tensor that was not made from a buffer.
      return null;
    }
    // If the application has moved position or limit since, the buffer may describe another part of the memory.
    boolean whole = buffer != null && buffer.isDirect() && buffer.position() == 0 && buffer.limit() == buffer.capacity();
    return whole && buffer.capacity() * (long) elementBytes(buffer) == tensor.getInfo().getNumElements() * dtype.bytes()
        ? buffer : null;
  }

  /** Returns 0 for a buffer that is not read in place. */
  private static int elementBytes(Buffer buffer) {
    ByteOrder mine = ByteOrder.nativeOrder();
    if (buffer instanceof ByteBuffer) return 1;
    if (buffer instanceof FloatBuffer && ((FloatBuffer) buffer).order() == mine) return 4;
    if (buffer instanceof IntBuffer && ((IntBuffer) buffer).order() == mine) return 4;
    if (buffer instanceof LongBuffer && ((LongBuffer) buffer).order() == mine) return 8;
    return 0;
  }

  /** Returns null for a type that is not numeric. */
  private static DType dtype(TensorInfo info) {
    switch (info.onnxType) {
      case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT:
        return DType.FLOAT32;
      case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16:
        return DType.FLOAT16;
      case ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16:
        return DType.BFLOAT16;
      case ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE:
        return DType.FLOAT64;
      case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8:
        return DType.INT8;
      case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8:
        return DType.UINT8;
      case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16:
        return DType.INT16;
      case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16:
        return DType.UINT16;
      case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32:
        return DType.INT32;
      case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32:
        return DType.UINT32;
      case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64:
        return DType.INT64;
      case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64:
        return DType.UINT64;
      case ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL:
        return DType.BOOL;
      default:
        return null;
    }
  }
}
