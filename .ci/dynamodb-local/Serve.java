import com.amazonaws.services.dynamodbv2.local.main.ServerRunner;
import com.amazonaws.services.dynamodbv2.local.server.DynamoDBProxyServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/**
 * Runs Amazon's DynamoDB Local as its own main class does, except for four things that a test run wants: it listens on 127.0.0.1
 * and not on every interface; the system chooses the port, so that no two runs race for one; it ends when its standard input
 * does, so that it cannot outlive the run, not even after kill -9 of it; and it counts its requests.
 *
 * <p>On standard output it says "listening on URL" once it has answered a request, and "answered N requests" at the end. Its
 * arguments are DynamoDB Local's own, without -port. Run it from its source: java -cp 'lib/*' Serve.java -inMemory -sharedDb
 */
public final class Serve {
    private Serve() {}

    public static void main(String[] args) throws Exception {
        DynamoDBProxyServer engine = ServerRunner.createServerFromCommandLineArgs(args);
        Server jetty = jettyOf(engine);
        ServerConnector connector = (ServerConnector) jetty.getConnectors()[0];
        connector.setHost("127.0.0.1");
        connector.setPort(0);
        LongAdder answered = new LongAdder();
        jetty.setRequestLog((request, response) -> answered.increment());
        engine.start();

        URI url = URI.create("http://127.0.0.1:" + connector.getLocalPort());
        listTables(url);
        long own = answered.sum();
        System.out.println("listening on " + url);

        while (System.in.read() >= 0) {
            // nothing is said there; only its end matters
        }
        System.out.println("answered " + (answered.sum() - own) + " requests");
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    /** The engine keeps its server to itself, and has no setting for the address. */
    private static Server jettyOf(DynamoDBProxyServer engine) throws ReflectiveOperationException {
        var field = Arrays.stream(DynamoDBProxyServer.class.getDeclaredFields())
                .filter(f -> f.getType() == Server.class)
                .findFirst()
                .orElseThrow(() -> new NoSuchFieldException("this version of DynamoDB Local is built in another way"));
        field.setAccessible(true);
        return (Server) field.get(engine);
    }

    /** Sends the cheapest request that reaches the database and its native library, and fails unless it is answered well. */
    private static void listTables(URI url) throws Exception {
        var request = HttpRequest.newBuilder(url)
                .header("Content-Type", "application/x-amz-json-1.0")
                .header("X-Amz-Target", "DynamoDB_20120810.ListTables")
                .header("Authorization", "AWS4-HMAC-SHA256 Credential=local/20200101/us-east-1/dynamodb/aws4_request, "
                        + "SignedHeaders=host, Signature=0")
                .POST(HttpRequest.BodyPublishers.ofString("{}"))
                .build();
        var answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() != 200) {
            throw new IllegalStateException("ListTables was answered with " + answer.statusCode() + ": " + answer.body());
        }
    }
}
