package dev.tenon.testkit;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** What tells one kind of {@link TestServer} from another. */
interface ServerRecipe {
    /** The kind's name, for folders and messages. */
    String name();

    /** What a person has to install, with Debian's package. */
    String toInstall();

    /** How to run it as a process of this machine; empty when its binaries are not here. */
    Optional<Local> local();

    /** The part of {@code docker run} behind the common options: options, image, arguments. */
    List<String> container();

    /** The port inside the container. */
    int containerPort();

    /** Whether the server answers in its own protocol, and does not only accept connections. */
    boolean ready(InetSocketAddress address);

    /** How a server runs as a process of this machine. */
    interface Local {
        /** Makes the data folder; called once. */
        void prepare(Path folder);

        /** The command that serves on the port, in the foreground. */
        List<String> serve(Path folder, int port);

        /** The signal that asks for a quick, orderly end. */
        String stopSignal();
    }
}
