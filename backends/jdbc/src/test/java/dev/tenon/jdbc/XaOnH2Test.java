package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import javax.sql.XAConnection;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

/** What docs/transactions/xa.md says of H2: it votes yes, and takes that back when the connection goes. */
class XaOnH2Test {
    private record Branch(byte[] gtrid, byte[] bqual) implements Xid {
        @Override
        public int getFormatId() {
            return 1;
        }

        @Override
        public byte[] getGlobalTransactionId() {
            return gtrid.clone();
        }

        @Override
        public byte[] getBranchQualifier() {
            return bqual.clone();
        }
    }

    @Test
    void aPreparedBranchIsRolledBackWithItsConnection() throws Exception {
        JdbcDataSource source = new JdbcDataSource();
        source.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        Branch branch = new Branch("gid".getBytes(StandardCharsets.UTF_8), "one".getBytes(StandardCharsets.UTF_8));
        try (Connection looking = source.getConnection();
                Statement statement = looking.createStatement()) {
            statement.execute("CREATE TABLE account (id INT PRIMARY KEY)");
            XAConnection connection = source.getXAConnection();
            XAResource resource = connection.getXAResource();
            resource.start(branch, XAResource.TMNOFLAGS);
            Connection working = connection.getConnection(); // closed with the other, as by a process that goes
            try (Statement work = working.createStatement()) {
                work.execute("INSERT INTO account VALUES (1)");
            }
            resource.end(branch, XAResource.TMSUCCESS);
            assertThat(resource.prepare(branch)).isEqualTo(XAResource.XA_OK);
            assertThat(inDoubt(statement)).isEqualTo(1);

            connection.close();

            assertThat(inDoubt(statement)).isZero();
            try (ResultSet rows = statement.executeQuery("SELECT COUNT(*) FROM account")) {
                rows.next();
                assertThat(rows.getInt(1)).isZero();
            }
        }
    }

    private static int inDoubt(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT COUNT(*) FROM information_schema.in_doubt")) {
            row.next();
            return row.getInt(1);
        }
    }
}
