// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe.tflite;

import dev.edgeprobe.DType;
import dev.edgeprobe.Frame;
import dev.edgeprobe.Probe;
import dev.edgeprobe.Stage;
import dev.edgeprobe.TensorSpec;
import java.util.Map;
import org.tensorflow.lite.InterpreterApi;
import org.tensorflow.lite.Tensor;

/**
 * Runs a TensorFlow Lite interpreter and records each run: {@code probed.run(input, output)} in place of
 * {@code interpreter.run(input, output)}. A run belongs to the frame that is open in this thread, if any; else it is
 * its own frame. {@code org.tensorflow.lite.Interpreter} is an {@link InterpreterApi}.
 *
 * <p>Tensors are read from the interpreter's own memory after the run, without a copy in Java: the interpreter never
 * reuses the memory of inputs and outputs for other tensors. Text tensors are skipped. A frame's latency covers the
 * whole call, including copying the application's arrays in and out. Use it in one thread at a time, like the
 * interpreter.
 */
public final class InterpreterProbe {
  private final Probe probe;
  private final InterpreterApi interpreter;
  private TensorSpec[] inputs = new TensorSpec[0];
  private TensorSpec[] outputs = new TensorSpec[0];

  public InterpreterProbe(Probe probe, InterpreterApi interpreter) {
    this.probe = probe;
    this.interpreter = interpreter;
    probe.describe("engine", "tflite");
  }

  /** Records in the frame that is open in this thread, or in a new one. */
  public void run(Object input, Object output) {
    Frame current = probe.current();
    if (current != null) {
      run(current, input, output);
      return;
    }
    try (Frame frame = probe.frame()) {
      run(frame, input, output);
    }
  }

  /** Like {@link #run(Object, Object)}, for several inputs and outputs. */
  public void runForMultipleInputsOutputs(Object[] values, Map<Integer, Object> results) {
    Frame current = probe.current();
    if (current != null) {
      runForMultipleInputsOutputs(current, values, results);
      return;
    }
    try (Frame frame = probe.frame()) {
      runForMultipleInputsOutputs(frame, values, results);
    }
  }

  /** Records in this frame, for example one of another thread. */
  public void run(Frame frame, Object input, Object output) {
    frame.start();
    interpreter.run(input, output);
    frame.stop();
    log(frame);
  }

  public void runForMultipleInputsOutputs(Frame frame, Object[] values, Map<Integer, Object> results) {
    frame.start();
    interpreter.runForMultipleInputsOutputs(values, results);
    frame.stop();
    log(frame);
  }

  private void log(Frame frame) {
    try {
      logTensors(frame);
    } catch (RuntimeException why) {
      probe.report(why);
    }
  }

  private void logTensors(Frame frame) {
    if (frame.wants(Stage.MODEL_INPUT)) {
      int count = interpreter.getInputTensorCount();
      if (inputs.length != count) inputs = new TensorSpec[count];
      for (int i = 0; i < count; i++) log(frame, Stage.MODEL_INPUT, interpreter.getInputTensor(i), inputs, i);
    }
    if (frame.wants(Stage.MODEL_OUTPUT)) {
      int count = interpreter.getOutputTensorCount();
      if (outputs.length != count) outputs = new TensorSpec[count];
      for (int i = 0; i < count; i++) log(frame, Stage.MODEL_OUTPUT, interpreter.getOutputTensor(i), outputs, i);
    }
  }

  private static void log(Frame frame, Stage stage, Tensor tensor, TensorSpec[] specs, int position) {
    DType dtype = dtype(tensor);
    if (dtype == null) return;
    long[] shape = shape(tensor);
    if (specs[position] == null || !specs[position].describes(dtype, shape)) {
      TensorSpec spec = TensorSpec.of(stage, tensor.name(), dtype, shape).position(position);
      Tensor.QuantizationParams quantization = tensor.quantizationParams();
      boolean quantized = quantization != null && quantization.getScale() != 0;
      specs[position] = quantized ? spec.quantized(quantization.getScale(), quantization.getZeroPoint()) : spec;
    }
    frame.tensor(specs[position], tensor.asReadOnlyBuffer());
  }

  private static long[] shape(Tensor tensor) {
    int[] from = tensor.shape();
    long[] shape = new long[from.length];
    for (int i = 0; i < from.length; i++) shape[i] = from[i];
    return shape;
  }

  /** Returns null for text. */
  private static DType dtype(Tensor tensor) {
    switch (tensor.dataType()) {
      case FLOAT32:
        return DType.FLOAT32;
      case INT32:
        return DType.INT32;
      case UINT8:
        return DType.UINT8;
      case INT64:
        return DType.INT64;
      case BOOL:
        return DType.BOOL;
      case INT16:
        return DType.INT16;
      case INT8:
        return DType.INT8;
      default:
        return null;
    }
  }
}
