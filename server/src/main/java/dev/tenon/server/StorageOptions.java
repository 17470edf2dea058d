package dev.tenon.server;

import dev.tenon.raft.RaftCluster;
import dev.tenon.raft.RaftOptions;
import dev.tenon.server.access.LimitedResource;
import dev.tenon.server.access.Limits;
import dev.tenon.server.backend.ServerBackend;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** Where the server keeps everything. */
final class StorageOptions {
    private static final Path DATA = Path.of("tenon-data");

    @Spec(Target.MIXEE)
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--data", paramLabel = "DIR", description = "Folder that keeps everything (default: ./tenon-data).")
    private @Nullable Path data;

    @Option(
            names = "--store",
            paramLabel = "URI",
            description = "Store that keeps everything instead: jdbc:postgresql://…, jdbc:mariadb://…, jdbc:h2:…, "
                    + "redis://…, redis-sentinel://…, redis-cluster://…, zookeeper://…, etcd://…; several servers may be over "
                    + "one.")
    private @Nullable String store;

    @Option(names = "--store-user", paramLabel = "USER", description = "User of the store.")
    private @Nullable String storeUser;

    @Option(
            names = "--store-password",
            paramLabel = "PASSWORD",
            description = "Password of the store; others on this machine can see it here: prefer TENON_STORE_PASSWORD.")
    private @Nullable String storePassword;

    /**
     * What keeps everything.
     *
     * @param shown to people
     * @param open opens it; it throws {@link StartException} if that can't be done
     */
    record Storage(String shown, Supplier<ServerBackend> open) {}

    /**
     * What the options say, if they agree with each other and with those of a cluster.
     *
     * @param limits of what a data folder keeps
     */
    Storage checked(Optional<RaftCluster> cluster, Limits limits) {
        Optional<StoreLocation> address = storeAddress();
        if (address.isPresent()) {
            if (cluster.isPresent()) {
                throw new ParameterException(
                        spec.commandLine(),
                        "--store and --peers exclude each other: servers over one store need not know of each other.");
            }
            return new Storage(address.get().shown(), () -> StoreServerBackend.connect(address.get()));
        }
        Path folder = data == null ? DATA : data;
        RaftOptions alone = RaftOptions.DEFAULT.withMaxStateBytes(
                limits.of(LimitedResource.STATE).all());
        RaftOptions options = cluster.map(alone::withCluster).orElse(alone);
        String shown = folder.toAbsolutePath().normalize().toString();
        return new Storage(shown, () -> RaftServerBackend.open(folder, options));
    }

    private Optional<StoreLocation> storeAddress() {
        if (store == null) {
            if (storeUser != null || storePassword != null) {
                throw new ParameterException(
                        spec.commandLine(), "--store-user and --store-password are for a --store, and there is none.");
            }
            return Optional.empty();
        }
        if (data != null) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--store and --data exclude each other: give the one that is to keep everything.");
        }
        try {
            return Optional.of(new StoreLocation(
                    store, given(storeUser, "TENON_STORE_USER"), given(storePassword, "TENON_STORE_PASSWORD")));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--store: " + e.getMessage() + ".");
        }
    }

    private static Optional<String> given(@Nullable String option, String variable) {
        return Optional.ofNullable(option != null ? option : System.getenv(variable))
                .filter(text -> !text.isEmpty());
    }
}
