package dev.tenon.server.ids;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** What issues texts that need no store: one after the other, at once. */
record TextIssuer(Supplier<String> generator) implements Issuer {
    private static final int AT_ONCE = 2_000;

    @Override
    public boolean admit(IdRequest request) {
        return request.count() <= AT_ONCE;
    }

    @Override
    public List<String> next(IdRequest request) {
        List<String> texts = new ArrayList<>(request.count());
        for (int i = 0; i < request.count(); i++) {
            texts.add(generator.get());
        }
        return texts;
    }

    @Override
    public Map<String, Object> state() {
        return Map.of();
    }

    @Override
    public void close() {}
}
