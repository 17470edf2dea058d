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
        description = "Creates a key and prints it, once: only its hash is stored. The server accepts it within "
                + "a second.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class KeyCreateCommand implements Callable<Integer> {
    @Mixin
    private KeyFileOption keys = new KeyFileOption();

    @Parameters(paramLabel = "NAME", description = "Name of the holder, as it appears in the audit log.")
    private String name = "";

    @Option(
            names = "--role",
            required = true,
            paramLabel = "ROLE",
            description = "read: view. use: also get IDs, hold locks and begin transactions. admin: also define, "
                    + "evict, resume what is stuck and manage the cluster.")
    private String role = "";

    @Option(
            names = "--for",
            split = ",",
            paramLabel = "ids|locks|transactions",
            description = "Restrict the key to these (default: all).")
    private List<String> scopes = new ArrayList<>();

    @Option(
            names = "--prefix",
            paramLabel = "PREFIX",
            description = "Restrict the key to names with this prefix; may be repeated (default: all names).")
    private List<String> prefixes = new ArrayList<>();

    @Option(
            names = "--certificate",
            paramLabel = "SUBJECT",
            description = "Create no key; accept the client certificate with this subject, such as CN=shop,O=Example.")
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
            keys.err().println("The key is shown only this once. Use it: TENON_API_KEY=… tenon id next");
        } else {
            keys.out().println(made.id());
            keys.out().flush();
        }
        return ServerExitCode.STOPPED.code();
    }
}
