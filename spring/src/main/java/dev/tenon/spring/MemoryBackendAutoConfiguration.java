package dev.tenon.spring;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.memory.MemoryBackend;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The memory of this process. */
@AutoConfiguration
@ConditionalOnClass(MemoryBackend.class)
@ConditionalOnBackend(BackendKind.MEMORY)
@ConditionalOnMissingBean(TenonBackend.class)
final class MemoryBackendAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean
    MemoryBackend tenonMemoryBackend() {
        Connection.say(BackendKind.MEMORY, "in this process alone: others have locks and IDs of their own");
        return MemoryBackend.create();
    }

    @Bean
    TenonBackend tenonBackend(MemoryBackend memory) {
        return new TenonBackend(BackendKind.MEMORY.key(), memory.locks(), memory.ranges(), memory::workerIds);
    }

    /** Closed with the backend that it is of. */
    @Bean(destroyMethod = "")
    @ConditionalOnMissingBean
    LockStore tenonLockStore(MemoryBackend memory) {
        return memory.lockStore();
    }
}
