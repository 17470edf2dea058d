package dev.tenon.server;

import org.jspecify.annotations.Nullable;

/** The server can't start. The message is one line for whoever started it, and says what to do. */
public final class StartException extends RuntimeException {
    private final ExitCode exitCode;

    /** A reason not to start. */
    public StartException(ExitCode exitCode, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.exitCode = exitCode;
    }

    /** How the process is to end. */
    public ExitCode exitCode() {
        return exitCode;
    }
}
