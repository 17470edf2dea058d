package dev.tenon.client;

import dev.tenon.Names;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeDefinition;
import dev.tenon.id.spi.RangeStore;
import dev.tenon.protocol.DefineRangeRequest;
import dev.tenon.protocol.NextRangeRequest;
import dev.tenon.protocol.NumberRange;
import dev.tenon.protocol.RaiseRangeRequest;
import dev.tenon.protocol.RangeDefinitionRequest;
import dev.tenon.protocol.RangeDefinitionResponse;
import dev.tenon.protocol.SequenceDefinition;
import java.util.Optional;

/** {@link RangeStore} of a server. */
final class ClientRangeStore implements RangeStore {
    private final ClientLink link;

    ClientRangeStore(ClientLink link) {
        this.link = link;
    }

    @Override
    public IdRange next(String name, long count) {
        NumberRange range = link.await(
                ClientMethods.NEXT_RANGE,
                NextRangeRequest.newBuilder()
                        .setName(checked(name))
                        .setCount(IdRange.requireCount(count))
                        .build());
        return new IdRange(range.getFirst(), range.getCount(), range.getStep());
    }

    @Override
    public void define(String name, RangeDefinition definition) {
        link.await(
                ClientMethods.DEFINE_RANGE,
                DefineRangeRequest.newBuilder()
                        .setName(checked(name))
                        .setDefinition(SequenceDefinition.newBuilder()
                                .setStart(definition.start())
                                .setStep(definition.step())
                                .setMax(definition.max()))
                        .build());
    }

    @Override
    public Optional<RangeDefinition> definition(String name) {
        RangeDefinitionResponse answer = link.await(
                ClientMethods.RANGE_DEFINITION,
                RangeDefinitionRequest.newBuilder().setName(checked(name)).build());
        SequenceDefinition found = answer.getDefinition();
        return answer.hasDefinition()
                ? Optional.of(new RangeDefinition(found.getStart(), found.getStep(), found.getMax()))
                : Optional.empty();
    }

    @Override
    public long raiseTo(String name, long floor) {
        return link.await(
                        ClientMethods.RAISE_RANGE,
                        RaiseRangeRequest.newBuilder()
                                .setName(checked(name))
                                .setFloor(floor)
                                .build())
                .getNext();
    }

    private static String checked(String name) {
        return Names.requireValid("sequence name", name);
    }
}
