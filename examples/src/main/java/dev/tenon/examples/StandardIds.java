package dev.tenon.examples;

import dev.tenon.id.standard.EpochUuidGenerator;
import dev.tenon.id.standard.GregorianUuidGenerator;
import dev.tenon.id.standard.NameUuidGenerator;
import dev.tenon.id.standard.ObjectId;
import dev.tenon.id.standard.ObjectIdGenerator;
import dev.tenon.id.standard.RandomUuidGenerator;
import dev.tenon.id.standard.Rfc9562;
import dev.tenon.id.standard.TypeId;
import dev.tenon.id.standard.TypeIdGenerator;
import dev.tenon.id.standard.Ulid;
import dev.tenon.id.standard.UlidGenerator;
import java.util.UUID;

/** The identifiers that others have standardized: UUIDs of every version, ULID, ObjectId, TypeID. */
public final class StandardIds {
    private StandardIds() {}

    /** Runs the example. */
    public static void main(String[] args) {
        uuids();
        ulids();
        objectIds();
        typeIds();
    }

    private static void uuids() {
        // tag::v7[]
        EpochUuidGenerator rows = EpochUuidGenerator.create(); // one for the process; any thread may use it
        UUID key = rows.nextUuid();
        System.out.println(key + " was made at " + Rfc9562.time(key).orElseThrow());
        // end::v7[]

        // tag::order[]
        UUID later = rows.nextUuid();
        System.out.println(Rfc9562.ORDER.compare(key, later) < 0); // true; UUID.compareTo is signed, and not to be used
        // end::order[]

        // tag::versions[]
        UUID one = GregorianUuidGenerator.version1().nextUuid();
        UUID six = Rfc9562.toVersion6(one); // the same moment, clock sequence and node, but it sorts
        UUID four = RandomUuidGenerator.create().nextUuid();
        UUID three = NameUuidGenerator.version3(NameUuidGenerator.DNS).uuid("www.example.com");
        UUID five = NameUuidGenerator.version5(NameUuidGenerator.URL).uuid("https://example.com/orders/17");
        UUID eight = Rfc9562.version8(0x2489E9AD2EE2L, 0xE00, 0x0EC932D5F69181C0L); // 48, 12 and 62 bits of your own
        // end::versions[]
        System.out.println(one + " " + three + " " + four + " " + five + " " + six + " " + eight);
    }

    private static void ulids() {
        // tag::ulid[]
        UlidGenerator events = UlidGenerator.create();
        Ulid event = events.nextUlid();
        System.out.println(event + " was made at " + event.time());
        System.out.println(Ulid.parse("01ARZ3NDEKTSV4RRFFQ69G5FAV").toUuid());
        // end::ulid[]
    }

    private static void objectIds() {
        // tag::objectid[]
        ObjectIdGenerator documents = ObjectIdGenerator.create(); // one for the process
        ObjectId document = documents.nextObjectId();
        System.out.println(document + " was made at " + document.time());

        ObjectId old = ObjectId.parse("507f1f77bcf86cd799439011"); // before 2018: machine and process in the middle
        System.out.println(old.time() + ", machine " + old.legacyMachine() + ", process " + old.legacyProcess()
                + ", counter " + old.counter());
        // end::objectid[]
    }

    private static void typeIds() {
        // tag::typeid[]
        TypeIdGenerator users = TypeIdGenerator.create("user");
        TypeId user = users.nextTypeId();
        System.out.println(user + " is " + TypeId.parse("user", user.toString()).uuid());
        // end::typeid[]
    }
}
