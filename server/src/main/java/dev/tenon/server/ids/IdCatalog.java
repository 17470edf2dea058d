package dev.tenon.server.ids;

import dev.tenon.server.ServerBackend;
import dev.tenon.server.json.Json;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Every ID definition of the server, by name and by code, each with its generator. Definitions are kept by the backend
 * and never change. Calls may block unless they say otherwise; refusals are {@link ProblemException}s. Thread-safe.
 */
public final class IdCatalog implements AutoCloseable {
    /** A name that is defined from the start. */
    public static final String DEFAULT_NAME = "default";

    /**
     * The store of definitions keeps {@code /code/N} too, with the name that has code N: the reservation makes a code
     * unique without a lock. No name has a slash in it, so that the two can't meet.
     */
    private static final String CODE_KEY = "/code/";

    private final ServerBackend backend;
    private final IssuerFactory factory;
    private final Map<String, NamedIds> known = new ConcurrentHashMap<>();
    private final Map<Integer, NamedIds> knownCodes = new ConcurrentHashMap<>();

    /** The catalog that a backend keeps. */
    public IdCatalog(ServerBackend backend, IssuerFactory factory) {
        this.backend = backend;
        this.factory = factory;
    }

    /**
     * The result of {@link #define}.
     *
     * @param created false: it was defined in this way before
     */
    public record Defined(NamedIds ids, boolean created) {}

    /** Defines the name that exists from the start. */
    public void defineDefault() {
        if (find(DEFAULT_NAME).isEmpty()) {
            define(DEFAULT_NAME, DefinitionFormat.read(Json.tree("{\"kind\":\"snowflake\"}")));
        }
    }

    /** Defines a name. */
    public Defined define(String name, IdDefinition definition) {
        Optional<NamedIds> before = find(name);
        if (before.isPresent()) {
            return new Defined(same(before.get(), definition), false);
        }
        definition.label().code().ifPresent(code -> reserve(code, name));
        String text = Json.text(DefinitionFormat.write(definition));
        boolean created = backend.definitions().putIfAbsent(name, text).equals(text);
        NamedIds ids = find(name).orElseThrow();
        return new Defined(same(ids, definition), created);
    }

    /** The IDs of a name. */
    public Optional<NamedIds> find(String name) {
        NamedIds ids = known.get(name);
        if (ids != null) {
            return Optional.of(ids);
        }
        return backend.definitions().find(name).map(text -> remember(name, text));
    }

    /** The IDs of a code. */
    public Optional<NamedIds> findCode(int code) {
        NamedIds ids = knownCodes.get(code);
        if (ids != null) {
            return Optional.of(ids);
        }
        Optional<NamedIds> found = backend.definitions()
                .find(CODE_KEY + code)
                .flatMap(this::find)
                .filter(i -> i.definition().label().code().equals(Optional.of(code)));
        found.ifPresent(i -> knownCodes.put(code, i));
        return found;
    }

    /** The IDs of a name, if this process has met it before. Never blocks. */
    public @Nullable NamedIds peek(String name) {
        return known.get(name);
    }

    /** Everything that is defined, by name. */
    public List<NamedIds> all() {
        List<NamedIds> all = new ArrayList<>();
        backend.definitions().all().forEach((name, text) -> {
            if (!name.startsWith(CODE_KEY)) {
                all.add(remember(name, text));
            }
        });
        return all;
    }

    /** Ends every generator: worker IDs are given back. */
    @Override
    public void close() {
        known.values().forEach(NamedIds::close);
    }

    private NamedIds remember(String name, String text) {
        return known.computeIfAbsent(name, n -> {
            IdDefinition definition = DefinitionFormat.read(Json.tree(text));
            return new NamedIds(n, definition, () -> factory.issuer(n, definition));
        });
    }

    private void reserve(int code, String name) {
        String owner = backend.definitions().putIfAbsent(CODE_KEY + code, name);
        if (!owner.equals(name)) {
            throw new ProblemException(
                    ProblemType.DEFINITION_CONFLICT, "Code " + code + " belongs to \"" + owner + "\"; choose another.");
        }
    }

    private static NamedIds same(NamedIds existing, IdDefinition wanted) {
        if (!existing.definition().equals(wanted)) {
            throw new ProblemException(
                    ProblemType.DEFINITION_CONFLICT,
                    "\"" + existing.name() + "\" is defined as "
                            + Json.text(DefinitionFormat.write(existing.definition()))
                            + ". A definition never changes; use that one, or another name.");
        }
        return existing;
    }
}
