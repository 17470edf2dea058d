package dev.tenon.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A server as a container, through the {@code docker} command: five sub-commands of it are all that is needed, and its
 * pause and kill are the same signals that a child process gets.
 */
final class DockerHost implements ServerHost {
    /** The first start may have to pull the image. */
    private static final Duration LIMIT = Duration.ofMinutes(5);

    private static final Duration INFO_LIMIT = Duration.ofSeconds(15);
    private static final String STOP_SECONDS = "15";

    private final String program;
    private final String container;
    private final int port;
    private final ServerRecipe recipe;
    private final Path folder;
    private boolean created;

    DockerHost(ServerRecipe recipe, int port) {
        this(recipe, port, "docker");
    }

    /** With another command than {@code docker} that understands the same. */
    DockerHost(ServerRecipe recipe, int port, String program) {
        this.program = program;
        this.port = port;
        this.recipe = recipe;
        this.folder = Guard.ofThisJvm().newFolder(recipe.name());
        this.container = "tenon-test-" + ProcessHandle.current().pid() + "-" + folder.getFileName();
    }

    /** Whether a Docker engine answers. */
    static boolean available() {
        return Programs.onPath("docker").isPresent()
                && docker("docker", INFO_LIMIT, List.of("info")).exit() == 0;
    }

    @Override
    public void start() {
        if (created) {
            must("start", container);
            return;
        }
        try {
            // Before the container is there: the guard must find it whenever this JVM is killed.
            Files.writeString(folder.resolve(Guard.CLEANUP), program + " rm -f -v " + container + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        List<String> run = new ArrayList<>(List.of("run", "-d", "--name", container));
        run.addAll(List.of("-p", "127.0.0.1:" + port + ":" + recipe.containerPort()));
        run.addAll(recipe.container());
        must(run.toArray(String[]::new));
        created = true;
    }

    @Override
    public boolean running() {
        Answer answer = docker(program, LIMIT, List.of("inspect", "-f", "{{.State.Running}}", container));
        return answer.exit() == 0 && answer.text().strip().equals("true");
    }

    @Override
    public void stop() {
        // Whoever is paused hears nothing; an error says only that it was not paused.
        docker(program, LIMIT, List.of("unpause", container));
        must("stop", "-t", STOP_SECONDS, container);
    }

    @Override
    public void kill() {
        docker(program, LIMIT, List.of("unpause", container));
        must("kill", container);
    }

    @Override
    public void pause() {
        must("pause", container);
    }

    @Override
    public void resume() {
        must("unpause", container);
    }

    @Override
    public String log() {
        return docker(program, LIMIT, List.of("logs", "--tail", "60", container))
                .text();
    }

    @Override
    public void close() {
        docker(program, LIMIT, List.of("rm", "-f", "-v", container));
        ServerData.delete(folder);
    }

    private void must(String... command) {
        Answer answer = docker(program, LIMIT, List.of(command));
        if (answer.exit() != 0) {
            throw new IllegalStateException("docker " + String.join(" ", command) + " failed:\n" + answer.text());
        }
    }

    private record Answer(int exit, String text) {}

    private static Answer docker(String program, Duration limit, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(program));
        command.addAll(arguments);
        Path output = null;
        try {
            output = Files.createTempFile("tenon-test-docker", ".txt");
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            if (!process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS)) {
                process.destroyForcibly();
                return new Answer(-1, command + " does not end");
            }
            return new Answer(process.exitValue(), Files.readString(output, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run " + command, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while running " + command, e);
        } finally {
            if (output != null) {
                ServerData.delete(output);
            }
        }
    }
}
