package dev.tenon.examples.languages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A program of any language, running. Closed, it is gone. */
final class Program implements AutoCloseable {
    private static final Duration START_LIMIT = Duration.ofMinutes(1);
    private static final Duration POLL = Duration.ofMillis(50);
    private static final Duration LIMIT = Duration.ofMinutes(5);

    private final Process process;
    private final Path out;
    private final Path errors;

    private Program(Process process, Path out, Path errors) {
        this.process = process;
        this.out = out;
        this.errors = errors;
    }

    /** What a program said, and how it ended. */
    record End(int exitCode, List<String> lines, String errors) {}

    static Program start(Path folder, List<String> command, String... arguments) throws IOException {
        return start(folder, Map.of(), Optional.empty(), command, arguments);
    }

    /** One with variables in its environment, and a text to read. */
    static Program start(
            Path folder,
            Map<String, String> environment,
            Optional<String> input,
            List<String> command,
            String... arguments)
            throws IOException {
        Path out = Files.createTempFile(folder, "out", ".txt");
        Path errors = Files.createTempFile(folder, "err", ".txt");
        List<String> words = new ArrayList<>(command);
        words.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(words).redirectOutput(out.toFile()).redirectError(errors.toFile());
        builder.environment().putAll(environment);
        if (input.isPresent()) {
            Path in = Files.writeString(Files.createTempFile(folder, "in", ".txt"), input.get());
            builder.redirectInput(in.toFile());
        }
        Process process = builder.start();
        return new Program(process, out, errors);
    }

    /** The first line that it prints, when it has. */
    String line() throws IOException, InterruptedException {
        long end = System.nanoTime() + START_LIMIT.toNanos();
        while (true) {
            String said = Files.readString(out);
            if (said.contains("\n")) {
                return said.substring(0, said.indexOf('\n')).strip();
            }
            boolean ended = process.waitFor(POLL.toMillis(), TimeUnit.MILLISECONDS);
            if (ended || System.nanoTime() > end) {
                throw new IllegalStateException("it said nothing: " + Files.readString(errors));
            }
        }
    }

    End end() throws IOException, InterruptedException {
        if (!process.waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException("still running: " + Files.readString(out) + Files.readString(errors));
        }
        return new End(process.exitValue(), Files.readAllLines(out), Files.readString(errors));
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
