package dev.tenon.server;

import dev.tenon.server.access.ApiKey;
import dev.tenon.server.access.ApiKeyFile;
import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.access.Right;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tenon key create}. */
@Command(
        name = "create",
        description = "Makes a key and prints it, once: it is kept nowhere. The server takes it within a second.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class KeyCreateCommand implements Callable<Integer> {
    @Mixin
    private KeyFileOption keys = new KeyFileOption();

    @Parameters(paramLabel = "NAME", description = "Of its holder, as it will stand in the audit log.")
    private String name = "";

    @Option(
            names = "--role",
            required = true,
            paramLabel = "ROLE",
            description =
                    "read: look. use: take IDs, hold locks and begin transactions too. admin: define, take away, help what is stuck and run the "
                            + "cluster too.")
    private String role = "";

    @Option(
            names = "--for",
            split = ",",
            paramLabel = "ids|locks|transactions",
            description = "For these only (default: all).")
    private List<String> scopes = new ArrayList<>();

    @Option(
            names = "--prefix",
            paramLabel = "PREFIX",
            description = "For names only that begin so; may be repeated (default: all names).")
    private List<String> prefixes = new ArrayList<>();

    @Option(
            names = "--certificate",
            paramLabel = "SUBJECT",
            description = "No key: whoever shows a client certificate with this subject, such as CN=shop,O=Example.")
    private @Nullable String certificate;

    @Override
    public Integer call() {
        Right right = ApiKeyFile.role(role);
        Set<Scope> wanted = EnumSet.noneOf(Scope.class);
        (scopes.isEmpty() ? List.of("ids", "locks", "transactions") : scopes)
                .forEach(word -> wanted.add(ApiKeyFile.scope(word)));
        ApiKey.Fresh fresh = ApiKey.fresh(new SecureRandom());
        ApiKey made = new ApiKey(
                fresh.id(),
                name,
                right,
                wanted,
                prefixes.isEmpty() ? List.of("") : List.copyOf(prefixes),
                certificate == null
                        ? new ApiKey.Proof.Secret(fresh.sha256())
                        : new ApiKey.Proof.Certificate(certificate),
                Instant.now().truncatedTo(ChronoUnit.SECONDS),
                System.getProperty("user.name", "unknown"));
        ApiKeyFile.change(keys.file(), before -> {
            List<ApiKey> after = new ArrayList<>(before);
            after.add(made);
            return after;
        });
        if (certificate == null) {
            keys.out().println(fresh.text());
            keys.out().flush();
            keys.err().println("This is the only time that it is shown. Use it: TENON_API_KEY=… tenon id next");
        } else {
            keys.out().println(made.id());
            keys.out().flush();
        }
        return ServerExitCode.STOPPED.code();
    }
}
