// Evaluates a flag by OFREP: OFREP_URL=… OFREP_TOKEN=… java Flag.java KEY [TARGETING_KEY]
// Java's standard library cannot parse JSON, so it prints the whole answer.
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

public class Flag {
    public static void main(String[] args) throws Exception {
        var key = URLEncoder.encode(args[0], StandardCharsets.UTF_8).replace("+", "%20");
        var context = args.length > 1 ? "{\"targetingKey\":" + quoted(args[1]) + "}" : "{}";
        var request = HttpRequest.newBuilder(URI.create(System.getenv("OFREP_URL") + "/ofrep/v1/evaluate/flags/" + key))
                .header("Authorization", "Bearer " + System.getenv("OFREP_TOKEN"))
                .header("Content-Type", "application/json")
                .timeout(Duration.ofSeconds(5))
                .POST(HttpRequest.BodyPublishers.ofString("{\"context\":" + context + "}"))
                .build();
        var response = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
        if (response.statusCode() == 200) System.out.println(response.body());
        else System.err.println(response.statusCode() + " " + response.body());
    }

    /** Returns a text as JSON. */
    private static String quoted(String text) {
        var escaped = new StringBuilder("\"");
        for (char c : text.toCharArray())
            escaped.append(c < ' ' || c == '"' || c == '\\' ? String.format("\\u%04x", (int) c) : String.valueOf(c));
        return escaped.append('"').toString();
    }
}
