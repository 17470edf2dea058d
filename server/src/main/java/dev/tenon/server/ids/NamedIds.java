package dev.tenon.server.ids;

import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The IDs of one name: its definition, and the generator that follows it, made when the first ID is asked for. Thread-safe. */
public final class NamedIds implements AutoCloseable {
    private final String name;
    private final IdDefinition definition;
    private final String lead;
    private final Supplier<Issuer> factory;
    private final AtomicReference<@Nullable CompletableFuture<Issuer>> issuer = new AtomicReference<>();
    private final LongAdder issued = new LongAdder();

    NamedIds(String name, IdDefinition definition, Supplier<Issuer> factory) {
        this.name = name;
        this.definition = definition;
        this.lead = definition.label().lead();
        this.factory = factory;
    }

    /** The name. */
    public String name() {
        return name;
    }

    /** The definition. */
    public IdDefinition definition() {
        return definition;
    }

    /** Admits a call of {@link #next} to a thread that must not block, if it is sure not to; an admitted call is counted. */
    public boolean admit(int count) {
        CompletableFuture<Issuer> made = issuer.get();
        return made != null
                && made.isDone()
                && !made.isCompletedExceptionally()
                && made.join().admit(count, Issuer.Order.ASCENDING);
    }

    /** New IDs as text: prefix, machine index, number; fewer than {@code count} if the max is reached. May block. */
    public List<String> next(int count) {
        long[] numbers = numbers(count, Issuer.Order.ASCENDING);
        String[] texts = new String[numbers.length];
        for (int i = 0; i < texts.length; i++) {
            texts[i] = lead + numbers[i];
        }
        return List.of(texts);
    }

    /** The next number, in ascending order. May block. */
    public long nextInOrder() {
        return numbers(1, Issuer.Order.ASCENDING)[0];
    }

    /**
     * The next number, in an order that can't be guessed from the outside where the kind has one. May block.
     *
     * @throws ProblemException for a sequence: its numbers have one order only
     */
    public long nextUnordered() {
        if (definition instanceof IdDefinition.Sequence) {
            throw new ProblemException(
                    ProblemType.WRONG_KIND,
                    "\"" + name + "\" is a sequence, whose numbers have one order only: use increase-seq-id, "
                            + "or a definition of kind segment.");
        }
        boolean shuffled = definition instanceof IdDefinition.Segment;
        return numbers(1, shuffled ? Issuer.Order.SHUFFLED : Issuer.Order.ASCENDING)[0];
    }

    /** A number as the text of an ID. */
    public String text(long number) {
        return lead + number;
    }

    /** What the text of an ID says. */
    public Map<String, Object> decode(String text) {
        Map<String, Object> parts = new LinkedHashMap<>();
        parts.put("id", text);
        parts.put("name", name);
        parts.put("kind", definition.kind());
        parts.putAll(IdText.parts(definition, number(text)));
        return parts;
    }

    /** The definition, and how far it got in this process. */
    public Map<String, Object> describe() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", name);
        fields.put("definition", DefinitionFormat.write(definition));
        fields.put("issued", issued.sum());
        CompletableFuture<Issuer> made = issuer.get();
        if (made != null && made.isDone() && !made.isCompletedExceptionally()) {
            fields.putAll(made.join().state());
        }
        return fields;
    }

    @Override
    public void close() {
        CompletableFuture<Issuer> made = issuer.get();
        if (made != null && made.isDone() && !made.isCompletedExceptionally()) {
            made.join().close();
        }
    }

    private long number(String text) {
        String digits = text.startsWith(lead) ? text.substring(lead.length()) : "";
        boolean canonical = digits.matches("0|[1-9][0-9]{0,18}");
        try {
            if (canonical) {
                return Long.parseLong(digits);
            }
        } catch (NumberFormatException e) {
            // said below: 19 digits may be more than a long has
        }
        throw IdText.notOf(name, "it must be \"" + lead + "\" and a number up to " + Long.MAX_VALUE);
    }

    private long[] numbers(int count, Issuer.Order order) {
        long[] numbers = ready().take(count, order);
        issued.add(numbers.length);
        return numbers;
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
                mine.complete(factory.get());
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
