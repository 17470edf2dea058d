package dev.tenon.server;

/** How the server process ends; {@code docs/server/README.md} lists them. */
public enum ServerExitCode {
    /** It was asked to stop, and did. */
    STOPPED(0),
    /** Something unexpected; the log says what. */
    FAILED(1),
    /** The command line is wrong, or asks for what is refused. */
    USAGE(2),
    /** The address can't be listened on: the port is in use, or the host is not one of this machine. */
    ADDRESS(3),
    /**
     * The data folder can't be used: not writable, in use, of another version, damaged, or too large for the heap; the
     * message says which.
     */
    DATA_FOLDER(4),
    /** The store can't be used: it does not answer, refuses the user, or has no driver here; the message says which. */
    STORE(5);

    private final int code;

    ServerExitCode(int code) {
        this.code = code;
    }

    /** The status of the process. */
    public int code() {
        return code;
    }
}
