package dev.tenon.examples.contributing;

import dev.tenon.jdbc.SqlDialect;
import dev.tenon.jdbc.SqlFailure;
import dev.tenon.jdbc.SqlStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** A database that speaks H2's SQL, but for one statement. */
final class ArchiveDialect implements SqlDialect {
    private final SqlDialect h2 = SqlDialect.of("jdbc:h2:");

    @Override
    public String name() {
        return "Archive";
    }

    @Override
    public String clock() {
        return h2.clock();
    }

    @Override
    public String incarnation() {
        return h2.incarnation();
    }

    // tag::source[]
    @Override
    public Optional<String> source(SqlStatement statement) {
        return switch (statement) {
            // It has the standard's form of LIMIT only.
            case TX_DUE ->
                Optional.of("SELECT 1 FROM tenon_tx WHERE service = :service AND claim_at <= {clock}"
                        + " FETCH FIRST 1 ROW ONLY");
            default -> h2.source(statement); // its own text, or empty for the common one
        };
    }
    // end::source[]

    @Override
    public List<String> schema() {
        return h2.schema();
    }

    // tag::failure[]
    @Override
    public SqlFailure failure(SQLException e) {
        return e.getErrorCode() == 4711 ? SqlFailure.REFUSED : h2.failure(e); // its archive is being copied
    }
    // end::failure[]
}
