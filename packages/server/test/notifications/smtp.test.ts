/** Tests how one mail is sent: over TLS, to servers that hang, drip, refuse or have another certificate. */
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import * as certificates from '../../../cli/testkit/certificates.ts'
import { Smtp } from '../../src/notifications/mail/smtp.ts'
import { isSender, smtpServerOf } from '../../src/notifications/mail/smtp-url.ts'
import { MailServer } from '../../testkit/mail-server.ts'

const password = 'canary-of-smtp'
const message = { id: 'mai_1@example.com', to: 'grace@example.com', subject: 'S', text: 'T ü', html: '<p>T</p>' }
const never = new AbortController().signal

function smtpOf(url: string, more: { timeoutMs?: number; ca?: string } = {}): Smtp {
  const server = smtpServerOf(url)
  if (!server) throw new Error('not a URL of an SMTP server')
  return new Smtp({ server, from: 'Rollkey <rollkey@example.com>', ...more })
}

async function secureServer(isSecure: boolean): Promise<MailServer> {
  const server = new MailServer({
    secure: isSecure,
    key: certificates.key,
    cert: certificates.service,
    onAuth: ({ password: given }, _, done) => {
      if (given === password) done(null, { user: 'rollkey' })
      else done(Object.assign(new Error(`wrong ${given}`), { responseCode: 535 }))
    },
  })
  await server.start()
  onTestFinished(() => server.stop())
  return server
}

test.each([
  ['smtps', true],
  ['smtp', false],
])('%s sends over TLS, with a login, and only to a certificate that is trusted', async (scheme, isSecure) => {
  const server = await secureServer(isSecure)
  const url = (pass: string): string => `${scheme}://rollkey:${pass}@localhost:${server.port}`
  const ca = certificates.authority
  expect(await smtpOf(url(password), { ca }).send(message, never)).toBeUndefined()
  expect(server.mails).toMatchObject([
    { to: message.to, messageId: '<mai_1@example.com>', subject: 'S', text: expect.stringContaining('T ü') },
  ])
  const refused = await smtpOf(url(password)).send(message, never)
  expect(refused).toMatchObject({ of: 'server', isFinal: false })
  expect(refused?.failure).toMatch(/^the certificate of the server was refused \([A-Z_]+\): .*NODE_EXTRA_CA_CERTS/)
  const wrong = await smtpOf(url('canary-of-another'), { ca }).check(never)
  expect(wrong).toEqual({ failure: 'EAUTH, status 535', of: 'server', isFinal: false })
  expect(server.mails).toHaveLength(1)
})

test('a server without STARTTLS gets no login and no mail', async () => {
  const server = new MailServer()
  await server.start()
  onTestFinished(() => server.stop())
  const refusal = await smtpOf(`smtp://rollkey:${password}@localhost:${server.port}`).send(message, never)
  expect(refusal).toMatchObject({ of: 'server' })
  expect(server.mails).toEqual([])
})

test('a recipient that is refused says nothing about the server', async () => {
  const server = new MailServer()
  await server.start()
  onTestFinished(() => server.stop())
  const smtp = smtpOf(`smtp://localhost:${server.port}?tls=no`)
  server.refusal = 550
  expect(await smtp.send(message, never)).toEqual({ failure: 'EENVELOPE, status 550', of: 'message', isFinal: true })
  server.refusal = 450
  expect(await smtp.send(message, never)).toEqual({ failure: 'EENVELOPE, status 450', of: 'message', isFinal: false })
})

/** Starts a server that speaks to each client as the test says. */
async function peer(speak: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    speak(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

test.each([
  ['hangs', () => undefined],
  [
    'drips',
    (socket: Socket) => {
      const timer = setInterval(() => socket.write('220-go on\r\n'), 10).unref()
      socket.once('close', () => clearInterval(timer))
    },
  ],
])('a server that %s is given up', async (_, speak) => {
  const port = await peer(speak)
  const smtp = smtpOf(`smtp://localhost:${port}?tls=no`, { timeoutMs: 200 })
  expect(await smtp.send(message, never)).toEqual({
    failure: 'no answer within 0.2 seconds',
    of: 'server',
    isFinal: false,
  })
})

test('a server that is not there, or breaks off, is tried again', async () => {
  const port = await peer((socket) => socket.destroy())
  const url = `smtp://localhost:${port}?tls=no`
  expect(await smtpOf(url).send(message, never)).toMatchObject({ of: 'server', isFinal: false })
})

test.each([
  ['smtps://mail.example.com', { host: 'mail.example.com', port: 465, tls: 'at once', login: undefined }],
  ['smtp://u%40x:p%3A@mail.example.com', { port: 587, tls: 'starttls', login: { user: 'u@x', pass: 'p:' } }],
  ['smtp://[::1]:25?tls=no', { host: '::1', port: 25, tls: 'none' }],
])('%s is a server', (url, server) => {
  expect(smtpServerOf(url)).toMatchObject(server)
})

test.each([
  'smtp://mail.example.com?tls=no',
  'smtps://localhost?tls=no',
  'smtp://user@mail.example.com',
  'https://mail.example.com',
  'smtp://mail.example.com/path',
  'smtp://u:%ff@mail.example.com',
  'smtp.example.com',
])('%s is none', (url) => {
  expect(smtpServerOf(url)).toBeUndefined()
})

test('a sender is an address, alone or after a name', () => {
  const senders = ['a@b.example', 'Rollkey <a@b.example>', 'Rollkey', 'a@b\r\nBcc: c@d', 'a@b, c@d', '"x" <a@b>']
  expect(senders.map(isSender)).toEqual([true, true, false, false, false, false])
})
