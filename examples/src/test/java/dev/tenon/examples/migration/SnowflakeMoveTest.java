package dev.tenon.examples.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cn.hutool.core.lang.Snowflake;
import com.baomidou.mybatisplus.core.incrementer.DefaultIdentifierGenerator;
import com.baomidou.mybatisplus.core.toolkit.Sequence;
import com.github.yitter.contract.IdGeneratorOptions;
import com.github.yitter.idgen.DefaultIdGenerator;
import dev.tenon.id.IdLayout;
import dev.tenon.id.IdParts;
import dev.tenon.id.OlderIds;
import dev.tenon.id.SnowflakeGenerator;
import dev.tenon.id.WorkerId;
import java.time.Duration;
import java.time.Instant;
import me.ahoo.cosid.snowflake.MillisecondSnowflakeId;
import org.junit.jupiter.api.Test;

/** IDs of other generators stay readable, and the new ones are greater. */
class SnowflakeMoveTest {
    @Test
    void fromHutool() {
        // tag::hutool-before[]
        Snowflake hutool = new Snowflake(5, 3); // worker 5, datacenter 3
        long old = hutool.nextId();
        // end::hutool-before[]

        // tag::hutool-after[]
        IdLayout layout = IdLayout.twitter().withEpoch(Instant.ofEpochMilli(1288834974657L)); // Hutool's own epoch
        new OlderIds(layout, old).requireBelow(); // SELECT max(id); throws where new IDs would not be greater
        SnowflakeGenerator ids = SnowflakeGenerator.create(layout, WorkerId.fixed(layout.workerId(3, 6)));
        long id = ids.nextId();
        // end::hutool-after[]

        assertThat(id).isGreaterThan(old);
        IdParts parts = layout.decode(old);
        assertThat(parts.datacenter()).isEqualTo(hutool.getDataCenterId(old));
        assertThat(parts.worker()).isEqualTo((int) hutool.getWorkerId(old));
        assertThat(parts.time().toEpochMilli()).isEqualTo(hutool.getGenerateDateTime(old));
        // and the other way: what still runs with Hutool reads the new ones
        assertThat(hutool.getDataCenterId(id)).isEqualTo(3);
        assertThat(hutool.getWorkerId(id)).isEqualTo(6);
        assertThat(hutool.getGenerateDateTime(id))
                .isEqualTo(layout.decode(id).time().toEpochMilli());
    }

    @Test
    void fromMyBatisPlus() {
        // tag::mybatis-plus-before[]
        DefaultIdentifierGenerator plus = new DefaultIdentifierGenerator(5, 3); // worker 5, datacenter 3
        long old = plus.nextId(new Object());
        // end::mybatis-plus-before[]

        // tag::mybatis-plus-after[]
        IdLayout layout = IdLayout.twitter().withEpoch(Instant.ofEpochMilli(1288834974657L)); // its own epoch
        new OlderIds(layout, old).requireBelow();
        SnowflakeGenerator ids = SnowflakeGenerator.create(layout, WorkerId.fixed(layout.workerId(3, 6)));
        long id = ids.nextId();
        // end::mybatis-plus-after[]

        assertThat(id).isGreaterThan(old);
        IdParts parts = layout.decode(old);
        assertThat(parts.datacenter()).isEqualTo(3);
        assertThat(parts.worker()).isEqualTo(5);
        assertThat(parts.time().toEpochMilli()).isEqualTo(Sequence.parseIdTimestamp(old));
        assertThat(Sequence.parseIdTimestamp(id))
                .isEqualTo(layout.decode(id).time().toEpochMilli());
    }

    /** As an application has it that says nothing: worker and datacenter by MAC address and process. */
    @Test
    void fromMyBatisPlusAsItIs() {
        long old = DefaultIdentifierGenerator.getInstance().nextId(new Object());
        IdLayout layout = IdLayout.twitter();

        new OlderIds(layout, old).requireBelow();

        assertThat(layout.decode(old).time().toEpochMilli()).isEqualTo(Sequence.parseIdTimestamp(old));
        assertThat(SnowflakeGenerator.create(layout, WorkerId.fixed(6)).nextId())
                .isGreaterThan(old);
    }

    @Test
    void fromYitter() {
        // tag::yitter-before[]
        DefaultIdGenerator yitter = new DefaultIdGenerator(new IdGeneratorOptions((short) 5));
        long old = yitter.newLong();
        // end::yitter-before[]

        // tag::yitter-after[]
        IdLayout layout = IdLayout.builder()
                .timeBits(45)
                .workerBits(6) // WorkerIdBitLength
                .sequenceBits(6) // SeqBitLength
                .epoch(Instant.ofEpochMilli(1582136402000L)) // BaseTime
                .build();
        new OlderIds(layout, old).requireBelow(); // waits up to a second: it may have run ahead of the clock
        SnowflakeGenerator ids = SnowflakeGenerator.create(layout, WorkerId.fixed(6));
        long id = ids.nextId();
        // end::yitter-after[]

        assertThat(layout.decode(old).worker()).isEqualTo(5);
        assertThat(Duration.between(layout.decode(old).time(), Instant.now()).abs())
                .isLessThan(Duration.ofMinutes(5));
        assertThat(id).isGreaterThan(old);
    }

    @Test
    void fromCosId() {
        // tag::cosid-before[]
        MillisecondSnowflakeId cosId = new MillisecondSnowflakeId(1577203200000L, 41, 10, 12, 5); // CosId.COSID_EPOCH
        long old = cosId.generate();
        // end::cosid-before[]

        // tag::cosid-after[]
        IdLayout layout = IdLayout.twitter().withEpoch(Instant.ofEpochMilli(1577203200000L));
        new OlderIds(layout, old).requireBelow();
        SnowflakeGenerator ids = SnowflakeGenerator.create(layout, WorkerId.fixed(6));
        long id = ids.nextId();
        // end::cosid-after[]

        assertThat(layout.decode(old).worker()).isEqualTo(5);
        assertThat(Duration.between(layout.decode(old).time(), Instant.now()).abs())
                .isLessThan(Duration.ofMinutes(5));
        assertThat(id).isGreaterThan(old);
    }

    @Test
    void anotherLayoutIsRefusedAtTheStart() {
        long old = new Snowflake(5, 3).nextId();
        IdLayout younger = IdLayout.twitter().withEpoch(Instant.parse("2024-01-01T00:00:00Z"));
        assertThatThrownBy(() -> new OlderIds(younger, old).requireBelow())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(Long.toString(old))
                .hasMessageContaining("another layout or epoch");
    }
}
