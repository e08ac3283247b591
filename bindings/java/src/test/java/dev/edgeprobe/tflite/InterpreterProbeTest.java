// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe.tflite;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.edgeprobe.Frame;
import dev.edgeprobe.Probe;
import dev.edgeprobe.TraceFile;
import dev.edgeprobe.Traces;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.tensorflow.lite.Interpreter;

/** Uses the archive's real classes and a real TensorFlow Lite; only the glue between them belongs to the tests. */
class InterpreterProbeTest {
  private static final int SIZE = 64 * 64 * 3;

  @BeforeAll
  static void find() {
    String library = System.getenv("EDGEPROBE_TFLITE_LIBRARY");
    assumeTrue(library != null && Files.exists(Paths.get(library)), "no TensorFlow Lite library (script/setup --tflite)");
    Path natives = Paths.get(System.getProperty("java.library.path")).resolve("libtensorflowlite_jni.so");
    assumeTrue(Files.exists(natives), "no natives for tests: build the CMake target tensorflowlite_jni_test");
  }

  private static ByteBuffer random(int bytes, int seed) {
    ByteBuffer values = ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
    Random random = new Random(seed);
    if (bytes == SIZE) {
      for (int i = 0; i < SIZE; i++) values.put(i, (byte) random.nextInt(256));
    } else {
      for (int i = 0; i < SIZE; i++) values.putFloat(4 * i, random.nextFloat() * 2 - 1);
    }
    return values;
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] copy = new byte[buffer.capacity()];
    ByteBuffer whole = buffer.duplicate();
    whole.clear();
    whole.get(copy);
    return copy;
  }

  @Test
  void recordsWhatTheInterpreterGotAndGave() throws Exception {
    Path path = Traces.fresh("tflite.mcap");
    float[][][] expected = new float[3][1][12];
    try (Interpreter interpreter = new Interpreter(Traces.source("models/signs_float.tflite").toFile());
        Probe probe = Probe.open(path.toString())) {
      InterpreterProbe probed = new InterpreterProbe(probe, interpreter);
      for (int i = 0; i < 3; i++) {
        float[][] scores = new float[1][12];
        probed.run(random(4 * SIZE, i), scores);
        interpreter.run(random(4 * SIZE, i), expected[i]);
        assertArrayEquals(expected[i][0], scores[0]);
      }
      assertNull(probe.error());
    }
    TraceFile trace = TraceFile.read(path);
    String input = trace.messages.stream().map(m -> m.topic).filter(t -> t.startsWith("/model_input/")).findFirst().get();
    String output = trace.messages.stream().map(m -> m.topic).filter(t -> t.startsWith("/model_output/")).findFirst().get();
    assertEquals("1,64,64,3", trace.on(input).get(0).metadata.get("shape"));
    assertEquals("1,12", trace.on(output).get(0).metadata.get("shape"));
    assertEquals("0", trace.on(output).get(0).metadata.get("position"));
    for (int i = 0; i < 3; i++) {
      assertArrayEquals(bytes(random(4 * SIZE, i)), trace.on(input).get(i).data);
      float[] scores = new float[12];
      trace.on(output).get(i).values().asFloatBuffer().get(scores);
      assertArrayEquals(expected[i][0], scores);
      assertTrue(trace.on("/frame").get(i).text().contains("latency_ns"));
    }
    assertEquals("tflite", trace.metadata.get("edgeprobe.run").get("engine"));
  }

  @Test
  void recordsQuantisationAndSeveralOutputs() throws Exception {
    Path path = Traces.fresh("tflite-int8.mcap");
    ByteBuffer input = random(SIZE, 7);
    ByteBuffer scores = ByteBuffer.allocateDirect(12).order(ByteOrder.nativeOrder());
    try (Interpreter interpreter = new Interpreter(Traces.source("models/signs_int8.tflite").toFile());
        Probe probe = Probe.open(path.toString())) {
      InterpreterProbe probed = new InterpreterProbe(probe, interpreter);
      try (Frame frame = probe.frame()) {
        frame.label(2);
        probed.runForMultipleInputsOutputs(frame, new Object[] {input}, Map.of(0, scores));
      }
      try (Frame frame = probe.frame()) {
        frame.label(3);
        probed.run(input, scores.rewind());  // The run joins the open frame.
      }
      probed.runForMultipleInputsOutputs(new Object[] {input}, Map.of(0, scores.rewind()));
      assertEquals(3, probe.statistics().frames);
      assertNull(probe.error());
    }
    TraceFile trace = TraceFile.read(path);
    TraceFile.Message got = trace.messages.stream().filter(m -> m.topic.startsWith("/model_input/")).findFirst().get();
    TraceFile.Message gave = trace.messages.stream().filter(m -> m.topic.startsWith("/model_output/")).findFirst().get();
    assertEquals("int8", got.metadata.get("dtype"));
    assertArrayEquals(bytes(input), got.data);
    assertArrayEquals(bytes(scores), gave.data);
    assertTrue(Float.parseFloat(got.metadata.get("scale")) > 0);
    assertEquals("0.00390625", gave.metadata.get("scale"));
    assertEquals("-128", gave.metadata.get("zero_point"));
  }
}
