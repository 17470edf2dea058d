package dev.tenon.raft;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReachedMarkTest {
    @TempDir
    private Path folder;

    @Test
    void theGreatestIsRead() {
        try (ReachedMark mark = new ReachedMark(folder)) {
            assertThat(mark.read()).isEmpty();
            mark.write(Long.MAX_VALUE / 3);
            mark.write(7);
            assertThat(new ReachedMark(folder).read()).isEqualTo(OptionalLong.of(Long.MAX_VALUE / 3));
        }
    }

    @Test
    void aShorterTextCoversALongerOne() {
        new ReachedMark(folder).write(1_000_000);
        new ReachedMark(folder).write(9); // of another process, whose folder was made anew
        assertThat(new ReachedMark(folder).read()).isEqualTo(OptionalLong.of(9));
    }

    @Test
    void whatWasHalfWrittenSaysNothing() throws IOException {
        Path file = folder.resolve("REACHED");
        new ReachedMark(folder).write(12_345);
        String whole = Files.readString(file);
        for (String half : new String[] {"", "\0\0\0\0", whole.substring(0, 9), whole.replace("12345", "12346")}) {
            Files.writeString(file, half);
            assertThat(new ReachedMark(folder).read()).as(half).isEmpty();
        }
    }
}
