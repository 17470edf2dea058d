package dev.tenon.server.ids;

import dev.tenon.id.builder.MisconfiguredCodeException;
import dev.tenon.id.builder.UnknownCodeException;
import dev.tenon.id.spi.BuilderConfigStore;
import dev.tenon.server.backend.ServerBackend;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import java.util.Optional;

/**
 * Which name has which code. The store of definitions keeps {@code /code/N} too, with the name that has code N: the
 * reservation makes a code unique without a lock. No name has a slash in it, so that the two can't meet. A reservation
 * stays when the definition is deleted, and the next name that wants the code takes it over. Calls may block.
 * Thread-safe.
 */
final class CodeReservations {
    private static final String KEY = "/code/";

    private final ServerBackend backend;

    CodeReservations(ServerBackend backend) {
        this.backend = backend;
    }

    /** Which name has a code. */
    Optional<String> owner(int code) {
        return backend.definitions().find(KEY + code);
    }

    /**
     * Reserves a code.
     *
     * @throws ProblemException if it belongs to another name, or to the table of the ID-builder service
     */
    void reserve(int code, String name) {
        if (backend.builderConfigs().filter(table -> has(table, code)).isPresent()) {
            throw new ProblemException(
                    ProblemType.DEFINITION_CONFLICT,
                    "Code " + code + " belongs to a row of t_id_builder_config; choose another.");
        }
        String owner = backend.definitions().putIfAbsent(KEY + code, name);
        if (owner.equals(name) || (isGone(owner) && backend.definitions().replace(KEY + code, owner, name))) {
            return;
        }
        throw taken(code, owner);
    }

    /**
     * Makes sure that a name whose definition is stored by now has its code still: in between another may have taken it
     * over.
     *
     * @throws ProblemException if so
     */
    void confirm(int code, String name) {
        String owner = backend.definitions().putIfAbsent(KEY + code, name);
        if (!owner.equals(name)) {
            throw taken(code, owner);
        }
    }

    private boolean isGone(String owner) {
        return backend.definitions().find(owner).isEmpty();
    }

    private static ProblemException taken(int code, String owner) {
        return new ProblemException(
                ProblemType.DEFINITION_CONFLICT, "Code " + code + " belongs to \"" + owner + "\"; choose another.");
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
}
