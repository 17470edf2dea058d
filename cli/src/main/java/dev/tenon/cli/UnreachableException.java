package dev.tenon.cli;

import java.net.URI;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** No server answers, or what answers is no Tenon server. */
final class UnreachableException extends RuntimeException {
    private final boolean nothingHappened;

    /**
     * @param nothingHappened whether it is certain that no request arrived
     */
    UnreachableException(List<URI> servers, String why, @Nullable Throwable cause, boolean nothingHappened) {
        super(
                "No Tenon server answers at "
                        + servers.stream().map(URI::toString).collect(Collectors.joining(", ")) + " (" + why
                        + "). Start one with ./tenon server, or give its address: --server URL, or TENON_SERVER "
                        + "in the environment.",
                cause);
        this.nothingHappened = nothingHappened;
    }

    /** Whether it is certain that no request arrived. */
    boolean nothingHappened() {
        return nothingHappened;
    }
}
