// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

import java.nio.charset.StandardCharsets;
import java.util.Set;

/**
 * One inference. Close it to write its record. Values are copied before a call returns.
 *
 * <p>Values are the remaining ones of a {@link java.nio.Buffer} (which is not changed), or a primitive array. A direct
 * buffer in the processor's byte order is copied only once, by the probe; so is a Java array, and the garbage collector
 * may have to wait for that copy. A read-only heap buffer, a typed view of heap bytes, or a buffer in the other byte
 * order needs one more copy.
 *
 * <p>No call throws: see {@link Probe}.
 */
public final class Frame implements AutoCloseable {
  private static final int MIRRORED = 1;
  private static final int FULL_RANGE = 2;
  private static final int BT709 = 4;
  /** A redactor may run inside this call, so the native code must not lock a Java array meanwhile. */
  private static final int COPY = 8;

  private final Probe probe;
  private long handle;
  private boolean redacting;

  Frame(Probe probe, long handle) {
    this.probe = probe;
    this.handle = handle;
  }

  /** From 0; -1 once closed, or when the probe is off. */
  public synchronized long number() {
    return handle == 0 ? -1 : Native.frameNumber(handle) & 0xFFFFFFFFL;
  }

  /** "cat/0001.png" */
  public synchronized Status sample(String name) {
    return guarded(() -> Native.frameSample(handle, Text.required("the sample", name)));
  }

  /** Index of the true class. */
  public synchronized Status label(int index) {
    return handle == 0 ? Status.OFF : probe.check(Native.frameLabel(handle, index));
  }

  /**
   * Ground truth that is more than one class, as JSON: {@code annotation("class_set", "[3,17]")} names several right
   * classes. Other kinds are kept unchanged.
   */
  public synchronized Status annotation(String kind, String json) {
    return guarded(() ->
        Native.frameAnnotation(handle, Text.required("the kind of the annotation", kind), Text.required("the annotation", json)));
  }

  /** The application resets its recurrent states in this frame. */
  public synchronized Status beginSequence() {
    return handle == 0 ? Status.OFF : probe.check(Native.frameSequenceStart(handle));
  }

  /** Call it just before the inference: the frame's latency is the time from here to {@link #stop}. */
  public synchronized Status start() {
    return handle == 0 ? Status.OFF : probe.check(Native.frameStart(handle));
  }

  public synchronized Status stop() {
    return handle == 0 ? Status.OFF : probe.check(Native.frameStop(handle));
  }

  /** Keeps this frame. The reason is recorded as a mark. */
  public synchronized Status trip(String reason) {
    return guarded(() -> Native.frameTrip(handle, Text.required("the reason", reason)));
  }

  /** True if a tensor of this stage would be recorded now; use it to avoid computing one in vain. */
  public synchronized boolean wants(Stage stage) {
    return handle != 0 && stage != null && Native.frameWants(handle, stage.code);
  }

  /** Records one tensor. */
  public synchronized Status tensor(TensorSpec spec, Object values) {
    if (handle == 0) return Status.OFF;
    try {
      if (spec == null) throw new EdgeprobeException(Status.USAGE, "the tensor is not described: the TensorSpec is null");
      Memory memory = Memory.of(values, spec.dtype);
      return probe.check(Native.tensor(handle, spec.stage.code, spec.name, spec.dtype.ordinal(), spec.shape, memory.direct,
          memory.array, memory.offset, memory.size, spec.scale, spec.zeroPoint, spec.axis, spec.position, spec.layerType));
    } catch (RuntimeException wrong) {
      return probe.failed(wrong);
    }
  }

  public Status tensor(Stage stage, String name, DType dtype, Object values, long... shape) {
    try {
      return tensor(TensorSpec.of(stage, name, dtype, shape), values);
    } catch (RuntimeException wrong) {
      return probe.failed(wrong);
    }
  }

  /** A named step of the application's own pre- or post-processing. */
  public Status tensor(String name, float[] values, long... shape) {
    return tensor(Stage.INTERMEDIATE, name, DType.FLOAT32, values, shape);
  }

  /** A raw input, before pre-processing. */
  public synchronized Status image(ImageSpec spec, Object pixels) {
    if (handle == 0) return Status.OFF;
    try {
      if (spec == null) throw new EdgeprobeException(Status.USAGE, "the image is not described: the ImageSpec is null");
      boolean fourBytes = spec.pixels == Pixels.RGBA8 || spec.pixels == Pixels.BGRA8;
      Memory memory = Memory.of(pixels, "a picture of " + spec.pixels, fourBytes ? int.class : null);
      int flags = (spec.mirrored ? MIRRORED : 0) | (spec.fullRange ? FULL_RANGE : 0) | (spec.bt709 ? BT709 : 0) | (probe.redacts ? COPY : 0);
      redacting = probe.redacts;
      return probe.check(Native.image(handle, spec.name, spec.pixels.ordinal(), spec.width, spec.height, spec.stride,
          spec.chromaStride, spec.rotation, flags, memory.direct, memory.array, memory.offset, memory.size));
    } catch (RuntimeException wrong) {
      return probe.failed(wrong);
    } finally {
      redacting = false;
    }
  }

  /** A raw input: interleaved samples, {@code short[]} or {@code float[]} or buffers of them. */
  public synchronized Status audio(String name, DType dtype, Object samples, int channels, int samplesPerSecond) {
    if (handle == 0) return Status.OFF;
    try {
      if (dtype == null || channels <= 0) {
        throw new EdgeprobeException(Status.USAGE, "sound needs a dtype and at least one channel");
      }
      Memory memory = Memory.of(samples, dtype);
      long perChannel = memory.size / dtype.bytes() / channels;
      if (perChannel * channels * dtype.bytes() != memory.size) {
        throw new EdgeprobeException(Status.USAGE, memory.size + " bytes of sound are not a whole number of " + channels
            + " channels of " + dtype);
      }
      redacting = probe.redacts;
      return probe.check(Native.audio(handle, Text.required("the name", name), dtype.ordinal(), memory.direct,
          memory.array, memory.offset, memory.size, probe.redacts, perChannel, channels, samplesPerSecond));
    } catch (RuntimeException wrong) {
      return probe.failed(wrong);
    } finally {
      redacting = false;
    }
  }

  /** A raw input: readings as delivered by the sensor, step by step; a rate of 0 means unknown. */
  public synchronized Status readings(String name, DType dtype, Object values, int axes, double stepsPerSecond) {
    if (handle == 0) return Status.OFF;
    try {
      if (dtype == null || axes <= 0) {
        throw new EdgeprobeException(Status.USAGE, "readings need a dtype and at least one axis");
      }
      Memory memory = Memory.of(values, dtype);
      long steps = memory.size / dtype.bytes() / axes;
      if (steps * axes * dtype.bytes() != memory.size) {
        throw new EdgeprobeException(Status.USAGE, memory.size + " bytes of readings are not a whole number of " + axes
            + " axes of " + dtype);
      }
      redacting = probe.redacts;
      return probe.check(Native.readings(handle, Text.required("the name", name), dtype.ordinal(), memory.direct,
          memory.array, memory.offset, memory.size, probe.redacts, steps, axes, stepsPerSecond));
    } catch (RuntimeException wrong) {
      return probe.failed(wrong);
    } finally {
      redacting = false;
    }
  }

  /** A raw input: a whole JPEG, PNG or BMP file, or any other bytes. */
  public synchronized Status encoded(String name, Object bytes) {
    if (handle == 0) return Status.OFF;
    try {
      Memory memory = Memory.of(bytes, "a file", null);
      redacting = probe.redacts;
      return probe.check(Native.encoded(handle, Text.required("the name", name), memory.direct, memory.array, memory.offset,
          memory.size, probe.redacts));
    } catch (RuntimeException wrong) {
      return probe.failed(wrong);
    } finally {
      redacting = false;
    }
  }

  /** A raw input: a text before pre-processing. */
  public synchronized Status rawText(String name, String text) {
    if (handle == 0) return Status.OFF;
    try {
      if (text == null) throw new EdgeprobeException(Status.USAGE, "the text is null");
      redacting = probe.redacts;
      return probe.check(Native.rawText(handle, Text.required("the name", name), text.getBytes(StandardCharsets.UTF_8)));
    } catch (RuntimeException wrong) {
      return probe.failed(wrong);
    } finally {
      redacting = false;
    }
  }

  /** The application's answer: {@code answer(Answer.of().labels("cat").scores(0.9f))}. */
  public synchronized Status answer(Answer answer) {
    return guarded(() -> {
      if (answer == null) throw new EdgeprobeException(Status.USAGE, "the answer is null");
      if (answer.problem != null) throw new EdgeprobeException(Status.USAGE, answer.problem);
      return Native.answer(handle, answer.name, answer.parts, Math.max(0, answer.count), answer.labels, answer.classes, answer.scores,
          answer.boxes, answer.mask, answer.maskDtype, answer.height, answer.width, answer.points, answer.vector, answer.score,
          answer.alarm, answer.text);
    });
  }

  public synchronized Status scalar(String name, double value) {
    return guarded(() -> Native.scalar(handle, Text.required("the name", name), value));
  }

  public synchronized Status vector(String name, double... values) {
    return guarded(() -> {
      if (values == null) throw new EdgeprobeException(Status.USAGE, "the values are null");
      return Native.vector(handle, Text.required("the name", name), values);
    });
  }

  public synchronized Status text(String name, String text) {
    return guarded(() -> Native.text(handle, Text.required("the name", name), Text.required("the text", text)));
  }

  /** The JSON is stored unchanged and is not parsed. */
  public synchronized Status json(String name, String json) {
    return guarded(() -> Native.json(handle, Text.required("the name", name), Text.required("the text", json)));
  }

  /** For this frame: like {@link Probe#assertThat(String, boolean)}. */
  public boolean assertThat(String name, boolean holds) {
    return recorded(name, Assertion.wrong(holds));
  }

  /** For this frame: like {@link Probe#assertThat(String, Check)}. */
  public boolean assertThat(String name, Check check) {
    return recorded(name, Assertion.wrong(check));
  }

  private synchronized boolean recorded(String name, String wrong) {
    guarded(() -> Native.frameAssertThat(handle, Text.required("the name of an assertion", name), Text.bytes(wrong)));
    return wrong == null;
  }

  /** The duration of a named step of this frame, until the span is closed. Spans may nest and overlap. */
  public synchronized Span span(String name) {
    try {
      byte[] bytes = Text.required("the name of a span", name);
      return new Span(this, bytes, handle == 0 ? 0 : Native.spanBegin(handle, bytes));
    } catch (RuntimeException wrong) {
      probe.failed(wrong);
      return new Span(this, null, 0);
    }
  }

  synchronized Status end(Span span) {
    if (handle == 0 || span.name == null) return Status.OFF;
    return probe.check(Native.spanEnd(handle, span.name, span.startNs));
  }

  /** Writes the record. A second call does nothing. */
  @Override
  public synchronized void close() {
    if (handle == 0) return;
    if (redacting) {
      probe.failed(new EdgeprobeException(Status.USAGE, "a frame cannot be closed from within its own call"));
      return;
    }
    long ending = handle;
    handle = 0;
    probe.check(Native.frameEnd(ending));
    probe.ended(this);
  }

  /** Whether this thread is in a redactor of one of these frames. */
  static boolean insideRedactor(Set<Frame> frames) {
    for (Frame frame : frames) {
      if (Thread.holdsLock(frame) && frame.redacting) return true;
    }
    return false;
  }

  private interface Call {
    int run();
  }

  private Status guarded(Call call) {
    if (handle == 0) return Status.OFF;
    try {
      return probe.check(call.run());
    } catch (RuntimeException wrong) {
      return probe.failed(wrong);
    }
  }
}
