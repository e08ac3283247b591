// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemoryTest {
  private static final ByteOrder OTHER =
      ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;

  private static ByteBuffer direct(ByteOrder order) {
    return ByteBuffer.allocateDirect(64).order(order);
  }

  @Test
  void directBuffersAreNotCopied() {
    ByteBuffer buffer = direct(ByteOrder.nativeOrder());
    FloatBuffer floats = buffer.asFloatBuffer();
    floats.position(3);
    floats.limit(5);
    Memory memory = Memory.of(floats);
    assertSame(floats, memory.direct);
    assertEquals(12, memory.offset);
    assertEquals(8, memory.size);
    assertEquals(3, floats.position());
    assertNotNull(Memory.of(buffer.asReadOnlyBuffer()).direct);
    assertNotNull(Memory.of(direct(OTHER)).direct);
  }

  @Test
  void arraysAreUsedInPlace() {
    float[] array = new float[8];
    FloatBuffer floats = FloatBuffer.wrap(array, 2, 4);
    Memory memory = Memory.of(floats.slice());
    assertNull(memory.direct);
    assertSame(array, memory.array);
    assertEquals(8, memory.offset);
    assertEquals(16, memory.size);
  }

  /** From every kind of buffer, the trace has the values that Java reads from it. */
  @Test
  void allKindsOfBufferArriveInTheTrace() throws Exception {
    Path path = Traces.fresh("buffers.mcap");
    List<String> names = new ArrayList<>();
    try (Probe probe = Probe.open(path.toString()); Frame frame = probe.frame()) {
      for (ByteOrder order : new ByteOrder[] {ByteOrder.nativeOrder(), OTHER}) {
        for (boolean direct : new boolean[] {true, false}) {
          for (boolean readOnly : new boolean[] {false, true}) {
            String kind = order + (direct ? " direct" : " heap") + (readOnly ? " read-only " : " ");
            FloatBuffer floats = bytes(direct, order).asFloatBuffer().put(0, 1.5f).put(1, -2.5f);
            log(frame, names, kind + "float", DType.FLOAT32, readOnly ? floats.asReadOnlyBuffer() : floats, 2);
            IntBuffer ints = bytes(direct, order).asIntBuffer().put(0, 7).put(1, -9);
            log(frame, names, kind + "int", DType.INT32, readOnly ? ints.asReadOnlyBuffer() : ints, 2);
            ShortBuffer shorts = bytes(direct, order).asShortBuffer().put(0, (short) 7).put(1, (short) -9);
            log(frame, names, kind + "short", DType.INT16, readOnly ? shorts.asReadOnlyBuffer() : shorts, 2);
            LongBuffer longs = bytes(direct, order).asLongBuffer().put(0, 7).put(1, -9);
            log(frame, names, kind + "long", DType.INT64, readOnly ? longs.asReadOnlyBuffer() : longs, 2);
            DoubleBuffer doubles = bytes(direct, order).asDoubleBuffer().put(0, 1.5).put(1, -2.5);
            log(frame, names, kind + "double", DType.FLOAT64, readOnly ? doubles.asReadOnlyBuffer() : doubles, 2);
            ByteBuffer bytes = bytes(direct, order).put(0, (byte) 7).put(1, (byte) -9);
            log(frame, names, kind + "byte", DType.INT8, readOnly ? bytes.asReadOnlyBuffer() : bytes, 2);
          }
        }
      }
      assertEquals(Status.USAGE, frame.tensor(Stage.VARIABLE, "c", DType.INT16, CharBuffer.allocate(1), 1));
      assertEquals(Status.OK, frame.tensor(Stage.VARIABLE, "b", DType.BOOL, new boolean[] {true, false}, 2));
    }
    TraceFile trace = TraceFile.read(path);
    for (String name : names) {
      TraceFile.Message message = trace.one("/variable/" + name);
      ByteBuffer values = message.values();
      String type = name.substring(name.lastIndexOf(' ') + 1);
      switch (type) {
        case "float" -> check(name, 1.5, -2.5, values.getFloat(0), values.getFloat(4));
        case "double" -> check(name, 1.5, -2.5, values.getDouble(0), values.getDouble(8));
        case "int" -> check(name, 7, -9, values.getInt(0), values.getInt(4));
        case "short" -> check(name, 7, -9, values.getShort(0), values.getShort(2));
        case "long" -> check(name, 7, -9, values.getLong(0), values.getLong(8));
        default -> check(name, 7, -9, values.get(0), values.get(1));
      }
    }
    assertEquals(1, trace.one("/variable/b").data[0]);
  }

  private static ByteBuffer bytes(boolean direct, ByteOrder order) {
    return (direct ? ByteBuffer.allocateDirect(64) : ByteBuffer.allocate(64)).order(order);
  }

  private static void log(Frame frame, List<String> names, String name, DType dtype, Buffer values, int count) {
    values.limit(count);
    assertEquals(Status.OK, frame.tensor(Stage.VARIABLE, name, dtype, values, count), name);
    assertEquals(0, values.position());
    names.add(name);
  }

  private static void check(String name, double first, double second, double gotFirst, double gotSecond) {
    assertEquals(first, gotFirst, name);
    assertEquals(second, gotSecond, name);
  }
}
