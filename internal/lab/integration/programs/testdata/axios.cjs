const axios = require('axios')

async function main() {
  for (const url of process.argv.slice(2)) {
    console.log((await axios.get(url, { validateStatus: null })).status)
  }
}
main()
