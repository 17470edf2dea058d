package dev.tenon.server.ids;

import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The IDs of one name: its definition, and the generator that follows it, made when the first ID is asked for.
 * Thread-safe.
 */
public final class NamedGenerator implements AutoCloseable {
    private static final int PUBLIC_AT_ONCE = 500;
    private static final int SHARD_KEY_MAX = 200;

    private final String name;
    private final GeneratorDefinition definition;
    private final String lead;
    private final Optional<String> publicType;
    private final IdResources resources;
    private final AtomicReference<@Nullable CompletableFuture<Issuer>> issuer = new AtomicReference<>();
    private final LongAdder issued = new LongAdder();
    private final StoredDefinition stored;
    private volatile boolean unissued;

    /** @param stored where {@code definition} was read from */
    NamedGenerator(String name, GeneratorDefinition definition, StoredDefinition stored, IdResources resources) {
        this.name = name;
        this.stored = stored;
        this.unissued = stored.unissued();
        this.definition = definition;
        this.lead = definition.lead();
        this.publicType = definition.label().publicType();
        this.resources = resources;
    }

    /** The name. */
    public String name() {
        return name;
    }

    /** The definition. */
    public GeneratorDefinition definition() {
        return definition;
    }

    /**
     * Whether nothing was issued, as far as this process knows: the definition may then be deleted by another. Never
     * blocks.
     */
    public boolean isUnissued() {
        return unissued;
    }

    /** Whether this is what the store says now: once an ID was issued, a definition stays. */
    boolean isThat(StoredDefinition there) {
        if (unissued && there.text().equals(stored.text())) {
            unissued = there.unissued();
            return true;
        }
        return !unissued;
    }

    /**
     * Makes it known, before the first ID, that this is in use. From then on the definition stays.
     *
     * @throws ProblemException if it was deleted meanwhile
     */
    void begin() {
        if (!unissued) {
            return;
        }
        if (definition instanceof Ranged ranges) {
            ranges.coming(name, resources); // fails if the range is another one: then nothing is in use
        }
        if (!resources.definitions().replace(name, stored.stored(), stored.text())
                && !resources.definitions().find(name).equals(Optional.of(stored.text()))) {
            throw new ProblemException(
                    ProblemType.UNKNOWN_ID_NAME,
                    "\"" + name + "\" was deleted or redefined at the same moment: retry.");
        }
        unissued = false;
    }

    /**
     * Has the first segment of its own order fetched if this has a code and IDs were issued of it before, so that the
     * first call of that code finds it. One of which nothing was issued takes nothing: it can still be deleted. May
     * block, and fail as the backend does.
     */
    void fetchByCode() {
        boolean inSegments = definition instanceof SegmentDefinition || definition instanceof InterleavedDefinition;
        if (inSegments && !unissued && definition.label().code().isPresent()) {
            ready().fetchAhead();
        }
    }

    /** How many this process has issued. */
    public long issued() {
        return issued.sum();
    }

    /**
     * Admits a call of {@link #next} to a thread that must not block, if it is sure not to; an admitted call is
     * counted.
     */
    public boolean admit(IdRequest request) {
        return made().map(i -> mayWrite(request) && i.admit(request)).orElse(false);
    }

    /** Whether the texts are made without a question to the store and in no time. */
    private boolean mayWrite(IdRequest request) {
        return publicType.isEmpty()
                || request.count() <= PUBLIC_AT_ONCE && resources.publicKeys().fresh();
    }

    /** New IDs as text: prefix, machine index, ID; fewer than wanted if the max is reached. May block. */
    public List<String> next(IdRequest request) {
        checkShardKey(request);
        Issuer source = ready();
        List<String> ids = publicType.isPresent() && source instanceof NumberIssuer numbers
                ? resources.publicKeys().texts(publicType.get(), numbers.take(request))
                : source.next(request);
        issued.add(ids.size());
        return lead.isEmpty() ? ids : ids.stream().map(id -> lead + id).toList();
    }

    private void checkShardKey(IdRequest request) {
        if (request.shardKey().isPresent() == definition.hasShards()
                && request.shardKey()
                        .filter(k -> k.isEmpty() || k.length() > SHARD_KEY_MAX)
                        .isEmpty()) {
            return;
        }
        throw new ProblemException(
                ProblemType.BAD_REQUEST,
                definition.hasShards()
                        ? "The IDs of \"" + name
                                + "\" carry a shard: give its key as \"shardKey\" (--shard-key), of 1 to "
                                + SHARD_KEY_MAX + " characters."
                        : "The IDs of \"" + name + "\" are of kind " + definition.kind()
                                + ", which carries no shard: leave \"shardKey\" out, or define a name of kind gene.");
    }

    /**
     * One number.
     *
     * @throws ProblemException if this has no numbers, or not in that order
     */
    public long number(IdRequest.Order order) {
        if (publicType.isPresent() || !(ready() instanceof NumberIssuer numbers)) {
            throw new ProblemException(
                    ProblemType.WRONG_KIND,
                    "The IDs of \"" + name + "\" are texts, not numbers: use increase-id-str or increase-seq-id-str.");
        }
        IdRequest request = IdRequest.one(checked(order));
        checkShardKey(request);
        long number = numbers.take(request)[0];
        issued.increment();
        return number;
    }

    /** One ID as text. */
    public String text(IdRequest.Order order) {
        return next(IdRequest.one(checked(order))).get(0);
    }

    private IdRequest.Order checked(IdRequest.Order order) {
        if (order == IdRequest.Order.SHUFFLED && definition instanceof SequenceDefinition) {
            throw new ProblemException(
                    ProblemType.WRONG_KIND,
                    "\"" + name + "\" is a sequence, whose numbers have one order only: use increase-seq-id, "
                            + "or a definition of kind segment.");
        }
        return order;
    }

    /** What the text of an ID says. May block. */
    public Map<String, Object> decode(String text) {
        if (!text.startsWith(lead)) {
            throw notOne("it does not begin with \"" + lead + "\"");
        }
        Map<String, Object> parts = new LinkedHashMap<>();
        parts.put("id", text);
        parts.put("name", name);
        parts.put("kind", definition.kind());
        try {
            parts.putAll(definition.parts(text.substring(lead.length()), resources));
        } catch (IllegalArgumentException e) {
            throw notOne(String.valueOf(e.getMessage()));
        }
        return parts;
    }

    private ProblemException notOne(String why) {
        return new ProblemException(ProblemType.BAD_ID, "Not an ID of " + name + ": " + why + ".");
    }

    /** The definition, and how far it got in this process. Does not block. */
    public Map<String, Object> describe() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", name);
        fields.put("definition", DefinitionFormat.write(definition));
        fields.put("issued", issued.sum());
        if (unissued) {
            fields.put("unissued", true);
        }
        String waiting = resources.forgotten().waiting().get(name);
        if (waiting != null) {
            fields.put("waiting", waiting);
        }
        made().ifPresent(i -> {
            fields.putAll(i.state());
            i.highestSeen().ifPresent(seen -> fields.put("highestSeen", String.valueOf(seen)));
            i.regression().ifPresent(e -> fields.put("regression", String.valueOf(e.getMessage())));
        });
        return fields;
    }

    /**
     * {@link #describe}, how it is asked for by code, and what the store says: how far this goes, and who takes part.
     * May block.
     */
    public Map<String, Object> report() {
        Map<String, Object> fields = describe();
        Map<String, Object> byCode = CodeCalls.document(definition);
        if (!byCode.isEmpty()) {
            fields.put("byCode", byCode);
        }
        Map<String, Object> outlook = definition.outlook(name, resources);
        if (!outlook.isEmpty()) {
            fields.put("outlook", outlook);
        }
        List<Map<String, Object>> workers = definition.workers(name, resources);
        if (!workers.isEmpty()) {
            fields.put("workers", workers);
        }
        return fields;
    }

    /** Whether its store was seen to go back. Does not block, and may still say so once it was repaired. */
    public boolean maybeRegressed() {
        return made().flatMap(Issuer::regression).isPresent();
    }

    /** What happened if its store went back and was not repaired since. May block. */
    public Optional<Regression> regression() {
        Optional<Issuer> known = made();
        if (known.isEmpty()
                || known.get().regression().isEmpty()
                || !(definition instanceof Ranged ranges)
                || ranges.isAbove(name, resources, known.get().highestSeen())) {
            return Optional.empty();
        }
        return known.get().regression().map(e -> new Regression(name, String.valueOf(e.getMessage())));
    }

    /**
     * Raises its numbers in a store that went back. May block.
     *
     * @param above every later number is greater; empty: the greatest that this process has seen
     * @return that, and the next number
     * @throws ProblemException if it does not have numbers from a store, or that is no floor for them
     */
    public Raised raise(Optional<Long> above) {
        if (!(definition instanceof Ranged ranges)) {
            throw new ProblemException(
                    ProblemType.WRONG_KIND,
                    "The IDs of \"" + name + "\" are of kind " + definition.kind()
                            + " and do not come from a range in the store: there is nothing to raise.");
        }
        Optional<Issuer> known = made();
        long seen = known.map(i -> i.highestSeen().orElse(-1)).orElse(-1L);
        long floor = above.orElse(seen);
        if (floor < 0 || floor < seen) {
            throw new ProblemException(
                    ProblemType.BAD_REQUEST,
                    seen < 0
                            ? "This server has seen no number of \"" + name + "\" since it started: give the "
                                    + "greatest number that was issued as \"above\" (--above)."
                            : "\"above\" must be " + seen + " or more, which this server has seen, not " + floor + ".");
        }
        if (floor >= ranges.range().max() && floor != seen) {
            throw new ProblemException(
                    ProblemType.BAD_REQUEST,
                    "\"above\" must be less than the max of \"" + name + "\", "
                            + ranges.range().max() + ": nothing would be left.");
        }
        begin();
        return new Raised(floor, ranges.defined(name, resources).raiseTo(name, floor));
    }

    /** A store that went back. */
    public record Regression(String name, String detail) {}

    /** A repair: {@code above} is the floor, {@code next} the next number. */
    public record Raised(long above, long next) {}

    @Override
    public void close() {
        made().ifPresent(Issuer::close);
    }

    private Optional<Issuer> made() {
        CompletableFuture<Issuer> made = issuer.get();
        return made != null && made.isDone() && !made.isCompletedExceptionally()
                ? Optional.of(made.join())
                : Optional.empty();
    }

    /** The generator. One thread makes it, others wait for that; a failure is not kept. */
    private Issuer ready() {
        CompletableFuture<Issuer> made = issuer.get();
        if (made != null && made.isDone() && !made.isCompletedExceptionally()) {
            return made.join();
        }
        CompletableFuture<Issuer> mine = new CompletableFuture<>();
        made = issuer.compareAndExchange(null, mine);
        if (made == null) {
            made = mine;
            try {
                begin();
                mine.complete(definition.issuer(name, resources));
            } catch (RuntimeException | Error e) {
                issuer.set(null);
                mine.completeExceptionally(e);
            }
        }
        try {
            return made.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }
}
