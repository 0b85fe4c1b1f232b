/** The yardstick: what `node:http` needs to parse a JSON request and to answer as many bytes of JSON as Rollkey would. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const [bytes = '64'] = process.argv.slice(2)
const frame = JSON.stringify({ value: '' }).length
const answer = JSON.stringify({ value: 'x'.repeat(Number(bytes) - frame) })
const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': answer.length }

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    JSON.parse(Buffer.concat(chunks).toString())
    response.writeHead(200, headers).end(answer)
  })
})

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }))
})
process.on('SIGTERM', () => process.exit(0))
