package dev.tenon.spring;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.springframework.core.env.Environment;

/**
 * Which backend is to be used: the one that {@code tenon.backend} names, else the only one whose jar is there.
 *
 * @param kind the choice; empty if there is none
 * @param problem why there is none; empty if there is one
 * @param advice what to do about it
 */
record BackendChoice(Optional<BackendKind> kind, String problem, String advice) {
    static final String KEY = "tenon.backend";

    static BackendChoice of(Environment environment, ClassLoader loader) {
        List<BackendKind> present = BackendKind.stores().stream()
                .filter(kind -> kind.isPresent(loader))
                .toList();
        String asked = environment.getProperty(KEY, "").strip();
        if (!asked.isEmpty()) {
            return named(asked, present);
        }
        if (present.size() == 1) {
            return new BackendChoice(Optional.of(present.get(0)), "", "");
        }
        if (present.isEmpty()) {
            return none(
                    "Tenon has no backend: locks and IDs need a store, and no jar of one is on the class path.",
                    "Add one of " + artifacts()
                            + ". For IDs that need no store (a snowflake with a worker-id of its own), say " + KEY
                            + "=none.");
        }
        return none(
                "Tenon has several backends on the class path (" + BackendKind.keys(present)
                        + "), and nobody says which one is meant.",
                "Set " + KEY + " to one of them, or remove the jars of the others.");
    }

    private static BackendChoice named(String asked, List<BackendKind> present) {
        Optional<BackendKind> kind = BackendKind.named(asked.toLowerCase(java.util.Locale.ROOT));
        if (kind.isEmpty()) {
            return none(
                    KEY + " is \"" + asked + "\", and there is no such backend.",
                    "Set it to one of " + BackendKind.keys(List.of(BackendKind.values())) + ".");
        }
        if (kind.get() != BackendKind.NONE && !present.contains(kind.get())) {
            return none(
                    KEY + " is \"" + asked + "\", but the jar of that backend is not on the class path.",
                    "Add the dependency " + kind.get().artifact() + ".");
        }
        return new BackendChoice(kind, "", "");
    }

    private static BackendChoice none(String problem, String advice) {
        return new BackendChoice(Optional.empty(), problem, advice);
    }

    private static String artifacts() {
        return BackendKind.stores().stream().map(BackendKind::artifact).collect(Collectors.joining(", "));
    }
}
