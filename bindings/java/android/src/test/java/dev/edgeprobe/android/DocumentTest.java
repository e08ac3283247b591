// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe.android;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import dev.edgeprobe.TraceFile;
import dev.edgeprobe.Traces;
import java.io.File;
import java.nio.file.Files;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.Robolectric;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.android.controller.ActivityController;
import org.robolectric.annotation.Config;

/** The activity in docs/guides/java.md equals the one in this folder, which runs. */
@RunWith(RobolectricTestRunner.class)
@Config(sdk = OneAndroid.LEVEL, manifest = Config.NONE, shadows = Phone.class)  // The same sandbox as in the other tests.
public class DocumentTest {
  @Test
  public void theActivityRecordsWhileItIsShown() throws Exception {
    String source = Files.readString(Traces.source("bindings/java/android/src/test/java/dev/edgeprobe/android/CameraActivity.java"));
    String program = source.substring(source.indexOf("package ")).replace("package dev.edgeprobe.android;\n\n", "");
    assertTrue(program, Files.readString(Traces.source("docs/guides/java.md")).contains("```java\n" + program + "```"));

    try (ActivityController<CameraActivity> activity = Robolectric.buildActivity(CameraActivity.class)) {
      activity.create().start().stop();
      File[] traces = activity.get().getFilesDir().listFiles();
      assertEquals(1, traces.length);
      assertTrue(TraceFile.read(traces[0].toPath()).one("/sensor/light").text().contains("\"reason\":\"absent\""));
    }
  }
}
