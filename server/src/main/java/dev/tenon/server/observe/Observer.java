package dev.tenon.server.observe;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/** Hears of every request, of every interface, and of every call of the store. Thread-safe; nothing blocks. */
@FunctionalInterface
public interface Observer {
    /** Hears nothing. */
    Observer NONE = (operation, name, header) -> (status, caller) -> {};

    /**
     * A request begins.
     *
     * @param operation one of few: such as {@code POST /v1/locks/{}/acquire}, or the full name of a gRPC method
     * @param name of the ID or lock; empty where the operation has none
     * @param header the value of a header
     */
    Observation begin(String operation, String name, Function<String, Optional<String>> header);

    /**
     * The store under the server has answered.
     *
     * @param call one of few: such as {@code locks.acquire}
     * @param outcome {@code ok}, {@code refused}, {@code unavailable} or {@code unknown}
     */
    default void stored(String call, String outcome, Duration took) {}

    /** Both hear of everything; this one first. */
    default Observer and(Observer other) {
        return new CompositeObserver(this, other);
    }

    /** One request. */
    @FunctionalInterface
    interface Observation {
        /**
         * It is answered. Called once.
         *
         * @param status of HTTP
         * @param caller who asked; empty: a visitor who was not let in
         */
        void end(int status, String caller);

        /** From now on this thread works for the request, until what comes back is closed. */
        default Working enter() {
            return Working.NOBODY;
        }
    }

    /** A thread at work for a request. */
    interface Working extends AutoCloseable {
        /** Nothing to be undone. */
        Working NOBODY = () -> {};

        @Override
        void close();
    }
}
