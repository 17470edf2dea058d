package dev.tenon.spring;

/** What the application's health is while transactions are stuck. */
enum StuckHealth {
    /** Well; the details tell how many are stuck. */
    UP,
    DOWN,
    OUT_OF_SERVICE
}
