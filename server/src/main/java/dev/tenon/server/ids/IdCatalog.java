package dev.tenon.server.ids;

import dev.tenon.TimeSource;
import dev.tenon.id.builder.MisconfiguredCodeException;
import dev.tenon.id.builder.UnknownCodeException;
import dev.tenon.id.spi.BuilderConfigStore;
import dev.tenon.server.ServerBackend;
import dev.tenon.server.json.Json;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Every ID definition of the server, by name and by code, each with its generator. Definitions are kept by the backend
 * and never change. Calls may block unless they say otherwise; refusals are {@link ProblemException}s. Thread-safe.
 */
public final class IdCatalog implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(IdCatalog.class);

    /** A name that is defined from the start. */
    public static final String DEFAULT_NAME = "default";

    private static final String DEFAULT = "{\"kind\":\"snowflake\"}";

    /**
     * The store of definitions keeps {@code /code/N} too, with the name that has code N: the reservation makes a code
     * unique without a lock. No name has a slash in it, so that the two can't meet.
     */
    private static final String CODE_KEY = "/code/";

    private final ServerBackend backend;
    private final Supplies supplies;
    private final Map<String, NamedIds> known = new ConcurrentHashMap<>();
    private final Map<Integer, NamedIds> knownCodes = new ConcurrentHashMap<>();

    /** The catalog that a backend keeps. */
    public IdCatalog(ServerBackend backend, TimeSource time) {
        this.backend = backend;
        this.supplies = new Supplies(backend, time);
    }

    /**
     * The result of {@link #define}.
     *
     * @param created false: it was defined in this way before
     */
    public record Defined(NamedIds ids, boolean created) {}

    /** Defines the name that exists from the start. */
    public void defineDefault() {
        find(DEFAULT_NAME);
    }

    /** Defines a name. */
    public Defined define(String name, IdDefinition definition) {
        Optional<NamedIds> before = lookUp(name);
        if (before.isPresent()) {
            return new Defined(same(before.get(), definition), false);
        }
        DefinitionFormat.check(definition, supplies);
        definition.label().code().ifPresent(code -> reserve(code, name));
        String text = Json.text(DefinitionFormat.write(definition));
        boolean created = backend.definitions().putIfAbsent(name, text).equals(text);
        NamedIds ids = lookUp(name).orElseThrow();
        return new Defined(same(ids, definition), created);
    }

    /** Whether a name is defined. */
    public boolean has(String name) {
        return known.containsKey(name) || backend.definitions().find(name).isPresent();
    }

    /** The IDs of a name. */
    public Optional<NamedIds> find(String name) {
        Optional<NamedIds> found = lookUp(name);
        return found.isEmpty() && name.equals(DEFAULT_NAME)
                ? Optional.of(
                        define(name, DefinitionFormat.read(Json.tree(DEFAULT))).ids())
                : found;
    }

    private Optional<NamedIds> lookUp(String name) {
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

    /** Names whose store was seen to go back and was not repaired since. */
    public List<NamedIds.Regression> regressions() {
        return known.values().stream().flatMap(ids -> ids.regression().stream()).toList();
    }

    /** Names whose store was seen to go back, by what is known at once. Never blocks. */
    public List<String> maybeRegressed() {
        return known.values().stream()
                .filter(NamedIds::maybeRegressed)
                .map(NamedIds::name)
                .sorted()
                .toList();
    }

    /** Raises the numbers of a name in a store that went back, and restores the definition if that was lost too. */
    public NamedIds.Raised raise(NamedIds ids, Optional<Long> above) {
        String text = Json.text(DefinitionFormat.write(ids.definition()));
        String there = backend.definitions().putIfAbsent(ids.name(), text);
        same(ids, stored(ids.name(), there));
        ids.definition().label().code().ifPresent(code -> reserve(code, ids.name()));
        return ids.raise(above);
    }

    /** Adds a key for public IDs, which writes from now on. The number of its version. */
    public int rotatePublicKey() {
        return supplies.publicKeys().rotate();
    }

    /** Everything that is defined, by name. */
    public List<NamedIds> all() {
        defineDefault();
        List<NamedIds> all = new ArrayList<>();
        backend.definitions().all().forEach((name, text) -> {
            if (!name.startsWith("/")) {
                try {
                    all.add(remember(name, text));
                } catch (ProblemException e) {
                    LOG.warn("{}", e.getMessage());
                }
            }
        });
        return all;
    }

    /** How many IDs this process has issued, by name. Never blocks. */
    public Map<String, Long> issued() {
        return known.values().stream().collect(Collectors.toMap(NamedIds::name, NamedIds::issued));
    }

    /** Ends every generator: worker IDs are given back. */
    @Override
    public void close() {
        known.values().forEach(NamedIds::close);
    }

    private NamedIds remember(String name, String text) {
        return known.computeIfAbsent(name, n -> {
            return new NamedIds(n, stored(n, text), supplies);
        });
    }

    /** What a server of another version stored may be beyond this one, which is no reason to fail in the rest. */
    private static IdDefinition stored(String name, String text) {
        try {
            return DefinitionFormat.read(Json.tree(text));
        } catch (ProblemException e) {
            throw new ProblemException(
                    ProblemType.WRONG_KIND,
                    "\"" + name + "\" is defined in a way that this server does not know, by a newer one perhaps: "
                            + e.getMessage());
        }
    }

    private void reserve(int code, String name) {
        if (backend.builderConfigs().filter(table -> has(table, code)).isPresent()) {
            throw new ProblemException(
                    ProblemType.DEFINITION_CONFLICT,
                    "Code " + code + " belongs to a row of t_id_builder_config; choose another.");
        }
        String owner = backend.definitions().putIfAbsent(CODE_KEY + code, name);
        if (!owner.equals(name)) {
            throw new ProblemException(
                    ProblemType.DEFINITION_CONFLICT, "Code " + code + " belongs to \"" + owner + "\"; choose another.");
        }
    }

    private static boolean has(BuilderConfigStore table, int code) {
        try {
            table.config(code);
            return true;
        } catch (MisconfiguredCodeException e) {
            return true;
        } catch (UnknownCodeException e) {
            return false;
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
