import { createRequire } from 'node:module'

const { got } = createRequire(import.meta.url)('got')
for (const url of process.argv.slice(2)) {
  console.log((await got(url, { throwHttpErrors: false, retry: { limit: 0 } })).statusCode)
}
