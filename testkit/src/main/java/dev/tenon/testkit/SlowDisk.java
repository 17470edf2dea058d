package dev.tenon.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A slow disk, by strace (Debian: strace), which holds up a program's calls to flush a file. It traces a child that
 * asks for it, which needs no privilege, and sees by a filter in the kernel those calls alone.
 */
final class SlowDisk {
    private static final String TRACER = "TracerPid:";
    private static final String FLUSHES = "fsync,fdatasync";

    private SlowDisk() {}

    /**
     * What comes before the command of a JVM whose flushes are to take longer by so much.
     *
     * @param before how many flushes of each thread are as quick as ever, before that
     * @throws IllegalStateException if there is no strace
     */
    static List<String> ofJvm(Duration flush, int before) {
        if (Stream.of("/usr/bin", "/usr/local/bin", "/bin")
                .noneMatch(bin -> Files.isExecutable(Path.of(bin, "strace")))) {
            throw new IllegalStateException("there is no strace (Debian: strace)");
        }
        // -D: the JVM keeps the process ID that it was started with, and strace is its grandchild, which ends with it.
        return List.of(
                "strace",
                "-D",
                "-f",
                "-q",
                "--seccomp-bpf",
                "-o",
                "/dev/null",
                "--trace=" + FLUSHES,
                "--signal=none",
                "--inject=" + FLUSHES + ":delay_enter=" + TimeUnit.MICROSECONDS.convert(flush) + ":when=" + (before + 1)
                        + "+");
    }

    /**
     * Ends it: whoever waits for a flush goes on, and no other one takes longer. A process whose thread waits could not
     * even be killed: strace hears of that when the thread's time is over.
     */
    static void endOf(long pid) {
        Path status = Path.of("/proc", Long.toString(pid), "status");
        try (Stream<String> lines = Files.lines(status)) {
            lines.filter(line -> line.startsWith(TRACER))
                    .map(line -> Long.parseLong(line.substring(TRACER.length()).strip()))
                    .filter(tracer -> tracer > 0)
                    .flatMap(tracer -> ProcessHandle.of(tracer).stream())
                    .forEach(ProcessHandle::destroyForcibly);
        } catch (IOException | UncheckedIOException e) {
            // gone, or no Linux: nothing holds it up
        }
    }
}
