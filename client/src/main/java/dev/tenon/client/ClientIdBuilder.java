package dev.tenon.client;

import dev.tenon.id.builder.IdBuilder;
import dev.tenon.protocol.NextIdByCodeRequest;
import dev.tenon.protocol.NextIdByCodeResponse;

/** {@link IdBuilder} of a server: each call is one round trip. */
final class ClientIdBuilder implements IdBuilder {
    private final ClientLink link;

    ClientIdBuilder(ClientLink link) {
        this.link = link;
    }

    @Override
    public long unionId(int code) {
        return next(code, true, false).getNumber();
    }

    @Override
    public long unionSeqId(int code) {
        return next(code, false, false).getNumber();
    }

    @Override
    public String unionIdStr(int code) {
        return next(code, true, true).getText();
    }

    @Override
    public String unionSeqIdStr(int code) {
        return next(code, false, true).getText();
    }

    private NextIdByCodeResponse next(int code, boolean shuffled, boolean text) {
        return link.await(
                ClientMethods.NEXT_ID_BY_CODE,
                NextIdByCodeRequest.newBuilder()
                        .setCode(code)
                        .setShuffled(shuffled)
                        .setText(text)
                        .build());
    }
}
