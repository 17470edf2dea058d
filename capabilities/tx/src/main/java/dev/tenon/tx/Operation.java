package dev.tenon.tx;

import java.util.Locale;

/** What a participant is asked to do with its branch. */
public enum Operation {
    /** Carry out a step of a saga. */
    ACTION,
    /** Undo a step of a saga. */
    COMPENSATE,
    /** Reserve. */
    TRY,
    /** Turn a reservation into the effect. */
    CONFIRM,
    /** Give a reservation back. */
    CANCEL,
    /** Take a message. */
    DELIVER,
    /** Say whether the local transaction of a prepared message was committed. */
    CHECK,
    /** Take a notification. */
    NOTIFY;

    /** As it stands in headers, JSON and logs: lower case. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * The operation that {@link #text} belongs to.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Operation of(String text) {
        for (Operation operation : values()) {
            if (operation.text().equals(text)) {
                return operation;
            }
        }
        throw new IllegalArgumentException("Unknown operation \"" + text
                + "\"; the operations are action, compensate, try," + " confirm, cancel, deliver, check and notify");
    }

    /** Whether this undoes {@link #undone}. */
    public boolean undoes() {
        return this == COMPENSATE || this == CANCEL;
    }

    /**
     * The operation that this one undoes.
     *
     * @throws IllegalStateException if it undoes none
     */
    public Operation undone() {
        return switch (this) {
            case COMPENSATE -> ACTION;
            case CANCEL -> TRY;
            default -> throw new IllegalStateException(text() + " undoes nothing");
        };
    }
}
