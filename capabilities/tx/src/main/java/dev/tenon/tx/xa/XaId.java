package dev.tenon.tx.xa;

import dev.tenon.tx.TransactionId;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.transaction.xa.Xid;

/**
 * A branch as the databases know it: {@code service/gid} is the global part, the name of the database the branch's own.
 * Only what has this format and begins with the service's name is ever touched, as {@code XA RECOVER} lists the
 * branches of every user of the server.
 */
record XaId(String service, TransactionId gid, String database) implements Xid {
    /** "TENO". Another program that has chosen it would still need the service's name. */
    static final int FORMAT = 0x54454E4F;

    /** So that it fits with a UUID into the 64 bytes of the global part. */
    static final Pattern SERVICE = Pattern.compile("[A-Za-z0-9._-]{1,27}");

    static final Pattern DATABASE = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    @Override
    public int getFormatId() {
        return FORMAT;
    }

    @Override
    public byte[] getGlobalTransactionId() {
        return (service + "/" + gid.text()).getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public byte[] getBranchQualifier() {
        return database.getBytes(StandardCharsets.US_ASCII);
    }

    /** The branch that an ID of a database stands for; empty if it is not one of this service on this database. */
    static Optional<XaId> of(Xid xid, String service, String database) {
        String branch = new String(xid.getBranchQualifier(), StandardCharsets.US_ASCII);
        String global = new String(xid.getGlobalTransactionId(), StandardCharsets.US_ASCII);
        if (xid.getFormatId() != FORMAT || !branch.equals(database) || !global.startsWith(service + "/")) {
            return Optional.empty();
        }
        try {
            return Optional.of(new XaId(service, new TransactionId(global.substring(service.length() + 1)), database));
        } catch (IllegalArgumentException e) {
            return Optional.empty(); // none that this class has made
        }
    }

    @Override
    public String toString() {
        return service + "/" + gid + " on " + database;
    }
}
