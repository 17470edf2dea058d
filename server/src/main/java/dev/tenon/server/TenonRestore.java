package dev.tenon.server;

import dev.tenon.raft.DataFolderException;
import dev.tenon.raft.RaftBackup;
import dev.tenon.raft.RaftOptions;
import dev.tenon.server.backend.ServerBackend;
import dev.tenon.server.ids.Restored;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tenon restore}: a data folder from a backup. */
@Command(
        name = "tenon restore",
        description = {
            "Creates a data folder from a backup taken by \"tenon backup\".",
            "Numbers issued after the backup must not be issued again, and the backup can't know how many there "
                    + "were: give an upper bound with --skip. Fencing tokens and worker IDs are raised by the "
                    + "time that has passed. Sessions and locks are not restored."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:restored",
            "1:unexpected failure",
            "2:wrong usage",
            "4:the backup can't be used (damaged, cut, of another version), or the folder is not empty or can't be written"
        })
public final class TenonRestore implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(TenonRestore.class);

    /** Less than a template has numbers in one period. */
    private static final long SKIP_MAX = 100_000_000_000L;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "FILE", description = "The backup.")
    private Path file = Path.of("");

    @Option(
            names = "--data",
            paramLabel = "DIR",
            required = true,
            description =
                    "The folder to create; it must not exist, or be empty (such as a volume, or a link to a folder).")
    private Path data = Path.of("");

    @ArgGroup
    private @Nullable Since since;

    /** What happened after the backup. */
    static final class Since {
        @Option(
                names = "--skip",
                paramLabel = "N",
                required = true,
                description = "How many numbers each sequence skips: more than it issued after the backup.")
        private @Nullable Long skip;

        @Option(
                names = "--nothing-since",
                required = true,
                description = "Nothing was issued after the backup: sequences continue where they were.")
        private boolean nothing;
    }

    private TenonRestore() {}

    /** Restores, and ends the process; {@link ServerExitCode} says how. */
    public static void main(String[] args) {
        System.exit(run(args));
    }

    /** Restores in this process; returns the exit code. */
    static int run(String... args) {
        return line().execute(args);
    }

    /** The command line, ready to be executed; streams can be set on it. */
    static CommandLine line() {
        return new CommandLine(new TenonRestore()).setExecutionExceptionHandler((e, line, parsed) -> {
            if (e instanceof DataFolderException) {
                line.getErr().println("tenon restore: " + e.getMessage() + ".");
                return ServerExitCode.DATA_FOLDER.code();
            }
            LOG.error("The backup was not restored", e);
            return ServerExitCode.FAILED.code();
        });
    }

    @Override
    public Integer call() {
        RaftBackup backup = RaftBackup.read(file);
        long skip = skip(backup);
        List<Restored> names = new ArrayList<>();
        backup.restore(data, Instant.now(), skip, draft -> {
            try (ServerBackend backend = RaftServerBackend.open(draft, RaftOptions.DEFAULT)) {
                names.addAll(Restored.of(backend, skip));
            }
        });
        report(backup, names);
        return ServerExitCode.STOPPED.code();
    }

    private long skip(RaftBackup backup) {
        Since known = since;
        if (known == null) {
            throw new ParameterException(
                    spec.commandLine(),
                    "The backup is of " + backup.taken() + " and has "
                            + backup.sequences().size()
                            + " sequences. How many numbers did each of them issue after that, at most? Give "
                            + "--skip N, rather too many than too few; or --nothing-since, if the "
                            + "server issued nothing after it.");
        }
        if (known.skip != null && (known.skip < 1 || known.skip > SKIP_MAX)) {
            throw new ParameterException(spec.commandLine(), "--skip must be between 1 and " + SKIP_MAX + ".");
        }
        return known.skip == null ? 0 : known.skip;
    }

    private void report(RaftBackup backup, List<Restored> names) {
        PrintWriter out = spec.commandLine().getOut();
        out.println("Restored into " + data + ", from a backup of " + backup.taken());
        for (Restored name : names) {
            out.println("  " + name.name() + " (" + name.kind() + ") "
                    + (name.next().isEmpty()
                            ? "is used up"
                            : "goes on at " + name.next().getAsLong()));
        }
        out.println();
        out.println("Not restored: sessions, locks, and ID names that were defined after the backup.");
        out.println(
                "Before you start it: let the longest lease in use pass since the old server stopped (of locks, and");
        out.println(
                "30 seconds for worker IDs), or old holders may still act. The old server must never be started again.");
        out.flush();
    }
}
