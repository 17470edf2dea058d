package dev.tenon.client;

import dev.tenon.Names;
import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.protocol.FindDefinitionRequest;
import dev.tenon.protocol.FindDefinitionResponse;
import dev.tenon.protocol.ListDefinitionsRequest;
import dev.tenon.protocol.ListDefinitionsResponse;
import dev.tenon.protocol.PutDefinitionRequest;
import dev.tenon.protocol.RemoveDefinitionRequest;
import dev.tenon.protocol.ReplaceDefinitionRequest;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** {@link DefinitionStore} of a server. */
final class ClientDefinitionStore implements DefinitionStore {
    private final ClientLink link;

    ClientDefinitionStore(ClientLink link) {
        this.link = link;
    }

    @Override
    public Optional<String> find(String name) {
        FindDefinitionResponse answer = link.await(
                ClientMethods.FIND_DEFINITION,
                FindDefinitionRequest.newBuilder().setName(checked(name)).build());
        return answer.hasText() ? Optional.of(answer.getText()) : Optional.empty();
    }

    @Override
    public String putIfAbsent(String name, String text) {
        return link.await(
                        ClientMethods.PUT_DEFINITION,
                        PutDefinitionRequest.newBuilder()
                                .setName(checked(name))
                                .setText(DefinitionStore.requireText(text))
                                .build())
                .getText();
    }

    @Override
    public boolean replace(String name, String before, String text) {
        return link.await(
                        ClientMethods.REPLACE_DEFINITION,
                        ReplaceDefinitionRequest.newBuilder()
                                .setName(checked(name))
                                .setBefore(before)
                                .setText(DefinitionStore.requireText(text))
                                .build())
                .getReplaced();
    }

    @Override
    public boolean remove(String name, String text) {
        return link.await(
                        ClientMethods.REMOVE_DEFINITION,
                        RemoveDefinitionRequest.newBuilder()
                                .setName(checked(name))
                                .setText(text)
                                .build())
                .getRemoved();
    }

    @Override
    public Map<String, String> all() {
        Map<String, String> all = new LinkedHashMap<>();
        String after = "";
        while (true) {
            ListDefinitionsResponse page = link.await(
                    ClientMethods.LIST_DEFINITIONS,
                    ListDefinitionsRequest.newBuilder().setAfter(after).build());
            page.getDefinitionsList().forEach(one -> all.put(one.getName(), one.getText()));
            if (!page.hasNext()) {
                return all;
            }
            after = page.getNext();
        }
    }

    private static String checked(String name) {
        return Names.requireValid("definition name", name);
    }
}
