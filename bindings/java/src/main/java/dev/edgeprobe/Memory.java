// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

import java.lang.reflect.Array;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;

/** The memory of the remaining values of a buffer, or of a primitive array: direct memory or a Java array. */
final class Memory {
  /** Exactly one of the two is null. */
  final Buffer direct;
  final Object array;
  /** Position and size in bytes. */
  final long offset;
  final long size;

  private Memory(Buffer direct, Object array, long offset, long size) {
    this.direct = direct;
    this.array = array;
    this.offset = offset;
    this.size = size;
  }

  /** Bytes of one element of a primitive array. */
  static int elementBytes(Object array) {
    if (array instanceof byte[] || array instanceof boolean[]) return 1;
    if (array instanceof short[]) return 2;
    if (array instanceof float[] || array instanceof int[]) return 4;
    if (array instanceof double[] || array instanceof long[]) return 8;
    throw new EdgeprobeException(Status.USAGE, array == null
        ? "the values are null"
        : "values of " + array.getClass().getSimpleName() + ": expected a primitive array or a buffer");
  }

  /** Values of this dtype, from an array or buffer of the matching Java type, or from bytes. */
  static Memory of(Object values, DType dtype) {
    return of(values, dtype.toString(), dtype.element);
  }

  /** The same for one Java type of elements, or bytes; null: only bytes. */
  static Memory of(Object values, String what, Class<?> element) {
    Memory memory = of(values);
    Class<?> given = values instanceof Buffer ? element((Buffer) values) : values.getClass().getComponentType();
    if (given != byte.class && given != element) {
      throw new EdgeprobeException(Status.USAGE, "the values are of type " + given + ": expected "
          + (element == null || element == byte.class ? "" : element + " or ") + "byte for " + what);
    }
    return memory;
  }

  private static Class<?> element(Buffer buffer) {
    if (buffer instanceof ByteBuffer) return byte.class;
    if (buffer instanceof ShortBuffer) return short.class;
    if (buffer instanceof FloatBuffer) return float.class;
    if (buffer instanceof IntBuffer) return int.class;
    if (buffer instanceof LongBuffer) return long.class;
    return double.class;
  }

  static Memory of(Object values) {
    if (values instanceof Buffer) return of((Buffer) values);
    int bytes = elementBytes(values);
    return new Memory(null, values, 0, (long) bytes * Array.getLength(values));
  }

  /** The values from position to limit; the buffer is not changed. Bytes of a ByteBuffer are used unchanged. */
  static Memory of(Buffer buffer) {
    int bytes = elementBytes(buffer);
    boolean plain = buffer instanceof ByteBuffer || order(buffer) == ByteOrder.nativeOrder();
    if (plain && buffer.isDirect()) {
      return new Memory(buffer, null, (long) buffer.position() * bytes, (long) buffer.remaining() * bytes);
    }
    if (plain && buffer.hasArray()) {
      long first = (long) buffer.arrayOffset() + buffer.position();
      return new Memory(null, buffer.array(), first * bytes, (long) buffer.remaining() * bytes);
    }
    // A read-only heap buffer, a view of heap bytes, or values in the other byte order.
    Object copy = copy(buffer);
    return new Memory(null, copy, 0, (long) bytes * Array.getLength(copy));
  }

  private static int elementBytes(Buffer buffer) {
    if (buffer instanceof ByteBuffer) return 1;
    if (buffer instanceof ShortBuffer) return 2;
    if (buffer instanceof FloatBuffer || buffer instanceof IntBuffer) return 4;
    return 8;
  }

  private static ByteOrder order(Buffer buffer) {
    if (buffer instanceof FloatBuffer) return ((FloatBuffer) buffer).order();
    if (buffer instanceof IntBuffer) return ((IntBuffer) buffer).order();
    if (buffer instanceof ShortBuffer) return ((ShortBuffer) buffer).order();
    if (buffer instanceof LongBuffer) return ((LongBuffer) buffer).order();
    if (buffer instanceof DoubleBuffer) return ((DoubleBuffer) buffer).order();
    throw new EdgeprobeException(Status.USAGE, "values of a CharBuffer: no tensor has such a type");
  }

  private static Object copy(Buffer buffer) {
    int count = buffer.remaining();
    if (buffer instanceof ByteBuffer) {
      byte[] copy = new byte[count];
      ((ByteBuffer) buffer).duplicate().get(copy);
      return copy;
    }
    if (buffer instanceof FloatBuffer) {
      float[] copy = new float[count];
      ((FloatBuffer) buffer).duplicate().get(copy);
      return copy;
    }
    if (buffer instanceof IntBuffer) {
      int[] copy = new int[count];
      ((IntBuffer) buffer).duplicate().get(copy);
      return copy;
    }
    if (buffer instanceof ShortBuffer) {
      short[] copy = new short[count];
      ((ShortBuffer) buffer).duplicate().get(copy);
      return copy;
    }
    if (buffer instanceof LongBuffer) {
      long[] copy = new long[count];
      ((LongBuffer) buffer).duplicate().get(copy);
      return copy;
    }
    double[] copy = new double[count];
    ((DoubleBuffer) buffer).duplicate().get(copy);
    return copy;
  }
}
