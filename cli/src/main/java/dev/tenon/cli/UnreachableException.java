package dev.tenon.cli;

import java.net.URI;
import org.jspecify.annotations.Nullable;

/** The server does not answer, or what answers is no Tenon server. */
final class UnreachableException extends RuntimeException {
    UnreachableException(URI server, String why, @Nullable Throwable cause) {
        super(
                "No Tenon server answers at " + server + " (" + why
                        + "). Start one with ./tenon server, or say where it is: "
                        + "--server URL, or TENON_SERVER in the environment.",
                cause);
    }
}
