package dev.tenon.examples.quarkus;

/** There is none left; nothing has happened. */
final class SoldOutException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    SoldOutException(String item) {
        super(item + " is sold out");
    }
}
