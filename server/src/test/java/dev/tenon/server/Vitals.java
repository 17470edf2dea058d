package dev.tenon.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * What another JVM of this machine has in use.
 *
 * @param heapBytes what is reachable in its heap, after a full collection
 * @param threads how many it has
 * @param files how many files and sockets it has open
 */
record Vitals(long heapBytes, long threads, long files) {
    private static final int FAULTS_MAX = 20;

    /** Of a process on Linux, with the tools of the JDK that this one runs on. */
    static Vitals of(long pid) {
        Path proc = Path.of("/proc", String.valueOf(pid));
        try {
            return new Vitals(reachable(pid), entries(proc.resolve("task")), entries(proc.resolve("fd")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Of what a running process has written to its standard error, a file, the lines of stack traces and of errors. */
    static List<String> faultsLogged(long pid) {
        try (Stream<String> lines = Files.lines(Path.of("/proc", String.valueOf(pid), "fd", "2"))) {
            return lines.filter(
                            line -> line.startsWith("\tat ") || line.contains("ERROR") || line.contains("Exception"))
                    .limit(FAULTS_MAX)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long entries(Path folder) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.count();
        }
    }

    /** The last line of the histogram: {@code Total  INSTANCES  BYTES}. */
    private static long reachable(long pid) throws IOException {
        Path jmap = Path.of(System.getProperty("java.home"), "bin", "jmap");
        Process process = new ProcessBuilder(jmap.toString(), "-histo:live", String.valueOf(pid))
                .redirectErrorStream(true)
                .start();
        String total = "";
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                total = line;
            }
        }
        String[] words = total.strip().split("\\s+");
        if (words.length != 3 || !words[0].equals("Total")) {
            throw new IOException("jmap says nothing of the heap, but: " + total);
        }
        return Long.parseLong(words[2]);
    }
}
