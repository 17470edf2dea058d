package dev.tenon.server;

import dev.tenon.server.access.LimitedResource;
import dev.tenon.server.access.Limits;
import dev.tenon.server.access.Limits.Share;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;
import picocli.CommandLine.TypeConversionException;

/** How much there may be of each {@link LimitedResource}, in all and of one key. */
final class QuotaOptions {
    /** A state that takes more of the heap leaves too little for all else. */
    private static final int STATE_MOST = 2;

    @Spec(Target.MIXEE)
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--max-sessions", paramLabel = "N", description = "Open sessions, in all (100000).")
    private @Nullable Long sessions;

    @Option(names = "--max-sessions-per-key", paramLabel = "N", description = "Open sessions, of one key (10000).")
    private @Nullable Long sessionsPerKey;

    @Option(
            names = "--max-waiters",
            paramLabel = "N",
            description = "Requests that wait for a lock, or for the end of a transaction, in all (50000).")
    private @Nullable Long waiters;

    @Option(
            names = "--max-waiters-per-key",
            paramLabel = "N",
            description = "Requests that wait for a lock, or for the end of a transaction, of one key (10000).")
    private @Nullable Long waitersPerKey;

    @Option(
            names = "--max-locks",
            paramLabel = "N",
            description =
                    "Locks that are held or waited for, in all (one for each 1000 bytes of --max-state-size, 1000000 at most).")
    private @Nullable Long locks;

    @Option(
            names = "--max-locks-per-key",
            paramLabel = "N",
            description = "Locks that are held or waited for, of one key (a quarter of all).")
    private @Nullable Long locksPerKey;

    @Option(
            names = "--max-transactions",
            paramLabel = "N",
            description = "Transactions that have not ended, in all (as --max-locks).")
    private @Nullable Long transactions;

    @Option(
            names = "--max-transactions-per-key",
            paramLabel = "N",
            description = "Transactions that have not ended, of one key (a quarter of all).")
    private @Nullable Long transactionsPerKey;

    @Option(
            names = "--max-definitions",
            paramLabel = "N",
            description =
                    "Names of IDs, sequences and worker groups, in all (one for each 2000 bytes of --max-state-size, 1000000 at most).")
    private @Nullable Long definitions;

    @Option(
            names = "--max-definitions-per-key",
            paramLabel = "N",
            description = "Names of IDs, sequences and worker groups, of one key (a quarter of all).")
    private @Nullable Long definitionsPerKey;

    @Option(
            names = "--max-state-size",
            paramLabel = "BYTES",
            converter = Size.class,
            description =
                    "Memory of everything that a data folder keeps, in all, such as 256m (a quarter of the heap).")
    private @Nullable Long stateSize;

    @Option(
            names = "--max-state-size-per-key",
            paramLabel = "BYTES",
            converter = Size.class,
            description = "Memory of everything that a data folder keeps, of one key (a quarter of all).")
    private @Nullable Long stateSizePerKey;

    /** What the options say, if it makes sense. */
    Map<LimitedResource, Share> checked() {
        Share state =
                share(LimitedResource.STATE, stateSize, stateSizePerKey, Limits.DEFAULT.of(LimitedResource.STATE));
        long most = Runtime.getRuntime().maxMemory() / STATE_MOST;
        if (state.all() > most) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--max-state-size must be half of the heap at most, " + most + " bytes here, not " + state.all()
                            + ". For a larger heap: TENON_JAVA_OPTS=-Xmx….");
        }
        Map<LimitedResource, Share> usual = Limits.quotas(state.all());
        Map<LimitedResource, Share> quotas = new EnumMap<>(LimitedResource.class);
        quotas.put(LimitedResource.STATE, state);
        put(quotas, usual, LimitedResource.SESSIONS, sessions, sessionsPerKey);
        put(quotas, usual, LimitedResource.WAITERS, waiters, waitersPerKey);
        put(quotas, usual, LimitedResource.LOCKS, locks, locksPerKey);
        put(quotas, usual, LimitedResource.TRANSACTIONS, transactions, transactionsPerKey);
        put(quotas, usual, LimitedResource.DEFINITIONS, definitions, definitionsPerKey);
        return quotas;
    }

    private void put(
            Map<LimitedResource, Share> quotas,
            Map<LimitedResource, Share> usual,
            LimitedResource resource,
            @Nullable Long all,
            @Nullable Long perKey) {
        quotas.put(resource, share(resource, all, perKey, Objects.requireNonNull(usual.get(resource))));
    }

    private Share share(LimitedResource resource, @Nullable Long all, @Nullable Long perKey, Share usual) {
        require(resource.option(), all);
        require(resource.option() + "-per-key", perKey);
        Share whole = all == null ? usual : new Share(all, Math.min(all, usual.perKey()));
        boolean part = all != null && resource != LimitedResource.SESSIONS && resource != LimitedResource.WAITERS;
        Share shared = part ? Share.of(whole.all()) : whole;
        return perKey == null ? shared : new Share(shared.all(), perKey);
    }

    private void require(String option, @Nullable Long value) {
        if (value != null && value < 1) {
            throw new ParameterException(spec.commandLine(), option + " must be 1 or more, not " + value + ".");
        }
    }

    /** Bytes, with {@code k}, {@code m} or {@code g} for their binary multiples. */
    static final class Size implements ITypeConverter<Long> {
        private static final Pattern FORM = Pattern.compile("(\\d{1,12})([kmg]?)", Pattern.CASE_INSENSITIVE);

        @Override
        public Long convert(String text) {
            Matcher size = FORM.matcher(text);
            if (!size.matches()) {
                throw new TypeConversionException(
                        "a size is a number of bytes, or such as 512k, 256m or 2g, not \"" + text + "\"");
            }
            int shift = switch (size.group(2).toLowerCase(Locale.ROOT)) {
                case "k" -> 10;
                case "m" -> 20;
                case "g" -> 30;
                default -> 0;
            };
            return Long.parseLong(size.group(1)) << shift;
        }
    }
}
