package dev.tenon.server.ids;

import dev.tenon.id.SequenceRegressedException;
import dev.tenon.id.builder.IdBuilder;
import dev.tenon.id.builder.LocalIdBuilder;
import dev.tenon.id.builder.UnknownCodeException;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * IDs by code: those of definitions that carry one, and those of the ID-builder table of the store, if it has it. A code
 * that was served before needs no store to be found again. Calls may block; refusals are {@link ProblemException}s.
 * Thread-safe.
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
        return ask(code, named -> named.number(Ask.Order.SHUFFLED), builder -> builder.unionId(code));
    }

    @Override
    public long unionSeqId(int code) {
        return ask(code, named -> named.number(Ask.Order.ASCENDING), builder -> builder.unionSeqId(code));
    }

    @Override
    public String unionIdStr(int code) {
        return ask(code, named -> named.text(Ask.Order.SHUFFLED), builder -> builder.unionIdStr(code));
    }

    @Override
    public String unionSeqIdStr(int code) {
        return ask(code, named -> named.text(Ask.Order.ASCENDING), builder -> builder.unionSeqIdStr(code));
    }

    /** The name that is defined with a code; empty: there is none, or the code is one of the table. May block. */
    public String nameOf(int code) {
        return table.isPresent() && table.get().knows(code)
                ? ""
                : catalog.findCode(code).map(NamedIds::name).orElse("");
    }

    /** The codes of the table whose rows went back, as {@code code N}. Does not block. */
    public List<NamedIds.Regression> regressions() {
        return table.map(LocalIdBuilder::regressions).orElse(Map.of()).entrySet().stream()
                .map(code -> new NamedIds.Regression(
                        "code " + code.getKey(), String.valueOf(code.getValue().getMessage())))
                .toList();
    }

    @Override
    public void close() {
        table.ifPresent(LocalIdBuilder::close);
    }

    private <T> T ask(int code, Function<NamedIds, T> defined, Function<IdBuilder, T> inTable) {
        if (table.isPresent() && table.get().knows(code)) {
            try {
                return inTable.apply(table.get());
            } catch (SequenceRegressedException e) {
                throw new ProblemException(ProblemType.SEQUENCE_REGRESSED, e.getMessage() + ".");
            }
        }
        Optional<NamedIds> named = catalog.findCode(code);
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
