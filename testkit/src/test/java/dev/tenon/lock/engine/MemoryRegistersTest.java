package dev.tenon.lock.engine;

import dev.tenon.testkit.RegisterStoreContract;

/** The contract holds for the store that the engine of locks is tested on. */
// tag::test[]
class MemoryRegistersTest extends RegisterStoreContract {
    private final MemoryRegisters registers = new MemoryRegisters(true);

    @Override
    protected RegisterStore process() {
        return registers.process();
    }
}
// end::test[]
