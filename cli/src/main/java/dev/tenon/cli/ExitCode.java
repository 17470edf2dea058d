package dev.tenon.cli;

/** How a command ends; {@code docs/cli.md} lists them. */
enum ExitCode {
    OK(0),
    /** The server understood and refused. */
    REFUSED(1),
    USAGE(2),
    UNREACHABLE(3),
    /** {@code lock run}: not acquired in time, so the command was not run. */
    NOT_ACQUIRED(4),
    /** {@code lock run}: the lease was lost, so the command was stopped. */
    LEASE_LOST(5),
    /** {@code lock run}: the command can't be executed. */
    NOT_EXECUTABLE(126),
    /** {@code lock run}: there is no such command. */
    NOT_FOUND(127);

    private final int code;

    ExitCode(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }
}
