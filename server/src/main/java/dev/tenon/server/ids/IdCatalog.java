package dev.tenon.server.ids;

import dev.tenon.TimeSource;
import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.server.backend.ServerBackend;
import dev.tenon.server.json.Json;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Every ID definition of the server, by name and by code, each with its generator. Definitions are kept by the backend
 * and never change; one of which nothing was issued can be deleted. One that can't be read, by a newer server perhaps
 * or from before they were checked, is no reason to fail in the rest. Calls may block unless they say otherwise;
 * refusals are {@link ProblemException}s. Thread-safe.
 */
public final class IdCatalog implements AutoCloseable {
    /** A name that is defined from the start. */
    public static final String DEFAULT_NAME = "default";

    private static final String DEFAULT = "{\"kind\":\"snowflake\"}";
    private static final String OWN = "/";

    private final ServerBackend backend;
    private final IdResources resources;
    private final CodeReservations codes;
    private final Map<String, NamedGenerator> known = new ConcurrentHashMap<>();
    private final Map<Integer, NamedGenerator> knownCodes = new ConcurrentHashMap<>();

    /** The catalog that a backend keeps. */
    public IdCatalog(ServerBackend backend, TimeSource time) {
        this.backend = backend;
        this.resources = new IdResources(backend, time);
        this.codes = new CodeReservations(backend);
    }

    /**
     * The result of {@link #define}.
     *
     * @param created false: it was defined in this way before
     */
    public record Defined(NamedGenerator ids, boolean created) {}

    /** Whether a name is one of those under which the server keeps what is its own, and no name of IDs. */
    public static boolean isOwn(String name) {
        return name.startsWith(OWN);
    }

    /** Defines the name that exists from the start. */
    public void defineDefault() {
        if (known.get(DEFAULT_NAME) == null && store().find(DEFAULT_NAME).isEmpty()) {
            define(DEFAULT_NAME, DefinitionFormat.readText(DEFAULT));
        }
    }

    /** Defines a name. */
    public Defined define(String name, GeneratorDefinition definition) {
        Optional<NamedGenerator> before = lookUp(name);
        if (before.isPresent()) {
            return new Defined(same(before.get(), definition), false);
        }
        String text = Json.text(DefinitionFormat.write(definition));
        boolean created = put(name, definition, text).equals(StoredDefinition.fresh(text));
        NamedGenerator ids = lookUp(name).orElseThrow(() -> justChanged(name));
        return new Defined(same(ids, definition), created);
    }

    /** Whether a name is defined. */
    public boolean has(String name) {
        return known.containsKey(name) || store().find(name).isPresent();
    }

    /** Stores a definition's text, after the checks of {@link #define}, unless the name has one; which it has now. */
    public String putIfAbsent(String name, String text) {
        GeneratorDefinition definition = DefinitionFormat.readText(text);
        return store().find(name)
                .map(StoredDefinition::of)
                .orElseGet(() -> put(name, definition, text))
                .text();
    }

    private StoredDefinition put(String name, GeneratorDefinition definition, String text) {
        DefinitionFormat.check(definition, resources);
        Optional<Integer> code = definition.label().code();
        code.ifPresent(number -> codes.reserve(number, name));
        StoredDefinition fresh = StoredDefinition.fresh(text);
        StoredDefinition there = StoredDefinition.of(store().putIfAbsent(name, fresh.stored()));
        if (code.isPresent() && there.equals(fresh)) {
            try {
                codes.confirm(code.get(), name);
            } catch (ProblemException e) {
                store().remove(name, fresh.stored());
                throw e;
            }
        }
        return there;
    }

    /**
     * Replaces a definition of which nothing was issued.
     *
     * @return false, with nothing changed, if the name has no definition or one of another text
     * @throws ProblemException if IDs may have been issued, or {@code text} is no definition
     */
    public boolean replace(String name, String before, String text) {
        GeneratorDefinition definition = DefinitionFormat.readText(text);
        DefinitionFormat.check(definition, resources);
        return change(name, Optional.of(before), stored -> {
            definition.label().code().ifPresent(code -> codes.reserve(code, name));
            return store().replace(name, stored, StoredDefinition.fresh(text).stored());
        });
    }

    /**
     * Removes a definition of which nothing was issued, or that can't be read.
     *
     * @return false, with nothing changed, if the name has no definition or one of another text
     * @throws ProblemException if IDs may have been issued
     */
    public boolean remove(String name, String text) {
        return change(name, Optional.of(text), stored -> store().remove(name, stored));
    }

    /**
     * Removes the definition of a name, if nothing was issued or it can't be read.
     *
     * @return false, with nothing changed, if the name has none
     * @throws ProblemException if IDs may have been issued
     */
    public boolean remove(String name) {
        return change(name, Optional.empty(), stored -> store().remove(name, stored));
    }

    /** @param text which text is meant; empty: whatever it is */
    private boolean change(String name, Optional<String> text, Predicate<String> act) {
        while (true) {
            Optional<String> stored = store().find(name);
            Optional<StoredDefinition> there = stored.map(StoredDefinition::of)
                    .filter(it -> text.isEmpty() || it.text().equals(text.get()));
            if (there.isEmpty()) {
                return false;
            }
            requireUnissued(name, there.get());
            if (act.test(stored.get())) {
                known.remove(name);
                return true;
            }
        }
    }

    private void requireUnissued(String name, StoredDefinition there) {
        if (there.unissued()) {
            return;
        }
        if (isReadable(there)) {
            throw new ProblemException(
                    ProblemType.IDS_ISSUED,
                    "IDs of \"" + name
                            + "\" were issued, or it can't be excluded since it was defined by an older server: "
                            + "it stays, so that they can be read and none is issued again.");
        }
        // What no version can read has issued nothing; what a newer version can read may have.
        if (DefinitionFormat.maybeNewer(there.text())
                && (resources.ranges().definition(name).isPresent()
                        || !resources.workerIds(name).census().isEmpty())) {
            throw new ProblemException(
                    ProblemType.IDS_ISSUED,
                    "\"" + name
                            + "\" can't be read here, and has numbers or worker IDs in the store: a newer server may have "
                            + "issued IDs of it. It stays.");
        }
    }

    /** The IDs of a name. */
    public Optional<NamedGenerator> find(String name) {
        Optional<NamedGenerator> found = lookUp(name);
        return found.isEmpty() && name.equals(DEFAULT_NAME)
                ? Optional.of(define(name, DefinitionFormat.readText(DEFAULT)).ids())
                : found;
    }

    /** Of what has issued no ID yet the store alone knows whether it is still defined. */
    private Optional<NamedGenerator> lookUp(String name) {
        NamedGenerator ids = known.get(name);
        if (ids != null && !ids.isUnissued()) {
            return Optional.of(ids);
        }
        Optional<String> stored = store().find(name);
        if (stored.isEmpty() && ids != null) {
            known.remove(name, ids);
        }
        return stored.map(text -> remember(name, text));
    }

    /** The IDs of a code. */
    public Optional<NamedGenerator> findCode(int code) {
        NamedGenerator ids = knownCodes.get(code);
        if (ids != null) {
            return Optional.of(ids);
        }
        Optional<NamedGenerator> found = codes.owner(code)
                .flatMap(this::find)
                .filter(i -> i.definition().label().code().equals(Optional.of(code)));
        found.filter(i -> !i.isUnissued()).ifPresent(i -> knownCodes.put(code, i));
        return found;
    }

    /** The IDs of a name, if this process has met it before. Never blocks. */
    public @Nullable NamedGenerator peek(String name) {
        return known.get(name);
    }

    /** Names whose store was seen to go back and was not repaired since. */
    public List<NamedGenerator.Regression> regressions() {
        return known.values().stream().flatMap(ids -> ids.regression().stream()).toList();
    }

    /** Names whose store was seen to go back, by what is known at once. Never blocks. */
    public List<String> maybeRegressed() {
        return known.values().stream()
                .filter(NamedGenerator::maybeRegressed)
                .map(NamedGenerator::name)
                .sorted()
                .toList();
    }

    /** Worker IDs that the store had forgotten, or may have. */
    public ForgottenWorkerIds forgotten() {
        return resources.forgotten();
    }

    /** Raises the numbers of a name in a store that went back, and restores the definition if that was lost too. */
    public NamedGenerator.Raised raise(NamedGenerator ids, Optional<Long> above) {
        String name = ids.name();
        String text = Json.text(DefinitionFormat.write(ids.definition()));
        StoredDefinition there = StoredDefinition.of(store().putIfAbsent(
                        name, ids.isUnissued() ? StoredDefinition.fresh(text).stored() : text));
        same(ids, stored(name, there));
        ids.definition().label().code().ifPresent(code -> codes.reserve(code, name));
        if (there.unissued() && !ids.isUnissued()) {
            store().replace(name, there.stored(), there.text()); // the store has forgotten that this server has issued
        }
        return ids.raise(above);
    }

    /** Adds a key for public IDs, which writes from now on. The number of its version. */
    public int rotatePublicKey() {
        return resources.publicKeys().rotate();
    }

    /** Everything that is defined and can be read, by name. */
    public List<NamedGenerator> all() {
        List<NamedGenerator> all = new ArrayList<>();
        stored().forEach((name, text) -> {
            try {
                all.add(remember(name, text));
            } catch (ProblemException e) {
                // said by describeAll
            }
        });
        return all;
    }

    /** Every name that {@code shown} lets pass, as documents; of one that can't be read, why. */
    public List<Map<String, Object>> describeAll(Predicate<String> shown) {
        List<Map<String, Object>> all = new ArrayList<>();
        defineDefault();
        stored().forEach((name, text) -> {
            if (shown.test(name)) {
                all.add(described(name, text));
            }
        });
        return all;
    }

    private Map<String, Object> described(String name, String text) {
        try {
            return remember(name, text).describe();
        } catch (ProblemException e) {
            return unreadable(name, e);
        }
    }

    /** One name as a document, with what the store says; of one that can't be read, why; empty: it is not defined. */
    public Optional<Map<String, Object>> report(String name) {
        try {
            return find(name).map(NamedGenerator::report);
        } catch (ProblemException e) {
            Optional<StoredDefinition> there = store().find(name).map(StoredDefinition::of);
            if (there.isEmpty() || isReadable(there.get())) {
                throw e;
            }
            return Optional.of(unreadable(name, e));
        }
    }

    private static Map<String, Object> unreadable(String name, ProblemException why) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", name);
        fields.put("issued", 0);
        fields.put("unreadable", String.valueOf(why.getMessage()));
        return fields;
    }

    /** The text of a name's definition. */
    public Optional<String> text(String name) {
        return store().find(name).map(StoredDefinition::of).map(StoredDefinition::text);
    }

    /** The texts of all definitions, by name. */
    public Map<String, String> texts() {
        Map<String, String> all = stored();
        all.replaceAll((name, stored) -> StoredDefinition.of(stored).text());
        return all;
    }

    private Map<String, String> stored() {
        Map<String, String> all = new LinkedHashMap<>(store().all());
        all.keySet().removeIf(IdCatalog::isOwn);
        return all;
    }

    /** How many IDs this process has issued, by name. Never blocks. */
    public Map<String, Long> issued() {
        return known.values().stream().collect(Collectors.toMap(NamedGenerator::name, NamedGenerator::issued));
    }

    /** Ends every generator: worker IDs are given back. */
    @Override
    public void close() {
        known.values().forEach(NamedGenerator::close);
    }

    private DefinitionStore store() {
        return backend.definitions();
    }

    private NamedGenerator remember(String name, String text) {
        StoredDefinition there = StoredDefinition.of(text);
        NamedGenerator ids = known.get(name);
        if (ids != null && ids.isThat(there)) {
            return ids;
        }
        GeneratorDefinition definition = stored(name, there);
        return known.compute(
                name,
                (n, before) -> before != null && before.isThat(there)
                        ? before
                        : new NamedGenerator(n, definition, there, resources));
    }

    private static boolean isReadable(StoredDefinition there) {
        try {
            DefinitionFormat.readText(there.text());
            return true;
        } catch (ProblemException e) {
            return false;
        }
    }

    private static GeneratorDefinition stored(String name, StoredDefinition there) {
        try {
            return DefinitionFormat.readText(there.text());
        } catch (ProblemException e) {
            throw new ProblemException(
                    ProblemType.WRONG_KIND,
                    "The definition of \"" + name + "\" can't be read by this server"
                            + (DefinitionFormat.maybeNewer(there.text()) ? ", by a newer one perhaps: " : ": ")
                            + e.getMessage());
        }
    }

    private static ProblemException justChanged(String name) {
        return new ProblemException(
                ProblemType.DEFINITION_CONFLICT, "\"" + name + "\" was deleted at the same moment: define it again.");
    }

    private static NamedGenerator same(NamedGenerator existing, GeneratorDefinition wanted) {
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
