package dev.tenon.server;

import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code tenon server}: one durable node, until it is told to stop. */
@Command(
        name = "tenon server",
        description = "Runs one durable node that hands out IDs and locks over HTTP.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:stopped as asked",
            "1:unexpected failure",
            "2:wrong usage, or a bind that is refused",
            "3:the address can't be listened on",
            "4:the data folder can't be used: not writable, in use, of another version, or damaged"
        })
public final class TenonServer implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(TenonServer.class);
    private static final int PORT_MAX = 65_535;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--data",
            paramLabel = "DIR",
            defaultValue = "tenon-data",
            description = "Folder that keeps everything (default: ./tenon-data).")
    private Path data = Path.of("tenon-data");

    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "7700",
            description = "Port of the HTTP interface (default: 7700); 0: any free one, which is printed.")
    private int port;

    @Option(
            names = "--host",
            paramLabel = "HOST",
            defaultValue = "127.0.0.1",
            description = "Address to listen on (default: 127.0.0.1).")
    private String host = "127.0.0.1";

    @Option(
            names = "--insecure-bind",
            description = "Listen on an address that other machines reach, although there is no authentication.")
    private boolean insecureBind;

    private TenonServer() {}

    /** Runs the server and ends the process; {@link ExitCode} says how. */
    public static void main(String[] args) {
        int status = run(args);
        if (status != ExitCode.STOPPED.code()) {
            LOG.debug("Exit code {}", status);
        }
        System.exit(status);
    }

    /** Runs the server in this process until it is stopped or fails to start; returns the exit code. */
    static int run(String... args) {
        return new CommandLine(new TenonServer())
                .setExecutionExceptionHandler((e, line, parsed) -> {
                    if (e instanceof StartException start) {
                        line.getErr().println("tenon server: " + start.getMessage());
                        return start.exitCode().code();
                    }
                    LOG.error("The server failed", e);
                    return ExitCode.FAILED.code();
                })
                .execute(args);
    }

    @Override
    public Integer call() throws InterruptedException {
        if (port < 0 || port > PORT_MAX) {
            throw new ParameterException(spec.commandLine(), "--port must be between 0 and " + PORT_MAX + ".");
        }
        checkHost();
        Node node = Node.open(data, host, port);
        CountDownLatch stopped = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(node, stopped), "tenon-stop"));
        greet(node.port());
        stopped.await();
        return ExitCode.STOPPED.code();
    }

    private static void stop(Node node, CountDownLatch stopped) {
        node.close();
        LOG.info("Stopped.");
        stopped.countDown();
        // A JVM that ends by a signal would say 128 + the signal, however orderly it stopped.
        Runtime.getRuntime().halt(ExitCode.STOPPED.code());
    }

    private void checkHost() {
        try {
            InetAddress address = InetAddress.getByName(host);
            if (!address.isLoopbackAddress() && !insecureBind) {
                throw new ParameterException(
                        spec.commandLine(),
                        "Refused: " + host
                                + " is reachable from other machines, and this version has no authentication. "
                                + "Keep the default (127.0.0.1), or say --insecure-bind if your network protects it.");
            }
        } catch (UnknownHostException e) {
            throw new StartException(ExitCode.ADDRESS, "There is no host \"" + host + "\".", e);
        }
    }

    private void greet(int bound) {
        String url = "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + bound;
        PrintWriter out = new PrintWriter(new java.io.OutputStreamWriter(System.out, StandardCharsets.UTF_8), true);
        out.println("Tenon listens on " + url + " and keeps its data in "
                + data.toAbsolutePath().normalize());
        out.println();
        out.println("  an ID:     curl -X POST " + url + "/v1/ids/default/next");
        out.println("  or:        ./tenon id next" + server(url));
        out.println("  a lock:    ./tenon lock run demo" + server(url) + " -- sh -c 'echo token $TENON_FENCING_TOKEN'");
        out.println("  stop:      Ctrl-C");
    }

    private static String server(String url) {
        return url.equals("http://127.0.0.1:7700") ? "" : " --server " + url;
    }
}
