package dev.tenon;

import org.jspecify.annotations.Nullable;

/**
 * Root of every exception that Tenon throws for a reason other than a programming error. Each subclass says what the
 * caller may do next; arguments that can never be right are refused with {@link IllegalArgumentException} or {@link
 * NullPointerException} instead.
 */
public class TenonException extends RuntimeException {
    public TenonException(String message) {
        super(message);
    }

    public TenonException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
