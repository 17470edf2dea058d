package dev.tenon.id;

/**
 * Two cache lines (processors fetch them in pairs) ahead of the fields of a subclass, so that what one thread writes
 * for each ID is not on a line that others read. The JVM lays out the fields of a superclass first.
 */
@SuppressWarnings("unused")
abstract class Padding {
    private long p0;
    private long p1;
    private long p2;
    private long p3;
    private long p4;
    private long p5;
    private long p6;
    private long p7;
    private long p8;
    private long p9;
    private long p10;
    private long p11;
    private long p12;
    private long p13;
    private long p14;
    private long p15;
}
