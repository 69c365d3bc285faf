<?php
foreach (array_slice($argv, 1) as $url) {
    file_get_contents($url);
}
