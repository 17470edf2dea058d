package dev.tenon.testkit;

import java.util.Optional;

/** Where a {@link TestServer} lives: a process of this machine, or a container. */
sealed interface ServerHost permits LocalHost, DockerHost {

    /** Picks the first that this machine can offer; fails with what to install. */
    static ServerHost choose(ServerRecipe recipe, int port) {
        Optional<ServerRecipe.Local> local = recipe.local();
        if (local.isPresent()) {
            return new LocalHost(recipe.name(), port, local.get());
        }
        if (DockerHost.available()) {
            return new DockerHost(recipe, port);
        }
        throw new IllegalStateException(
                "no " + recipe.name() + " server here: run scripts/install-test-servers (as root on"
                        + " Debian or Ubuntu), or install " + recipe.toInstall() + ", or start a Docker engine");
    }

    void start();

    boolean running();

    void stop();

    void kill();

    void pause();

    void resume();

    String log();

    void close();
}
