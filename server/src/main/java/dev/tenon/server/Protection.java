package dev.tenon.server;

import dev.tenon.server.access.Audit;
import dev.tenon.server.access.Limits;
import dev.tenon.server.transport.Tls;
import dev.tenon.tx.http.HttpTargets;
import dev.tenon.tx.notify.WebhookSecrets;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a node does against those who mean no good, or too much of it.
 *
 * @param audit who hears of what others will ask about
 * @param limits of what one client may have
 * @param tls of the public port; empty: plain text
 * @param hosts DNS names under which this server may be asked; {@code *.example.com}: all below, {@code *}: any
 * @param origins of web pages that may use this server, beside its own
 * @param participants of transactions that may be called, and the names of the secrets that sign the calls
 * @param secrets that sign notifications and calls, by their names
 * @param chores to be run every second
 */
public record Protection(
        Audit audit,
        Limits limits,
        Optional<Tls> tls,
        Set<String> hosts,
        Set<String> origins,
        HttpTargets participants,
        WebhookSecrets secrets,
        List<Runnable> chores) {
    /** Plain text, and the limits that a server has if it is told nothing. */
    public static final Protection DEFAULT = new Protection(
            Audit.LOG,
            Limits.DEFAULT,
            Optional.empty(),
            Set.of(),
            Set.of(),
            HttpTargets.ANY,
            WebhookSecrets.NONE,
            List.of());

    /** This, with other limits. */
    public Protection withLimits(Limits other) {
        return new Protection(audit, other, tls, hosts, origins, participants, secrets, chores);
    }

    /** This, with another audit log. */
    public Protection withAudit(Audit other) {
        return new Protection(other, limits, tls, hosts, origins, participants, secrets, chores);
    }

    /** This, asked under other names. */
    public Protection withHosts(Set<String> others) {
        return new Protection(audit, limits, tls, others, origins, participants, secrets, chores);
    }

    /** This, with TLS. */
    public Protection withTls(Tls other) {
        return new Protection(audit, limits, Optional.of(other), hosts, origins, participants, secrets, chores);
    }

    /** This, with other participants. */
    public Protection withParticipants(HttpTargets other) {
        return new Protection(audit, limits, tls, hosts, origins, other, secrets, chores);
    }

    /** This, with other secrets. */
    public Protection withSecrets(WebhookSecrets other) {
        return new Protection(audit, limits, tls, hosts, origins, participants, other, chores);
    }
}
