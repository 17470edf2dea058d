package dev.tenon.cli;

import java.util.Iterator;
import java.util.List;

/** What a shell offers to complete an option with. What is allowed, the server says. */
final class Choices {
    private Choices() {}

    /** Kinds of definitions. */
    static final class Kinds implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return List.of(
                            "snowflake",
                            "segment",
                            "shuffled",
                            "sequence",
                            "interleaved",
                            "template",
                            "uuid",
                            "ulid",
                            "objectid",
                            "typeid",
                            "gene")
                    .iterator();
        }
    }

    /** Modes of a lock. */
    static final class Modes implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return List.of("exclusive", "shared", "update").iterator();
        }
    }

    /** Shells. */
    static final class Shells implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return List.of("bash", "zsh").iterator();
        }
    }

    /** States of a transaction. */
    static final class TransactionStates implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return List.of("ACTIVE", "COMMITTING", "COMMITTED", "ABORTING", "ABORTED", "CLOSED")
                    .iterator();
        }
    }

    /** Kinds of transactions. */
    static final class TransactionKinds implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return List.of("saga", "tcc", "message", "notify", "xa", "at").iterator();
        }
    }

    /** Kinds of transactions that a server can be measured with. */
    static final class BenchKinds implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return List.of("saga", "tcc", "message").iterator();
        }
    }
}
