// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe.android;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNotSame;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import android.app.Application;
import android.content.Intent;
import android.hardware.Sensor;
import android.hardware.SensorManager;
import android.os.BatteryManager;
import android.os.Build;
import android.os.Handler;
import android.os.HandlerThread;
import android.os.Looper;
import android.os.PowerManager;
import android.os.SystemClock;
import dev.edgeprobe.Probe;
import dev.edgeprobe.Status;
import dev.edgeprobe.TraceFile;
import dev.edgeprobe.Traces;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.Shadows;
import org.robolectric.annotation.Config;
import org.robolectric.shadows.SensorEventBuilder;
import org.robolectric.shadows.ShadowSensor;
import org.robolectric.shadows.ShadowSystemClock;
import org.robolectric.util.ReflectionHelpers;

/** Runs on the real classes of Android 10, with Robolectric instead of hardware, and reads the recorded file back. */
@RunWith(RobolectricTestRunner.class)
@Config(sdk = OneAndroid.LEVEL, manifest = Config.NONE, shadows = Phone.class)
public class DeviceSensorsTest {
  private static final long MS = 1_000_000;

  private final Application context = RuntimeEnvironment.getApplication();
  private final Map<Kind, Sensor> sensors = new EnumMap<>(Kind.class);
  private HandlerThread thread;
  private Handler handler;

  @Before
  public void begin() {
    Phone.forget();
    ShadowSystemClock.advanceBy(Duration.ofHours(2));  // A new test clock starts at 0.
    thread = new HandlerThread("events");
    thread.start();
    handler = new Handler(thread.getLooper());
  }

  @After
  public void end() {
    thread.quit();
    ReflectionHelpers.setStaticField(Build.VERSION.class, "SDK_INT", OneAndroid.LEVEL);
  }

  private Phone phone() {
    return (Phone) Shadows.shadowOf(context.getSystemService(SensorManager.class));
  }

  private void has(Kind... kinds) {
    for (Kind kind : kinds) {
      Sensor sensor = ShadowSensor.newInstance(kind.type);
      boolean changesOnly = kind == Kind.LIGHT || kind == Kind.HUMIDITY || kind == Kind.TEMPERATURE;
      ReflectionHelpers.setField(sensor, "mFlags", (changesOnly ? Sensor.REPORTING_MODE_ON_CHANGE : Sensor.REPORTING_MODE_CONTINUOUS) << 1);
      phone().addSensor(sensor);
      sensors.put(kind, sensor);
    }
  }

  private void event(Kind kind, long timeNs, float... values) {
    Phone.LISTENERS.get(kind).onSensorChanged(
        SensorEventBuilder.newBuilder().setSensor(sensors.get(kind)).setTimestamp(timeNs).setValues(values).build());
  }

  /** Lets this much time pass and runs the tasks that are due. */
  private void pass(long ms) {
    Shadows.shadowOf(handler.getLooper()).idleFor(Duration.ofMillis(ms));
  }

  @SuppressWarnings("deprecation")  // The system does it still.
  private void tell(Intent state) {
    context.sendStickyBroadcast(state);
  }

  private static double[] values(TraceFile.Message message) {
    Matcher list = Pattern.compile("\"values\":\\[([^\\]]*)\\]").matcher(message.text());
    assertTrue(message.text(), list.find());
    return Arrays.stream(list.group(1).split(",")).mapToDouble(Double::parseDouble).toArray();
  }

  private static List<Double> firstValues(TraceFile trace, String topic) {
    List<Double> all = new ArrayList<>();
    for (TraceFile.Message message : trace.on(topic)) all.add(values(message)[0]);
    return all;
  }

  private static void assertAbsent(TraceFile trace, String name, String unit, String reason) {
    assertEquals("{\"values\":null,\"reason\":\"" + reason + "\",\"unit\":\"" + unit + "\"}", trace.one("/sensor/" + name).text());
  }

  @Test
  public void everySensorHasItsValuesUnitAndTime() throws Exception {
    has(Kind.values());
    tell(new Intent(Intent.ACTION_BATTERY_CHANGED).putExtra(BatteryManager.EXTRA_TEMPERATURE, 315));
    Shadows.shadowOf(context.getSystemService(PowerManager.class)).setCurrentThermalStatus(PowerManager.THERMAL_STATUS_MODERATE);
    Path path = Traces.fresh("android-all.mcap");
    long before = System.currentTimeMillis() * MS - MS;
    Probe probe = Probe.open(path.toString());
    DeviceSensors running = DeviceSensors.builder(context, probe).handler(handler).start();
    assertTrue(running.isRunning());
    long taken = SystemClock.elapsedRealtimeNanos() - 700 * MS;
    event(Kind.ACCELEROMETER, taken, 0.5f, -1.25f, 9.75f);
    event(Kind.GYROSCOPE, taken, 0.25f, 0, -3);
    event(Kind.MAGNETOMETER, taken, 20, -5, 45);
    event(Kind.LIGHT, taken, 320, 7, 8);  // Only the first one is the light sensor.
    event(Kind.PRESSURE, taken, 1013.25f);
    event(Kind.HUMIDITY, taken, 40.5f);
    event(Kind.TEMPERATURE, taken, -7.5f);
    pass(1);
    running.close();
    probe.close();
    assertNull(probe.error());
    long after = System.currentTimeMillis() * MS + MS;

    TraceFile trace = TraceFile.read(path);
    Map<String, double[]> expected = Map.of(
        "accelerometer m/s^2", new double[] {0.5, -1.25, 9.75}, "gyroscope rad/s", new double[] {0.25, 0, -3},
        "magnetometer Gauss", new double[] {0.2, -0.05, 0.45}, "light lx", new double[] {320}, "pressure kPa", new double[] {101.325},
        "humidity %", new double[] {40.5}, "temperature degC", new double[] {-7.5});
    for (Map.Entry<String, double[]> sensor : expected.entrySet()) {
      String[] name = sensor.getKey().split(" ");
      TraceFile.Message message = trace.on("/sensor/" + name[0]).get(0);  // A slow machine may repeat the value.
      org.junit.Assert.assertArrayEquals(sensor.getKey(), sensor.getValue(), values(message), 1e-9);
      assertTrue(message.text(), message.text().contains("\"unit\":\"" + name[1] + "\""));
      assertTrue(message.timeNs + " ns", message.timeNs >= before - 700 * MS && message.timeNs <= after - 700 * MS);
    }
    TraceFile.Message warm = trace.one("/sensor/temperature battery");
    assertEquals(31.5, values(warm)[0], 0);
    assertTrue(warm.timeNs >= before && warm.timeNs <= after);
    assertEquals(2, values(trace.one("/sensor/thermal status"))[0], 0);
  }

  @Test
  public void whatIsNotThereHasNoValuesAndTheReason() throws Exception {
    has(Kind.ACCELEROMETER, Kind.GYROSCOPE, Kind.LIGHT);
    Phone.FORBIDDEN.add(Kind.GYROSCOPE);
    Phone.REFUSED.add(Kind.LIGHT);
    Path path = Traces.fresh("android-absent.mcap");
    Probe probe = Probe.open(path.toString());
    DeviceSensors running = DeviceSensors.builder(context, probe).handler(handler).start();
    pass(3500);  // The mark is recorded only once.
    running.close();
    probe.close();
    TraceFile trace = TraceFile.read(path);
    assertEquals(0, trace.on("/sensor/accelerometer").size());  // The sensor exists but sends no event.
    assertAbsent(trace, "gyroscope", "rad/s", "not permitted: HIGH_SAMPLING_RATE_SENSORS");
    assertAbsent(trace, "light", "lx", "Android did not start it");
    assertAbsent(trace, "magnetometer", "Gauss", "absent");
    assertAbsent(trace, "pressure", "kPa", "absent");
    assertAbsent(trace, "humidity", "%", "absent");
    assertAbsent(trace, "temperature", "degC", "absent");
    assertAbsent(trace, "temperature battery", "degC", "absent");
    assertNull(probe.error());
  }

  @Test
  public void olderAndStrangerDevicesSayWhatTheyLack() throws Exception {
    Intent state = new Intent(Intent.ACTION_BATTERY_CHANGED);
    tell(state);
    ReflectionHelpers.setStaticField(Build.VERSION.class, "SDK_INT", 28);
    Path path = Traces.fresh("android-old.mcap");
    Probe probe = Probe.open(path.toString());
    DeviceSensors running = DeviceSensors.builder(context, probe).handler(handler).start();
    pass(1200);
    tell(state.putExtra(BatteryManager.EXTRA_TEMPERATURE, 200).putExtra(BatteryManager.EXTRA_PRESENT, false));
    pass(1000);
    running.close();
    probe.close();
    TraceFile trace = TraceFile.read(path);
    assertAbsent(trace, "thermal status", "", "needs Android 10 (API level 29)");
    List<TraceFile.Message> battery = trace.on("/sensor/temperature battery");
    assertEquals(2, battery.size());
    assertTrue(battery.get(0).text(), battery.get(0).text().contains("\"values\":null,\"reason\":\"the battery gives none\""));
    assertTrue(battery.get(1).text(), battery.get(1).text().contains("\"values\":null,\"reason\":\"no battery\""));
  }

  @Test
  public void fasterThanAskedForIsLeftOut() throws Exception {
    has(Kind.GYROSCOPE, Kind.LIGHT);
    Path path = Traces.fresh("android-rate.mcap");
    Probe probe = Probe.open(path.toString());
    DeviceSensors running = DeviceSensors.builder(context, probe).periodMs(50).handler(handler).start();
    pass(1);
    assertEquals(50_000, (int) Phone.PERIODS_US.get(Kind.GYROSCOPE));
    for (int i = 0; i < 100; i++) {
      ShadowSystemClock.advanceBy(Duration.ofMillis(10));
      event(Kind.GYROSCOPE, SystemClock.elapsedRealtimeNanos() - 3 * MS, i, 0, 0);
      if (i < 3) event(Kind.LIGHT, SystemClock.elapsedRealtimeNanos(), 100 + i);
    }
    pass(1);
    running.close();
    probe.close();
    TraceFile trace = TraceFile.read(path);
    // Of the events at 0, 10, 20, … ms those at least 37.5 ms after the last recorded one are kept: one every 40 ms.
    List<Double> kept = new ArrayList<>();
    for (int i = 0; i < 100; i += 4) kept.add((double) i);
    assertEquals(kept, firstValues(trace, "/sensor/gyroscope"));
    // The last change is not lost.
    assertEquals(List.of(100.0, 102.0), firstValues(trace, "/sensor/light"));
  }

  @Test
  public void timesAreInOrderAndAsFarApartAsTheStamps() throws Exception {
    has(Kind.ACCELEROMETER);
    Path path = Traces.fresh("android-order.mcap");
    Probe probe = Probe.open(path.toString());
    DeviceSensors running = DeviceSensors.builder(context, probe).periodMs(20).handler(handler).start();
    // A batch: ten events of the last 200 ms come at once.
    long now = SystemClock.elapsedRealtimeNanos();
    for (int i = 0; i < 10; i++) event(Kind.ACCELEROMETER, now - (200 - 20 * i) * MS, i, 0, 0);
    event(Kind.ACCELEROMETER, now - 150 * MS, 99, 0, 0);  // A late event, out of order.
    running.close();
    probe.close();
    List<TraceFile.Message> got = TraceFile.read(path).on("/sensor/accelerometer");
    assertEquals(10, got.size());
    // Android's clock stood still here; the probe's went on while the batch was logged.
    for (int i = 1; i < 10; i++) {
      long apart = got.get(i).timeNs - got.get(i - 1).timeNs;
      assertTrue(apart + " ns", apart >= 20 * MS);
    }
  }

  @Test
  public void stampsOfAnotherClockAreToldAndNotBelieved() throws Exception {
    has(Kind.ACCELEROMETER, Kind.LIGHT);
    Path path = Traces.fresh("android-clock.mcap");
    long before = System.currentTimeMillis() * MS - MS;
    Probe probe = Probe.open(path.toString());
    DeviceSensors running = DeviceSensors.builder(context, probe).handler(handler).start();
    long hour = 3_600_000 * MS;
    for (int i = 0; i < 3; i++) {
      ShadowSystemClock.advanceBy(Duration.ofMillis(200));
      event(Kind.ACCELEROMETER, SystemClock.elapsedRealtimeNanos() - hour, i, 0, 0);
    }
    event(Kind.LIGHT, SystemClock.elapsedRealtimeNanos() - hour, 50);  // The value changed an hour ago and is still valid.
    running.close();
    probe.close();
    TraceFile trace = TraceFile.read(path);
    assertEquals(List.of(0.0, 1.0, 2.0), firstValues(trace, "/sensor/accelerometer"));
    for (TraceFile.Message message : trace.on("/sensor/accelerometer")) assertTrue(message.timeNs >= before);
    assertTrue(trace.one("/sensor/light").timeNs >= before);
    assertTrue(trace.one("/mark/sensor clock").text().contains("accelerometer: its time stamps are of another clock"));
  }

  @Test
  public void whatASensorOfChangesSaidIsSoUntilItSaysOtherwise() throws Exception {
    has(Kind.LIGHT, Kind.PRESSURE);
    Path path = Traces.fresh("android-changes.mcap");
    Probe probe = Probe.open(path.toString());
    DeviceSensors running = DeviceSensors.builder(context, probe).handler(handler).start();
    pass(1);
    event(Kind.LIGHT, SystemClock.elapsedRealtimeNanos(), 10);
    event(Kind.PRESSURE, SystemClock.elapsedRealtimeNanos(), 1000);
    pass(3000);
    event(Kind.LIGHT, SystemClock.elapsedRealtimeNanos(), 500);
    pass(2000);
    running.close();
    probe.close();
    TraceFile trace = TraceFile.read(path);
    assertEquals(List.of(10.0, 10.0, 10.0, 10.0, 500.0, 500.0), firstValues(trace, "/sensor/light"));
    assertEquals(1, trace.on("/sensor/pressure").size());
  }

  @Test
  public void howGoodTheyAreIsMarked() throws Exception {
    has(Kind.MAGNETOMETER);
    Path path = Traces.fresh("android-accuracy.mcap");
    Probe probe = Probe.open(path.toString());
    DeviceSensors running = DeviceSensors.builder(context, probe).handler(handler).start();
    for (int accuracy : new int[] {SensorManager.SENSOR_STATUS_ACCURACY_HIGH, SensorManager.SENSOR_STATUS_UNRELIABLE,
        SensorManager.SENSOR_STATUS_UNRELIABLE, SensorManager.SENSOR_STATUS_ACCURACY_LOW}) {
      Phone.LISTENERS.get(Kind.MAGNETOMETER).onAccuracyChanged(sensors.get(Kind.MAGNETOMETER), accuracy);
    }
    running.close();
    probe.close();
    List<TraceFile.Message> marks = TraceFile.read(path).on("/mark/sensor accuracy");
    assertEquals(2, marks.size());
    assertTrue(marks.get(0).text().contains("magnetometer: unreliable"));
    assertTrue(marks.get(1).text().contains("magnetometer: low"));
  }

  @Test
  public void closingLetsGoOfAll() throws Exception {
    has(Kind.values());
    Path path = Traces.fresh("android-closed.mcap");
    Probe probe = Probe.open(path.toString());
    DeviceSensors running = DeviceSensors.start(context, probe);
    Handler own = Phone.handler;
    assertNotSame(Looper.getMainLooper(), own.getLooper());
    assertEquals("edgeprobe-sensors", own.getLooper().getThread().getName());
    assertEquals(Kind.values().length, phone().getListeners().size());
    event(Kind.LIGHT, SystemClock.elapsedRealtimeNanos(), 10);
    running.close();
    running.close();
    assertFalse(running.isRunning());
    assertTrue(phone().getListeners().isEmpty());
    own.getLooper().getThread().join(10_000);
    assertFalse(own.getLooper().getThread().isAlive());
    event(Kind.LIGHT, SystemClock.elapsedRealtimeNanos(), 20);  // An event that was already under way.
    Phone.LISTENERS.get(Kind.LIGHT).onAccuracyChanged(sensors.get(Kind.LIGHT), SensorManager.SENSOR_STATUS_UNRELIABLE);
    ShadowSystemClock.advanceBy(Duration.ofSeconds(5));
    probe.close();
    TraceFile trace = TraceFile.read(path);
    assertEquals(List.of(10.0), firstValues(trace, "/sensor/light"));
    assertEquals(0, trace.on("/mark/sensor accuracy").size());
  }

  @Test
  public void eventsTickOnTheGivenHandlerWhichIsLeftRunning() throws Exception {
    has(Kind.LIGHT);
    Probe probe = Probe.open(Traces.fresh("android-handler.mcap").toString());
    DeviceSensors running = DeviceSensors.builder(context, probe).handler(handler).start();
    assertEquals(handler, Phone.handler);
    running.close();
    pass(2000);
    assertTrue(thread.isAlive());
    probe.close();
  }

  @Test
  public void aClosedProbeEndsIt() throws Exception {
    has(Kind.ACCELEROMETER);
    for (boolean byEvent : new boolean[] {true, false}) {
      Probe probe = Probe.open(Traces.fresh("android-probe-closed.mcap").toString());
      DeviceSensors running = DeviceSensors.builder(context, probe).handler(handler).start();
      pass(1);
      probe.close();
      assertTrue(running.isRunning());
      if (byEvent) event(Kind.ACCELEROMETER, SystemClock.elapsedRealtimeNanos(), 1, 2, 3);
      else pass(1100);
      assertFalse(running.isRunning());
      assertTrue(phone().getListeners().isEmpty());
    }
  }

  @Test
  public void nothingIsStartedForAProbeThatIsOffAndNothingIsThrown() throws Exception {
    has(Kind.values());
    DeviceSensors running = DeviceSensors.start(context, Probe.off());
    assertFalse(running.isRunning());
    assertTrue(phone().getListeners().isEmpty());
    running.close();
    Probe probe = Probe.open(Traces.fresh("android-null.mcap").toString());
    running = DeviceSensors.start(null, probe);
    assertFalse(running.isRunning());
    assertNotNull(probe.error());
    assertEquals(Status.OK, probe.mark("still", "here"));
    probe.close();
  }
}
