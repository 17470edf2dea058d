package dev.tenon.raft;

import dev.tenon.TenonException;
import org.jspecify.annotations.Nullable;

/**
 * A data folder can't be used as it is: in use, not writable, of another version, or damaged. Nothing in it was
 * changed. The message is one line that names the file and says what to do.
 */
public final class DataFolderException extends TenonException {
    public DataFolderException(String message) {
        super(message);
    }

    public DataFolderException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
