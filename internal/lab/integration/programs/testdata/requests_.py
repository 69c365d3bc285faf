import sys
import requests
from requests.adapters import HTTPAdapter, Retry

session = requests.Session()
session.mount("https://", HTTPAdapter(max_retries=Retry(total=3, backoff_factor=0.01, status_forcelist=[429, 500, 502, 503, 504])))
for url in sys.argv[1:]:
    print(session.get(url).status_code)
