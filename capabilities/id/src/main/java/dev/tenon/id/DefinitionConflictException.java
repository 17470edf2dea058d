package dev.tenon.id;

import dev.tenon.TenonException;

/** Something exists under this name with another definition. Use that one, or another name. */
public final class DefinitionConflictException extends TenonException {
    public DefinitionConflictException(String message) {
        super(message);
    }
}
