<?php
foreach (array_slice($argv, 1) as $url) {
    $curl = curl_init($url);
    curl_setopt($curl, CURLOPT_RETURNTRANSFER, true);
    curl_exec($curl);
    echo curl_getinfo($curl, CURLINFO_RESPONSE_CODE), "\n";
    if (curl_errno($curl)) {
        fwrite(STDERR, curl_error($curl) . "\n");
    }
}
