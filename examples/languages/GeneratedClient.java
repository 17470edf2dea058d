import dev.tenon.generated.ApiClient;
import dev.tenon.generated.ApiException;
import dev.tenon.generated.api.IdsApi;
import dev.tenon.generated.api.LocksApi;
import dev.tenon.generated.api.SessionsApi;
import dev.tenon.generated.model.AcquireRequest;
import dev.tenon.generated.model.Definition;
import dev.tenon.generated.model.Held;
import dev.tenon.generated.model.ReleaseRequest;
import dev.tenon.generated.model.SequenceDefinition;
import dev.tenon.generated.model.SessionRequest;

/** Talks to a server through classes that openapi-generator made of {@code /openapi.json}. */
public final class GeneratedClient {
    public static void main(String[] args) throws ApiException {
        // tag::ids[]
        ApiClient client = new ApiClient();
        client.updateBaseUri(args[0]);
        IdsApi ids = new IdsApi(client);
        SequenceDefinition sequence = new SequenceDefinition();
        sequence.setKind(SequenceDefinition.KindEnum.SEQUENCE);
        sequence.setStart(100L);
        ids.defineIds("generated", new Definition(sequence));
        String id = ids.nextIds("generated", 2, null).getIds().get(1);
        System.out.println("id " + id + ", number " + ids.decodeId("generated", id).getNumber());
        // end::ids[]

        // tag::lock[]
        SessionsApi sessions = new SessionsApi(client);
        LocksApi locks = new LocksApi(client);
        String session = sessions.openSession(new SessionRequest().owner("a generated client")).getId();
        Held held = locks.acquireLock("a/lock", new AcquireRequest().session(session).wait("PT5S"));
        System.out.println("held under token " + held.getToken() + " by "
                + locks.showLock("a/lock").getHolder().getOwner());
        locks.releaseLock("a/lock", new ReleaseRequest().session(session).token(held.getToken()));
        System.out.println("held: " + locks.showLock("a/lock").getHeld());
        // end::lock[]
        try {
            locks.releaseLock("a/lock", new ReleaseRequest().session(session).token(held.getToken()));
        } catch (ApiException refused) {
            System.out.println("refused with " + refused.getCode() + ": " + refused.getResponseBody());
        }
        sessions.closeSession(session);
    }
}
