package dev.edgeprobe;

/** The type of a tensor's values, in the order of {@code edgeprobe_dtype}. */
public enum DType {
  FLOAT32(4),
  FLOAT16(2),
  BFLOAT16(2),
  FLOAT64(8),
  INT8(1),
  UINT8(1),
  INT16(2),
  UINT16(2),
  INT32(4),
  UINT32(4),
  INT64(8),
  UINT64(8),
  BOOL(1);

  private final int bytes;

  DType(int bytes) {
    this.bytes = bytes;
  }

  /** Of one value. */
  public int bytes() {
    return bytes;
  }
}
