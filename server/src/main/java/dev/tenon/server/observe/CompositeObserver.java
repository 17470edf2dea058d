package dev.tenon.server.observe;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/** Two observers as one. */
record CompositeObserver(Observer first, Observer second) implements Observer {
    @Override
    public Observation begin(String operation, String name, Function<String, Optional<String>> header) {
        Observation one = first.begin(operation, name, header);
        Observation two = second.begin(operation, name, header);
        return new Observation() {
            @Override
            public void end(int status, String caller) {
                one.end(status, caller);
                two.end(status, caller);
            }

            @Override
            public Working enter() {
                Working outer = one.enter();
                Working inner = two.enter();
                return () -> {
                    inner.close();
                    outer.close();
                };
            }
        };
    }

    @Override
    public void stored(String call, String outcome, Duration took) {
        first.stored(call, outcome, took);
        second.stored(call, outcome, took);
    }
}
