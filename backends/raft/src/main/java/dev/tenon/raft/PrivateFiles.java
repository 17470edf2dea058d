package dev.tenon.raft;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Files and folders of which only their owner may read or change anything, whatever the umask of the process. Where the
 * file system knows no POSIX permissions, they are as the system makes them.
 */
final class PrivateFiles {
    private static final Set<PosixFilePermission> FOLDER = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> OTHERS = PosixFilePermissions.fromString("---rwxrwx");

    private PrivateFiles() {}

    /** What a new file of the owner's is made with. */
    static FileAttribute<?>[] file(Path path) {
        return attributes(path, FILE);
    }

    /** Makes a folder for its owner, and as usual those above it that are missing. One that is there stays as it is. */
    static void createFolder(Path folder) throws IOException {
        Path parent = folder.toAbsolutePath().getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        try {
            Files.createDirectory(folder, attributes(folder, FOLDER));
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(folder)) {
                throw e;
            }
        }
    }

    /** Makes a folder for its owner with a name that nothing had before. */
    static Path createFolderIn(Path parent, String prefix) throws IOException {
        return Files.createTempDirectory(parent, prefix, attributes(parent, FOLDER));
    }

    /**
     * Takes from everybody but the owner what he may do with a file or folder.
     *
     * @return what others could do before, such as {@code rwxr-xr-x}; empty: nothing
     * @throws IOException if it can't be changed, as it is somebody else's
     */
    static Optional<String> close(Path path) throws IOException {
        if (!posix(path)) {
            return Optional.empty();
        }
        Set<PosixFilePermission> before = Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS);
        Set<PosixFilePermission> after = EnumSet.noneOf(PosixFilePermission.class);
        after.addAll(before);
        after.removeAll(OTHERS);
        if (after.equals(before)) {
            return Optional.empty();
        }
        Files.setPosixFilePermissions(path, after);
        return Optional.of(PosixFilePermissions.toString(before));
    }

    /**
     * As {@link #close}, of all that is in a folder; what vanishes meanwhile, links, and what can't be changed stay as
     * they are.
     */
    static void closeAllIn(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : (Iterable<Path>) all::iterator) {
                if (!Files.isSymbolicLink(path)) {
                    closeQuietly(path);
                }
            }
        } catch (UncheckedIOException e) {
            if (!(e.getCause() instanceof NoSuchFileException)) { // the engine deletes segments
                throw e.getCause();
            }
        }
    }

    private static void closeQuietly(Path path) {
        try {
            close(path);
        } catch (IOException e) {
            // somebody else's, or gone: the folder around it is closed
        }
    }

    /** Deletes a folder that this process has made, with all that is in it. Follows no links. */
    static void delete(Path folder) throws IOException {
        if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        List<Path> deepestFirst;
        try (Stream<Path> all = Files.walk(folder)) {
            deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : deepestFirst) {
            Files.deleteIfExists(path);
        }
    }

    private static FileAttribute<?>[] attributes(Path path, Set<PosixFilePermission> permissions) {
        return posix(path)
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(permissions)}
                : new FileAttribute<?>[0];
    }

    private static boolean posix(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix");
    }
}
