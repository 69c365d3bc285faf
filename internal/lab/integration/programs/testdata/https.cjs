const https = require('node:https')

const get = (url) => new Promise((resolve, reject) => https.get(url, (response) => resolve(response.resume().statusCode)).on('error', reject))

async function main() {
  for (const url of process.argv.slice(2)) {
    console.log(await get(url))
  }
}
main()
