package dev.tenon.zookeeper;

import dev.tenon.TenonException;
import dev.tenon.id.machine.RangeTable;
import dev.tenon.id.machine.WorkerTable;
import dev.tenon.id.spi.RangeDefinition;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;

/**
 * What is in the nodes, as text that a person can read in ZooKeeper's shell: a field a line, as no name may contain a
 * line break, its key before a blank.
 */
final class ZooKeeperText {
    private ZooKeeperText() {}

    static byte[] of(RangeTable.Entry entry) {
        RangeDefinition definition = entry.definition();
        return lines(
                "start " + definition.start(),
                "step " + definition.step(),
                "max " + definition.max(),
                "last " + entry.last());
    }

    static RangeTable.Entry range(String name, String path, byte[] data) {
        try {
            Fields fields = new Fields(data);
            RangeDefinition definition =
                    new RangeDefinition(fields.number("start"), fields.number("step"), fields.number("max"));
            return new RangeTable.Entry(name, definition, fields.number("last"));
        } catch (IllegalArgumentException e) {
            throw corrupt(path, e);
        }
    }

    /** A group without its slots. */
    static byte[] of(WorkerTable.Group group) {
        WorkerTable.Settling settling = group.settling();
        return lines(
                "capacity " + group.capacity(),
                "layout " + group.layout(),
                "incarnation " + settling.incarnation(),
                "settledAt " + settling.settledAt().toEpochMilli(),
                "longestLease " + settling.longestLease());
    }

    static WorkerTable.Group group(String group, String path, byte[] data) {
        try {
            Fields fields = new Fields(data);
            int capacity = Math.toIntExact(fields.number("capacity"));
            return new WorkerTable.Group(group, fields.text("layout"), capacity, settling(fields), List.of());
        } catch (IllegalArgumentException | ArithmeticException | DateTimeParseException e) {
            throw corrupt(path, e);
        }
    }

    /** Older versions wrote none. */
    private static WorkerTable.Settling settling(Fields fields) {
        return fields.has("incarnation")
                ? new WorkerTable.Settling(
                        fields.text("incarnation"),
                        fields.time("settledAt"),
                        Duration.parse(fields.text("longestLease")))
                : WorkerTable.Settling.NONE;
    }

    static byte[] of(WorkerTable.Entry entry) {
        return lines(
                "claim " + entry.claim(),
                "request " + entry.requestId(),
                "owner " + entry.owner(),
                "since " + entry.since().toEpochMilli(),
                "leaseEnd " + entry.leaseEnd().toEpochMilli(),
                "floor " + entry.floor().toEpochMilli(),
                "fence " + entry.fence().toEpochMilli());
    }

    static WorkerTable.Entry slot(int workerId, String path, byte[] data) {
        try {
            Fields fields = new Fields(data);
            return new WorkerTable.Entry(
                    workerId,
                    fields.number("claim"),
                    fields.text("request"),
                    fields.text("owner"),
                    fields.time("since"),
                    fields.time("leaseEnd"),
                    fields.time("floor"),
                    fields.time("fence"));
        } catch (IllegalArgumentException e) {
            throw corrupt(path, e);
        }
    }

    static TenonException corrupt(String path, RuntimeException cause) {
        return new TenonException(path + " in ZooKeeper is not as Tenon writes it: " + cause.getMessage(), cause);
    }

    private static byte[] lines(String... lines) {
        return String.join("\n", lines).getBytes(StandardCharsets.UTF_8);
    }

    private record Fields(List<String> lines) {
        Fields(byte[] data) {
            // Not String.lines: names may hold characters that other systems take for line breaks.
            this(List.of(new String(data, StandardCharsets.UTF_8).split("\n", -1)));
        }

        boolean has(String key) {
            return lines.stream().anyMatch(line -> line.startsWith(key + " "));
        }

        String text(String key) {
            return lines.stream()
                    .filter(line -> line.startsWith(key + " "))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("no " + key))
                    .substring(key.length() + 1);
        }

        long number(String key) {
            return Long.parseLong(text(key));
        }

        Instant time(String key) {
            return Instant.ofEpochMilli(number(key));
        }
    }
}
