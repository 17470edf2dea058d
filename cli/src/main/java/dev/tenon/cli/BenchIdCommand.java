package dev.tenon.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tenon bench id}. */
@Command(
        name = "id",
        description = {
            "Measures how fast a server gives IDs.",
            "It uses up IDs: give it a name of its own, above all for a range with a max."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class BenchIdCommand implements Callable<Integer> {
    private static final int BATCH_MAX = 10_000;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Mixin
    private BenchOptions bench = new BenchOptions();

    @Parameters(
            paramLabel = "NAME",
            arity = "0..1",
            defaultValue = "default",
            description = "The name (default: default, which is a Snowflake).")
    private String name = "default";

    @Option(names = "--batch", paramLabel = "N", defaultValue = "1", description = "IDs a call (default: 1).")
    private int batch = 1;

    @Override
    public Integer call() throws InterruptedException {
        if (batch < 1 || batch > BATCH_MAX) {
            throw new ParameterException(spec.commandLine(), "--batch must be between 1 and " + BATCH_MAX + ".");
        }
        ServerClient client = server.client();
        String path = "/v1/ids/" + ServerClient.segment(name) + "/next?count=" + batch;
        BenchResult result = bench.measured(number -> new BenchRun.Caller() {
            @Override
            public long call() {
                return client.send("POST", path).path("ids").size();
            }

            @Override
            public void close() {}
        });
        if (!server.printed(result.json("id", name))) {
            result.print(server.out(), "IDs");
        }
        return ExitCode.OK.code();
    }
}
