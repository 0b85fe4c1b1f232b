<?php
// Evaluates a flag by OFREP: OFREP_URL=… OFREP_TOKEN=… php flag.php KEY [TARGETING_KEY]

/** Returns the value of a flag, or the fallback if there is none. */
function flag(string $key, mixed $fallback, array $context): mixed
{
    $options = [
        'method' => 'POST',
        'header' => ['Authorization: Bearer ' . getenv('OFREP_TOKEN'), 'Content-Type: application/json'],
        'content' => json_encode(['context' => (object) $context]),
        'ignore_errors' => true,
        'timeout' => 5,
    ];
    $url = getenv('OFREP_URL') . '/ofrep/v1/evaluate/flags/' . rawurlencode($key);
    $body = @file_get_contents($url, false, stream_context_create(['http' => $options]));
    $answer = json_decode($body ?: '{}', true);
    if (isset($answer['reason']) && array_key_exists('value', $answer)) {
        return $answer['value'];
    }
    [, $status] = explode(' ', $http_response_header[0] ?? ' no-answer');
    fwrite(STDERR, $status . ' ' . ($answer['errorDetails'] ?? '') . "\n");
    return $fallback;
}

$context = isset($argv[2]) ? ['targetingKey' => $argv[2]] : [];
echo json_encode(flag($argv[1], 'fallback', $context)), "\n";
