package dev.tenon.cli;

import static java.nio.file.StandardOpenOption.SYNC;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Objects;
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
            "Backs up a running server that has a data folder.",
            "\"tenon restore\" creates a data folder from it."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class BackupCommand implements Callable<Integer> {
    private static final int DIGEST_BYTES = 32;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Parameters(paramLabel = "FILE", description = "The file to create; it must not exist.")
    private Path file = Path.of("");

    @Override
    public Integer call() throws IOException {
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            throw existsAlready();
        }
        byte[] backup = server.client().download("/v1/backup");
        if (!whole(backup)) {
            server.err().println("tenon: the backup arrived damaged or incomplete: retry.");
            return ExitCode.UNREACHABLE.code();
        }
        write(backup);
        ObjectNode answer = new JsonMapper().createObjectNode();
        answer.put("file", file.toString()).put("bytes", Files.size(file));
        if (!server.printed(answer)) {
            server.out().println(file + ": " + Files.size(file) + " bytes");
            server.out().flush();
        }
        return ExitCode.OK.code();
    }

    /** Whole or not at all, for its owner alone whatever the umask, and in nothing's place. */
    private void write(byte[] backup) throws IOException {
        Path place = file.toAbsolutePath();
        Path folder = Objects.requireNonNull(place.getParent(), "parent");
        // A name that nothing had before: what somebody else has put there is neither written to nor deleted.
        Path draft = Files.createTempFile(folder, place.getFileName() + ".", ".part"); // for its owner alone
        try {
            Files.write(draft, backup, WRITE, SYNC);
            publish(draft, place);
        } catch (FileAlreadyExistsException e) {
            throw existsAlready();
        } finally {
            Files.deleteIfExists(draft);
        }
    }

    private static void publish(Path draft, Path place) throws IOException {
        try {
            Files.createLink(place, draft); // unlike a move, it replaces nothing
        } catch (FileAlreadyExistsException e) {
            throw e;
        } catch (UnsupportedOperationException | IOException e) { // a file system without links
            Files.move(draft, place);
        }
    }

    private ParameterException existsAlready() {
        return new ParameterException(spec.commandLine(), file + " exists already; give a new name.");
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
