package dev.tenon.examples;

import dev.tenon.id.SegmentGenerator;
import dev.tenon.id.TemplateGenerator;
import dev.tenon.id.TemplateParts;
import dev.tenon.id.TemplateReset;
import dev.tenon.id.spi.RangeStore;
import dev.tenon.memory.MemoryBackend;
import java.time.MonthDay;

/** Serial numbers that people read: date and counter, business prefix, machine index. */
public final class TemplateIds {
    private TemplateIds() {}

    /** Runs the example. */
    public static void main(String[] args) {
        try (MemoryBackend backend = MemoryBackend.create()) {
            RangeStore ranges = backend.ranges();
            // tag::daily[]
            TemplateGenerator orders = TemplateGenerator.builder("ORD{yyyyMMdd}{seq:6}")
                    .reset(TemplateReset.daily(), "Asia/Shanghai")
                    .build(ranges, "orders-by-day");
            String order = orders.nextId(); // ORD20261121000001
            TemplateParts parts = orders.parts(order); // its day, and 1
            // end::daily[]
            System.out.println(order + " is " + parts);

            // tag::fiscal[]
            TemplateGenerator invoices = TemplateGenerator.builder("{biz}-FY{yyyy}-{machine:2}-{seq:5}")
                    .reset(TemplateReset.fiscalYearNamedByEnd(MonthDay.of(10, 1)), "America/New_York")
                    .biz("INV")
                    .machine(7)
                    .countFrom(0)
                    .build(ranges, "invoices-by-year");
            System.out.println(invoices.nextId()); // INV-FY2027-07-00000
            // end::fiscal[]

            // tag::fast[]
            try (SegmentGenerator messages = SegmentGenerator.create(ranges, "sms")) {
                TemplateGenerator sms = TemplateGenerator.builder("sms_{seq}").build(messages);
                System.out.println(sms.nextId()); // sms_1; no round trip
            }
            // end::fast[]
        }
    }
}
