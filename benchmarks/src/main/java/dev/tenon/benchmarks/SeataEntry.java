package dev.tenon.benchmarks;

import io.seata.rm.tcc.api.BusinessActionContext;
import io.seata.rm.tcc.api.BusinessActionContextParameter;
import io.seata.rm.tcc.api.LocalTCC;
import io.seata.rm.tcc.api.TwoPhaseBusinessAction;

/**
 * A change of an account by TCC, as Seata finds its methods: by reflection. Each branch needs a name, and so a type.
 */
@LocalTCC
public interface SeataEntry {
    /** The one that confirms. */
    boolean commit(BusinessActionContext context);

    /** The one that cancels. */
    boolean rollback(BusinessActionContext context);

    /** From the account. */
    @LocalTCC
    interface Debit extends SeataEntry {
        /** The try. */
        @TwoPhaseBusinessAction(name = "debit", useTCCFence = true)
        boolean prepare(
                BusinessActionContext context, @BusinessActionContextParameter(paramName = "account") int account);
    }

    /** To the account after it. */
    @LocalTCC
    interface Credit extends SeataEntry {
        /** The try. */
        @TwoPhaseBusinessAction(name = "credit", useTCCFence = true)
        boolean prepare(
                BusinessActionContext context, @BusinessActionContextParameter(paramName = "account") int account);
    }
}
