package dev.tenon.cli;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A command that runs with this process's input and output. */
final class Child {
    /** What lets its holder in somewhere; the address of a store may have a password in it. */
    private static final Pattern CREDENTIAL = Pattern.compile("TENON_(\\w+_)?(KEY|PASSWORD|SECRET)|TENON_STORE");

    private final Process process;

    private Child(Process process) {
        this.process = process;
    }

    /**
     * Starts a command.
     *
     * @param environment what it has beside that of this process
     * @param credentials whether it inherits those of this process, too
     */
    static Child start(List<String> command, Map<String, String> environment, boolean credentials) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
        if (!credentials) {
            builder.environment()
                    .keySet()
                    .removeIf(name -> CREDENTIAL.matcher(name).matches());
        }
        builder.environment().putAll(environment);
        return new Child(builder.start());
    }

    /** Completes with its exit code. */
    CompletableFuture<Integer> exit() {
        return process.onExit().thenApply(Process::exitValue);
    }

    /**
     * Passes a signal on. What a terminal has sent (Ctrl-C) it has sent to the command too, so that an interrupt is
     * passed on only where there is no terminal.
     */
    void signal(String name) {
        String script = "if [ \"$1\" = INT ] && [ -t 0 ]; then exit 0; fi; kill -s \"$1\" \"$2\"";
        try {
            new ProcessBuilder("sh", "-c", script, "sh", name, String.valueOf(process.pid()))
                    .redirectInput(ProcessBuilder.Redirect.INHERIT)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            process.destroy();
        }
    }

    /**
     * Ends it and what it started: SIGTERM, and SIGKILL for what is left after {@code grace}, which each of them has,
     * also when the command itself ends sooner. Returns when it is gone.
     */
    void stop(Duration grace) throws InterruptedException {
        List<ProcessHandle> all = Stream.concat(Stream.of(process.toHandle()), process.descendants())
                .toList();
        all.forEach(ProcessHandle::destroy);
        try {
            CompletableFuture.allOf(all.stream().map(ProcessHandle::onExit).toArray(CompletableFuture<?>[]::new))
                    .get(grace.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            // What they have started meanwhile goes with them.
            all.stream().flatMap(ProcessHandle::descendants).toList().forEach(ProcessHandle::destroyForcibly);
            all.forEach(ProcessHandle::destroyForcibly);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
        process.waitFor();
    }
}
