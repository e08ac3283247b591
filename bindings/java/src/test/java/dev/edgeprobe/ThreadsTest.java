// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ThreadsTest {
  @Test
  void framesOfManyThreadsKeepTheirValues() throws Exception {
    Path path = Traces.fresh("threads.mcap");
    Probe probe = Probe.builder(path.toString()).waitWhenFull(true).open();
    run(4, thread -> {
      for (int i = 0; i < 500; i++) {
        try (Frame frame = probe.frame()) {
          frame.tensor(Stage.VARIABLE, "who", DType.INT64, new long[] {frame.number(), thread}, 2);
          probe.sensor("load", "%", thread);
        }
      }
    });
    probe.close();
    assertNull(probe.error());
    List<TraceFile.Message> messages = TraceFile.read(path).on("/variable/who");
    assertEquals(0, probe.statistics().droppedFrames);
    assertEquals(2000, messages.size());
    int[] of = new int[4];
    for (TraceFile.Message message : messages) {
      assertEquals(message.frame, message.values().getLong(0));
      of[(int) message.values().getLong(8)]++;
    }
    for (int count : of) assertEquals(500, count);
  }

  /** Using one frame in many threads, or closing the probe meanwhile, is misuse, but must not crash. */
  @Test
  void misuseFromManyThreadsIsSafe() throws Exception {
    AtomicInteger logged = new AtomicInteger();
    for (int round = 0; round < 20; round++) {
      Path path = Traces.fresh("misuse.mcap");
      Probe probe = Probe.open(path.toString());
      Frame frame = probe.frame();
      run(4, thread -> {
        for (int i = 0; i < 50; i++) {
          if (frame.scalar("x" + i + " of " + thread, i) == Status.OK) logged.incrementAndGet();
          probe.frame().close();
          probe.mark("m", null);
          if (i == 25 && thread == 0) frame.close();
          if (i == 40 && thread == 1) probe.close();
        }
      });
      assertTrue(!probe.isOpen());
      TraceFile.read(path);
    }
    assertTrue(logged.get() > 0);
  }

  private interface Work {
    void run(int thread) throws Exception;
  }

  private static void run(int count, Work work) throws Exception {
    List<Thread> threads = new ArrayList<>();
    List<Throwable> failures = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int number = i;
      threads.add(new Thread(() -> {
        try {
          work.run(number);
        } catch (Throwable wrong) {
          synchronized (failures) {
            failures.add(wrong);
          }
        }
      }));
    }
    for (Thread thread : threads) thread.start();
    for (Thread thread : threads) thread.join();
    assertEquals(List.of(), failures);
  }
}
