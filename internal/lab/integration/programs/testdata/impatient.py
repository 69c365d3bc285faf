import sys
import requests
from requests.adapters import HTTPAdapter, Retry

retry = Retry(total=3, backoff_factor=0.01, status_forcelist=[503], respect_retry_after_header=False, raise_on_status=False)
session = requests.Session()
session.mount("https://", HTTPAdapter(max_retries=retry))
for url in sys.argv[1:]:
    print(session.get(url).status_code)
