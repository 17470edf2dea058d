package dev.tenon.server.ids;

import dev.tenon.Names;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What every kind of definition may carry beside its numbers.
 *
 * @param prefix stands before each number in the text of an ID
 * @param code number by which the ID-builder interface finds the definition
 * @param machineIndex stands between prefix and number
 */
public record Label(Optional<String> prefix, Optional<Integer> code, Optional<Integer> machineIndex) {
    static final int PREFIX_MAX = 40;
    static final int MACHINE_INDEX_MAX = 999_999;

    static Label of(@Nullable String prefix, @Nullable Integer code, @Nullable Integer machineIndex) {
        if (prefix != null && !prefix.isEmpty()) {
            try {
                Names.requireValid("prefix", prefix);
            } catch (IllegalArgumentException e) {
                throw bad(e.getMessage() + ".");
            }
            if (prefix.length() > PREFIX_MAX) {
                throw bad("\"prefix\" may have " + PREFIX_MAX + " characters at most.");
            }
        }
        if (code != null && code < 1) {
            throw bad("\"code\" must be 1 or more, not " + code + ".");
        }
        if (machineIndex != null && (machineIndex < 0 || machineIndex > MACHINE_INDEX_MAX)) {
            throw bad("\"machineIndex\" must be between 0 and " + MACHINE_INDEX_MAX + ", not " + machineIndex + ".");
        }
        // An empty prefix and none are the same thing: none is carried.
        Optional<String> carried = Optional.ofNullable(prefix).filter(p -> !p.isEmpty());
        return new Label(carried, Optional.ofNullable(code), Optional.ofNullable(machineIndex));
    }

    /** What stands before the number in the text of an ID: prefix and machine index. */
    public String lead() {
        return prefix.orElse("") + machineIndex.map(String::valueOf).orElse("");
    }

    private static ProblemException bad(@Nullable String detail) {
        return new ProblemException(ProblemType.BAD_DEFINITION, String.valueOf(detail));
    }
}
