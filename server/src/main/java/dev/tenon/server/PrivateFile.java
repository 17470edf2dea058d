package dev.tenon.server;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files that nobody but the server's user should read, or write. Where the file system knows no POSIX permissions,
 * nothing is asked and nothing is changed.
 */
final class PrivateFile {
    private static final Logger LOG = LoggerFactory.getLogger(PrivateFile.class);
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> EVERYBODY = PosixFilePermissions.fromString("------rwx");
    private static final Set<PosixFilePermission> BEYOND_OWNER = PosixFilePermissions.fromString("---rwxrwx");

    private PrivateFile() {}

    /**
     * Makes a file of the server's own for its user alone, whatever the umask. One that is there and that everybody
     * could get at becomes so, with a warning; one for a group is somebody's choice, and stays.
     *
     * @throws IOException if it can't be made
     */
    static void own(Path file) throws IOException {
        if (!posix(file)) {
            return;
        }
        try {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        } catch (FileAlreadyExistsException e) {
            close(file);
        }
    }

    private static void close(Path file) {
        try {
            Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
            String before = PosixFilePermissions.toString(permissions);
            if (Files.isRegularFile(file) && permissions.removeAll(EVERYBODY)) {
                permissions.removeAll(BEYOND_OWNER);
                Files.setPosixFilePermissions(file, permissions);
                LOG.warn("Other users had access to {} ({}): restricted to its owner", file, before);
            }
        } catch (IOException e) {
            LOG.warn("Other users can read {}, which is owned by another user", file);
        }
    }

    /**
     * Looks at a file of secrets that somebody gave the server: it stays as it is. That anybody may read it is warned
     * of (a container's secrets are mounted so); that anybody may write it ends the start.
     *
     * @throws StartException if everybody on this machine may write it
     */
    static void requireUnshared(String option, Path file) {
        requireUnwritten(option, file);
        if (may(file, PosixFilePermission.OTHERS_READ)) {
            LOG.warn(
                    "All users of this machine can read {} ({}), and it holds secrets: chmod o-rwx {}",
                    file,
                    option,
                    file);
        }
    }

    /**
     * The same, of a file that may be read.
     *
     * @throws StartException if everybody on this machine may write it
     */
    static void requireUnwritten(String option, Path file) {
        if (may(file, PosixFilePermission.OTHERS_WRITE)) {
            throw new StartException(
                    ServerExitCode.USAGE,
                    "Refused: all users of this machine can write " + file + " (" + option
                            + "), and so grant themselves any right: chmod o-rwx " + file + ".",
                    null);
        }
    }

    private static boolean may(Path file, PosixFilePermission permission) {
        try {
            return posix(file) && Files.getPosixFilePermissions(file).contains(permission);
        } catch (IOException e) {
            return false; // whoever reads it says what is wrong
        }
    }

    private static boolean posix(Path file) {
        return file.getFileSystem().supportedFileAttributeViews().contains("posix");
    }
}
