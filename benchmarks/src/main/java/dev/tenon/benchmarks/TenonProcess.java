package dev.tenon.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A Tenon server as a user starts it: {@code ./tenon server}, in a temporary folder, on a free port. */
final class TenonProcess implements AutoCloseable {
    private static final Pattern LISTENS = Pattern.compile("listens on http://([^ ]+):(\\d+) ");

    private final Process process;
    private final Path folder;
    private final String host;
    private final int port;

    private TenonProcess(Process process, Path folder, Matcher listens) {
        this.process = process;
        this.folder = folder;
        this.host = listens.group(1);
        this.port = Integer.parseInt(listens.group(2));
    }

    /**
     * One that may not listen yet.
     *
     * @param process with its output unread
     * @param folder of its data
     */
    record Starting(Process process, Path folder) {
        /** Returns once it listens. */
        TenonProcess await() throws IOException {
            BufferedReader out =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                Matcher listens = LISTENS.matcher(line);
                if (listens.find()) {
                    return new TenonProcess(process, folder, listens);
                }
            }
            throw new IllegalStateException("The server did not start:\n" + Files.readString(folder.resolve("stderr")));
        }
    }

    /** Starts one with further options; returns once it listens. */
    static TenonProcess start(Path launcher, List<String> options) throws IOException {
        return begin(launcher, options).await();
    }

    /** Starts one with further options. */
    static Starting begin(Path launcher, List<String> options) throws IOException {
        Path folder = Files.createTempDirectory("tenon-benchmark-");
        List<String> command = new ArrayList<>(List.of(
                launcher.toString(),
                "server",
                "--port",
                "0",
                "--data",
                folder.resolve("data").toString()));
        command.addAll(options);
        Process process = new ProcessBuilder(command)
                .redirectError(folder.resolve("stderr").toFile())
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        return new Starting(process, folder);
    }

    String url() {
        return "http://" + host + ":" + port;
    }

    String address() {
        return host + ":" + port;
    }

    long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        process.destroy();
        process.onExit().join();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
