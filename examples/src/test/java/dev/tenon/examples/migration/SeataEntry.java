package dev.tenon.examples.migration;

import io.seata.rm.tcc.api.BusinessActionContext;
import io.seata.rm.tcc.api.BusinessActionContextParameter;
import io.seata.rm.tcc.api.LocalTCC;
import io.seata.rm.tcc.api.TwoPhaseBusinessAction;
import java.sql.SQLException;

/** The entry that Seata calls, beside the one for Tenon's calls. */
// tag::before[]
@LocalTCC
interface SeataEntry {
    @TwoPhaseBusinessAction(name = "wallet", commitMethod = "commit", rollbackMethod = "rollback")
    boolean prepare(BusinessActionContext context, @BusinessActionContextParameter(paramName = "amount") long amount)
            throws SQLException;

    boolean commit(BusinessActionContext context) throws SQLException;

    boolean rollback(BusinessActionContext context) throws SQLException;
}
// end::before[]
