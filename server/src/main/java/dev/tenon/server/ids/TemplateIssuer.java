package dev.tenon.server.ids;

import dev.tenon.id.SequenceRegressedException;
import dev.tenon.id.TemplateGenerator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Texts of a template: one call to the store a request. */
record TemplateIssuer(TemplateGenerator generator) implements Issuer {
    @Override
    public boolean admit(IdRequest request) {
        return false;
    }

    @Override
    public List<String> next(IdRequest request) {
        String[] texts = new String[request.count()];
        generator.fill(texts);
        return List.of(texts);
    }

    @Override
    public Map<String, Object> state() {
        return Map.of();
    }

    @Override
    public Optional<SequenceRegressedException> regression() {
        return generator.regression();
    }

    @Override
    public OptionalLong highestSeen() {
        return generator.highestSeen();
    }

    @Override
    public void close() {}
}
