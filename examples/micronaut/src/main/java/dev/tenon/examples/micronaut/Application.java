package dev.tenon.examples.micronaut;

import io.micronaut.runtime.Micronaut;

/** A shop on Micronaut. */
public final class Application {
    private Application() {}

    /** Starts it, on port 8080. */
    public static void main(String[] args) {
        Micronaut.run(Application.class, args);
    }
}
