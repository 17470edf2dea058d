package dev.tenon.server;

import org.jspecify.annotations.Nullable;

/** The server can't start. The message is one line for whoever started it, and says what to do. */
public final class StartException extends RuntimeException {
    private final ServerExitCode exitCode;

    /** A reason not to start. */
    public StartException(ServerExitCode exitCode, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.exitCode = exitCode;
    }

    /** How the process is to end. */
    public ServerExitCode exitCode() {
        return exitCode;
    }
}
