// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe.android;

import android.app.Activity;
import dev.edgeprobe.Probe;
import dev.edgeprobe.android.DeviceSensors;
import java.io.File;

public class CameraActivity extends Activity {
  private Probe probe;
  private DeviceSensors sensors;

  @Override
  protected void onStart() {
    super.onStart();
    probe = Probe.builder(new File(getFilesDir(), System.currentTimeMillis() + ".mcap")).openOrOff();
    sensors = DeviceSensors.start(this, probe);
  }

  @Override
  protected void onStop() {
    sensors.close();
    probe.close();
    super.onStop();
  }
}
