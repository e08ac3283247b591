// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Reads a finished, uncompressed trace by the MCAP specification, without using its summary. */
public final class TraceFile {
  public static final class Message {
    public final String topic;
    public final String encoding;
    public final Map<String, String> metadata;
    public final long frame;
    /** Nanoseconds since 1970. */
    public final long timeNs;
    public final byte[] data;

    Message(String topic, String encoding, Map<String, String> metadata, long frame, long timeNs, byte[] data) {
      this.topic = topic;
      this.encoding = encoding;
      this.metadata = metadata;
      this.frame = frame;
      this.timeNs = timeNs;
      this.data = data;
    }

    public String text() {
      return new String(data, StandardCharsets.UTF_8);
    }

    public ByteBuffer values() {
      return ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN);
    }
  }

  public final List<Message> messages = new ArrayList<>();
  public final Map<String, Map<String, String>> metadata = new HashMap<>();
  private final Map<Integer, Message> channels = new HashMap<>();
  private boolean finished;

  public static TraceFile read(Path path) throws IOException {
    TraceFile trace = new TraceFile();
    ByteBuffer file = ByteBuffer.wrap(Files.readAllBytes(path)).order(ByteOrder.LITTLE_ENDIAN);
    file.position(8);
    trace.records(file);
    if (!trace.finished) throw new IOException(path + " has no end of data");
    return trace;
  }

  /** The messages of one topic, in the order of the file. */
  public List<Message> on(String topic) {
    List<Message> found = new ArrayList<>();
    for (Message message : messages) if (message.topic.equals(topic)) found.add(message);
    return found;
  }

  /** The only message of a topic. */
  public Message one(String topic) {
    List<Message> found = on(topic);
    if (found.size() != 1) throw new AssertionError(found.size() + " messages on " + topic + ", expected 1");
    return found.get(0);
  }

  private void records(ByteBuffer from) {
    while (from.remaining() >= 9 && !finished) {
      int kind = from.get();
      int size = (int) from.getLong();
      ByteBuffer record = from.slice().order(ByteOrder.LITTLE_ENDIAN);
      record.limit(size);
      from.position(from.position() + size);
      switch (kind) {
        case 0x04:
          int id = record.getShort();
          record.getShort();
          String topic = text(record);
          channels.put(id, new Message(topic, text(record), map(record), 0, 0, null));
          break;
        case 0x05:
          Message channel = channels.get((int) record.getShort());
          long sequence = record.getInt() & 0xFFFFFFFFL;
          long time = record.getLong();
          record.getLong();
          byte[] data = new byte[record.remaining()];
          record.get(data);
          messages.add(new Message(channel.topic, channel.encoding, channel.metadata, sequence, time, data));
          break;
        case 0x06:
          record.position(28);
          if (!text(record).isEmpty()) throw new AssertionError("a compressed chunk");
          record.getLong();
          records(record);
          break;
        case 0x0C:
          metadata.computeIfAbsent(text(record), name -> new TreeMap<>()).putAll(map(record));
          break;
        case 0x0F:
          finished = true;
          break;
        default:
          break;
      }
    }
  }

  private static String text(ByteBuffer from) {
    byte[] bytes = new byte[from.getInt()];
    from.get(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static Map<String, String> map(ByteBuffer from) {
    int end = from.getInt() + from.position();
    Map<String, String> map = new TreeMap<>();
    while (from.position() < end) map.put(text(from), text(from));
    return map;
  }
}
