package dev.tenon.spring;

/** When a lease of a method ends: with the method, or with the transaction that was there before it. */
interface LeaseEnd {
    /** With the method, always. */
    LeaseEnd WITH_THE_METHOD = release -> false;

    /**
     * Puts off the release until the transaction of this thread is over, if there is one.
     *
     * @return false if there is none: the caller releases
     */
    boolean putOff(Runnable release);
}
