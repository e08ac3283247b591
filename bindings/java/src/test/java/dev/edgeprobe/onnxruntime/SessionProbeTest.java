// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe.onnxruntime;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import dev.edgeprobe.Frame;
import dev.edgeprobe.Level;
import dev.edgeprobe.Probe;
import dev.edgeprobe.Stage;
import dev.edgeprobe.TraceFile;
import dev.edgeprobe.Traces;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests with the real ONNX Runtime and the project's own model. */
class SessionProbeTest {
  private static final long[] SHAPE = {1, 3, 64, 64};
  private static final int SIZE = 3 * 64 * 64;
  private static OrtEnvironment environment;
  private static OrtSession session;

  @BeforeAll
  static void open() throws OrtException {
    environment = OrtEnvironment.getEnvironment();
    session = environment.createSession(Traces.source("models/signs_float.onnx").toString());
  }

  @AfterAll
  static void close() throws OrtException {
    session.close();
  }

  private static FloatBuffer picture(int seed) {
    FloatBuffer values = ByteBuffer.allocateDirect(4 * SIZE).order(ByteOrder.nativeOrder()).asFloatBuffer();
    Random random = new Random(seed);
    for (int i = 0; i < SIZE; i++) values.put(i, random.nextFloat() * 2 - 1);
    return values;
  }

  private static float[] array(FloatBuffer values) {
    float[] array = new float[values.remaining()];
    values.duplicate().get(array);
    return array;
  }

  private static float[] scores(OrtSession.Result result) throws OrtException {
    return ((float[][]) result.get(0).getValue())[0];
  }

  @Test
  void recordsWhatTheSessionGotAndGave() throws Exception {
    Path path = Traces.fresh("onnxruntime.mcap");
    float[][] expected = new float[3][];
    try (Probe probe = Probe.open(path.toString())) {
      SessionProbe probed = new SessionProbe(probe, session);
      for (int i = 0; i < 3; i++) {
        try (OnnxTensor input = OnnxTensor.createTensor(environment, picture(i), SHAPE);
            OrtSession.Result direct = session.run(Map.of("image", input));
            OrtSession.Result result = probed.run(Map.of("image", input))) {
          expected[i] = scores(direct);
          assertArrayEquals(expected[i], scores(result));
        }
      }
      assertNull(probe.error());
    }
    TraceFile trace = TraceFile.read(path);
    List<TraceFile.Message> inputs = trace.on("/model_input/image");
    assertEquals(Map.of("dtype", "float32", "shape", "1,3,64,64", "position", "0"), inputs.get(0).metadata);
    String output = session.getOutputNames().iterator().next();
    List<TraceFile.Message> outputs = trace.on("/model_output/" + output);
    assertEquals(Map.of("dtype", "float32", "shape", "1,12", "position", "0"), outputs.get(0).metadata);
    for (int i = 0; i < 3; i++) {
      assertEquals(i, inputs.get(i).frame);
      assertArrayEquals(array(picture(i)), array(inputs.get(i).values().asFloatBuffer()));
      assertArrayEquals(expected[i], array(outputs.get(i).values().asFloatBuffer()));
      assertTrue(trace.on("/frame").get(i).text().contains("latency_ns"));
    }
    assertEquals("onnxruntime", trace.metadata.get("edgeprobe.run").get("engine"));
    assertEquals(environment.getVersion(), trace.metadata.get("edgeprobe.run").get("engine_version"));
  }

  /** For arrays, moved positions and a shared buffer of doubles, the trace has the values that the engine received. */
  @Test
  void readsTheTensorAndNotTheBufferItWasMadeOf() throws Exception {
    Path path = Traces.fresh("onnxruntime-buffers.mcap");
    FloatBuffer twice = ByteBuffer.allocateDirect(8 * SIZE).order(ByteOrder.nativeOrder()).asFloatBuffer();
    twice.put(picture(1)).put(picture(2));
    try (Probe probe = Probe.open(path.toString())) {
      SessionProbe probed = new SessionProbe(probe, session);
      float[][][][] nested = new float[1][3][64][64];
      nested[0][2][63][63] = 0.5f;
      try (OnnxTensor input = OnnxTensor.createTensor(environment, nested)) {
        probed.run(Map.of("image", input)).close();
      }
      twice.position(0).limit(SIZE);
      try (OnnxTensor input = OnnxTensor.createTensor(environment, twice, SHAPE)) {
        twice.limit(2 * SIZE).position(SIZE);
        probed.run(Map.of("image", input)).close();
      }
      FloatBuffer moved = picture(3);
      try (OnnxTensor input = OnnxTensor.createTensor(environment, moved, SHAPE)) {
        moved.position(7);
        probed.run(Map.of("image", input)).close();
      }
      try (OnnxTensor input = OnnxTensor.createTensor(environment, FloatBuffer.wrap(array(picture(4))), SHAPE)) {
        probed.run(Map.of("image", input)).close();
      }
      assertNull(probe.error());
    }
    List<TraceFile.Message> inputs = TraceFile.read(path).on("/model_input/image");
    assertEquals(0.5f, inputs.get(0).values().getFloat(4 * (SIZE - 1)));
    assertEquals(0f, inputs.get(0).values().getFloat(0));
    for (int i : new int[] {1, 3, 4}) {
      int frame = i == 1 ? 1 : i - 1;
      assertArrayEquals(array(picture(i)), array(inputs.get(frame).values().asFloatBuffer()), "frame " + frame);
    }
  }

  @Test
  void aFrameOfTheApplicationTakesItsOwnTensorsToo() throws Exception {
    Path path = Traces.fresh("onnxruntime-frame.mcap");
    try (Probe probe = Probe.open(path.toString());
        OnnxTensor input = OnnxTensor.createTensor(environment, picture(5), SHAPE)) {
      SessionProbe probed = new SessionProbe(probe, session);
      try (Frame frame = probe.frame()) {
        frame.label(4);
        probed.run(frame, Map.of("image", input)).close();
        frame.scalar("threshold", 0.5);
      }
    }
    TraceFile trace = TraceFile.read(path);
    assertEquals(0, trace.one("/model_input/image").frame);
    assertEquals(0, trace.one("/variable/threshold").frame);
    assertTrue(trace.one("/frame").text().contains("\"label\":4"));
  }

  /** As on the page: a frame has the picture and the run inside it. A run does not join closed frames or those of other threads. */
  @Test
  void aRunJoinsTheFrameThatThisThreadHasOpen() throws Exception {
    Path path = Traces.fresh("onnxruntime-joins.mcap");
    Map<String, OnnxTensor> inputs = Map.of("image", OnnxTensor.createTensor(environment, picture(5), SHAPE));
    try (Probe probe = Probe.open(path.toString())) {
      SessionProbe probed = new SessionProbe(probe, session);
      assertNull(probe.current());
      Frame outer = probe.frame();
      Frame inner = probe.frame();
      assertSame(inner, probe.current());
      Thread other = new Thread(() -> {
        assertNull(probe.current());
        outer.close();
      });
      other.start();
      other.join();
      probed.run(inputs).close();
      try (Frame nested = probe.frame()) {
        assertSame(nested, probe.current());
      }
      assertSame(inner, probe.current(), "the one around a frame that was closed");
      inner.close();
      assertNull(probe.current(), "both are closed, one of them by another thread");
      probed.run(inputs).close();
      try (Frame frame = probe.frame()) {
        frame.sample("cat.png");
        probed.run(inputs).close();
      }
      probed.run(inputs).close();
      assertNull(probe.error());
      assertEquals(6, probe.statistics().frames);
    }
    List<Integer> frames = new ArrayList<>();
    for (TraceFile.Message message : TraceFile.read(path).on("/model_input/image")) frames.add((int) message.frame);
    assertEquals(List.of(1, 3, 4, 5), frames);
  }

  @Test
  void theSessionsExceptionsAreTheApplications() throws Exception {
    Path path = Traces.fresh("onnxruntime-throws.mcap");
    try (Probe probe = Probe.open(path.toString());
        OnnxTensor wrong = OnnxTensor.createTensor(environment, new float[1][3][2][2])) {
      SessionProbe probed = new SessionProbe(probe, session);
      assertThrows(OrtException.class, () -> probed.run(Map.of("image", wrong)));
    }
    assertEquals(1, TraceFile.read(path).on("/frame").size());
  }

  @Test
  void aProbeThatIsOffLeavesTheRunAlone() throws Exception {
    SessionProbe probed = new SessionProbe(Probe.off(), session);
    try (OnnxTensor input = OnnxTensor.createTensor(environment, picture(6), SHAPE);
        OrtSession.Result direct = session.run(Map.of("image", input));
        OrtSession.Result result = probed.run(Map.of("image", input))) {
      assertArrayEquals(scores(direct), scores(result));
    }
    Path path = Traces.fresh("onnxruntime-none.mcap");
    try (Probe probe = Probe.builder(path.toString()).level(Level.NONE).open();
        OnnxTensor input = OnnxTensor.createTensor(environment, picture(6), SHAPE)) {
      new SessionProbe(probe, session).run(Map.of("image", input)).close();
      assertEquals(0, probe.statistics().tensors);
      try (Frame frame = probe.frame()) {
        assertTrue(!frame.wants(Stage.MODEL_INPUT));
      }
    }
  }
}
