package dev.tenon.server;

import dev.tenon.server.AccessOptions.Access;
import dev.tenon.server.StorageOptions.Storage;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.UnmatchedArgumentException;

/** {@code tenon server}: one durable node, alone or one of several, until it is told to stop. */
@Command(
        name = "tenon server",
        description = {
            "Serves IDs, locks and transactions over HTTP and gRPC: a durable node, a node of a cluster, or a "
                    + "server over an existing store.",
            "Credentials of the store: in its URI, by the options, or in TENON_STORE_USER and TENON_STORE_PASSWORD."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:stopped as asked",
            "1:unexpected failure",
            "2:usage error, or an insecure bind was refused",
            "3:the address can't be listened on",
            "4:the data folder can't be used: not writable, in use, of another version, damaged, or too large for the heap",
            "5:the store can't be used: it does not answer, refuses the user, or has no driver here"
        })
public final class TenonServer implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(TenonServer.class);

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "YAML file of options by their long names, such as \"port: 7700\". Arguments override "
                    + "the environment (TENON_PORT), which overrides the file.")
    private @Nullable Path config; // read before the others: see ConfigFile

    @Mixin
    private ListenOptions listen = new ListenOptions();

    @Mixin
    private AccessOptions access = new AccessOptions();

    @Mixin
    private StorageOptions storage = new StorageOptions();

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    @Mixin
    private WatchOptions watch = new WatchOptions();

    private TenonServer() {}

    /** Runs the server and ends the process; {@link ServerExitCode} says how. */
    public static void main(String[] args) {
        int status = run(args);
        if (status != ServerExitCode.STOPPED.code()) {
            LOG.debug("Exit code {}", status);
        }
        System.exit(status);
    }

    /** Runs the server in this process until it is stopped or fails to start; returns the exit code. */
    static int run(String... args) {
        CommandLine line = new CommandLine(new TenonServer());
        try {
            line.setDefaultValueProvider(ConfigFile.of(args, line.getCommandSpec(), System::getenv));
        } catch (StartException e) {
            line.getErr().println("tenon server: " + e.getMessage());
            return e.exitCode().code();
        }
        line.setParameterExceptionHandler((e, refused) -> {
            PrintWriter err = e.getCommandLine().getErr();
            err.println(e.getMessage());
            UnmatchedArgumentException.printSuggestions(e, err);
            err.println("Usage: tenon server [OPTION]…; tenon server --help lists the options.");
            return ServerExitCode.USAGE.code();
        });
        return line.setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler((e, failed, parsed) -> {
                    if (e instanceof StartException start) {
                        failed.getErr().println("tenon server: " + start.getMessage());
                        return start.exitCode().code();
                    }
                    LOG.error("The server failed", e);
                    return ServerExitCode.FAILED.code();
                })
                .execute(args);
    }

    @Override
    public Integer call() throws InterruptedException {
        if (config != null) {
            LOG.debug("Options from {}", config);
        }
        Access allowed = access.checked();
        NodeOptions options = watch.observed(listen.checked(allowed));
        Storage keeper = storage.checked(
                cluster.checked(allowed.authenticated()), options.protection().limits());
        Node node = Node.open(options, keeper.open());
        CountDownLatch stopped = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(node, watch.stopDelay(), stopped), "tenon-stop"));
        greet(listen.url(node.port()), keeper.shown());
        stopped.await();
        return ServerExitCode.STOPPED.code();
    }

    private static void stop(Node node, Duration delay, CountDownLatch stopped) {
        node.leave(delay);
        node.close();
        LOG.info("Stopped.");
        stopped.countDown();
        // A JVM that ends by a signal would say 128 + the signal, however orderly it stopped.
        Runtime.getRuntime().halt(ServerExitCode.STOPPED.code());
    }

    private static void greet(String url, String keeper) {
        PrintWriter out = new PrintWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8), true);
        out.println("Tenon listens on " + url + " and keeps its data in " + keeper);
        out.println();
        out.println("  an ID:     curl -X POST " + url + "/v1/ids/default/next");
        out.println("  or:        ./tenon id next" + server(url));
        out.println("  a lock:    ./tenon lock run demo" + server(url) + " -- sh -c 'echo token $TENON_FENCING_TOKEN'");
        out.println("  to look:   " + url + " in a browser");
        out.println("  stop:      Ctrl-C");
    }

    private static String server(String url) {
        return url.equals("http://127.0.0.1:7700") ? "" : " --server " + url;
    }
}
