package dev.tenon.server;

import dev.tenon.TimeSource;
import dev.tenon.server.access.Audit;
import dev.tenon.server.access.Caller;
import dev.tenon.server.access.Gate;
import dev.tenon.server.access.HostNames;
import dev.tenon.server.access.KeyGate;
import dev.tenon.server.access.Limits;
import dev.tenon.server.access.LiveKeys;
import dev.tenon.server.access.LiveSecrets;
import dev.tenon.server.access.RateGate;
import dev.tenon.server.transport.Tls;
import dev.tenon.tx.http.HttpTargets;
import dev.tenon.tx.notify.WebhookSecrets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** Who may use the server, and how much of it. */
final class AccessOptions {
    private static final String ANYBODY = "any";

    private static final String NOBODY =
            "this server asks who its callers are, so it also has to be told whom they may have it "
                    + "call: start it with --participants URL,… (or --participants any)";

    @Spec(Target.MIXEE)
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--api-keys",
            paramLabel = "FILE",
            description =
                    "Ask for an API key, one of this file (\"tenon key create\"). It is read again when it changes.")
    private @Nullable Path apiKeys;

    @Option(names = "--tls-cert", paramLabel = "FILE", description = "Certificate of this server, PEM: turns TLS on.")
    private @Nullable Path tlsCert;

    @Option(names = "--tls-key", paramLabel = "FILE", description = "Its private key, PKCS#8 PEM.")
    private @Nullable Path tlsKey;

    @Option(
            names = "--tls-client-ca",
            paramLabel = "FILE",
            description = "Mutual TLS: clients show a certificate of this CA, PEM.")
    private @Nullable Path tlsClientCa;

    @Option(names = "--tls-client-optional", description = "A client may show no certificate, and an API key instead.")
    private boolean tlsClientOptional;

    @Option(
            names = "--allow-host",
            split = ",",
            paramLabel = "NAME",
            description =
                    "A DNS name under which this server may be asked, beside addresses, names of one word and those in "
                            + "its certificate; *.example.com: all below; *: any, which lets web pages in that have a name lead here.")
    private List<String> allowHosts = new ArrayList<>();

    @Option(
            names = "--allow-origin",
            split = ",",
            paramLabel = "URL",
            description = "A web page's origin that may use this server, such as https://admin.example.com.")
    private List<String> allowOrigins = new ArrayList<>();

    @Option(
            names = "--participants",
            split = ",",
            paramLabel = "URL",
            description = "Call participants of transactions only at addresses that begin so, such as "
                    + "https://stock.example.com/tx/; any: wherever this server gets (default: none, if it asks for API "
                    + "keys or certificates, else any).")
    private List<String> participants = new ArrayList<>();

    @Option(
            names = "--sign-calls",
            split = ",",
            paramLabel = "URL=NAME",
            description = "Sign calls of participants at addresses that begin so with the secret of that name, one of "
                    + "--webhook-secrets.")
    private List<String> signCalls = new ArrayList<>();

    @Option(
            names = "--webhook-secrets",
            paramLabel = "FILE",
            description =
                    "Secrets that sign notifications and calls, YAML: \"name: whsec_…\" each. It is read again when it changes.")
    private @Nullable Path webhookSecrets;

    @Option(
            names = "--audit-log",
            paramLabel = "FILE",
            description = "Append the audit log to this file, beside the log: a line of JSON each.")
    private @Nullable Path auditLog;

    @Mixin
    private LimitOptions limits = new LimitOptions();

    /**
     * Who may use the server, as the options say.
     *
     * @param gate who may do what
     * @param authenticated whether every caller has shown who it is
     * @param protection the rest
     */
    record Access(Gate gate, boolean authenticated, Protection protection) {
        boolean encrypted() {
            return protection.tls().isPresent();
        }
    }

    /** What the options say, if they agree and the files are there. */
    Access checked() {
        if (auditLog != null) {
            AuditFile.attach(auditLog);
        }
        Limits limited = limits.checked();
        List<Runnable> chores = new ArrayList<>();
        try {
            Optional<Tls> tls = tls();
            tls.ifPresent(t -> chores.add(t::runOnce));
            Gate gate = Gate.OPEN;
            boolean mutual = tls.map(Tls::authenticates).orElse(false);
            if (apiKeys != null) {
                PrivateFile.requireUnwritten("--api-keys", apiKeys);
                LiveKeys keys = new LiveKeys(apiKeys, Audit.LOG);
                chores.add(keys::runOnce);
                gate = new KeyGate(keys);
            } else if (mutual) {
                gate = (visitor, need, name) -> new Caller(visitor.certificate().orElse("unknown"));
            }
            WebhookSecrets secrets = WebhookSecrets.NONE;
            if (webhookSecrets != null) {
                PrivateFile.requireUnshared("--webhook-secrets", webhookSecrets);
                LiveSecrets live = new LiveSecrets(webhookSecrets);
                chores.add(live::runOnce);
                secrets = live;
            }
            Protection protection = new Protection(
                    Audit.LOG,
                    limited,
                    tls,
                    allowedHosts(),
                    Set.copyOf(allowOrigins),
                    targets(apiKeys != null || mutual).signedWith(signCalls(secrets)),
                    secrets,
                    chores);
            Gate counted = limited.rate() == 0 ? gate : new RateGate(gate, limited.rate(), TimeSource.system());
            return new Access(counted, apiKeys != null || mutual, protection);
        } catch (IllegalArgumentException e) {
            throw new StartException(ServerExitCode.USAGE, e.getMessage() + ".", e);
        }
    }

    private HttpTargets targets(boolean authenticated) {
        if (participants.isEmpty()) {
            return authenticated ? HttpTargets.none(NOBODY) : HttpTargets.ANY;
        }
        return participants.equals(List.of(ANYBODY)) ? HttpTargets.ANY : HttpTargets.within(participants);
    }

    /** The names of the secrets that sign calls, by what their addresses begin with. */
    private Map<String, String> signCalls(WebhookSecrets secrets) {
        Map<String, String> names = new LinkedHashMap<>();
        for (String given : signCalls) {
            int end = given.lastIndexOf('=');
            String name = given.substring(end + 1);
            if (end < 1 || name.isEmpty()) {
                throw new IllegalArgumentException(
                        "--sign-calls is an address and the name of a secret, such as https://stock.example.com/tx/=stock");
            }
            if (secrets.find(WebhookSecrets.requireName(name)).isEmpty()) {
                throw new IllegalArgumentException("--sign-calls names the secret \"" + name
                        + "\", and there is none of that name: --webhook-secrets FILE has a line for each");
            }
            if (names.putIfAbsent(given.substring(0, end), name) != null) {
                throw new IllegalArgumentException("--sign-calls has " + given.substring(0, end) + " twice");
            }
        }
        return names;
    }

    private Set<String> allowedHosts() {
        HostNames.of(allowHosts); // refuses what is no name
        return Set.copyOf(allowHosts);
    }

    private Optional<Tls> tls() {
        if ((tlsCert == null) != (tlsKey == null)) {
            throw new ParameterException(
                    spec.commandLine(), "--tls-cert and --tls-key belong together: give both, or neither.");
        }
        if (tlsCert == null || tlsKey == null) {
            if (tlsClientCa != null) {
                throw new ParameterException(
                        spec.commandLine(), "--tls-client-ca needs TLS: give --tls-cert and --tls-key too.");
            }
            return Optional.empty();
        }
        if (tlsClientOptional && (tlsClientCa == null || apiKeys == null)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--tls-client-optional is for those who show an API key instead of a certificate: give --tls-client-ca "
                            + "and --api-keys too.");
        }
        PrivateFile.requireUnshared("--tls-key", tlsKey);
        return Optional.of(
                new Tls(new Tls.Sources(tlsCert, tlsKey, Optional.ofNullable(tlsClientCa), !tlsClientOptional)));
    }
}
