// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

/** The type of a tensor's values, in the order of {@code edgeprobe_dtype}. */
public enum DType {
  FLOAT32(4, float.class),
  FLOAT16(2, short.class),
  BFLOAT16(2, short.class),
  FLOAT64(8, double.class),
  INT8(1, byte.class),
  UINT8(1, byte.class),
  INT16(2, short.class),
  UINT16(2, short.class),
  INT32(4, int.class),
  UINT32(4, int.class),
  INT64(8, long.class),
  UINT64(8, long.class),
  BOOL(1, boolean.class);

  private final int bytes;
  /** The Java type for these values, in addition to bytes. */
  final Class<?> element;

  DType(int bytes, Class<?> element) {
    this.bytes = bytes;
    this.element = element;
  }

  /** Bytes of one value. */
  public int bytes() {
    return bytes;
  }
}
