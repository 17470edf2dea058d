package dev.tenon.cli;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A command that runs with this process's input and output. */
final class Child {
    private final Process process;

    private Child(Process process) {
        this.process = process;
    }

    /** Starts a command. */
    static Child start(List<String> command, Map<String, String> environment) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
        builder.environment().putAll(environment);
        return new Child(builder.start());
    }

    /** Completes with its exit code. */
    CompletableFuture<Integer> exit() {
        return process.onExit().thenApply(Process::exitValue);
    }

    /**
     * Passes a signal on. What a terminal has sent (Ctrl-C) it has sent to the command too, so that an interrupt is passed
     * on only where there is no terminal.
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

    /** Ends it and what it started: SIGTERM, and SIGKILL for what is left after {@code grace}. Returns when it is gone. */
    void stop(Duration grace) throws InterruptedException {
        List<ProcessHandle> all = Stream.concat(Stream.of(process.toHandle()), process.descendants())
                .toList();
        all.forEach(ProcessHandle::destroy);
        if (!process.waitFor(grace.toMillis(), TimeUnit.MILLISECONDS)) {
            process.destroyForcibly().waitFor();
        }
        all.forEach(ProcessHandle::destroyForcibly);
    }
}
