package dev.tenon.raft;

import dev.tenon.id.spi.ClaimTerms;
import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeDefinition;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.id.spi.WorkerSlotView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The commands of the stores behind ID generators: {@link dev.tenon.id.spi.RangeStore}, {@link
 * dev.tenon.id.spi.WorkerIdSource} and {@link DefinitionStore}; one record a method.
 */
sealed interface IdCommand<R> extends Command<R> {
    /** What a sequence, a definition or a slot takes beside its texts, roughly. */
    long ONE = 500;

    record NextRange(String name, long count) implements IdCommand<IdRange> {
        @Override
        public IdRange applyTo(ReplicaState state) {
            return state.ranges().next(name, count);
        }

        @Override
        public long growth() {
            return ONE;
        }

        @Override
        public boolean adds(ReplicaState state) {
            return state.ranges().definition(name).isEmpty();
        }
    }

    record DefineRange(String name, RangeDefinition definition) implements IdCommand<Boolean> {
        @Override
        public Boolean applyTo(ReplicaState state) {
            state.ranges().define(name, definition);
            return true;
        }

        @Override
        public long growth() {
            return ONE;
        }

        @Override
        public boolean adds(ReplicaState state) {
            return state.ranges().definition(name).isEmpty();
        }
    }

    record FindRange(String name) implements IdCommand<Optional<RangeDefinition>> {
        @Override
        public Optional<RangeDefinition> applyTo(ReplicaState state) {
            return state.ranges().definition(name);
        }
    }

    record RaiseRange(String name, long floor) implements IdCommand<Long> {
        @Override
        public Long applyTo(ReplicaState state) {
            return state.ranges().raiseTo(name, floor);
        }

        @Override
        public long growth() {
            return ONE;
        }

        @Override
        public boolean adds(ReplicaState state) {
            return state.ranges().definition(name).isEmpty();
        }
    }

    /** A refusal stays: the table knows from then on that the group has looked at its store. */
    record ClaimWorker(String group, WorkerClaim claim, ClaimTerms terms) implements IdCommand<WorkerSlot> {
        @Override
        public WorkerSlot applyTo(ReplicaState state) {
            return state.workers().claim(group, claim, terms, state.now()).orThrow(group);
        }

        @Override
        public long growth() {
            return ONE;
        }

        @Override
        public boolean adds(ReplicaState state) {
            return state.workers().isNew(group, claim, terms, state.now());
        }
    }

    /**
     * A renewal.
     *
     * @param incarnation of the store; empty: it is not asked for
     */
    record RenewWorker(String group, WorkerSlot slot, Duration lease, Instant fence, String incarnation)
            implements IdCommand<Boolean> {
        @Override
        public Boolean applyTo(ReplicaState state) {
            return state.workers().isSeenIn(group, incarnation)
                    && state.workers().renew(group, slot, lease, fence, state.now());
        }
    }

    record ReleaseWorker(String group, WorkerSlot slot, Instant lastUsed) implements IdCommand<Boolean> {
        @Override
        public Boolean applyTo(ReplicaState state) {
            state.workers().release(group, slot, lastUsed, state.now());
            return true;
        }
    }

    record WorkerCensus(String group) implements IdCommand<List<WorkerSlotView>> {
        @Override
        public List<WorkerSlotView> applyTo(ReplicaState state) {
            return state.workers().census(group, state.now());
        }
    }

    record FindDefinition(String name) implements IdCommand<Optional<String>> {
        @Override
        public Optional<String> applyTo(ReplicaState state) {
            return Optional.ofNullable(state.definitions().get(name));
        }
    }

    record PutDefinition(String name, String text) implements IdCommand<String> {
        @Override
        public String applyTo(ReplicaState state) {
            return state.define(name, text);
        }

        @Override
        public long growth() {
            return ONE + 2L * text.length();
        }

        @Override
        public boolean adds(ReplicaState state) {
            return !state.definitions().containsKey(name);
        }
    }

    record ReplaceDefinition(String name, String before, String text) implements IdCommand<Boolean> {
        @Override
        public Boolean applyTo(ReplicaState state) {
            return state.redefine(name, before, text);
        }

        @Override
        public long growth() {
            return 2L * Math.max(0, text.length() - before.length());
        }

        @Override
        public boolean adds(ReplicaState state) {
            return text.length() > before.length();
        }
    }

    record RemoveDefinition(String name, String text) implements IdCommand<Boolean> {
        @Override
        public Boolean applyTo(ReplicaState state) {
            return state.undefine(name, text);
        }
    }

    record AllDefinitions() implements IdCommand<Map<String, String>> {
        @Override
        public Map<String, String> applyTo(ReplicaState state) {
            return state.definitionsCopy();
        }
    }
}
