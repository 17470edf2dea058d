package dev.tenon.lock.spi.cell;

/**
 * What another process must be told because of a write: a grant, a wish to have the lock back, or only that the cell has
 * changed. It leaves with the write or not at all.
 *
 * @param process to whom; if it is not present, the mail may be dropped
 * @param name of the lock; its cell is one of those that are written
 * @param text what; any characters but control characters, so that it fits into a node's name: some 120 of them, and 1 500 at most
 */
public record Mail(String process, String name, String text) {}
