package dev.tenon.testkit.history;

import dev.tenon.testkit.history.Operation.Read;
import dev.tenon.testkit.history.Operation.Refused;
import dev.tenon.testkit.history.Operation.Written;
import java.util.Optional;

/** A register with a version: who has read the newest one may write, once; who has read an older one is refused. */
public final class RegisterModel implements Model<RegisterModel.Content> {
    /**
     * What is in the register.
     *
     * @param version how often it was written, and {@code first} at the start
     * @param value empty before the first write
     */
    public record Content(long version, String value) {}

    private final long first;

    /** @param first the version of a register that nobody has written */
    public RegisterModel(long first) {
        this.first = first;
    }

    @Override
    public Content initial() {
        return new Content(first, "");
    }

    @Override
    public Optional<Content> next(Content state, Operation operation) {
        if (operation.change() instanceof Written written) {
            return state.version() == written.version()
                    ? Optional.of(new Content(written.version() + 1, written.value()))
                    : Optional.empty();
        }
        boolean fits = operation.change() instanceof Refused refused && state.version() > refused.version()
                || operation.change() instanceof Read read && state.equals(new Content(read.version(), read.value()));
        return fits ? Optional.of(state) : Optional.empty();
    }

    /** Versions do not come again. */
    @Override
    public boolean isSpent(Content state, Operation uncertain) {
        return uncertain.change() instanceof Written written && written.version() < state.version();
    }
}
