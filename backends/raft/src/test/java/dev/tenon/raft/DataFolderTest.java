package dev.tenon.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataFolderTest {
    @TempDir
    Path parent;

    @Test
    void aNewFolderSaysWhatItIs() throws IOException {
        Path folder = parent.resolve("a/b/tenon-data");
        DataFolder claimed = DataFolder.claim(folder, FolderVersion::ofOneNode);
        assertThat(folder.resolve("VERSION"))
                .content()
                .isEqualTo("tenon-data 2\ngroup " + claimed.version().group().orElseThrow() + "\n");
        claimed.close();
        DataFolder again = DataFolder.claim(folder, FolderVersion::ofOneNode);
        assertThat(again.version()).isEqualTo(claimed.version());
        again.close();
    }

    @Test
    void aFolderThatIsInUseIsRefusedWithTheProcessThatUsesIt() {
        try (DataFolder first = DataFolder.claim(parent, FolderVersion::ofOneNode)) {
            assertThat(first.raft()).exists();
            refused(parent, "in use by process " + ProcessHandle.current().pid());
        }
        DataFolder.claim(parent, FolderVersion::ofOneNode).close();
    }

    @Test
    void aFolderOfAnotherFormatIsRefusedAndStaysAsItIs() throws IOException {
        Path version = write("VERSION", "tenon-data 1\ngroup 00000000-0000-0000-0000-000000000000\n");
        byte[] before = Files.readAllBytes(version);
        refused(parent, "has format 1, and this Tenon reads formats 2 and 3: use the Tenon version that wrote it");
        write("VERSION", "tenon-data 17\n");
        refused(parent, "format 17");
        Files.write(version, before);
        assertThat(version).hasBinaryContent(before);
    }

    @Test
    void aDamagedVersionFileIsRefused() throws IOException {
        for (String text : new String[] {"", "tenon", "tenon-data x\n", "tenon-data 2\ngroup 12\n", "\u0000\u0001"}) {
            write("VERSION", text);
            refused(parent, "VERSION is damaged");
        }
    }

    @Test
    void aFolderWithSomethingElseInItIsRefused() throws IOException {
        write("thesis.tex", "do not touch");
        refused(parent, "is not empty and has no VERSION file");
        assertThat(parent.resolve("raft")).doesNotExist();
    }

    @Test
    void aFolderWhoseCreationWasInterruptedIsCreatedAnew() throws IOException {
        write("VERSION.tmp", "tenon-da");
        write("LOCK", "1\n");
        DataFolder.claim(parent, FolderVersion::ofOneNode).close();
        assertThat(parent.resolve("VERSION")).content().startsWith("tenon-data 2\n");
    }

    @Test
    void aFolderThatCannotBeWrittenIsRefusedInOneLine() throws IOException {
        Path file = write("file", "");
        refused(file.resolve("tenon-data"), "make it writable, or use another folder");
        refused(file, "make it writable, or use another folder");
        refused(Path.of("/proc/tenon-data"), "make it writable, or use another folder");
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(parent.resolve(name), text);
    }

    private static void refused(Path folder, String reason) {
        assertThatThrownBy(() -> DataFolder.claim(folder, FolderVersion::ofOneNode))
                .isInstanceOf(DataFolderException.class)
                .hasMessageContaining(folder.toString())
                .hasMessageContaining(reason)
                .extracting(Throwable::getMessage)
                .asString()
                .doesNotContain("\n");
    }
}
