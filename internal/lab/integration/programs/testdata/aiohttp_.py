import asyncio
import sys
import aiohttp


async def main(urls, trust):
    async with aiohttp.ClientSession(trust_env=trust) as session:
        for url in urls:
            async with session.get(url) as response:
                print(response.status)


plain = sys.argv[1] == "--plain"
asyncio.run(main(sys.argv[2 if plain else 1:], not plain))
