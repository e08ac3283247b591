// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ProbeTest {
  @Test
  void recordsAFrame() throws Exception {
    Path path = Traces.fresh("frame.mcap");
    TensorSpec input = TensorSpec.of(Stage.MODEL_INPUT, "image", DType.INT8, 1, 2, 2).quantized(0.5f, -1).position(0);
    TensorSpec weights = TensorSpec.of(Stage.VARIABLE, "per channel", DType.INT16, 2)
        .quantized(new float[] {0.5f, 0.25f}, new long[] {3, 4}, 0);
    Probe probe = Probe.open(path.toString());
    assertEquals(Status.OK, probe.describe("model", "net.tflite"));
    try (Frame frame = probe.frame()) {
      assertEquals(0, frame.number());
      assertEquals(Status.OK, frame.sample("cat/0001.png"));
      assertEquals(Status.OK, frame.label(3));
      assertEquals(Status.OK, frame.tensor("resized", new float[] {1, 2, 3}, 3));
      assertEquals(Status.OK, frame.tensor(input, new byte[] {-128, 0, 1, 127}));
      assertEquals(Status.OK, frame.tensor(weights, new short[] {300, -300}));
      assertEquals(Status.OK, frame.start());
      assertEquals(Status.OK, frame.stop());
      assertEquals(Status.OK, frame.tensor(Stage.MODEL_OUTPUT, "scores", DType.FLOAT32, new float[] {0.25f, 0.75f}, 1, 2));
      assertEquals(Status.OK, frame.tensor(Stage.VARIABLE, "count", DType.INT64, new long[] {1L << 40}));
    }
    probe.close();
    assertNull(probe.error());
    assertEquals(1, probe.statistics().frames);
    assertEquals(5, probe.statistics().tensors);
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(path)));

    TraceFile trace = TraceFile.read(path);
    TraceFile.Message image = trace.one("/model_input/image");
    assertArrayEquals(new byte[] {-128, 0, 1, 127}, image.data);
    assertEquals("int8", image.metadata.get("dtype"));
    assertEquals("1,2,2", image.metadata.get("shape"));
    assertEquals("0.5", image.metadata.get("scale"));
    assertEquals("-1", image.metadata.get("zero_point"));
    assertEquals("0", image.metadata.get("position"));
    Map<String, String> variable = trace.one("/variable/per channel").metadata;
    assertEquals("0.5,0.25", variable.get("scale"));
    assertEquals("3,4", variable.get("zero_point"));
    assertEquals(2f, trace.one("/intermediate/resized").values().getFloat(4));
    assertEquals(0.75f, trace.one("/model_output/scores").values().getFloat(4));
    assertEquals(1L << 40, trace.one("/variable/count").values().getLong());
    assertEquals("", trace.one("/variable/count").metadata.get("shape"));
    String record = trace.one("/frame").text();
    assertTrue(record.contains("\"cat/0001.png\"") && record.contains("latency_ns"), record);
    assertEquals("net.tflite", trace.metadata.get("edgeprobe.run").get("model"));
    assertEquals("io", trace.metadata.get("edgeprobe.run").get("level"));
  }

  @Test
  void recordsSeveralRightClasses() throws Exception {
    Path path = Traces.fresh("annotation.mcap");
    try (Probe probe = Probe.open(path.toString())) {
      try (Frame frame = probe.frame()) {
        assertEquals(Status.OK, frame.annotation("class_set", "[3,17]"));
        assertEquals(Status.USAGE, frame.annotation("class_set", "[3,"));
        assertEquals(Status.USAGE, frame.annotation(null, "[3,17]"));
      }
    }
    String record = TraceFile.read(path).one("/frame").text();
    assertTrue(record.contains("{\"kind\":\"class_set\",\"value\":[3,17]}"), record);
  }

  @Test
  void recordsAnswers() throws Exception {
    Path path = Traces.fresh("answers.mcap");
    try (Probe probe = Probe.open(path.toString())) {
      try (Frame frame = probe.frame()) {
        assertTrue(frame.wants(Stage.ANSWER));
        assertEquals(Status.OK, frame.answer(Answer.of().labels("hi").scores(1)));
        assertEquals(Status.OK, frame.answer(Answer.of().name("mask").mask(new short[] {1, (short) 65535}, 1, 2)));
        assertEquals(Status.OK, frame.answer(Answer.of().name("none").boxes().classes()));
        assertEquals(Status.OK, frame.beginSequence());
        assertEquals(Status.OK, frame.rawText("prompt", "gr\u00fcn\0x"));
        assertEquals(Status.USAGE, frame.answer(Answer.of().labels("a", "b").scores(1)));
        assertTrue(probe.error().getMessage().contains("give one for each"), probe.error().getMessage());
        assertEquals(Status.USAGE, frame.answer(Answer.of().labels("a", null)));
        assertEquals(Status.USAGE, frame.answer(Answer.of().text("a\0b")));
        assertEquals(Status.USAGE, frame.answer(Answer.of().boxes(1, 2, 3)));
        assertEquals(Status.USAGE, frame.answer(Answer.of().points(1, 2)));
        assertEquals(Status.USAGE, frame.answer(Answer.of().mask(new float[2], 1, 2)));
        assertEquals(Status.USAGE, frame.answer(Answer.of().mask(new int[3], 1, 2)));
        assertEquals(Status.USAGE, frame.answer(Answer.of()));
        assertEquals(Status.USAGE, frame.answer(null));
        assertEquals(Status.USAGE, frame.rawText("prompt", null));
      }
    }
    TraceFile trace = TraceFile.read(path);
    assertEquals("answer", trace.one("/answer/answer").metadata.get("encoding"));
    assertArrayEquals(new byte[] {1, 1, -1, 1, 0, 10, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 'h', 'i',
        3, 0, 1, 0, 8, 0, 0, 0, 1, 0, 0, 0, 0, 0, (byte) 0x80, 0x3f}, trace.one("/answer/answer").data);
    assertArrayEquals(new byte[] {1, 5, 7, 2, 0, 12, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1, 0, -1, -1}, trace.one("/answer/mask").data);
    assertArrayEquals(new byte[] {1, 2, 10, 1, 0, 4, 0, 0, 0, 0, 0, 0, 0, 4, 0, 2, 0, 8, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0},
        trace.one("/answer/none").data);
    assertEquals("gr\u00fcn\0x", trace.one("/raw_input/prompt").text());
    assertTrue(trace.one("/frame").text().contains("\"begins_sequence\":true"), trace.one("/frame").text());
  }

  @Test
  void recordsRawInputs() throws Exception {
    Path path = Traces.fresh("raw.mcap");
    byte[] yuv = new byte[4 * 2 + 4];
    for (int i = 0; i < yuv.length; i++) yuv[i] = (byte) (16 * i);
    try (Probe probe = Probe.builder(path.toString()).raw(Raw.ALL).open()) {
      try (Frame frame = probe.frame()) {
        assertEquals(Status.OK, frame.image(ImageSpec.of("front", Pixels.NV21, 4, 2).rotation(90).mirrored(true).bt709(true), yuv));
        assertEquals(Status.OK, frame.image(ImageSpec.of("screen", Pixels.BGRA8, 2, 1), new int[] {0xFF102030, 0x80A0B0C0}));
        assertEquals(Status.OK, frame.audio("microphone", DType.INT16, new short[] {1, -1, 2, -2}, 2, 16000));
        assertEquals(Status.OK, frame.readings("motion", DType.FLOAT32, new float[] {1, 2, 3, 4, 5, 6}, 3, 31.25));
        assertEquals(Status.OK, frame.encoded("file", new byte[] {1, 2, 3}));
      }
      assertNull(probe.error());
    }
    TraceFile trace = TraceFile.read(path);
    TraceFile.Message front = trace.one("/raw_input/front");
    assertArrayEquals(yuv, front.data);
    assertEquals("nv21", front.metadata.get("encoding"));
    assertEquals("90", front.metadata.get("rotation"));
    assertEquals("true", front.metadata.get("mirrored"));
    assertEquals("bt709", front.metadata.get("matrix"));
    TraceFile.Message screen = trace.one("/raw_input/screen");
    assertArrayEquals(new byte[] {0x30, 0x20, 0x10, -1, (byte) 0xC0, (byte) 0xB0, (byte) 0xA0, (byte) 0x80}, screen.data);
    assertEquals("bgra8", screen.metadata.get("encoding"));
    TraceFile.Message motion = trace.one("/raw_input/motion");
    assertEquals("readings", motion.metadata.get("encoding"));
    assertEquals("2,3", motion.metadata.get("shape"));
    assertEquals("31.25", motion.metadata.get("sample_rate"));
    TraceFile.Message sound = trace.one("/raw_input/microphone");
    assertEquals("2,2", sound.metadata.get("shape"));
    assertEquals("16000", sound.metadata.get("sample_rate"));
    assertEquals(-1, sound.values().getShort(2));
    assertEquals("encoded", trace.one("/raw_input/file").metadata.get("encoding"));
  }

  @Test
  void recordsVariablesSpansMarksAndSensors() throws Exception {
    Path path = Traces.fresh("variables.mcap");
    try (Probe probe = Probe.open(path.toString())) {
      try (Frame frame = probe.frame()) {
        frame.scalar("threshold", 0.125);
        frame.vector("box", 1, 2, 3, 4);
        frame.text("answer", "größer als 😀");
        frame.json("state", "{\"a\":1}");
        try (Span span = frame.span("decode")) {
          Thread.sleep(3);
        }
      }
      assertEquals(Status.OK, probe.mark("camera", "restarted"));
      assertEquals(Status.OK, probe.mark("camera", null));
      assertEquals(Status.OK, probe.sensor("accelerometer", "m/s^2", 0, 0, 9.81));
      assertEquals(Status.OK, probe.sensorAbsent("light", "lx", "not permitted"));
      assertEquals(Status.OK, probe.flush());
      assertNull(probe.error());
    }
    TraceFile trace = TraceFile.read(path);
    assertEquals(0.125, trace.one("/variable/threshold").values().getDouble());
    assertEquals(4.0, trace.one("/variable/box").values().getDouble(24));
    assertEquals("größer als 😀", trace.one("/variable/answer").text());
    assertEquals("json", trace.one("/variable/state").metadata.get("encoding"));
    long took = trace.one("/span/decode").values().getLong(8);
    assertTrue(took >= 3_000_000 && took < 3_000_000_000L, took + " ns");
    List<TraceFile.Message> marks = trace.on("/mark/camera");
    assertEquals(2, marks.size());
    assertTrue(marks.get(0).text().contains("restarted"));
    assertTrue(trace.one("/sensor/accelerometer").text().contains("9.81"));
    assertTrue(trace.one("/sensor/light").text().contains("not permitted"));
  }

  @Test
  void assertionsAreCheckedAndRecorded() throws Exception {
    Path path = Traces.fresh("assertions.mcap");
    try (Probe probe = Probe.open(path.toString())) {
      assertTrue(probe.assertThat("labels", true));
      assertFalse(probe.assertThat("size", () -> "640 wide"));
      assertFalse(probe.assertThat("model", () -> {
        throw new java.io.IOException("no file");
      }));
      assertFalse(probe.assertThat("none", (Check) null));
      try (Frame frame = probe.frame()) {
        assertFalse(frame.assertThat("exposure", () -> "too dark"));
        assertTrue(frame.assertThat("focus", () -> null));
        assertTrue(frame.assertThat("fps", () -> ""));
      }
      assertNull(probe.error());
      assertTrue(probe.assertThat("a\0b", true));
      assertTrue(probe.error().getMessage().contains("NUL"), probe.error().getMessage());
    }
    TraceFile trace = TraceFile.read(path);
    assertTrue(trace.one("/mark/assertion.labels").text().contains("holds"));
    assertTrue(trace.one("/mark/assertion.size").text().contains("640 wide"));
    assertTrue(trace.one("/mark/assertion.model").text().contains("it throws: java.io.IOException: no file"));
    assertEquals(0.0, trace.one("/variable/assertion.exposure").values().getDouble());
    assertEquals("too dark", trace.one("/variable/assertion.exposure.why").text());
    assertEquals(1.0, trace.one("/variable/assertion.focus").values().getDouble());
    assertEquals(0, trace.on("/variable/assertion.focus.why").size());
    try (Probe off = Probe.builder("/no/such/folder/t.mcap").openOrOff(); Frame frame = off.frame()) {
      assertTrue(off.assertThat("a", true));
      assertFalse(frame.assertThat("a", false));
    }
  }

  @Test
  void namesAreUtf8() throws Exception {
    Path path = Traces.fresh("nämen-😀.mcap");
    try (Probe probe = Probe.open(path.toString()); Frame frame = probe.frame()) {
      frame.scalar("größe/😀", 1);
      frame.scalar("halb \uD83D", 1);
      assertEquals(Status.USAGE, frame.scalar("a\0b", 1));
      assertTrue(probe.error().getMessage().contains("NUL"), probe.error().getMessage());
    }
    TraceFile trace = TraceFile.read(path);
    trace.one("/variable/größe/😀");
    trace.one("/variable/halb ?");
  }

  @Test
  void openingThrowsWithTheStatus() throws Exception {
    Path path = Traces.fresh("twice.mcap");
    Probe.open(path.toString()).close();
    EdgeprobeException taken = assertThrows(EdgeprobeException.class, () -> Probe.open(path.toString()));
    assertFalse(taken.getMessage().isEmpty());
    EdgeprobeException absent = assertThrows(EdgeprobeException.class, () -> Probe.open(path + "/no/such.mcap"));
    assertFalse(absent.getMessage().isEmpty());
    assertEquals(Status.USAGE, assertThrows(EdgeprobeException.class, () -> Probe.open(null)).status());
    assertEquals(Status.USAGE, assertThrows(EdgeprobeException.class, () -> Probe.builder("x").every(-1).open()).status());
  }

  @Test
  void aProbeThatCouldNotBeOpenedSaysSoOnStandardError() throws Exception {
    Path path = Traces.fresh("taken_again.mcap");
    Probe.open(path.toString()).close();
    PrintStream before = System.err;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try (Probe probe = Probe.builder(path.toString()).openOrOff(); Frame frame = probe.frame()) {
      frame.scalar("x", 1);
      assertEquals("edgeprobe: nothing is recorded: " + probe.error().getMessage() + System.lineSeparator(),
          printed.toString(StandardCharsets.UTF_8));
    } finally {
      System.setErr(before);
    }
  }

  @Test
  void aProbeThatIsOffChangesNothing() throws Exception {
    Path path = Traces.fresh("taken.mcap");
    Probe.open(path.toString()).close();
    try (Probe probe = Probe.builder(path.toString()).openOrOff()) {
      assertFalse(probe.isOpen());
      assertNotNull(probe.error());
      try (Frame frame = probe.frame(); Span span = frame.span("step")) {
        assertEquals(Status.OFF, frame.tensor("x", new float[1], 1));
        assertEquals(Status.OFF, frame.tensor((TensorSpec) null, null));
        assertEquals(Status.OFF, frame.image(null, null));
        assertEquals(Status.OFF, frame.text("x", null));
        assertFalse(frame.wants(Stage.MODEL_INPUT));
        assertEquals(-1, frame.number());
      }
      assertEquals(Status.OFF, probe.mark("x", "y"));
      assertEquals(Status.OFF, probe.flush());
      assertEquals(0, probe.statistics().frames);
    }
  }

  @Test
  void wrongCallsRecordNothingAndSayWhy() throws Exception {
    Path path = Traces.fresh("wrong.mcap");
    Probe probe = Probe.open(path.toString());
    Frame frame = probe.frame();
    assertEquals(Status.USAGE, frame.tensor("x", new float[2], 3));
    assertTrue(probe.error().getMessage().contains("12"), probe.error().getMessage());
    assertEquals(Status.USAGE, frame.tensor(null, new float[2], 2));
    assertEquals(Status.USAGE, frame.tensor("x", null, 2));
    assertEquals(Status.USAGE, frame.tensor(Stage.VARIABLE, "x", DType.FLOAT32, new float[1][2], 1, 2));
    assertEquals(Status.USAGE, frame.tensor(Stage.VARIABLE, "x", DType.FLOAT32, "text", 1));
    assertEquals(Status.USAGE, frame.tensor(Stage.RAW_INPUT, "x", DType.UINT8, new byte[1], 1));
    assertEquals(Status.USAGE, frame.tensor(Stage.VARIABLE, "x", DType.UINT8, new byte[1], new long[33]));
    assertEquals(Status.USAGE, frame.tensor(Stage.VARIABLE, "x", DType.UINT8, new byte[1], -1));
    assertEquals(Status.USAGE, frame.image(ImageSpec.of("x", Pixels.RGB8, 2, 2), new byte[11]));
    assertEquals(Status.USAGE, frame.audio("x", DType.INT16, new short[3], 2, 16000));
    assertEquals(Status.USAGE, frame.readings("x", DType.INT16, new short[5], 3, 50));
    assertEquals(Status.USAGE, frame.readings("x", DType.INT16, new short[6], 3, -50));
    assertEquals(Status.USAGE, frame.readings("x", DType.INT16, new short[6], 0, 50));
    assertEquals(Status.USAGE, frame.vector("x", (double[]) null));
    assertEquals(Status.USAGE, frame.tensor(Stage.VARIABLE, "x", DType.FLOAT32, new int[2], 2));
    assertEquals("the values are of type int: expected float or byte for FLOAT32", probe.error().getMessage());
    assertEquals(Status.USAGE, frame.tensor(Stage.VARIABLE, "x", DType.UINT32, java.nio.FloatBuffer.allocate(2), 2));
    assertEquals(Status.USAGE, frame.tensor(Stage.VARIABLE, "x", DType.INT16, new byte[1][2], 1));
    assertEquals(Status.USAGE, frame.audio("x", DType.FLOAT32, new int[4], 2, 16000));
    assertEquals(Status.USAGE, frame.image(ImageSpec.of("x", Pixels.GRAY8, 2, 2), new int[1]));
    assertEquals(Status.USAGE, frame.encoded("x", new float[1]));
    assertEquals("the values are of type float: expected byte for a file", probe.error().getMessage());
    assertEquals(Status.USAGE, frame.text("x", null));
    frame.close();
    assertEquals(Status.OFF, frame.scalar("x", 1));
    frame.close();
    Frame left = probe.frame();
    probe.close();
    assertEquals(Status.OFF, left.scalar("x", 1));
    assertEquals(Status.OFF, probe.mark("x", "y"));
    left.close();
    probe.close();
    for (TraceFile.Message message : TraceFile.read(path).messages) assertEquals("/frame", message.topic);
  }

  @Test
  void levelsAndFiltersLeaveOut() throws Exception {
    Path path = Traces.fresh("filtered.mcap");
    try (Probe probe = Probe.builder(path.toString()).level(Level.EMBEDDING).exclude("variable/secret*").every(2).open()) {
      for (int i = 0; i < 4; i++) {
        try (Frame frame = probe.frame()) {
          assertFalse(frame.wants(Stage.LAYER));
          assertEquals(i % 2 == 0, frame.wants(Stage.EMBEDDING));
          frame.tensor(Stage.LAYER, "conv", DType.FLOAT32, new float[1], 1);
          frame.tensor(Stage.EMBEDDING, "pool", DType.FLOAT32, new float[] {i}, 1);
          frame.scalar("secret key", 1);
          frame.scalar("open", 1);
        }
      }
    }
    TraceFile trace = TraceFile.read(path);
    assertEquals(0, trace.on("/layer/conv").size());
    assertEquals(2, trace.on("/layer/pool").size());
    assertEquals("true", trace.on("/layer/pool").get(0).metadata.get("embedding"));
    assertEquals(2, trace.on("/layer/pool").get(1).frame);
    assertEquals(0, trace.on("/variable/secret key").size());
    assertEquals(2, trace.on("/variable/open").size());
    assertEquals(4, trace.on("/frame").size());
  }

  @Test
  void triggersKeepTheFramesBeforeThem() throws Exception {
    Path path = Traces.fresh("trigger.mcap");
    try (Probe probe = Probe.builder(path.toString()).onTrigger(1).belowConfidence(0.5).open()) {
      for (float confidence : new float[] {0.9f, 0.8f, 0.7f, 0.3f, 0.9f, 0.9f}) {
        try (Frame frame = probe.frame()) {
          frame.tensor(Stage.MODEL_OUTPUT, "scores", DType.FLOAT32, new float[] {confidence}, 1);
          if (frame.number() == 5) frame.trip("a user complained");
        }
      }
    }
    List<Long> kept = new java.util.ArrayList<>();
    TraceFile trace = TraceFile.read(path);
    for (TraceFile.Message message : trace.on("/model_output/scores")) kept.add(message.frame);
    assertEquals(List.of(2L, 3L, 4L, 5L), kept);
    assertEquals(6, trace.on("/frame").size());
    assertTrue(trace.messages.stream().anyMatch(m -> m.topic.startsWith("/mark/") && m.text().contains("a user complained")));
  }

  @Test
  void outputsOfAnInstrumentedModelAreLayers() throws Exception {
    Path path = Traces.fresh("instrumented.mcap");
    try (Probe probe = Probe.builder(path.toString()).level(Level.LAYERS).ownOutputs(1).waitWhenFull(true).open(); Frame frame = probe.frame()) {
      frame.tensor(TensorSpec.of(Stage.MODEL_OUTPUT, "scores", DType.FLOAT32, 1).position(0), new float[] {1});
      frame.tensor(TensorSpec.of(Stage.MODEL_OUTPUT, "conv", DType.FLOAT32, 1).position(1), new float[] {2});
    }
    TraceFile trace = TraceFile.read(path);
    assertEquals(1f, trace.one("/model_output/scores").values().getFloat());
    assertEquals(2f, trace.one("/layer/conv").values().getFloat());
  }
}
