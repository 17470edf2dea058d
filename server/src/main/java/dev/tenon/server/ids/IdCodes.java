package dev.tenon.server.ids;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TenonException;
import dev.tenon.id.SequenceRegressedException;
import dev.tenon.id.builder.IdBuilder;
import dev.tenon.id.builder.LocalIdBuilder;
import dev.tenon.id.builder.UnknownCodeException;
import dev.tenon.server.access.Caller;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * IDs by code: those of definitions that carry one, and those of the ID-builder table of the store, if it has it. A
 * code that was served before needs no store to be found again. Calls may block; refusals are
 * {@link ProblemException}s. Thread-safe.
 */
public final class IdCodes implements IdBuilder, AutoCloseable {
    private final IdCatalog catalog;
    private final Optional<LocalIdBuilder> table;

    /** Those of a catalog, and those of a table, which is closed with this. */
    public IdCodes(IdCatalog catalog, Optional<LocalIdBuilder> table) {
        this.catalog = catalog;
        this.table = table;
    }

    @Override
    public long unionId(int code) {
        return ask(code, named -> named.number(IdRequest.Order.SHUFFLED), builder -> builder.unionId(code));
    }

    @Override
    public long unionSeqId(int code) {
        return ask(code, named -> named.number(IdRequest.Order.ASCENDING), builder -> builder.unionSeqId(code));
    }

    @Override
    public String unionIdStr(int code) {
        return ask(code, named -> named.text(IdRequest.Order.SHUFFLED), builder -> builder.unionIdStr(code));
    }

    @Override
    public String unionSeqIdStr(int code) {
        return ask(code, named -> named.text(IdRequest.Order.ASCENDING), builder -> builder.unionSeqIdStr(code));
    }

    /**
     * Refuses a caller who may not see the name that is defined with a code; a code of the table, or of nothing, is for
     * those who see all names. May block.
     *
     * @throws ProblemException if so
     */
    public void requireSeen(int code, Caller who) {
        if (!who.seesAll()) {
            who.requireSees(nameOf(code));
        }
    }

    private String nameOf(int code) {
        return table.isPresent() && table.get().knows(code)
                ? ""
                : catalog.findCode(code).map(NamedGenerator::name).orElse("");
    }

    /**
     * One pass at the start: has the first segments fetched of definitions with a code from which IDs were issued
     * before. The table has its own fetched by itself. May block.
     *
     * @return false: the store did not answer, and it is worth another pass
     */
    public boolean fetchAtStart() {
        try {
            catalog.all().forEach(IdCodes::fetchAhead);
            return true;
        } catch (BackendUnavailableException | OutcomeUnknownException e) {
            return false;
        }
    }

    private static void fetchAhead(NamedGenerator named) {
        try {
            named.fetchByCode();
        } catch (BackendUnavailableException | OutcomeUnknownException e) {
            throw e;
        } catch (TenonException | ProblemException e) {
            // of this definition alone, such as a range of another kind in the store: its calls say so
        }
    }

    /** The codes of the table whose rows went back, as {@code code N}. Does not block. */
    public List<NamedGenerator.Regression> regressions() {
        return table.map(LocalIdBuilder::regressions).orElse(Map.of()).entrySet().stream()
                .map(code -> new NamedGenerator.Regression(
                        "code " + code.getKey(), String.valueOf(code.getValue().getMessage())))
                .toList();
    }

    @Override
    public void close() {
        table.ifPresent(LocalIdBuilder::close);
    }

    private <T> T ask(int code, Function<NamedGenerator, T> defined, Function<IdBuilder, T> inTable) {
        if (table.isPresent() && table.get().knows(code)) {
            try {
                return inTable.apply(table.get());
            } catch (SequenceRegressedException e) {
                throw new ProblemException(ProblemType.SEQUENCE_REGRESSED, e.getMessage() + ".");
            }
        }
        Optional<NamedGenerator> named = catalog.findCode(code);
        if (named.isPresent()) {
            return defined.apply(named.get());
        }
        String unknown = "No IDs are defined under code " + code
                + ". Define them: ./tenon id define NAME --kind segment --code " + code;
        if (table.isEmpty()) {
            throw new ProblemException(ProblemType.UNKNOWN_CODE, unknown + ".");
        }
        try {
            return inTable.apply(table.get());
        } catch (UnknownCodeException e) {
            throw new ProblemException(
                    ProblemType.UNKNOWN_CODE,
                    unknown + "; or in the table of the ID-builder service: " + e.getMessage() + ".");
        }
    }
}
