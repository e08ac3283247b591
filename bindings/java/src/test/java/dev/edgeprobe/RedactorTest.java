// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class RedactorTest {
  @Test
  void changesWhatIsKeptAndNothingElse() throws Exception {
    Path path = Traces.fresh("redacted.mcap");
    List<String> seen = new ArrayList<>();
    byte[] picture = {1, 2, 3, 4};
    ByteBuffer direct = ByteBuffer.allocateDirect(4).put(picture).flip();
    Redactor redactor = (name, bytes) -> {
      seen.add(name);
      System.gc();  // No array may be held while this runs.
      Arrays.fill(bytes, 0, 2, (byte) 9);
    };
    try (Probe probe = Probe.builder(path.toString()).redact(redactor).open(); Frame frame = probe.frame()) {
      frame.image(ImageSpec.of("array ü", Pixels.GRAY8, 2, 2), picture);
      frame.image(ImageSpec.of("direct", Pixels.GRAY8, 2, 2), direct);
      frame.encoded("file", picture);
      frame.audio("sound", DType.INT16, new short[] {1, 2}, 1, 8000);
      frame.tensor(Stage.MODEL_INPUT, "x", DType.UINT8, picture, 4);
    }
    assertEquals(Arrays.asList("array ü", "direct", "file", "sound"), seen);
    assertArrayEquals(new byte[] {1, 2, 3, 4}, picture);
    assertEquals(1, direct.get(0));
    TraceFile trace = TraceFile.read(path);
    for (String name : new String[] {"array ü", "direct", "file"}) {
      assertArrayEquals(new byte[] {9, 9, 3, 4}, trace.one("/raw_input/" + name).data);
    }
    assertArrayEquals(new byte[] {9, 9, 2, 0}, trace.one("/raw_input/sound").data);
    assertArrayEquals(picture, trace.one("/model_input/x").data);
  }

  @Test
  void oneThatThrowsKeepsNothing() throws Exception {
    Path path = Traces.fresh("redactor-throws.mcap");
    try (Probe probe = Probe.builder(path.toString()).redact((name, bytes) -> {
      throw new IllegalStateException("no face model");
    }).open(); Frame frame = probe.frame()) {
      frame.image(ImageSpec.of("camera", Pixels.GRAY8, 2, 2), new byte[] {1, 2, 3, 4});
      assertTrue(probe.error().getMessage().contains("no face model"));
    }
    assertArrayEquals(new byte[4], TraceFile.read(path).one("/raw_input/camera").data);
  }

  /** A redactor must not call the probe. If it does while another thread closes the probe, neither thread hangs. */
  @Test
  void callsTheProbeWhileAnotherThreadCloses() throws Exception {
    Path path = Traces.fresh("redactor-calls.mcap");
    Probe[] opened = new Probe[1];
    Status[] said = new Status[1];
    Thread closing = new Thread(() -> opened[0].close());
    opened[0] = Probe.builder(path.toString()).redact((name, bytes) -> {
      closing.start();
      while (closing.getState() != Thread.State.BLOCKED) Thread.onSpinWait();  // close() waits for this frame.
      said[0] = opened[0].mark("from the redactor", null);
      assertEquals(-1, opened[0].frame().number());
    }).open();
    Thread logging = new Thread(() -> opened[0].frame().encoded("file", new byte[] {1}));
    logging.setDaemon(true);
    closing.setDaemon(true);
    logging.start();
    logging.join(20_000);
    closing.join(20_000);
    assertTrue(!logging.isAlive() && !closing.isAlive());
    assertEquals(Status.OK, said[0]);
    assertEquals(1, TraceFile.read(path).on("/mark/from the redactor").size());
  }

  @Test
  void cannotCloseWhatItRunsIn() throws Exception {
    Path path = Traces.fresh("redactor-closes.mcap");
    Probe[] opened = new Probe[1];
    Frame[] begun = new Frame[1];
    opened[0] = Probe.builder(path.toString()).redact((name, bytes) -> {
      opened[0].close();
      begun[0].close();
    }).open();
    begun[0] = opened[0].frame();
    assertEquals(Status.OK, begun[0].encoded("file", new byte[] {1, 2, 3}));
    assertEquals(Status.USAGE, opened[0].error().status());
    opened[0].close();
    assertArrayEquals(new byte[] {1, 2, 3}, TraceFile.read(path).one("/raw_input/file").data);
  }
}
