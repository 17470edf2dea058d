package dev.tenon.server;

import java.io.PrintWriter;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** Which file of keys is meant. */
final class KeyFileOption {
    private static final String DEFAULT = "tenon-keys.json";

    @Spec(Target.MIXEE)
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--api-keys",
            paramLabel = "FILE",
            description = "The file (default: $TENON_API_KEYS, else ./" + DEFAULT + "), as in tenon server --api-keys.")
    private @Nullable Path file;

    /** The file. */
    Path file() {
        if (file != null) {
            return file;
        }
        String set = System.getenv("TENON_API_KEYS");
        return Path.of(set == null || set.isEmpty() ? DEFAULT : set);
    }

    /** Where results go. */
    PrintWriter out() {
        return spec.commandLine().getOut();
    }

    /** Where remarks go. */
    PrintWriter err() {
        return spec.commandLine().getErr();
    }
}
