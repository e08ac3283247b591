// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

import java.io.ByteArrayOutputStream;

/**
 * An application's answer, made from the model's outputs: {@code Answer.of().labels("cat", "lynx").scores(0.8f, 0.1f)}.
 *
 * <p>An empty list is an answer, "no box"; an omitted one means nothing. Labels, classes, scores and boxes have the
 * same length. {@link Frame#answer} copies the arrays and reports errors.
 */
public final class Answer {
  // The numbers of edgeprobe_answer_part.
  private static final int LABELS = 1;
  private static final int CLASSES = 2;
  private static final int SCORES = 4;
  private static final int BOXES = 8;
  private static final int MASK = 16;
  private static final int POINTS = 32;
  private static final int VECTOR = 64;
  private static final int SCORE = 128;
  private static final int ALARM = 256;
  private static final int TEXT = 512;

  byte[] name;
  int parts;
  int count = -1;
  byte[] labels;
  long[] classes;
  float[] scores;
  float[] boxes;
  Object mask;
  int maskDtype;
  int height;
  int width;
  float[] points;
  float[] vector;
  float score;
  boolean alarm;
  byte[] text;
  String problem;

  private Answer() {}

  public static Answer of() {
    return new Answer();
  }

  /** The name, for several answers in a frame; default "answer". */
  public Answer name(String name) {
    this.name = bytes("the name of an answer", name);
    return this;
  }

  /** The labels in the application's order. */
  public Answer labels(String... labels) {
    if (labels == null) return missing("labels");
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (String label : labels) {
      byte[] bytes = bytes("a label of an answer", label);
      all.write(bytes, 0, bytes.length);
    }
    this.labels = all.toByteArray();
    return counted(LABELS, labels.length);
  }

  /** Numbers instead of labels, or in addition. */
  public Answer classes(long... classes) {
    if (classes == null) return missing("classes");
    this.classes = classes;
    return counted(CLASSES, classes.length);
  }

  public Answer scores(float... scores) {
    if (scores == null) return missing("scores");
    this.scores = scores;
    return counted(SCORES, scores.length);
  }

  /** Four numbers per box, box by box, in the application's own form. */
  public Answer boxes(float... boxes) {
    if (boxes == null) return missing("boxes");
    if (boxes.length % 4 != 0) fail("boxes have four numbers each: " + boxes.length + " are not");
    this.boxes = boxes;
    return counted(BOXES, boxes.length / 4);
  }

  /** A class for each pixel, row after row: {@code byte[]} (0 to 255), {@code short[]} (0 to 65535) or {@code int[]}. */
  public Answer mask(Object classes, int height, int width) {
    int length = classes instanceof byte[] ? ((byte[]) classes).length
        : classes instanceof short[] ? ((short[]) classes).length
        : classes instanceof int[] ? ((int[]) classes).length : -1;
    if (length < 0) return fail("the mask of an answer is not a byte[], short[] or int[]");
    if (height < 0 || width < 0 || (long) height * width != length) {
      return fail("the mask of an answer has " + length + " values, which are not " + height + " x " + width);
    }
    mask = classes;
    maskDtype = (classes instanceof byte[] ? DType.UINT8 : classes instanceof short[] ? DType.UINT16 : DType.INT32).ordinal();
    this.height = height;
    this.width = width;
    parts |= MASK;
    return this;
  }

  /** x, y and score per point, point by point; NaN for a hidden point. */
  public Answer points(float... points) {
    if (points == null) return missing("points");
    if (points.length % 3 != 0) return fail("points have three numbers each: " + points.length + " are not");
    this.points = points;
    parts |= POINTS;
    return this;
  }

  /** An embedding. */
  public Answer vector(float... values) {
    if (values == null) return missing("the vector");
    vector = values;
    parts |= VECTOR;
    return this;
  }

  /** The score of an anomaly. */
  public Answer score(float score) {
    this.score = score;
    parts |= SCORE;
    return this;
  }

  public Answer alarm(boolean alarm) {
    this.alarm = alarm;
    parts |= ALARM;
    return this;
  }

  /** Recognised or generated text. */
  public Answer text(String text) {
    this.text = bytes("the text of an answer", text);
    parts |= TEXT;
    return this;
  }

  private Answer counted(int part, int number) {
    if (count >= 0 && count != number) {
      fail("labels, classes, scores and boxes of an answer differ in number; give one for each");
    }
    count = number;
    parts |= part;
    return this;
  }

  private Answer missing(String what) {
    return fail(what + " of an answer: the array is null");
  }

  private Answer fail(String what) {
    if (problem == null) problem = what;
    return this;
  }

  private byte[] bytes(String what, String text) {
    try {
      return Text.required(what, text);
    } catch (EdgeprobeException wrong) {
      fail(wrong.getMessage());
      return new byte[1];
    }
  }
}
