// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

import java.nio.Buffer;

/**
 * The functions of {@code edgeprobe.h}, one for one. Texts are UTF-8 that ends in a NUL, and handles are pointers.
 * Results are {@code edgeprobe_status} unless stated otherwise. Handles are not checked here but in {@link Probe} and
 * {@link Frame}. Values come from a direct {@link Buffer} without a copy in Java, or from a primitive array.
 */
final class Native {
  private Native() {}

  static final int ABI_MAJOR = 1;

  static native int abiVersion();

  static native byte[] version();

  static native byte[] lastError();

  /** The handle, or 0. {@code numbers} are the options in the order of edgeprobe_jni.cc. */
  static native long open(byte[] path, byte[] include, byte[] exclude, long[] numbers, double belowConfidence,
      double timeShare, Redaction redaction, int[] status);

  static native int statistics(long probe, long[] values);

  static native int flush(long probe);

  static native int close(long probe, long[] values);

  static native int describe(long probe, byte[] key, byte[] value);

  static native int mark(long probe, byte[] name, byte[] text);

  /** {@code wrong} is null if the assertion holds. */
  static native int assertThat(long probe, byte[] name, byte[] wrong);

  static native int sensor(long probe, byte[] name, double[] values, byte[] unit, long ageNs);

  static native int sensorAbsent(long probe, byte[] name, byte[] unit, byte[] reason);

  static native long frameBegin(long probe, int[] status);

  static native int frameEnd(long frame);

  static native int frameNumber(long frame);

  static native int frameSample(long frame, byte[] name);

  static native int frameLabel(long frame, int label);

  static native int frameAnnotation(long frame, byte[] kind, byte[] json);

  static native int frameSequenceStart(long frame);

  static native int frameStart(long frame);

  static native int frameStop(long frame);

  static native int frameTrip(long frame, byte[] reason);

  static native int frameAssertThat(long frame, byte[] name, byte[] wrong);

  static native boolean frameWants(long frame, int stage);

  static native int tensor(long frame, int stage, byte[] name, int dtype, long[] shape, Buffer direct, Object array,
      long offset, long size, float[] scale, long[] zeroPoint, int axis, int position, byte[] layerType);

  static native int image(long frame, byte[] name, int pixels, int width, int height, int stride, int chromaStride,
      int rotation, int flags, Buffer direct, Object array, long offset, long size);

  static native int audio(long frame, byte[] name, int dtype, Buffer direct, Object array, long offset, long size,
      boolean copy, long samplesPerChannel, int channels, int samplesPerSecond);

  static native int readings(long frame, byte[] name, int dtype, Buffer direct, Object array, long offset, long size,
      boolean copy, long steps, int axes, double stepsPerSecond);

  static native int encoded(long frame, byte[] name, Buffer direct, Object array, long offset, long size, boolean copy);

  /** {@code text} is UTF-8 without a final NUL. */
  static native int rawText(long frame, byte[] name, byte[] text);

  /** {@code labels} are {@code count} texts, each of which ends in a NUL; {@code mask} is a primitive array. */
  static native int answer(long frame, byte[] name, int parts, int count, byte[] labels, long[] classes, float[] scores, float[] boxes,
      Object mask, int maskDtype, int height, int width, float[] points, float[] vector, float score, boolean alarm, byte[] text);

  static native int scalar(long frame, byte[] name, double value);

  static native int vector(long frame, byte[] name, double[] values);

  static native int text(long frame, byte[] name, byte[] text);

  static native int json(long frame, byte[] name, byte[] json);

  /** Returns the start time: {@code start_ns} of the span. */
  static native long spanBegin(long frame, byte[] name);

  static native int spanEnd(long frame, byte[] name, long startNs);
}
