package dev.tenon.cli;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.SYNC;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** {@code tenon backup}. */
@Command(
        name = "backup",
        description = {
            "Takes a backup of all that a server with a data folder knows, while it serves.",
            "\"tenon restore\" makes a data folder of it."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class BackupCommand implements Callable<Integer> {
    private static final int DIGEST_BYTES = 32;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Parameters(paramLabel = "FILE", description = "Where the backup goes; it must not exist.")
    private Path file = Path.of("");

    @Override
    public Integer call() throws IOException {
        if (Files.exists(file)) {
            throw new ParameterException(spec.commandLine(), file + " exists already; give a new name.");
        }
        byte[] backup = server.client().download("/v1/backup");
        if (!whole(backup)) {
            server.err().println("tenon: the backup arrived damaged or cut: take it again.");
            return ExitCode.UNREACHABLE.code();
        }
        Path draft = file.resolveSibling(file.getFileName() + ".part");
        try {
            Files.write(draft, backup, CREATE, TRUNCATE_EXISTING, WRITE, SYNC);
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(draft);
        }
        ObjectNode answer = new JsonMapper().createObjectNode();
        answer.put("file", file.toString()).put("bytes", Files.size(file));
        if (!server.printed(answer)) {
            server.out().println(file + ": " + Files.size(file) + " bytes");
            server.out().flush();
        }
        return ExitCode.OK.code();
    }

    /** Whether it ends with the SHA-256 of the rest. */
    private static boolean whole(byte[] backup) {
        int rest = backup.length - DIGEST_BYTES;
        if (rest < 0) {
            return false;
        }
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            sha.update(backup, 0, rest);
            return Arrays.equals(sha.digest(), Arrays.copyOfRange(backup, rest, backup.length));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JDK has SHA-256", e);
        }
    }
}
