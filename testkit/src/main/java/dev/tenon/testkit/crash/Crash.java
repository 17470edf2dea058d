package dev.tenon.testkit.crash;

/**
 * The end of a {@link CrashProcess}, thrown in whichever of its threads comes to a step after it: an error, so that
 * nobody takes it for a failure that can be handled. It has no stack trace. Immutable.
 */
public final class Crash extends Error {
    private static final long serialVersionUID = 1;

    Crash(String point) {
        super("The process has crashed: " + point, null, false, false);
    }
}
