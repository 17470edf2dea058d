package dev.tenon.server;

import dev.tenon.server.access.ApiKey;
import dev.tenon.server.access.ApiKeyFile;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code tenon key revoke}. */
@Command(
        name = "revoke",
        description = "Takes a key away: the server refuses it within a second. What its sessions hold ends with them.",
        mixinStandardHelpOptions = true)
final class KeyRevokeCommand implements Callable<Integer> {
    @Mixin
    private KeyFileOption keys = new KeyFileOption();

    @Parameters(paramLabel = "NAME", description = "Its name, or its ID.")
    private String name = "";

    @Override
    public Integer call() {
        ApiKeyFile.change(keys.file(), before -> {
            List<ApiKey> after = before.stream()
                    .filter(key -> !key.name().equals(name) && !key.id().equals(name))
                    .toList();
            if (after.size() == before.size()) {
                throw new IllegalArgumentException("there is no key \"" + name + "\" in " + keys.file());
            }
            return after;
        });
        return ServerExitCode.STOPPED.code();
    }
}
