package dev.tenon.id.spi;

/**
 * What a {@linkplain dev.tenon.id.machine.WorkerTable worker table} has to know of its store at a claim.
 *
 * @param incarnation of the store: another one after whatever may have made it forget; empty: it can't forget
 * @param own whether the claimant lives in the store's own process, so that none of its kind is left when that has
 *     died. It never waits, and makes no other wait: while others may hold what was forgotten it gets the highest slot,
 *     which they have last, as they get the lowest. In a group of one slot it waits as they do
 * @param counted whether claims are numbered 1, 2, 3 …, as they were before stores could say that they may have
 *     forgotten; else by the clock
 */
public record ClaimTerms(String incarnation, boolean own, boolean counted) {
    /** Of claims that were logged before stores could say that they may have forgotten. */
    public static final ClaimTerms COUNTED = new ClaimTerms("", false, true);

    /** Of claimants in processes of their own. */
    public static ClaimTerms in(String incarnation) {
        return new ClaimTerms(incarnation, false, false);
    }

    /** Of the store's own process. */
    public static ClaimTerms own(String incarnation) {
        return new ClaimTerms(incarnation, true, false);
    }
}
